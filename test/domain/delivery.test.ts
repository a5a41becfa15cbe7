import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Attempt, type Delivery, RETRY_DELAYS_MS, type Result, verdictOn } from '@fivetab/domain/delivery.ts'
import { disabled, newWebhook, type Webhook } from '@fivetab/domain/webhook.ts'
import fc from 'fast-check'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const RUNS = { numRuns: 1_000 }

const WEBHOOK: Webhook = newWebhook({ id: 'webhook', secret: 'whsec_', now: NOW }, { url: 'https://example.org/hook', event_types: ['*'] })

const NEW: Delivery = Object.freeze({
  id: 'delivery',
  webhookId: 'webhook',
  eventId: 'event',
  eventType: 'task.created',
  sequence: 1,
  state: 'pending',
  nextAttemptAt: NOW,
  attempts: Object.freeze([]),
  createdAt: NOW,
})
const TEST: Delivery = Object.freeze({ ...NEW, eventType: 'webhook.test', sequence: null })

/** What came back: a status, or null for no answer. */
function resulting(status: number | null, retryAfterMs: number | null = null): Result {
  const attempt: Attempt = {
    attempted_at: '2026-11-21T12:00:00.000Z',
    duration_ms: 1,
    request: { url: WEBHOOK.url, headers: {} },
    response: status === null ? null : { status, body: '' },
    error: status === null ? 'No answer within 15 s.' : null,
  }
  return { attempt, retryAfterMs, isHopeless: false }
}

/** The delivery after so many failures. */
function failed(times: number): Delivery {
  return { ...NEW, attempts: Array.from({ length: times }, () => resulting(500).attempt) }
}

const aStatus = fc.option(fc.integer({ min: 100, max: 599 }))
const aResult = fc.tuple(aStatus, fc.option(fc.integer({ min: 0, max: 10 * DAY }))).map(([status, ms]) => resulting(status, ms))
const aChance = fc.double({ min: 0, max: 1, noNaN: true })

describe('an attempt that succeeded', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    it(`ends its delivery, and all that had failed before (${status})`, () => {
      const verdict = verdictOn(WEBHOOK, NOW - 9 * DAY, failed(3), resulting(status, HOUR), NOW, 0.5)

      assert.deepEqual(verdict, {
        delivery: { ...failed(3), attempts: [...failed(3).attempts, resulting(status).attempt], state: 'succeeded', nextAttemptAt: null },
        failingSince: null,
        disable: null,
      })
    })
  }
})

describe('an attempt that failed', () => {
  it('is followed by another after the times of the contract', () => {
    assert.deepEqual(RETRY_DELAYS_MS, [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR])
    for (const [index, delayMs] of RETRY_DELAYS_MS.entries()) {
      const due = [0, 1].map((chance) => verdictOn(WEBHOOK, null, failed(index), resulting(null), NOW, chance).delivery.nextAttemptAt)
      assert.deepEqual(due, [NOW + delayMs, NOW + delayMs * 1.1])
    }
  })

  it('is the last when it is the tenth', () => {
    const { delivery } = verdictOn(WEBHOOK, null, failed(9), resulting(500, HOUR), NOW, 0)

    assert.deepEqual([delivery.state, delivery.nextAttemptAt, delivery.attempts.length], ['failed', null, 10])
  })

  it('starts the count of five days, which the next one does not start anew', () => {
    assert.equal(verdictOn(WEBHOOK, null, NEW, resulting(500), NOW, 0).failingSince, NOW)
    assert.equal(verdictOn(WEBHOOK, NOW - DAY, NEW, resulting(500), NOW, 0).failingSince, NOW - DAY)
  })

  it('disables a webhook that has failed for five days', () => {
    const before = verdictOn(WEBHOOK, NOW - 5 * DAY + 1, NEW, resulting(500), NOW, 0)
    const after = verdictOn(WEBHOOK, NOW - 5 * DAY, NEW, resulting(500), NOW, 0)

    assert.deepEqual([before.disable, before.delivery.state], [null, 'pending'])
    assert.deepEqual([after.disable, after.delivery.state, after.delivery.nextAttemptAt], ['failing', 'failed', null])
  })

  it('disables it at once with a 410, and with nothing else', () => {
    const { disable, delivery } = verdictOn(WEBHOOK, null, NEW, resulting(410), NOW, 0)

    assert.deepEqual([disable, delivery.state, delivery.nextAttemptAt], ['gone', 'failed', null])
    for (const status of [400, 404, 409, 411, 500]) assert.equal(verdictOn(WEBHOOK, null, NEW, resulting(status), NOW, 0).disable, null)
  })

  it('is the only one for a webhook that is disabled', () => {
    const { delivery, disable, failingSince } = verdictOn(disabled(WEBHOOK, 'request', NOW), null, NEW, resulting(410), NOW, 0)

    assert.deepEqual([delivery.state, delivery.nextAttemptAt, disable, failingSince], ['failed', null, null, null])
  })
})

