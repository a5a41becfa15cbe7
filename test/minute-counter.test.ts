import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { countIn, standingOf, TOKENS, takeBack } from '../packages/server/api/limits.ts'
import { type MinuteCounter, minuteCounter, sharedMinuteCounter } from '../packages/server/api/minute-counter.ts'
import type { SharedCounts } from '../packages/server/store/shared-counts.ts'

const PLAN = { key: 'tight', apiAccess: true, activeTasks: null, tokenPerMinute: 10, accountPerMinute: 10, writesPerDay: 1 }
const LAST_OF_A_MINUTE = Date.parse('2026-11-21T12:00:59.999Z')
const FIRST_OF_THE_NEXT = LAST_OF_A_MINUTE + 1

interface Store extends SharedCounts {
  /** How often it was asked. */
  asked: number
  isAway: boolean
  /** Loses all that was taken, as one that keeps nothing does when it is started again. */
  forget(): void
}

/** What instances share, in memory. */
function aStore(): Store {
  const sums = new Map<string, number>()
  const store: Store = {
    asked: 0,
    isAway: false,
    forget: () => sums.clear(),
    take: async (key, count) => {
      store.asked += 1
      if (store.isAway) throw new Error('It is away.')
      sums.set(key, (sums.get(key) ?? 0) + count)
      return sums.get(key) as number
    },
    close: async () => {},
  }
  return store
}

/** How many of `attempts` requests, one after another, `counter` lets through. */
async function letThrough(counter: MinuteCounter, limit: number, attempts: number, now = LAST_OF_A_MINUTE): Promise<number> {
  let count = 0
  for (let attempt = 0; attempt < attempts; attempt++) if ((await counter.spend('key', limit, now)) !== null) count += 1
  return count
}

const COUNTERS: [name: string, open: () => MinuteCounter][] = [
  ['alone', minuteCounter],
  ['the only one of those that share', () => sharedMinuteCounter(aStore())],
]

for (const [name, open] of COUNTERS) {
  describe(`a counter of minutes (${name})`, () => {
    it('lets exactly as many through as the limit says, and as many again in the next minute', async () => {
      for (const limit of [0, 1, 7, 300, 3_000]) {
        const counter = open()

        assert.equal(await letThrough(counter, limit, limit + 50), limit)
        assert.equal(counter.used('key', LAST_OF_A_MINUTE), limit)
        assert.equal(counter.used('key', FIRST_OF_THE_NEXT), 0)
        assert.equal(await letThrough(counter, limit, limit + 50, FIRST_OF_THE_NEXT), limit)
      }
    })

    it('lets exactly as many through when all come at once', async () => {
      const counter = open()

      const outcomes = await Promise.all(Array.from({ length: 500 }, () => counter.spend('key', 300, LAST_OF_A_MINUTE)))

      assert.equal(outcomes.filter((used) => used !== null).length, 300)
    })

    it('lets one more through for each that is given back', async () => {
      const counter = open()
      await letThrough(counter, 10, 10)

      counter.giveBack('key', LAST_OF_A_MINUTE)

      assert.equal(await letThrough(counter, 10, 5), 1)
    })

    it('goes by a limit that changes', async () => {
      const counter = open()

      assert.equal(await letThrough(counter, 10, 20), 10)
      assert.equal(await letThrough(counter, 15, 20), 5)
      assert.equal(await letThrough(counter, 3, 20), 0)
    })

    it('counts each key by itself', async () => {
      const counter = open()
      await letThrough(counter, 10, 20)

      assert.equal(await counter.spend('other', 10, LAST_OF_A_MINUTE), 1)
    })
  })

  describe(`a request that the day refuses after the minute counted it (${name})`, () => {
    const openAdmissions = () => {
      const counter = open()
      return {
        counter,
        countedAt: (now: number) => [counter.used('token', now), counter.used('account', now)],
        letIn: async (now: number) => {
          const admission = standingOf(counter, TOKENS, 'token', 'account', PLAN, null, now)
          assert.equal(await countIn(counter, admission, now), null)
          return admission
        },
      }
    }

    it('is taken off that minute', async () => {
      const { counter, countedAt, letIn } = openAdmissions()
      await letIn(LAST_OF_A_MINUTE)

      takeBack(counter, await letIn(LAST_OF_A_MINUTE), LAST_OF_A_MINUTE)

      assert.deepEqual(countedAt(LAST_OF_A_MINUTE), [1, 1])
    })

    it('is taken off once', async () => {
      const { counter, countedAt, letIn } = openAdmissions()
      const [refused] = [await letIn(LAST_OF_A_MINUTE), await letIn(LAST_OF_A_MINUTE)]

      for (let time = 0; time < 2; time++) takeBack(counter, refused, LAST_OF_A_MINUTE)

      assert.deepEqual(countedAt(LAST_OF_A_MINUTE), [1, 1])
    })

    it('takes nothing off the next minute when it is refused only then', async () => {
      const { counter, countedAt, letIn } = openAdmissions()
      const refused = await letIn(LAST_OF_A_MINUTE)
      await letIn(FIRST_OF_THE_NEXT)

      takeBack(counter, refused, FIRST_OF_THE_NEXT)

      assert.deepEqual(countedAt(FIRST_OF_THE_NEXT), [1, 1])
    })
  })
}

describe('counters that share every limit', () => {
  it('together let at most 5 % more through than the limit, however many they are and in whatever order they are asked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom(1, 10, 100, 300, 1_200),
        fc.array(fc.nat(), { minLength: 50, maxLength: 200 }),
        async (instances, limit, order) => {
          const store = aStore()
          const counters = Array.from({ length: instances }, () => sharedMinuteCounter(store))
          let through = 0
          for (const pick of order) through += await letThrough(counters[pick % instances] as MinuteCounter, limit, Math.ceil(limit / 10))
          assert.ok(through <= limit * 1.05, `${through} of ${limit}`)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('let no fewer through than the limit while they are six at most', async () => {
    for (const instances of [2, 3, 6]) {
      const store = aStore()
      const counters = Array.from({ length: instances }, () => sharedMinuteCounter(store))
      let through = 0
      for (let round = 0; round < 400; round++) {
        for (const counter of counters) through += await letThrough(counter, 300, 1)
      }
      assert.ok(through >= 300 && through <= 315, `${instances} instances: ${through}`)
    }
  })

  it('ask the store once for a hundredth of the limit, and not at all once that has nothing left', async () => {
    const store = aStore()
    const counter = sharedMinuteCounter(store)

    await letThrough(counter, 3_000, 10_000)

    assert.equal(store.asked, 100)
  })

  it('go on from what they knew, each alone, while the store is away', async () => {
    const store = aStore()
    const [one, other] = [sharedMinuteCounter(store), sharedMinuteCounter(store)]
    await letThrough(one, 300, 90)
    await letThrough(other, 300, 90)
    store.isAway = true

    const more = await letThrough(other, 300, 500)

    // It knows of the 90 that it let through itself, and of the 90 that the other had taken.
    assert.ok(90 + more + 90 >= 300 && 90 + more + 90 <= 315, String(more))
  })

  it('go on from what they knew when the store has forgotten it', async () => {
    const store = aStore()
    const [one, other] = [sharedMinuteCounter(store), sharedMinuteCounter(store)]
    await letThrough(one, 300, 90)
    await letThrough(other, 300, 90)
    store.forget()

    const used = await other.spend('key', 300, LAST_OF_A_MINUTE)
    const more = await letThrough(other, 300, 500)

    assert.equal(used, 181)
    assert.ok(181 + more >= 300 && 181 + more <= 315, String(more))
  })
})
