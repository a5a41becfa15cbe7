import type { Account } from '@fivetab/domain/account.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import type { Token } from '@fivetab/domain/token.ts'
import { isTokenValue, TOKEN_PREFIX } from '@fivetab/domain/token.ts'
import type { FastifyRequest } from 'fastify'
import { type Actor, requireOneScope } from '../actions/actor.ts'
import { hashOfToken } from '../actions/tokens.ts'
import type { Reader } from '../store/store.ts'
import { type Admittance, admittance, admittances } from '../store/tokens.ts'
import type { Entrance } from './caller.ts'
import { countIn, dailyWrites, READING, standingOf, TOKENS } from './limits.ts'
import { BadRequest } from './problem.ts'

/** Letting a program in: from a token to an actor, in the order of checks that the contract gives. */

/** Seconds after which it is worth asking again whether the API is on. */
const RETRY_WHEN_OFF = 30

/** The refusal of a URL with a token in it, however it is spelled: URLs end up in logs and histories. Null for any other URL. */
export function tokenInUrl(url: string): BadRequest | null {
  if (!holdsToken(url)) return null
  const [path = ''] = url.split('?', 1)
  return new BadRequest([
    {
      in: holdsToken(path) ? 'path' : 'query',
      name: '',
      code: 'invalid_value',
      detail:
        'A token does not belong into a URL: send it as Authorization: Bearer, and revoke this one, since URLs are kept in many places.',
    },
  ])
}

function holdsToken(url: string): boolean {
  return url.includes(TOKEN_PREFIX) || (url.includes('%') && decodedLeniently(url).includes(TOKEN_PREFIX))
}

function decodedLeniently(url: string): string {
  return url.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/**
 * Lets a request in, or refuses it: `api_disabled`, 401, the account's own refusals, limits, and last the scope.
 *
 * The database is asked by every request, in one statement that several may share, so that a revoked token, a shut account or a new plan holds from the
 * next request on.
 * @throws Failure
 */
export async function letInByToken(request: FastifyRequest, { store, counter, uses }: Entrance, now: number): Promise<void> {
  const value = bearerValue(request.headers.authorization)
  const { apiIsOn, bearer } = await admittance(store, value === null || !isTokenValue(value) ? '' : hashOfToken(value))
  if (!apiIsOn) throw switchedOff()
  if (value === null) throw invalidToken('No token was sent. Send one as Authorization: Bearer <ACCESS_TOKEN>.')
  if (bearer === undefined) throw invalidToken('There is no such token.')
  const { token, account, plan } = bearer
  const ended = tokenRefusal(token, now)
  if (ended !== null) throw ended

  const writes = READING.has(request.method) ? null : await dailyWrites(store, account.id, plan, now)
  const admission = standingOf(counter, TOKENS, token.id, account.id, plan, writes, now)
  request.admission = admission
  const overLimit = await countIn(counter, admission, now)
  const refusal = accountRefusal(account, plan) ?? overLimit
  if (refusal !== null) throw refusal

  const actor: Actor = {
    store,
    accountId: account.id,
    scopes: new Set(token.scopes),
    cause: 'api',
    tokenId: token.id,
    requestId: request.id,
    dailyWrites: writes,
  }
  const scopes = request.routeOptions.config.operation?.scopes ?? null
  if (scopes !== null) requireOneScope(actor, scopes)
  uses.noteToken(token, now)
  request.caller = { actor, account, plan, token, session: null }
}

/** Those of the tokens that let in no longer, whatever limits say, and why; by the token's id. */
export async function tokenRefusals(reader: Reader, tokenIds: readonly string[], clock: () => number): Promise<Map<string, Failure>> {
  const admitted = await admittances(reader, tokenIds)
  const refusals = new Map<string, Failure>()
  for (const [id, admittance] of admitted) {
    const refusal = refusalOf(admittance, clock())
    if (refusal !== null) refusals.set(id, refusal)
  }
  return refusals
}

/** Null while all is well. */
function refusalOf({ apiIsOn, bearer }: Admittance, now: number): Failure | null {
  if (!apiIsOn) return switchedOff()
  if (bearer === undefined) return invalidToken('There is no such token.')
  return tokenRefusal(bearer.token, now) ?? accountRefusal(bearer.account, bearer.plan)
}

function tokenRefusal(token: Token, now: number): Failure | null {
  if (token.revokedAt !== null) return invalidToken('The token was revoked.')
  if (token.expiresAt <= now) return invalidToken('The token has expired.')
  return null
}

function accountRefusal(account: Account, plan: Plan): Failure | null {
  if (!account.apiAccess) return new Failure('access_disabled', 'The operator has turned API access off for this account.')
  if (!plan.apiAccess) return new Failure('plan_required', `The plan ${plan.key} does not include API access.`)
  if (account.vault)
    return new Failure('vault_account_unsupported', 'The account is end-to-end encrypted: its titles and notes cannot be read here.')
  return null
}

function bearerValue(header: string | undefined): string | null {
  const parts = /^Bearer +(\S+) *$/i.exec(header ?? '')
  return parts?.[1] ?? null
}

function switchedOff(): Failure {
  return new Failure('unavailable', 'The API is switched off for now.', { retryAfterSeconds: RETRY_WHEN_OFF })
}

function invalidToken(detail: string): Failure {
  return new Failure('invalid_token', detail)
}
