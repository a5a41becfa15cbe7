import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_TYPES } from '@fivetab/domain/event.ts'
import { aProject, aTask, aWorkflow, statusPath } from './builders.ts'
import { aWebhook, deliveriesTo, openReceiver, REACHABLE, type Received, typesReceived, verified } from './receiver.ts'
import { ENGINES, type EngineName, HOUR, openWorld, thirtyTwo, type World } from './world.ts'

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

/** Makes every type of event there is but that of a webhook. */
async function makeAllHappen(world: World): Promise<void> {
  const { api } = world
  const project = await world.given(aProject())
  await api.patch(`/projects/${project.id}`, { name: 'Moved' })
  await api.delete(`/projects/${project.id}`)
  const workflow = await world.given(aWorkflow())
  await api.patch(`/workflows/${workflow.id}`, { name: 'Essay' })
  await api.patch(statusPath(workflow, 'Review'), { name: 'Look over' })
  const task = await world.given(aTask({ title: 'Überweisung “ \u2028 🙂' }))
  await api.patch(`/tasks/${task.id}`, { notes: 'Soon' })
  await api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) })
  world.advance(HOUR)
  await world.service.timers.wake()
  await api.post(`/tasks/${task.id}/complete`)
  await api.post(`/tasks/${task.id}/archive`)
  await api.post(`/tasks/${task.id}/unarchive`)
  await api.delete(`/tasks/${task.id}`)
  await api.delete(`/workflows/${workflow.id}`)
  await (await world.signIn()).patch('/dispositions/waiting', { label: 'Elsewhere' })
}

const PATTERNS: { types: string[]; expected: string[] }[] = [
  { types: ['*'], expected: ['task.created', 'task.completed', 'project.created', 'project.deleted'] },
  { types: ['task.*'], expected: ['task.created', 'task.completed'] },
  { types: ['task.completed', 'project.*'], expected: ['task.completed', 'project.created', 'project.deleted'] },
  { types: ['project.*', 'project.deleted', '*'], expected: ['task.created', 'task.completed', 'project.created', 'project.deleted'] },
  { types: ['project.deleted'], expected: ['project.deleted'] },
  { types: ['workflow.*', 'webhook.disabled'], expected: [] },
]

