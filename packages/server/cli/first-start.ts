import { linkAddress } from '@fivetab/domain/link.ts'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { makeFirstLink } from '../actions/links.ts'
import type { Operator } from '../actions/operator.ts'
import { anyAccount } from '../store/accounts.ts'

const MAKE_ACCOUNT = 'npx fivetab account create --email you@example.org'
const MAKE_TOKEN = `npx fivetab token create --account you@example.org --name first --scopes ${SCOPE_NAMES.join(',')} --expires-in 90d`

/** What to tell an operator who has no account yet, line by line; nothing when there is one. The link in it is made anew with each call. */
export async function firstStartHint(by: Operator, baseUrl: string): Promise<string[]> {
  if (await anyAccount(by.store)) return []
  const { link, value } = await makeFirstLink(by)
  return [
    `No account yet. Make the first one in a browser, within 24 hours: ${linkAddress(baseUrl, link.kind, value)}`,
    `Or without a browser, with its token: ${MAKE_ACCOUNT} && ${MAKE_TOKEN}`,
  ]
}
