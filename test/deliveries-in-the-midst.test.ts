import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { removeAccount } from '../packages/server/actions/accounts.ts'
import { aProject, aTask, type Resource } from './builders.ts'
import { contentsOf } from './database.ts'
import { aWebhook, deliveriesTo, inTheMidst, openReceiver, REACHABLE, typesReceived, verified } from './receiver.ts'
import { DAY, ENGINES, type EngineName, openWorld, type World } from './world.ts'

/** What requests change while an attempt waits for its answer. */

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

const change = (world: World, { id }: Resource, body: object) => world.api.patch(`/webhooks/${id}`, body)

async function deliverAfter(world: World, ms: number): Promise<void> {
  world.advance(ms)
  await world.service.timers.deliver()
}

function assertNothingFailedHere(world: World): void {
  assert.deepEqual(
    world.logged.filter(({ level }) => Number(level) >= 50),
    [],
  )
}

for (const engine of ENGINES) {
  describe(`while an attempt is under way (${engine})`, () => {
    for (const status of [200, 500, 410]) {
      it(`its webhook can be deleted, with all that was to come (${status})`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        const webhook = await world.given(aWebhook(receiver))
        for (let i = 0; i < 3; i += 1) await world.given(aTask())

        await inTheMidst(world, receiver, status, () => world.api.delete(`/webhooks/${webhook.id}`))
        await deliverAfter(world, DAY)

        const { webhooks, deliveries } = await contentsOf(world)
        assert.deepEqual([receiver.received.length, webhooks, deliveries], [1, [], []])
        assertNothingFailedHere(world)
      })

      it(`its account can be deleted (${status})`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        await world.given(aWebhook(receiver))
        for (let i = 0; i < 3; i += 1) await world.given(aTask())

        await inTheMidst(world, receiver, status, () => removeAccount(world.operator, world.account.email))
        await deliverAfter(world, DAY)

        const { webhooks, deliveries } = await contentsOf(world)
        assert.deepEqual([receiver.received.length, webhooks, deliveries], [1, [], []])
        assertNothingFailedHere(world)
      })

      it(`its webhook can be disabled, and then nothing more is tried (${status})`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        const webhook = await world.given(aWebhook(receiver))
        for (let i = 0; i < 3; i += 1) await world.given(aTask())

        await inTheMidst(world, receiver, status, () => change(world, webhook, { enabled: false }))
        await deliverAfter(world, DAY)

        assert.equal(receiver.received.length, 1)
        assert.partialDeepStrictEqual(await deliveriesTo(world.api, webhook), [
          { state: status === 200 ? 'succeeded' : 'failed', next_attempt_at: null, attempts: [{ response: { status } }] },
        ])
        assert.equal((await world.api.get(`/webhooks/${webhook.id}`)).body.disabled_reason, 'request')
      })
    }

    it('its webhook can be disabled and enabled again, and begins with what happens from then on', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      for (let i = 0; i < 3; i += 1) await world.given(aTask())

      await inTheMidst(world, receiver, 200, async () => {
        await change(world, webhook, { enabled: false })
        await change(world, webhook, { enabled: true })
      })
      await world.given(aProject())
      await deliverAfter(world, DAY)

      assert.deepEqual(typesReceived(receiver), ['task.created', 'project.created'])
    })

    it('a webhook that is disabled and enabled again is one that has not failed yet', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      receiver.answer = 500
      await world.given(aTask())
      await world.service.timers.deliver()
      world.advance(4 * DAY)
      await world.given(aTask())
      await inTheMidst(world, receiver, 500, async () => {
        receiver.answer = 500
        await change(world, webhook, { enabled: false })
        await change(world, webhook, { enabled: true })
      })
      await world.given(aTask())

      await deliverAfter(world, 2 * DAY)

      assert.equal((await world.api.get(`/webhooks/${webhook.id}`)).body.enabled, true)
    })

    it('another address holds from the next attempt on', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await using other = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      for (let i = 0; i < 3; i += 1) await world.given(aTask())

      await inTheMidst(world, receiver, 500, () => change(world, webhook, { url: other.url }))
      await deliverAfter(world, 6_000)

      assert.deepEqual(
        [receiver, other].map(({ received }) => received.map(({ event }) => event.sequence)),
        [[1], [2, 3, 1]],
      )
    })

    it('a 410 of the address that the webhook no longer has does not disable it', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await using other = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())

      await inTheMidst(world, receiver, 410, () => change(world, webhook, { url: other.url }))
      await deliverAfter(world, 6_000)

      assert.equal((await world.api.get(`/webhooks/${webhook.id}`)).body.enabled, true)
      assert.deepEqual(
        other.received.map(({ event }) => event.sequence),
        [1],
      )
    })

    it('a new secret signs from the next attempt on, beside the one before', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      for (let i = 0; i < 2; i += 1) await world.given(aTask())
      let secret = ''

      await inTheMidst(world, receiver, 200, async () => {
        secret = (await world.api.post(`/webhooks/${webhook.id}/rotate_secret`)).body.secret
      })

      const [first, second] = receiver.received
      assert.ok(first && second)
      assert.throws(() => verified(secret, first, world.clock()))
      for (const one of [secret, webhook.secret]) verified(one, second, world.clock())
    })

    it('other types hold from the next attempt on', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      for (let i = 0; i < 3; i += 1) await world.given(aTask())
      await world.given(aProject())

      await inTheMidst(world, receiver, 200, () => change(world, webhook, { event_types: ['project.*'] }))
      await world.service.timers.deliver()

      assert.deepEqual(typesReceived(receiver), ['task.created', 'project.created'])
    })

    it('what happens is sent after it', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aTask())

      await inTheMidst(world, receiver, 500, () => world.given(aProject()))
      await deliverAfter(world, 6_000)

      assert.deepEqual(typesReceived(receiver), ['task.created', 'project.created', 'task.created'])
    })

    it('it is not made by anybody else, also when delivering is begun again and again', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aTask())
      const rounds: Promise<void>[] = []

      await inTheMidst(world, receiver, 200, async () => {
        for (let i = 0; i < 5; i += 1) rounds.push(world.service.timers.deliver())
        await world.given(aTask())
      })
      await Promise.all(rounds)
      await world.service.timers.deliver()

      assert.deepEqual(
        receiver.received.map(({ event }) => event.sequence),
        [1, 2],
      )
    })

    it('nobody else waits for its answer', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())

      await inTheMidst(world, receiver, 200, async () => {
        const replies = await Promise.all([
          world.api.post('/tasks', { title: 'Meanwhile' }),
          world.api.patch(`/webhooks/${webhook.id}`, { description: 'Meanwhile' }),
          world.api.get(`/webhooks/${webhook.id}/deliveries`),
        ])
        assert.deepEqual(
          replies.map(({ status }) => status),
          [201, 200, 200],
        )
      })
    })
  })
}
