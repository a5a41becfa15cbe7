import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isWorthAnotherTry, pauseAfter } from '../../packages/web/src/board/pending.ts'
import { ask, Refused, Unreachable } from '../../packages/web/src/client/http.ts'

function refused(status: number, retryAfter: number | null = null): Refused {
  return new Refused({ status, code: 'any', detail: 'No.', request_id: 'id' }, retryAfter)
}

describe('a change that was not stored', () => {
  it('is sent again for as long as the service cannot be reached, with longer and longer pauses', () => {
    const unreachable = new Unreachable()

    assert.equal(isWorthAnotherTry(1_000, unreachable), true)
    assert.deepEqual(
      [0, 1, 2, 9].map((failures) => pauseAfter(failures, unreachable)),
      [500, 1_000, 2_000, 15_000],
    )
  })

  it('is sent again a few times to a service that fails', () => {
    assert.equal(isWorthAnotherTry(4, refused(500)), true)
    assert.equal(isWorthAnotherTry(5, refused(500)), false)
    assert.equal(isWorthAnotherTry(0, refused(404)), false)
  })

  it('waits for the end of a limit of the minute, and not for that of one of the day', () => {
    assert.equal(isWorthAnotherTry(0, refused(429, 42)), true)
    assert.equal(pauseAfter(0, refused(429, 42)), 42_000)
    assert.equal(isWorthAnotherTry(0, refused(429, 7_200)), false)
  })
})

describe('an answer', () => {
  it('that is none of the service’s, or broke off, is none', async (test) => {
    const answers = [
      new Response('<h1>Sign in to this network</h1>'),
      new Response('{"id": "ta'),
      new Response('Bad gateway', { status: 502 }),
    ]
    test.mock.method(globalThis, 'fetch', async () => answers.shift())

    for (const _ of [1, 2, 3]) await assert.rejects(ask('GET', '/board'), Unreachable)
  })
})
