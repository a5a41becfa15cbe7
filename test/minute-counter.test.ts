import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countIn, minuteCounter, standingOf, takeBack } from '../packages/server/api/limits.ts'

const PLAN = { key: 'tight', apiAccess: true, activeTasks: null, tokenPerMinute: 10, accountPerMinute: 10, writesPerDay: 1 }
const LAST_OF_A_MINUTE = Date.parse('2026-11-21T12:00:59.999Z')
const FIRST_OF_THE_NEXT = LAST_OF_A_MINUTE + 1

/** A counter, what it counted for the token and for the account, and a way to let a request in. */
function openCounter() {
  const counter = minuteCounter()
  return {
    counter,
    countedAt: (now: number) => [counter.used('token', now), counter.used('account', now)],
    letIn: (now: number) => {
      const admission = standingOf(counter, 'token', 'account', PLAN, null, now)
      countIn(counter, admission, now)
      return admission
    },
  }
}

describe('a request that the day refuses after the minute counted it', () => {
  it('is taken off that minute', () => {
    const { counter, countedAt, letIn } = openCounter()
    letIn(LAST_OF_A_MINUTE)

    takeBack(counter, letIn(LAST_OF_A_MINUTE), LAST_OF_A_MINUTE)

    assert.deepEqual(countedAt(LAST_OF_A_MINUTE), [1, 1])
  })

  it('is taken off once', () => {
    const { counter, countedAt, letIn } = openCounter()
    const [refused] = [letIn(LAST_OF_A_MINUTE), letIn(LAST_OF_A_MINUTE)]

    for (let time = 0; time < 2; time++) takeBack(counter, refused, LAST_OF_A_MINUTE)

    assert.deepEqual(countedAt(LAST_OF_A_MINUTE), [1, 1])
  })

  it('takes nothing off the next minute when it is refused only then', () => {
    const { counter, countedAt, letIn } = openCounter()
    const refused = letIn(LAST_OF_A_MINUTE)
    letIn(FIRST_OF_THE_NEXT)

    takeBack(counter, refused, FIRST_OF_THE_NEXT)

    assert.deepEqual(countedAt(FIRST_OF_THE_NEXT), [1, 1])
  })
})