describe('a delivery that has nothing to send any more', () => {
  it('fails for good, and says nothing of its receiver', () => {
    for (const since of [null, NOW - DAY, NOW - 9 * DAY]) {
      const { delivery, failingSince, disable } = verdictOn(WEBHOOK, since, failed(2), { ...resulting(null), isHopeless: true }, NOW, 0)

      assert.deepEqual([delivery.state, delivery.nextAttemptAt, delivery.attempts.length], ['failed', null, 3])
      assert.deepEqual([failingSince, disable], [since, null])
    }
  })
})

describe('Retry-After', () => {
  const dueAfter = (retryAfterMs: number | null) => {
    const { nextAttemptAt } = verdictOn(WEBHOOK, null, NEW, resulting(503, retryAfterMs), NOW, 0).delivery
    return (nextAttemptAt ?? Number.NaN) - NOW
  }

  it('puts the next attempt off, for a day at most, and never brings it forward', () => {
    assert.deepEqual([null, 0, 4_999, 5_001, DAY, 2 * DAY].map(dueAfter), [5_000, 5_000, 5_000, 5_001, DAY, DAY])
  })
})

describe('whatever comes of any attempt', () => {
  it('the delivery has one attempt more, ten at most, and is to be tried again if and only if it is pending', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(NEW, TEST),
        fc.boolean(),
        fc.array(fc.tuple(aResult, aChance, fc.integer({ min: 0, max: 2 * DAY })), { minLength: 1, maxLength: 12 }),
        (first, isDisabled, steps) => {
          const webhook = isDisabled ? disabled(WEBHOOK, 'request', NOW) : WEBHOOK
          let [delivery, failingSince, now]: [Delivery, number | null, number] = [first, null, NOW]
          for (const [result, chance, laterMs] of steps) {
            if (delivery.state !== 'pending') break
            now += laterMs
            const verdict = verdictOn(webhook, failingSince, delivery, result, now, chance)
            assert.deepEqual(verdict.delivery.attempts, [...delivery.attempts, result.attempt])
            assert.equal(verdict.delivery.state === 'pending', verdict.delivery.nextAttemptAt !== null)
            assert.ok(verdict.disable === null || verdict.delivery.state === 'failed')
            delivery = verdict.delivery
            failingSince = verdict.failingSince
          }
          assert.ok(delivery.attempts.length <= 10)
          assert.ok(delivery.attempts.length <= (isDisabled || first === TEST ? 1 : 10))
        },
      ),
      RUNS,
    )
  })

  it('the next attempt comes within a tenth of its delay, or when the receiver asks for it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.option(fc.integer({ min: 0, max: 10 * DAY })), aChance, (times, askedMs, chance) => {
        const { delivery } = verdictOn(WEBHOOK, null, failed(times), resulting(503, askedMs), NOW, chance)
        const delayMs = RETRY_DELAYS_MS[times] as number
        const waitMs = (delivery.nextAttemptAt as number) - NOW
        const capped = Math.min(askedMs ?? 0, DAY)
        assert.ok(Number.isInteger(waitMs))
        assert.ok(waitMs >= Math.max(delayMs, capped) && waitMs <= Math.max(delayMs * 1.1, capped))
      }),
      RUNS,
    )
  })

  it('a test neither disables a webhook nor changes since when it fails', () => {
    fc.assert(
      fc.property(fc.option(fc.integer({ min: 0, max: NOW })), aResult, aChance, (since, result, chance) => {
        const { disable, failingSince, delivery } = verdictOn(WEBHOOK, since, TEST, result, NOW, chance)
        assert.deepEqual([disable, failingSince, delivery.nextAttemptAt], [null, since, null])
      }),
      RUNS,
    )
  })

  it('only a success ends a time of failing, and nothing but a failure begins it', () => {
    fc.assert(
      fc.property(fc.option(fc.integer({ min: 0, max: NOW })), aStatus, aChance, (since, status, chance) => {
        const { failingSince } = verdictOn(WEBHOOK, since, NEW, resulting(status), NOW, chance)
        assert.equal(failingSince, status !== null && status >= 200 && status <= 299 ? null : (since ?? NOW))
      }),
      RUNS,
    )
  })
})
