import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, type Resource } from './builders.ts'
import { aWebhook, deliveriesTo, openReceiver, REACHABLE, type Receiver, typesReceived, verified } from './receiver.ts'
import { DAY, ENGINES, type EngineName, openWorld, type World } from './world.ts'

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

const redeliver = (world: World, { webhook_id, id }: Resource) => world.api.post(`/webhooks/${webhook_id}/deliveries/${id}/redeliver`)

const webhookNow = async (world: World, { id }: Resource): Promise<Resource> => (await world.api.get(`/webhooks/${id}`)).body

/** The first delivery to a new webhook, answered with `status`. */
async function delivered(world: World, receiver: Receiver, status: number): Promise<Resource> {
  const webhook = await world.given(aWebhook(receiver))
  receiver.answer = status
  await world.given(aTask())
  await world.service.timers.deliver()
  world.advance(1)
  return (await deliveriesTo(world.api, webhook))[0]
}

for (const engine of ENGINES) {
  describe(`redelivering (${engine})`, () => {
    for (const status of [200, 410, 500]) {
      it(`sends the same event with the same id in a new delivery (one that was answered ${status})`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        const before = await delivered(world, receiver, status)
        receiver.answer = 200

        const reply = await redeliver(world, before)
        await world.service.timers.deliver()

        assert.equal(reply.status, 202)
        const path = `/webhooks/${before.webhook_id}/deliveries/${reply.body.id}`
        assert.equal(reply.headers.location, `${world.service.url}/v1${path}`)
        assert.notEqual(reply.body.id, before.id)
        assert.partialDeepStrictEqual(reply.body, { state: 'pending', attempts: [], event_id: before.event_id, event: before.event })
        assert.partialDeepStrictEqual((await world.api.get(path)).body, { state: 'succeeded', attempts: [{ response: { status: 200 } }] })
        assert.deepEqual(
          new Set(receiver.received.map(({ headers, raw }) => `${headers['webhook-id']} ${raw}`)),
          new Set([`${before.event_id} ${JSON.stringify(before.event)}`]),
        )
        assert.deepEqual((await deliveriesTo(world.api, { id: before.webhook_id }))[0], before)
      })
    }

    it('tries as often as any delivery does', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const before = await delivered(world, receiver, 200)
      const path = `/webhooks/${before.webhook_id}/deliveries/${(await redeliver(world, before)).body.id}`
      receiver.answer = 500

      for (let i = 0; i < 10; i += 1) {
        world.advance(Date.parse((await world.api.get(path)).body.next_attempt_at) - world.clock())
        await world.service.timers.deliver()
      }

      const again = (await world.api.get(path)).body
      assert.deepEqual([again.state, again.next_attempt_at, again.attempts.length, receiver.received.length], ['failed', null, 10, 11])
    })

    it('to a webhook that is disabled is tried once', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const before = await delivered(world, receiver, 410)
      const disabled = await webhookNow(world, { id: before.webhook_id })
      await redeliver(world, before)

      await world.service.timers.deliver()
      world.advance(DAY)
      await world.service.timers.deliver()

      const [, again] = await deliveriesTo(world.api, { id: before.webhook_id })
      assert.partialDeepStrictEqual(again, { state: 'failed', next_attempt_at: null, attempts: [{ response: { status: 410 } }] })
      assert.equal(receiver.received.length, 2)
      assert.deepEqual(await webhookNow(world, disabled), disabled)
    })

    it('32 times at once sends it 32 times', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const before = await delivered(world, receiver, 200)

      await Promise.all(Array.from({ length: 32 }, () => redeliver(world, before)))
      await world.service.timers.deliver()

      assert.equal(receiver.received.length, 33)
      assert.equal(new Set((await deliveriesTo(world.api, { id: before.webhook_id })).map(({ id }) => id)).size, 33)
    })
  })

  describe(`a test of a webhook (${engine})`, () => {
    it('sends an event that is in no log, signed as any other', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver, { event_types: ['project.deleted'] }))

      const reply = await world.api.post(`/webhooks/${webhook.id}/test`)
      await world.service.timers.deliver()

      assert.equal(reply.status, 202)
      const path = `/webhooks/${webhook.id}/deliveries/${reply.body.id}`
      assert.equal(reply.headers.location, `${world.service.url}/v1${path}`)
      const [received] = receiver.received
      assert.ok(received)
      assert.deepEqual(verified(webhook.secret, received, world.clock()), {
        object: 'event',
        id: reply.body.event_id,
        sequence: null,
        type: 'webhook.test',
        occurred_at: world.now,
        cause: 'api',
        actor: { token_id: (await world.api.get('/me')).body.token.id },
        request_id: reply.headers['x-request-id'],
        data: await webhookNow(world, webhook),
        previous: {},
      })
      assert.partialDeepStrictEqual((await world.api.get(path)).body, { state: 'succeeded', sequence: null, event: received.event })
      assert.deepEqual(await world.events(), [])
    })

    it('takes no body, or an empty one', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))

      assert.equal((await world.api.post(`/webhooks/${webhook.id}/test`, {})).status, 202)
      assert.equal((await world.api.post(`/webhooks/${webhook.id}/test`, { type: 'task.created' })).status, 400)
    })

    for (const status of [500, 410]) {
      it(`is tried once, and says nothing of the webhook (${status})`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        receiver.answer = status
        const webhook = await world.given(aWebhook(receiver))
        const now = await webhookNow(world, webhook)

        await world.api.post(`/webhooks/${webhook.id}/test`)
        await world.service.timers.deliver()
        world.advance(DAY)
        await world.service.timers.deliver()

        assert.partialDeepStrictEqual(await deliveriesTo(world.api, webhook), [
          { state: 'failed', next_attempt_at: null, attempts: [{ response: { status } }] },
        ])
        assert.equal(receiver.received.length, 1)
        assert.deepEqual(await webhookNow(world, webhook), now)
      })
    }

    it('that is taken does not make a failing webhook a sound one, and one that is not makes no sound one fail', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const [failing, sound] = [await world.given(aWebhook(receiver)), await world.given(aWebhook({ url: `${receiver.url}/sound` }))]
      const tested = async (webhook: Resource, ms: number) => {
        world.advance(ms)
        await world.api.post(`/webhooks/${webhook.id}/test`)
        await world.service.timers.deliver()
      }
      receiver.answer = (response, { event, path }) => response.writeHead(path === '/hook' && event.sequence !== null ? 500 : 200).end()
      await world.given(aTask())
      await world.service.timers.deliver()
      await tested(failing, 4 * DAY)
      receiver.answer = 500
      await tested(sound, 0)
      world.advance(5 * DAY)
      await world.given(aTask())

      await world.service.timers.deliver()

      assert.equal((await webhookNow(world, failing)).disabled_reason, 'failing')
      assert.equal((await webhookNow(world, sound)).enabled, true)
    })

    it('is sent to a webhook that is disabled too, and enables nothing', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver, { enabled: false }))
      await world.given(aTask())

      await world.api.post(`/webhooks/${webhook.id}/test`)
      await world.service.timers.deliver()

      assert.deepEqual(typesReceived(receiver), ['webhook.test'])
      assert.equal((await webhookNow(world, webhook)).enabled, false)
    })

    it('can be sent once more, with the same id', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      const test = (await world.api.post(`/webhooks/${webhook.id}/test`)).body
      await world.service.timers.deliver()

      const again = await redeliver(world, test)
      await world.service.timers.deliver()

      assert.equal(again.status, 202)
      assert.deepEqual(again.body.event, test.event)
      assert.equal(new Set(receiver.received.map(({ headers, raw }) => `${headers['webhook-id']} ${raw}`)).size, 1)
      assert.equal(receiver.received.length, 2)
    })
  })
}