for (const engine of ENGINES) {
  describe(`a delivery (${engine})`, () => {
    it('is the event as the feed shows it, byte for byte, for every type there is and in the order of the log', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await using gone = await openReceiver()
      gone.answer = 410
      await world.given(aWebhook(receiver))
      await world.given(aWebhook(gone))

      await makeAllHappen(world)
      // The second round delivers what the first has done: it disabled a webhook.
      await world.service.timers.deliver()
      await world.service.timers.deliver()

      const feed = (await world.api.get('/events?limit=100')).text
      assert.equal(`[${receiver.received.map(({ raw }) => raw)}]`, feed.slice(feed.indexOf('['), feed.lastIndexOf(']') + 1))
      assert.deepEqual(new Set(typesReceived(receiver)), new Set(EVENT_TYPES))
    })

    it('is signed for whoever has the secret, and says by its headers which event it is', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const { secret } = await world.given(aWebhook(receiver))
      await world.given(aTask())

      await world.service.timers.deliver()

      const [received] = receiver.received as [Received]
      const event = verified(secret, received, world.clock())
      assert.deepEqual(event, received.event)
      const { host, connection, ...headers } = received.headers
      assert.deepEqual(headers, {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(received.raw)),
        'user-agent': 'Fivetab-Webhooks/1.0',
        'accept-encoding': 'identity',
        'webhook-id': event.id,
        'webhook-timestamp': String(Math.floor(world.clock() / 1000)),
        'webhook-signature': received.headers['webhook-signature'],
      })
    })

    it('no longer verifies once a byte of it is another, or six minutes later', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const { secret } = await world.given(aWebhook(receiver))
      await world.given(aTask({ title: 'Pay 10' }))

      await world.service.timers.deliver()

      const [received] = receiver.received as [Received]
      verified(secret, received, world.clock())
      const forged = { ...received, raw: received.raw.replace('Pay 10', 'Pay 99') }
      assert.throws(() => verified(secret, forged, world.clock()), /signature/)
      assert.throws(() => verified(secret, received, world.clock() + 6 * 60_000), /timestamp/)
    })

    it('is signed with both secrets for 24 hours from a rotation on, and then with the new one alone', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      const { secret } = (await world.api.post(`/webhooks/${webhook.id}/rotate_secret`)).body
      for (const ms of [0, 24 * HOUR - 1, 1]) {
        world.advance(ms)
        await world.given(aTask())
        await world.service.timers.deliver()
        verified(secret, receiver.received.at(-1) as Received, world.clock())
        if (ms !== 1) verified(webhook.secret, receiver.received.at(-1) as Received, world.clock())
      }

      assert.throws(() => verified(webhook.secret, receiver.received.at(-1) as Received, world.clock()), /signature/)
      assert.deepEqual(
        receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length),
        [2, 2, 1],
      )
    })

    it('is never signed with the secret before the last one', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      const secrets = [webhook.secret]
      for (let i = 0; i < 2; i += 1) secrets.push((await world.api.post(`/webhooks/${webhook.id}/rotate_secret`)).body.secret)
      await world.given(aTask())

      await world.service.timers.deliver()

      const [received] = receiver.received as [Received]
      for (const secret of secrets.slice(1)) verified(secret, received, world.clock())
      assert.throws(() => verified(webhook.secret, received, world.clock()), /signature/)
    })

    it('is made of those events alone that the webhook asks for', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      for (const [index, { types }] of PATTERNS.entries())
        await world.given(aWebhook({ url: `${receiver.url}/${index}` }, { event_types: types }))
      const task = await world.given(aTask())
      await world.api.post(`/tasks/${task.id}/complete`)
      const project = await world.given(aProject())
      await world.api.delete(`/projects/${project.id}`)

      await world.service.timers.deliver()

      for (const [index, { types, expected }] of PATTERNS.entries()) {
        const received = receiver.received.filter(({ path }) => path === `/hook/${index}`)
        assert.deepEqual(
          received.map(({ event }) => event.type),
          expected,
          types.join(),
        )
      }
    })

    it('is made once of each event, and of none from before the webhook', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aTask())
      const webhook = await world.given(aWebhook(receiver))
      await world.service.timers.deliver()
      const task = await world.given(aTask())

      await Promise.all([world.service.timers.deliver(), world.service.timers.deliver()])
      world.advance(48 * HOUR)
      await world.service.timers.deliver()

      assert.deepEqual(
        receiver.received.map(({ event }) => event.data.id),
        [task.id],
      )
      assert.equal((await deliveriesTo(world.api, webhook)).length, 1)
    })

    it('comes in the order of the log, also of 320 events that 32 write at once', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      const rounds = Array.from({ length: 10 }, (_, index) => index)

      const sending = (async () => {
        for (const _ of rounds) await thirtyTwo(world, () => world.api.post('/tasks', { title: 'Write it' }))
      })()
      for (const _ of rounds) await world.service.timers.deliver()
      await sending
      await world.service.timers.deliver()

      assert.deepEqual(
        receiver.received.map(({ event }) => event.sequence),
        Array.from({ length: 320 }, (_, index) => index + 1),
      )
    })

    it('reaches what lies beyond thousands of events that the webhook does not want', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver, { event_types: ['project.created'] }))
      const { store } = world.service
      await store.transact(async (writer) => {
        for (let sequence = 1; sequence <= 6_000; sequence += 1)
          await writer.put(
            `insert into events (account_id, sequence, id, type, occurred_at, cause, data, previous) values ($1, $2, $3, 'task.created', $4, 'api', '{}', '{}')`,
            [world.account.id, sequence, `event ${sequence}`, world.clock()],
          )
        await writer.put('update ledgers set last_sequence = 6000 where account_id = $1', [world.account.id])
      })
      await world.given(aProject())

      await world.service.timers.deliver()
      await world.service.timers.deliver()

      assert.deepEqual(
        receiver.received.map(({ event }) => event.sequence),
        [6_001],
      )
    })

    it('is never of another account', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const other = await world.newAccount()
      await aWebhook({ url: `${receiver.url}/other` })(other.api)
      await world.given(aWebhook({ url: `${receiver.url}/own` }))
      const [own, others] = [await world.given(aTask()), await aTask()(other.api)]

      await world.service.timers.deliver()

      assert.deepEqual(Object.fromEntries(receiver.received.map(({ path, event }) => [path, event.data.id])), {
        '/hook/own': own.id,
        '/hook/other': others.id,
      })
      assert.equal(receiver.received.length, 2)
    })

    it('goes to any of many webhooks by itself', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhooks = await Promise.all(
        Array.from({ length: 40 }, (_, index) => world.given(aWebhook({ url: `${receiver.url}/${index}` }))),
      )
      for (let i = 0; i < 3; i += 1) await world.given(aTask())

      await world.service.timers.deliver()

      for (const [index] of webhooks.entries()) {
        const received = receiver.received.filter(({ path }) => path === `/hook/${index}`)
        assert.deepEqual(
          received.map(({ event }) => event.sequence),
          [1, 2, 3],
        )
      }
    })

    it('takes the query of the address along', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook({ url: `${receiver.url}/a%20b?key=x&key=%C3%A9` }))
      await world.given(aTask())

      await world.service.timers.deliver()

      assert.equal(receiver.received[0]?.path, '/hook/a%20b?key=x&key=%C3%A9')
    })
  })
}
