import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask } from './builders.ts'
import { aWebhook, deliveriesTo, inTheMidst, openReceiver, REACHABLE } from './receiver.ts'
import { ENGINES, type EngineName, openWorld } from './world.ts'

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

for (const engine of ENGINES) {
  describe(`a service that stops while an attempt is under way (${engine})`, () => {
    it('waits for its answer, and stores it', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      let stopped: Promise<void> = Promise.resolve()

      await inTheMidst(world, receiver, 200, async () => {
        stopped = world.restart()
      })
      await stopped
      await world.service.timers.deliver()

      assert.equal(receiver.received.length, 1)
      assert.partialDeepStrictEqual(await deliveriesTo(world.api, webhook), [{ state: 'succeeded', attempts: [{ error: null }] }])
    })
  })
}

describe('a service that stops while an attempt has no answer', { concurrency: true }, () => {
  for (const engine of ENGINES) {
    it(`stops all the same, and the next one delivers the event at once (${engine})`, async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      receiver.answer = () => {}
      const arrived = receiver.next()
      const delivered = world.service.timers.deliver()
      await arrived
      const begin = performance.now()

      await world.restart()
      const tookMs = performance.now() - begin
      await delivered
      receiver.answer = 200
      await world.service.timers.deliver()

      assert.ok(tookMs < 8_000, `${tookMs} ms`)
      assert.deepEqual(
        receiver.received.map(({ event }) => event.sequence),
        [1, 1],
      )
      assert.partialDeepStrictEqual(await deliveriesTo(world.api, webhook), [
        { state: 'succeeded', attempts: [{ response: { status: 200 } }] },
      ])
    })
  }
})
