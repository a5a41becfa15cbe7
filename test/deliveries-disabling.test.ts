import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RETRY_DELAYS_MS } from '@fivetab/domain/delivery.ts'
import { disableWebhook, operatorAt } from '../packages/server/actions/webhooks.ts'
import { aProject, aTask, type Resource } from './builders.ts'
import { aWebhook, deliveriesTo, openReceiver, REACHABLE, type Receiver, typesReceived } from './receiver.ts'
import { assertInvalid, DAY, ENGINES, type EngineName, openWorld, type World } from './world.ts'

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

const webhookNow = async (world: World, { id }: Resource): Promise<Resource> => (await world.api.get(`/webhooks/${id}`)).body

/** Has something happen `ms` from now that is answered with `status`. */
async function answeredAfter(world: World, receiver: Receiver, ms: number, status: number): Promise<void> {
  world.advance(ms)
  receiver.answer = status
  await world.given(aTask())
  await world.service.timers.deliver()
}

for (const engine of ENGINES) {
  describe(`a webhook whose receiver answers 410 (${engine})`, () => {
    it('is disabled at once as gone, and that event is not tried again', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))

      await answeredAfter(world, receiver, 0, 410)

      assert.partialDeepStrictEqual(await webhookNow(world, webhook), {
        enabled: false,
        disabled_reason: 'gone',
        disabled_at: world.now,
        version: '"2"',
      })
      assert.partialDeepStrictEqual(await deliveriesTo(world.api, webhook), [{ state: 'failed', next_attempt_at: null }])
    })

    it('is told nothing any more: of what was to be tried again, of what is still to come, of what happens then', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await answeredAfter(world, receiver, 0, 500)
      await answeredAfter(world, receiver, 0, 500)
      for (let i = 0; i < 60; i += 1) await world.given(aProject())
      receiver.received.length = 0
      // All of it at once: 61 events of the log, and two that are due again.
      await answeredAfter(world, receiver, 6_000, 410)
      await answeredAfter(world, receiver, DAY, 200)

      assert.equal(receiver.received.length, 1)
      assert.ok(
        (await deliveriesTo(world.api, webhook)).every(({ state, next_attempt_at }) => state === 'failed' && next_attempt_at === null),
      )
    })

    it('is an event of the log, for whoever manages webhooks and no one else', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      const manager = await world.clientWith(['webhooks:manage'])
      const reader = await world.clientWith(['tasks:read', 'projects:read', 'workflows:read'])

      await answeredAfter(world, receiver, 0, 410)

      const [event, ...more] = (await manager.get('/events')).body.data
      assert.deepEqual(more, [])
      assert.partialDeepStrictEqual(event, { sequence: 2, type: 'webhook.disabled', cause: 'timer', actor: null, request_id: null })
      assert.deepEqual(event.data, await webhookNow(world, webhook))
      assert.deepEqual(event.previous, { enabled: true, disabled_reason: null, disabled_at: null, version: '"1"' })
      assert.deepEqual(
        (await reader.get('/events')).body.data.map(({ type }: Resource) => type),
        ['task.created'],
      )
    })

    it('is told of to other webhooks that want to know', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await using watcher = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aWebhook(watcher, { event_types: ['webhook.disabled'] }))

      await answeredAfter(world, receiver, 0, 410)
      await world.service.timers.deliver()

      assert.deepEqual(typesReceived(watcher), ['webhook.disabled'])
    })

    it('is told of in a line of the service’s log, which has neither its address nor its secret', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))

      await answeredAfter(world, receiver, 0, 410)

      const lines = world.logged.filter(({ msg }) => msg === 'a webhook was disabled')
      assert.partialDeepStrictEqual(lines, [{ level: 40, accountId: world.account.id, webhookId: webhook.id, reason: 'gone' }])
      assert.equal(lines.length, 1)
      for (const secret of [webhook.secret, webhook.secret.slice(6), receiver.url])
        assert.ok(!JSON.stringify(world.logged).includes(secret))
    })

    it('begins with what happens from then on once it is enabled again', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await answeredAfter(world, receiver, 0, 410)
      await answeredAfter(world, receiver, 0, 200)
      receiver.received.length = 0

      const { body } = await world.api.patch(`/webhooks/${webhook.id}`, { enabled: true })
      await world.service.timers.deliver()
      const task = await world.given(aTask())
      await world.service.timers.deliver()

      assert.partialDeepStrictEqual(body, { enabled: true, disabled_reason: null, disabled_at: null })
      assert.deepEqual(
        receiver.received.map(({ event }) => event.data.id),
        [task.id],
      )
    })
  })

  describe(`a webhook that fails for five days (${engine})`, () => {
    it('is not disabled for a failure weeks after all was given up: that is the first of a new count', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await answeredAfter(world, receiver, 0, 500)
      for (const delayMs of RETRY_DELAYS_MS) {
        world.advance(delayMs * 1.1)
        await world.service.timers.deliver()
      }
      assert.deepEqual(
        (await deliveriesTo(world.api, webhook)).map(({ state, attempts }) => [state, attempts.length]),
        [['failed', 10]],
      )

      await answeredAfter(world, receiver, 20 * DAY, 500)

      assert.equal((await webhookNow(world, webhook)).enabled, true)
    })

    it('is disabled as failing with the first failure after them, and not before', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await answeredAfter(world, receiver, 0, 500)
      await answeredAfter(world, receiver, 5 * DAY - 1, 500)
      const before = await webhookNow(world, webhook)

      await answeredAfter(world, receiver, 1, 500)

      assert.equal(before.enabled, true)
      assert.partialDeepStrictEqual(await webhookNow(world, webhook), {
        enabled: false,
        disabled_reason: 'failing',
        disabled_at: world.now,
      })
      assert.ok((await deliveriesTo(world.api, webhook)).every(({ state }) => state === 'failed'))
      assert.deepEqual(
        (await world.events()).map(({ type }) => type),
        ['task.created', 'task.created', 'task.created', 'webhook.disabled'],
      )
      assert.partialDeepStrictEqual(
        world.logged.filter(({ msg }) => msg === 'a webhook was disabled'),
        [{ reason: 'failing' }],
      )
    })

    it('is not disabled when it took something in between, be it one event of many', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await answeredAfter(world, receiver, 0, 500)
      world.advance(4 * DAY)
      receiver.answer = (response, { event }) => response.writeHead(event.sequence === 2 ? 200 : 500).end()
      for (let i = 0; i < 3; i += 1) await world.given(aTask())
      await world.service.timers.deliver()

      await answeredAfter(world, receiver, 5 * DAY - 1, 500)

      assert.equal((await webhookNow(world, webhook)).enabled, true)
      await answeredAfter(world, receiver, 5 * DAY, 500)
      assert.equal((await webhookNow(world, webhook)).enabled, false)
    })

    it('has five days more once it is enabled again', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await answeredAfter(world, receiver, 0, 500)
      await answeredAfter(world, receiver, 5 * DAY, 500)
      await world.api.patch(`/webhooks/${webhook.id}`, { enabled: true })

      await answeredAfter(world, receiver, DAY, 500)
      const then = await webhookNow(world, webhook)
      await answeredAfter(world, receiver, 5 * DAY, 500)

      assert.equal(then.enabled, true)
      assert.equal((await webhookNow(world, webhook)).disabled_reason, 'failing')
    })
  })

  describe(`a webhook that a request disables (${engine})`, () => {
    it('is told nothing any more, and gets nothing of what was to be tried again', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await answeredAfter(world, receiver, 0, 500)
      await world.given(aTask())

      const { body } = await world.api.patch(`/webhooks/${webhook.id}`, { enabled: false })
      await answeredAfter(world, receiver, DAY, 200)

      assert.partialDeepStrictEqual(body, { enabled: false, disabled_reason: 'request', disabled_at: body.updated_at })
      assert.equal(receiver.received.length, 1)
      assert.partialDeepStrictEqual(await deliveriesTo(world.api, webhook), [{ state: 'failed', next_attempt_at: null }])
    })

    it('makes no event, as every other change of a webhook by a request', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      for (const body of [{ description: 'Mirror' }, { enabled: false }, { enabled: true }])
        await world.api.patch(`/webhooks/${webhook.id}`, body)
      await world.api.post(`/webhooks/${webhook.id}/rotate_secret`)
      await world.api.delete(`/webhooks/${webhook.id}`)

      assert.deepEqual(await world.events(), [])
    })
  })
  describe(`a webhook that its operator disables (${engine})`, () => {
    it('is not enabled by a request, though all else of it can be changed', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await disableWebhook(await operatorAt(world.operator, webhook.id), webhook.id, 'operator')

      const refused = await world.api.patch(`/webhooks/${webhook.id}`, { enabled: true })
      const changed = await world.api.patch(`/webhooks/${webhook.id}`, { description: 'Mirror', enabled: false })

      assertInvalid(refused, ['body', 'enabled', 'conflict'])
      assert.partialDeepStrictEqual(changed.body, { description: 'Mirror', enabled: false, disabled_reason: 'operator' })
    })

    it('is told nothing, and the log says by whom', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await disableWebhook(await operatorAt(world.operator, webhook.id), webhook.id, 'operator')

      await answeredAfter(world, receiver, 0, 200)

      const [event] = await world.events()
      assert.equal(receiver.received.length, 0)
      assert.partialDeepStrictEqual(event, { type: 'webhook.disabled', cause: 'operator', tokenId: null })
    })
  })
}
