import { Failure } from '@fivetab/domain/failure.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import { type DailyWrites, tooManyWrites } from '../actions/actor.ts'
import { type Usage, usageOf } from '../store/ledgers.ts'
import type { Engine } from '../store/store.ts'
import { MINUTE_MS, type MinuteCounter, minuteOf } from './minute-counter.ts'

/** Limits on requests: fixed windows of a clock minute, for a token or session and for an account, and of a UTC day for an account's writes. */

/** Methods of requests that count for no limit of writes. */
export const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** What is counted by itself, and what together with others of its account, in words. */
interface Counted {
  one: string
  all: string
}

export const TOKENS: Counted = { one: 'A token', all: 'All tokens of an account together' }
export const SESSIONS: Counted = { one: 'A session', all: 'All sessions of an account together' }

/** Where a client stands with a limit of the minute. `resetsAt` is ms since the epoch. */
interface Standing {
  /** Whose requests are counted. */
  key: string
  limit: number
  used: number
  resetsAt: number
}

/** Where the request of a known token or session stands with every limit that it counts against. */
export interface Admission {
  counted: Counted
  /** The token's or session's own. */
  own: Standing
  account: Standing
  /** Null for a request that does not write. */
  writes: DailyWrites | null
  /** When the request was counted for the minute, in ms since the epoch; null for one that is not. */
  countedAt: number | null
}

/** How many writes of the UTC day the account has used by `now`. */
export async function dailyWrites(store: Pick<Engine, 'known'>, accountId: string, plan: Plan, now: number): Promise<DailyWrites> {
  return { limit: plan.writesPerDay, used: writesThatDay(await usageOf(store, accountId), now) }
}

/** How many of the writes of the UTC day of `now` are used. */
export function writesThatDay(usage: Usage, now: number): number {
  return usage.writeDay === Math.floor(now / DAY_MS) ? usage.writesThatDay : 0
}

/** Where a request stands before it is counted; `own` and `account` are the keys that it is counted under. */
export function standingOf(
  counter: MinuteCounter,
  counted: Counted,
  own: string,
  account: string,
  plan: Plan,
  writes: DailyWrites | null,
  now: number,
): Admission {
  const resetsAt = (minuteOf(now) + 1) * MINUTE_MS
  return {
    counted,
    own: { key: own, limit: plan.tokenPerMinute, used: counter.used(own, now), resetsAt },
    account: { key: account, limit: plan.accountPerMinute, used: counter.used(account, now), resetsAt },
    writes,
    countedAt: null,
  }
}

/** Counts the request for the minute, unless a limit is used up; then it answers with the failure of that limit. */
export async function countIn(counter: MinuteCounter, admission: Admission, now: number): Promise<Failure | null> {
  const { counted, own, account, writes } = admission
  if (!(await spend(counter, own, now))) return tooManyRequests(counted.one, own, now)
  if (!(await spend(counter, account, now))) {
    giveBack(counter, own, now)
    return tooManyRequests(counted.all, account, now)
  }
  admission.countedAt = now
  if (writes === null || writes.used < writes.limit) return null
  takeBack(counter, admission, now)
  return tooManyWrites(writes.limit, now)
}

/** Takes back a request that was counted, and then refused by a limit after all. */
export function takeBack(counter: MinuteCounter, admission: Admission, now: number): void {
  const { countedAt, own, account } = admission
  if (countedAt === null) return
  admission.countedAt = null
  if (minuteOf(countedAt) === minuteOf(now)) for (const standing of [own, account]) giveBack(counter, standing, now)
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

function tooManyRequests(who: string, { limit, resetsAt }: Standing, now: number): Failure {
  return new Failure('rate_limited', `${who} may make ${limit} requests a minute, and they are used up.`, {
    retryAfterSeconds: secondsUntil(resetsAt, now),
  })
}

/** The headers of the limit that has the fewest requests left, among those that this request counts against. */
export function rateLimitHeaders({ own, account, writes }: Admission, now: number): Record<string, string> {
  const standings: Omit<Standing, 'key'>[] = [own, account]
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
