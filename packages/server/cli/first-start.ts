import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { anyAccount } from '../store/accounts.ts'
import type { Reader } from '../store/store.ts'

const MAKE_ACCOUNT = 'npx fivetab account create --email you@example.org'
const MAKE_TOKEN = `npx fivetab token create --account you@example.org --name first --scopes ${SCOPE_NAMES.join(',')} --expires-in 90d`

/** What to tell an operator who has no account yet; null when there is one. */
export async function firstStartHint(store: Reader): Promise<string | null> {
  return (await anyAccount(store)) ? null : `No account yet. Make the first one and its token: ${MAKE_ACCOUNT} && ${MAKE_TOKEN}`
}
