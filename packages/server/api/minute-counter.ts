import type { SharedCounts } from '../store/shared-counts.ts'

/** Counting the requests of a clock minute, by key, in one instance or in several that share every limit. */

export const MINUTE_MS = 60_000

export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS)
}

export interface MinuteCounter {
  /** How many requests were counted this minute, as far as this instance knows. `now` is ms since the epoch. */
  used(key: string, now: number): number
  /** Counts one request and answers with `used`, it included; null, with nothing counted, when `limit` (requests a minute) is used up. */
  spend(key: string, limit: number, now: number): number | null | Promise<number | null>
  /** Takes back a request of this minute that was counted. */
  giveBack(key: string, now: number): void
}

/** Things of the current minute by key; those of the minute before are dropped. */
function thisMinute<T>(make: () => T): (key: string, now: number) => T {
  let minute = -1
  const things = new Map<string, T>()
  return (key, now) => {
    if (minuteOf(now) !== minute) {
      things.clear()
      minute = minuteOf(now)
    }
    const known = things.get(key)
    if (known !== undefined) return known
    const made = make()
    things.set(key, made)
    return made
  }
}

/** Counts of this process alone: exact. */
export function minuteCounter(): MinuteCounter {
  const countOf = thisMinute(() => ({ used: 0 }))
  return {
    used: (key, now) => countOf(key, now).used,
    spend: (key, limit, now) => {
      const count = countOf(key, now)
      if (count.used >= limit) return null
      count.used += 1
      return count.used
    },
    giveBack: (key, now) => {
      const count = countOf(key, now)
      count.used = Math.max(0, count.used - 1)
    },
  }
}

/** How much of a limit an instance takes at once: a hundredth, so that the shared store is asked rarely and little lies about unspent. */
const SHARE = 0.01
/** How much more than the limit all instances may take together, so that what others hold unspent is not missing. */
const SLACK = 0.05
/** After the shared store failed, how long it is left alone. */
const REST_MS = 1_000

/** What this instance knows of a key in the current minute. */
interface Count {
  /** What this instance let through. */
  used: number
  /** What it has taken and not yet spent. */
  left: number
  /** What it, and what all instances, asked the shared store for. */
  takenHere: number
  takenByAll: number
  /** The limit at which nothing was left to take; null while there is. */
  exhaustedAt: number | null
  /** How many requests wait for the next share. */
  waiting: number
  taking: Promise<void> | null
}

/**
 * Counts that instances share. Each takes small shares of a limit from the shared store and spends them by itself.
 *
 * An instance that sees that nobody else takes is exact. Several together take at most 5 % more than the limit, so that is the most they let
 * through. While the shared store is away, each goes on from what it knew and counts alone; so it does when the store was lost, which it may be.
 */
export function sharedMinuteCounter(shared: SharedCounts): MinuteCounter {
  const countOf = thisMinute<Count>(() => ({
    used: 0,
    left: 0,
    takenHere: 0,
    takenByAll: 0,
    exhaustedAt: null,
    waiting: 0,
    taking: null,
  }))
  let restsUntil = 0

  async function spendAfterTaking(key: string, limit: number, now: number): Promise<number | null> {
    const count = countOf(key, now)
    count.waiting += 1
    try {
      for (;;) {
        if (count.used >= limit) return null
        if (count.left > 0) return spendOne(count)
        if (count.exhaustedAt === limit) return null
        count.taking ??= takeShare(`${minuteOf(now)}:${key}`, count, limit).finally(() => {
          count.taking = null
        })
        await count.taking
      }
    } finally {
      count.waiting -= 1
    }
  }

  async function takeShare(key: string, count: Count, limit: number): Promise<void> {
    const share = Math.max(count.waiting, Math.ceil(limit * SHARE))
    const before = await takenBefore(key, share, count)
    count.takenHere += share
    count.takenByAll = before + share
    const isAlone = count.takenByAll === count.takenHere
    const ceiling = isAlone ? limit : Math.floor(limit * (1 + SLACK))
    const granted = Math.max(0, Math.min(share, ceiling - before))
    count.left += granted
    count.exhaustedAt = granted === 0 ? limit : null
  }

  /** Takes from the shared store, and answers with what all had taken before: what this instance knows of it when that is away, or has forgotten. */
  async function takenBefore(key: string, share: number, count: Count): Promise<number> {
    if (performance.now() >= restsUntil) {
      try {
        return Math.max((await shared.take(key, share)) - share, count.takenByAll)
      } catch {
        restsUntil = performance.now() + REST_MS
      }
    }
    return count.takenByAll
  }

  return {
    used: (key, now) => usedAsFarAsKnown(countOf(key, now)),
    spend: (key, limit, now) => {
      const count = countOf(key, now)
      return count.left > 0 && count.used < limit ? spendOne(count) : spendAfterTaking(key, limit, now)
    },
    giveBack: (key, now) => {
      const count = countOf(key, now)
      if (count.used === 0) return
      count.used -= 1
      count.left += 1
    },
  }
}

function usedAsFarAsKnown({ used, takenByAll, takenHere }: Count): number {
  return used + takenByAll - takenHere
}

function spendOne(count: Count): number {
  count.left -= 1
  count.used += 1
  return usedAsFarAsKnown(count)
}
