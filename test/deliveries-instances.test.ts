import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask } from './builders.ts'
import { contentsOf, meddle } from './database.ts'
import { aWebhook, inTheMidst, openReceiver, REACHABLE } from './receiver.ts'
import { ENGINES, type EngineName, openWorld, type World } from './world.ts'

/** Who sends to a webhook when there are several that could: whoever has claimed it, for 20 seconds at most if nothing more is heard of it. */

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

async function claimedUntil(world: World, time: number): Promise<void> {
  await meddle(world, `update webhooks set claimed_by = 'one that died', claimed_until = ${time}`)
}

for (const engine of ENGINES) {
  describe(`the claim of another process (${engine})`, () => {
    it('is respected until it ends, and then the webhook is another’s', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aTask())
      await claimedUntil(world, world.clock() + 20_000)

      await world.service.timers.deliver()
      world.advance(19_999)
      await world.service.timers.deliver()
      const before = receiver.received.length
      world.advance(1)
      await world.service.timers.deliver()

      assert.deepEqual([before, receiver.received.length], [0, 1])
    })

    it('is void at the next start where no other process can have made it', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aTask())
      await claimedUntil(world, world.clock() + 20_000)

      await world.restart()
      await world.service.timers.deliver()

      assert.equal(receiver.received.length, engine === 'sqlite' ? 1 : 0)
    })

    it('is void when a clock that is set wrong made it', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aTask())
      await claimedUntil(world, world.clock() + 3_600_000)

      await world.service.timers.deliver()

      assert.equal(receiver.received.length, 1)
    })

    it('keeps what comes of an attempt from being stored by whoever lost it meanwhile', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      for (let i = 0; i < 3; i += 1) await world.given(aTask())

      await inTheMidst(world, receiver, 200, () => claimedUntil(world, world.clock() + 20_000))

      const { webhooks, deliveries } = await contentsOf(world)
      assert.deepEqual([receiver.received.length, deliveries], [1, []])
      assert.partialDeepStrictEqual(webhooks, [{ sent_through: 0, claimed_by: 'one that died' }])
    })

    it('is what it makes for 20 seconds with every attempt, and gives up after the last', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aTask())

      await inTheMidst(world, receiver, 200, async () => {
        const { webhooks } = await contentsOf(world)
        assert.partialDeepStrictEqual(webhooks, [{ claimed_until: world.clock() + 20_000 }])
      })

      const { webhooks } = await contentsOf(world)
      assert.partialDeepStrictEqual(webhooks, [{ claimed_until: world.clock() }])
    })
  })
}

describe('two instances on one database', { skip: !ENGINES.includes('postgres'), timeout: 120_000 }, () => {
  it('deliver each event once, in order, when both deliver at the same time', async () => {
    await using world = await openReachable('postgres')
    const other = await world.another()
    await using receiver = await openReceiver()
    for (let index = 0; index < 4; index += 1) await world.given(aWebhook({ url: `${receiver.url}/${index}` }))

    for (let round = 0; round < 15; round += 1)
      await Promise.all([
        ...Array.from({ length: 4 }, (_, index) => (index % 2 === 0 ? world : other).api.post('/tasks', { title: 'Write it' })),
        world.service.timers.deliver(),
        other.service.timers.deliver(),
      ])
    await Promise.all([world.service.timers.deliver(), other.service.timers.deliver()])

    for (let index = 0; index < 4; index += 1) {
      const received = receiver.received.filter(({ path }) => path === `/hook/${index}`)
      assert.deepEqual(
        received.map(({ event }) => event.sequence),
        Array.from({ length: 60 }, (_, sequence) => sequence + 1),
      )
    }
  })

  it('try each event again once, when both find that its time has come', async () => {
    await using world = await openReachable('postgres')
    const other = await world.another()
    await using receiver = await openReceiver()
    receiver.answer = 500
    for (let index = 0; index < 4; index += 1) await world.given(aWebhook({ url: `${receiver.url}/${index}` }))
    for (let i = 0; i < 20; i += 1) await world.given(aTask())
    await Promise.all([world.service.timers.deliver(), other.service.timers.deliver()])
    const before = receiver.received.length
    world.advance(6_000)

    await Promise.all([world.service.timers.deliver(), other.service.timers.deliver()])

    assert.deepEqual([before, receiver.received.length], [80, 160])
  })

  it('know of what was done at the other: a webhook that is disabled or deleted there is told nothing here', async () => {
    await using world = await openReachable('postgres')
    const other = await world.another()
    await using receiver = await openReceiver()
    const [gone, off] = [await world.given(aWebhook(receiver)), await world.given(aWebhook(receiver))]
    await world.given(aTask())
    await other.api.delete(`/webhooks/${gone.id}`)
    await other.api.patch(`/webhooks/${off.id}`, { enabled: false })

    await world.service.timers.deliver()

    assert.equal(receiver.received.length, 0)
  })
})
