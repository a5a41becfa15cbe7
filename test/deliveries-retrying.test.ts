import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, type Resource } from './builders.ts'
import { type Answer, aWebhook, deliveriesTo, openReceiver, REACHABLE, type Receiver, verified } from './receiver.ts'
import { DAY, ENGINES, type EngineName, HOUR, MINUTE, openWorld, type World } from './world.ts'

/** The contract: how long after each failure the next attempt is made. */
const DELAYS_MS = [5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

/** How long it is to the next attempt of the webhook's first delivery, in ms. */
async function delayOf(world: World, webhook: Resource): Promise<number> {
  const [delivery] = await deliveriesTo(world.api, webhook)
  return Date.parse(delivery.next_attempt_at) - world.clock()
}

async function deliverAfter(world: World, ms: number): Promise<void> {
  world.advance(ms)
  await world.service.timers.deliver()
}

const saying =
  (status: number, header: string): Answer =>
  (response) =>
    response.writeHead(status, { 'retry-after': header }).end()

/** A webhook whose first event was answered so. */
async function failedOnce(world: World, receiver: Receiver, answer: Answer): Promise<Resource> {
  const webhook = await world.given(aWebhook(receiver))
  await world.given(aTask())
  receiver.answer = answer
  await world.service.timers.deliver()
  return webhook
}

function assertWithin(delayMs: number, atLeastMs: number, atMostMs: number): void {
  assert.ok(delayMs >= atLeastMs && delayMs <= atMostMs, `${delayMs} ms is not from ${atLeastMs} to ${atMostMs}`)
}

const FAILURES = [300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503, 599]

for (const engine of ENGINES) {
  describe(`an event that is not taken (${engine})`, () => {
    it('is tried again after each failure when the contract says, up to a tenth later and never before, and then no more', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await failedOnce(world, receiver, 500)
      for (const [index, expectedMs] of DELAYS_MS.entries()) {
        const delayMs = await delayOf(world, webhook)
        assertWithin(delayMs, expectedMs, expectedMs * 1.1)
        await deliverAfter(world, delayMs - 1)
        assert.equal(receiver.received.length, index + 1)
        await deliverAfter(world, 1)
        assert.equal(receiver.received.length, index + 2)
      }

      await deliverAfter(world, 3 * DAY)

      assert.equal(receiver.received.length, 10)
      const [delivery] = await deliveriesTo(world.api, webhook)
      assert.partialDeepStrictEqual(delivery, { state: 'failed', next_attempt_at: null })
      assert.equal(delivery.attempts.length, 10)
    })

    it('has the same id and body with every try, and a time and a signature of its own', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await failedOnce(world, receiver, 500)
      await deliverAfter(world, await delayOf(world, webhook))
      await deliverAfter(world, await delayOf(world, webhook))

      assert.equal(new Set(receiver.received.map(({ headers, raw }) => `${headers['webhook-id']} ${raw}`)).size, 1)
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size, 3)
      for (const { headers } of receiver.received.slice(-1))
        assert.equal(headers['webhook-timestamp'], String(Math.floor(world.clock() / 1000)))
      for (const received of receiver.received) verified(webhook.secret, received, Number(received.headers['webhook-timestamp']) * 1000)
    })

    it('is done once it is taken', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await failedOnce(world, receiver, 503)
      receiver.answer = 204
      await deliverAfter(world, await delayOf(world, webhook))
      await deliverAfter(world, DAY)

      const [delivery] = await deliveriesTo(world.api, webhook)
      assert.equal(receiver.received.length, 2)
      assert.partialDeepStrictEqual(delivery, { state: 'succeeded', next_attempt_at: null })
      assert.deepEqual(
        delivery.attempts.map(({ response }: Resource) => response.status),
        [503, 204],
      )
    })

    for (const status of FAILURES) {
      it(`is tried again after an answer ${status}, which leads nowhere else`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        await using elsewhere = await openReceiver()
        const webhook = await failedOnce(world, receiver, (response) => response.writeHead(status, { location: elsewhere.url }).end())

        const [delivery] = await deliveriesTo(world.api, webhook)

        assert.deepEqual([delivery.state, delivery.attempts[0].response], ['pending', { status, body: '' }])
        assert.equal(elsewhere.connections(), 0)
      })
    }

    it('is tried again when nobody listens, or the connection breaks', async () => {
      await using world = await openReachable(engine)
      const silent = await openReceiver()
      await silent[Symbol.asyncDispose]()
      await using receiver = await openReceiver()
      const unheard = await world.given(aWebhook(silent))

      const broken = await failedOnce(world, receiver, (response) => response.destroy())

      for (const [webhook, error] of [
        [unheard, 'The connection was refused.'],
        [broken, 'The connection was closed before the answer was complete.'],
      ]) {
        const [delivery] = await deliveriesTo(world.api, webhook)
        assert.equal(delivery.state, 'pending')
        assert.partialDeepStrictEqual(delivery.attempts[0], { response: null, error })
        assertWithin(await delayOf(world, webhook), 5_000, 5_500)
      }
    })

    it('does not keep those after it waiting, nor other webhooks', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      receiver.answer = (response, { event, path }) => response.writeHead(event.sequence === 2 && path === '/hook' ? 500 : 200).end()
      await world.given(aWebhook(receiver))
      await world.given(aWebhook({ url: `${receiver.url}/other` }))
      for (let i = 0; i < 4; i += 1) await world.given(aTask())

      await world.service.timers.deliver()
      await deliverAfter(world, 6_000)

      const sequencesOf = (wanted: string) => receiver.received.filter(({ path }) => path === wanted).map(({ event }) => event.sequence)
      assert.deepEqual(sequencesOf('/hook/other'), [1, 2, 3, 4])
      assert.deepEqual(sequencesOf('/hook'), [1, 2, 3, 4, 2])
    })

    it('is among those that a receiver gets once it is back: each that waited, once', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await failedOnce(world, receiver, 502)
      for (let i = 0; i < 24; i += 1) await world.given(aTask())
      await world.service.timers.deliver()
      receiver.answer = 200
      receiver.received.length = 0

      await deliverAfter(world, 6_000)

      assert.deepEqual(
        receiver.received.map(({ event }) => event.sequence).sort((a, b) => a - b),
        Array.from({ length: 25 }, (_, index) => index + 1),
      )
      assert.ok((await deliveriesTo(world.api, webhook)).every(({ state }) => state === 'succeeded'))
    })
  })

  describe(`Retry-After (${engine})`, () => {
    for (const status of [429, 503]) {
      it(`puts the next attempt off by so many seconds (${status})`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()

        const webhook = await failedOnce(world, receiver, saying(status, '3600'))

        assert.equal(await delayOf(world, webhook), HOUR)
      })
    }

    it('puts it off until a date', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()

      const webhook = await failedOnce(world, receiver, saying(503, new Date(world.clock() + 2 * HOUR).toUTCString()))

      assert.equal(await delayOf(world, webhook), 2 * HOUR)
    })

    it('never puts it off for longer than a day', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()

      const webhook = await failedOnce(world, receiver, saying(503, String(2 * 86_400)))

      assert.equal(await delayOf(world, webhook), DAY)
    })

    it('never brings it forward', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await failedOnce(world, receiver, saying(503, '1'))
      assertWithin(await delayOf(world, webhook), 5_000, 5_500)

      await deliverAfter(world, 6_000)

      assertWithin(await delayOf(world, webhook), 5 * MINUTE, 5.5 * MINUTE)
    })

    it('says nothing where it is no time', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()

      const webhook = await failedOnce(world, receiver, saying(503, 'soon'))

      assertWithin(await delayOf(world, webhook), 5_000, 5_500)
    })

    it('gives no attempt beyond the tenth', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await failedOnce(world, receiver, saying(503, '60'))
      for (const _ of DELAYS_MS) await deliverAfter(world, await delayOf(world, webhook))

      await deliverAfter(world, DAY)

      assert.equal(receiver.received.length, 10)
      assert.partialDeepStrictEqual((await deliveriesTo(world.api, webhook))[0], { state: 'failed', next_attempt_at: null })
    })
  })
}
