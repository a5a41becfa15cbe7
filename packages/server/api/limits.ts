import { Failure } from '@fivetab/domain/failure.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import { type DailyWrites, tooManyWrites } from '../actions/actor.ts'
import { MINUTE_MS, type MinuteCounter, minuteOf } from './minute-counter.ts'

/** Limits on requests: fixed windows of a clock minute, for a token and for an account, and of a UTC day for an account's writes. */

/** Where a client stands with a limit of the minute. `resetsAt` is ms since the epoch. */
interface Standing {
  /** Whose requests are counted. */
  key: string
  limit: number
  used: number
  resetsAt: number
}

/** Where a known token's request stands with every limit that it counts against. */
export interface Admission {
  token: Standing
  account: Standing
  /** Null for a request that does not write. */
  writes: DailyWrites | null
  /** When the request was counted for the minute, in ms since the epoch; null for one that is not. */
  countedAt: number | null
}

/** Where a request stands before it is counted. */
export function standingOf(
  counter: MinuteCounter,
  tokenId: string,
  accountId: string,
  plan: Plan,
  writes: DailyWrites | null,
  now: number,
): Admission {
  const resetsAt = (minuteOf(now) + 1) * MINUTE_MS
  return {
    token: { key: tokenId, limit: plan.tokenPerMinute, used: counter.used(tokenId, now), resetsAt },
    account: { key: accountId, limit: plan.accountPerMinute, used: counter.used(accountId, now), resetsAt },
    writes,
    countedAt: null,
  }
}

/** Counts the request for the minute, unless a limit is used up; then it answers with the failure of that limit. */
export async function countIn(counter: MinuteCounter, admission: Admission, now: number): Promise<Failure | null> {
  const { token, account, writes } = admission
  if (!(await spend(counter, token, now))) return tooManyRequests(`A token may make ${token.limit} requests a minute`, token, now)
  if (!(await spend(counter, account, now))) {
    giveBack(counter, token, now)
    return tooManyRequests(`All tokens of an account together may make ${account.limit} requests a minute`, account, now)
  }
  admission.countedAt = now
  if (writes === null || writes.used < writes.limit) return null
  takeBack(counter, admission, now)
  return tooManyWrites(writes.limit, now)
}

/** Takes back a request that was counted, and then refused by a limit after all. */
export function takeBack(counter: MinuteCounter, admission: Admission, now: number): void {
  const { countedAt, token, account } = admission
  if (countedAt === null) return
  admission.countedAt = null
  if (minuteOf(countedAt) === minuteOf(now)) for (const standing of [token, account]) giveBack(counter, standing, now)
}

async function spend(counter: MinuteCounter, standing: Standing, now: number): Promise<boolean> {
  const used = await counter.spend(standing.key, standing.limit, now)
  standing.used = used ?? counter.used(standing.key, now)
  return used !== null
}

function giveBack(counter: MinuteCounter, standing: Standing, now: number): void {
  counter.giveBack(standing.key, now)
  standing.used = counter.used(standing.key, now)
}

function tooManyRequests(rule: string, { resetsAt }: Standing, now: number): Failure {
  return new Failure('rate_limited', `${rule}, and they are used up.`, { retryAfterSeconds: secondsUntil(resetsAt, now) })
}

/** The headers of the limit that has the fewest requests left, among those that this request counts against. */
export function rateLimitHeaders({ token, account, writes }: Admission, now: number): Record<string, string> {
  const standings: Omit<Standing, 'key'>[] = [token, account]
  if (writes !== null) standings.push({ ...writes, resetsAt: (Math.floor(now / DAY_MS) + 1) * DAY_MS })
  const tightest = standings.reduce((a, b) => (left(b) < left(a) ? b : a))
  return {
    'RateLimit-Limit': String(tightest.limit),
    'RateLimit-Remaining': String(left(tightest)),
    'RateLimit-Reset': String(secondsUntil(tightest.resetsAt, now)),
  }
}

function left({ limit, used }: { limit: number; used: number }): number {
  return Math.max(0, limit - used)
}

function secondsUntil(time: number, now: number): number {
  return Math.max(0, Math.ceil((time - now) / 1000))
}
