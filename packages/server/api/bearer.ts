import type { Account } from '@fivetab/domain/account.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import type { Token } from '@fivetab/domain/token.ts'
import { isTokenValue, TOKEN_PREFIX } from '@fivetab/domain/token.ts'
import type { FastifyRequest } from 'fastify'
import { type Actor, type DailyWrites, requireOneScope } from '../actions/actor.ts'
import { hashOfToken } from '../actions/tokens.ts'
import { type Usage, usageOf } from '../store/ledgers.ts'
import { type Admittance, admittance } from '../store/tokens.ts'
import type { Store } from '../store/turn.ts'
import { type Admission, countIn, standingOf } from './limits.ts'
import type { MinuteCounter } from './minute-counter.ts'
import { BadRequest } from './problem.ts'

/** Who is asking: from a token to an actor, in the order of checks that the contract gives. */

/** A request that was let in: who acts, as whom, by which token. */
export interface Bearer {
  actor: Actor
  account: Account
  plan: Plan
  token: Token
}

declare module 'fastify' {
  interface FastifyRequest {
    bearer: Bearer | null
    /** Set for every request with a known token, also one that is refused. */
    admission: Admission | null
  }
}

/** Seconds after which it is worth asking again whether the API is on. */
const RETRY_WHEN_OFF = 30

const READING = new Set(['GET', 'HEAD'])

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
export async function letIn(request: FastifyRequest, store: Store, counter: MinuteCounter, now: number): Promise<void> {
  const value = bearerValue(request.headers.authorization)
  const { apiIsOn, bearer } = await admittance(store, value === null || !isTokenValue(value) ? '' : hashOfToken(value))
  if (!apiIsOn) throw switchedOff()
  if (value === null) throw invalidToken('No token was sent. Send one as Authorization: Bearer <ACCESS_TOKEN>.')
  if (bearer === undefined) throw invalidToken('There is no such token.')
  const { token, account, plan } = bearer
  const ended = tokenRefusal(token, now)
  if (ended !== null) throw ended

  const writes = READING.has(request.method) ? null : writesOf(await usageOf(store, account.id), plan, now)
  const admission = standingOf(counter, token.id, account.id, plan, writes, now)
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
  request.bearer = { actor, account, plan, token }
}

/** Why somebody who was let in before is let in no longer, whatever limits say; null while all is well. */
export function refusalOf({ apiIsOn, bearer }: Admittance, now: number): Failure | null {
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

function writesOf({ writeDay, writesThatDay }: Usage, plan: Plan, now: number): DailyWrites {
  return { limit: plan.writesPerDay, used: writeDay === Math.floor(now / DAY_MS) ? writesThatDay : 0 }
}

export function bearerOf(request: FastifyRequest): Bearer {
  if (request.bearer === null) throw new Error('An operation was reached by a request that was not let in.')
  return request.bearer
}

/** Who acts in this request. */
export function actorOf(request: FastifyRequest): Actor {
  return bearerOf(request).actor
}
