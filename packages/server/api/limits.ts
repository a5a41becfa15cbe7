import { Failure } from '@fivetab/domain/failure.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import { type DailyWrites, tooManyWrites } from '../actions/actor.ts'

/** Limits on requests: fixed windows of a clock minute, for a token and for an account, and of a UTC day for an account's writes. */

const MINUTE_MS = 60_000

function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS)
}

/** Where a client stands with a limit of the minute. `resetsAt` is ms since the epoch. */
interface Standing {
  /** Whose requests are counted. */
  key: string
  limit: number
  used: number
  resetsAt: number
}

/** Counts the requests of the current minute by key. It holds only that minute's keys. */
export interface MinuteCounter {
  used(key: string, now: number): number
  add(key: string, now: number, count: 1 | -1): void
}

export function minuteCounter(): MinuteCounter {
  let minute = -1
  const counts = new Map<string, number>()
  function current(now: number): Map<string, number> {
    const thisMinute = minuteOf(now)
    if (thisMinute !== minute) {
      counts.clear()
      minute = thisMinute
    }
    return counts
  }
  return {
    used: (key, now) => current(now).get(key) ?? 0,
    add: (key, now, count) => {
      const counted = current(now)
      counted.set(key, Math.max(0, (counted.get(key) ?? 0) + count))
    },
  }
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

/** Counts the request for the minute. */
export function countIn(counter: MinuteCounter, admission: Admission, now: number): void {
  admission.countedAt = now
  countMinute(counter, admission, now, 1)
}

/** Takes back a request that was counted, and then refused by a limit after all. */
export function takeBack(counter: MinuteCounter, admission: Admission, now: number): void {
  const { countedAt } = admission
  if (countedAt === null) return
  admission.countedAt = null
  if (minuteOf(countedAt) === minuteOf(now)) countMinute(counter, admission, now, -1)
}

function countMinute(counter: MinuteCounter, { token, account }: Admission, now: number, count: 1 | -1): void {
  for (const standing of [token, account]) {
    counter.add(standing.key, now, count)
    standing.used += count
  }
}

/** The failure of the limit that is used up, if one is. */
export function refusalOf({ token, account, writes }: Admission, now: number): Failure | null {
  if (isUsedUp(token)) return tooManyRequests(`A token may make ${token.limit} requests a minute`, token, now)
  if (isUsedUp(account))
    return tooManyRequests(`All tokens of an account together may make ${account.limit} requests a minute`, account, now)
  if (writes !== null && isUsedUp(writes)) return tooManyWrites(writes.limit, now)
  return null
}

function isUsedUp({ used, limit }: { used: number; limit: number }): boolean {
  return used >= limit
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
