import { Failure } from '@fivetab/domain/failure.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import { DAY_MS, type DailyWrites, tooManyWrites } from '../actions/actor.ts'

/** Limits on requests: fixed windows of a clock minute, for a token and for an account, and of a UTC day for an account's writes. */

const MINUTE_MS = 60_000

/** Where a client stands with one limit. `resetsAt` is ms since the epoch. */
export interface Standing {
  limit: number
  used: number
  resetsAt: number
}

/** Counts the requests of the current minute by key. It holds only that minute's keys. */
export interface MinuteCounter {
  used(key: string, now: number): number
  add(key: string, now: number): void
}

export function minuteCounter(): MinuteCounter {
  let minute = -1
  const counts = new Map<string, number>()
  function current(now: number): Map<string, number> {
    const thisMinute = Math.floor(now / MINUTE_MS)
    if (thisMinute !== minute) {
      counts.clear()
      minute = thisMinute
    }
    return counts
  }
  return {
    used: (key, now) => current(now).get(key) ?? 0,
    add: (key, now) => {
      const counted = current(now)
      counted.set(key, (counted.get(key) ?? 0) + 1)
    },
  }
}

/** A known token's request, counted, and where that leaves it. */
export interface Admission {
  token: Standing
  account: Standing
  /** Null for a request that does not write. */
  writes: DailyWrites | null
  /** The failure of the limit that was used up already; such a request is not counted. */
  refusal: Failure | null
}

/** Counts a request of a known token, unless a limit of the minute or the day is used up. */
export function admit(
  counter: MinuteCounter,
  tokenId: string,
  accountId: string,
  plan: Plan,
  writes: DailyWrites | null,
  now: number,
): Admission {
  const resetsAt = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
  const token = { limit: plan.tokenPerMinute, used: counter.used(tokenId, now), resetsAt }
  const account = { limit: plan.accountPerMinute, used: counter.used(accountId, now), resetsAt }
  const refusal = refusalOf(token, account, writes, now)
  if (refusal === null) {
    counter.add(tokenId, now)
    counter.add(accountId, now)
    token.used += 1
    account.used += 1
  }
  return { token, account, writes, refusal }
}

function refusalOf(token: Standing, account: Standing, writes: DailyWrites | null, now: number): Failure | null {
  if (token.used >= token.limit) return tooManyRequests(`A token may make ${token.limit} requests a minute`, token, now)
  if (account.used >= account.limit)
    return tooManyRequests(`All tokens of an account together may make ${account.limit} requests a minute`, account, now)
  if (writes !== null && writes.used >= writes.limit) return tooManyWrites(writes.limit, now)
  return null
}

function tooManyRequests(rule: string, { resetsAt }: Standing, now: number): Failure {
  return new Failure('rate_limited', `${rule}, and they are used up.`, { retryAfterSeconds: secondsUntil(resetsAt, now) })
}

/** The headers of the limit that has the fewest requests left, among those that this request counts against. */
export function rateLimitHeaders({ token, account, writes }: Admission, now: number): Record<string, string> {
  const standings = [token, account]
  if (writes !== null) standings.push({ ...writes, resetsAt: (Math.floor(now / DAY_MS) + 1) * DAY_MS })
  const tightest = standings.reduce((a, b) => (left(b) < left(a) ? b : a))
  return {
    'RateLimit-Limit': String(tightest.limit),
    'RateLimit-Remaining': String(left(tightest)),
    'RateLimit-Reset': String(secondsUntil(tightest.resetsAt, now)),
  }
}

function left({ limit, used }: Standing): number {
  return Math.max(0, limit - used)
}

function secondsUntil(time: number, now: number): number {
  return Math.max(0, Math.ceil((time - now) / 1000))
}
