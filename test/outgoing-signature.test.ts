import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newSecret, signatureHeaders } from '../packages/server/outgoing/signature.ts'

/** The library of Standard Webhooks compares with the machine's clock. */
const NOW_SECONDS = Math.floor(Date.now() / 1_000)
const BODY = JSON.stringify({ type: 'task.completed', title: 'Ünïcode ✓ 🎉' })

function signed(...secrets: string[]) {
  return { ...signatureHeaders({ id: 'evt_1', timestampSeconds: NOW_SECONDS, body: BODY, secrets }) }
}

describe('signatures', () => {
  it('are accepted by the library of Standard Webhooks', () => {
    const secret = newSecret(randomBytes)

    assert.deepEqual(new Webhook(secret).verify(BODY, signed(secret)), JSON.parse(BODY))
  })

  it('are those of the example in the specification', () => {
    const headers = signatureHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    })

    assert.deepEqual(headers, {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('are accepted with either secret while one follows the other', () => {
    const [before, after] = [newSecret(randomBytes), newSecret(randomBytes)]
    const headers = signed(before, after)

    assert.doesNotThrow(() => new Webhook(before).verify(BODY, headers))
    assert.doesNotThrow(() => new Webhook(after).verify(BODY, headers))
  })

  it('are refused with another secret', () => {
    const headers = signed(newSecret(randomBytes), newSecret(randomBytes))

    assert.throws(() => new Webhook(newSecret(randomBytes)).verify(BODY, headers), /No matching signature/)
  })

  it('do not hold for an altered body, id or time', () => {
    const secret = newSecret(randomBytes)
    const webhook = new Webhook(secret)
    const headers = signed(secret)

    assert.throws(() => webhook.verify(`${BODY} `, headers), /No matching signature/)
    assert.throws(() => webhook.verify(BODY, { ...headers, 'webhook-id': 'evt_2' }), /No matching signature/)
    assert.throws(() => webhook.verify(BODY, { ...headers, 'webhook-timestamp': String(NOW_SECONDS - 1) }), /No matching signature/)
  })
})

describe('a new secret', () => {
  it('is the prefix and 32 random bytes in base64', () => {
    assert.equal(
      newSecret((count) => new Uint8Array(count).fill(255)),
      `whsec_${Buffer.alloc(32, 255).toString('base64')}`,
    )
  })
})
