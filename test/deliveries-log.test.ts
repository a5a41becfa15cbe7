import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aTask, type Resource, UNKNOWN_ID } from './builders.ts'
import { pageOf, pagesOf } from './reading.ts'
import { aWebhook, deliveriesTo, inTheMidst, openReceiver, REACHABLE, type Received } from './receiver.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, type EngineName, openWorld } from './world.ts'

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

const sequencesOf = (deliveries: readonly Resource[]) => deliveries.map(({ sequence }) => sequence)

for (const engine of ENGINES) {
  describe(`the log of deliveries (${engine})`, () => {
    it('has what was sent and what came back', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      receiver.answer = (response) => response.writeHead(201, { 'content-type': 'text/plain' }).end('Taken \u{1F642}\u0000')
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      const [event] = (await pageOf(world.api, '/events')).data
      await world.service.timers.deliver()

      const [delivery, ...more] = await deliveriesTo(world.api, webhook)

      const [{ headers }] = receiver.received as [Received]
      const attempt = delivery.attempts[0]
      assert.deepEqual(more, [])
      assert.deepEqual(delivery, {
        object: 'delivery',
        id: delivery.id,
        webhook_id: webhook.id,
        event_id: event.id,
        event_type: 'task.created',
        sequence: 1,
        state: 'succeeded',
        next_attempt_at: null,
        attempts: [
          {
            attempted_at: world.now,
            duration_ms: attempt.duration_ms,
            request: {
              url: receiver.url,
              headers: {
                'content-type': 'application/json',
                'user-agent': 'Fivetab-Webhooks/1.0',
                'webhook-id': headers['webhook-id'],
                'webhook-timestamp': headers['webhook-timestamp'],
                'webhook-signature': headers['webhook-signature'],
              },
            },
            response: { status: 201, body: 'Taken \u{1F642}\uFFFD' },
            error: null,
          },
        ],
        event,
        created_at: world.now,
      })
      assert.ok(Number.isInteger(attempt.duration_ms) && attempt.duration_ms >= 0)
    })

    it('has one delivery alone as the list has it', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      receiver.answer = 500
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      await world.service.timers.deliver()
      const [delivery] = await deliveriesTo(world.api, webhook)

      const reply = await world.api.get(`/webhooks/${webhook.id}/deliveries/${delivery.id}`)

      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, delivery)
      assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    })

    it('keeps the first 4 KiB of an answer', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      receiver.answer = (response) => response.end('x'.repeat(100_000))
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      await world.service.timers.deliver()

      const [{ attempts }] = await deliveriesTo(world.api, webhook)

      assert.deepEqual(attempts[0].response, { status: 200, body: 'x'.repeat(4096) })
    })

    it('has never a secret in it', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      const { secret } = (await world.api.post(`/webhooks/${webhook.id}/rotate_secret`)).body
      await world.given(aTask())
      await world.api.post(`/webhooks/${webhook.id}/test`)
      await world.service.timers.deliver()

      const { text } = await world.api.get(`/webhooks/${webhook.id}/deliveries`)

      for (const one of [secret, webhook.secret]) assert.ok(!`${text}${JSON.stringify(world.logged)}`.includes(one.slice(6, 40)))
    })

    it('lists the oldest first, or the newest, in pages that lead to every one', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      for (let i = 0; i < 7; i += 1) await world.given(aTask())
      await world.service.timers.deliver()

      const forward = await pagesOf(world.api, `/webhooks/${webhook.id}/deliveries?limit=3`)
      const backward = await pagesOf(world.api, `/webhooks/${webhook.id}/deliveries?limit=3&sort=-created_at`)

      assert.deepEqual(forward.map(sequencesOf), [[1, 2, 3], [4, 5, 6], [7]])
      assert.deepEqual(backward.map(sequencesOf), [[7, 6, 5], [4, 3, 2], [1]])
    })

    it('has nothing come in behind what was read already, however slow the receiver', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      for (let count = 0; count < 3; count += 1) await world.given(aTask())

      await inTheMidst(world, receiver, 200, async () => {
        world.advance(1)
        await world.api.post(`/webhooks/${webhook.id}/test`)
        world.advance(1)
      })

      assert.deepEqual(sequencesOf(await deliveriesTo(world.api, webhook)), [null, 1, 2, 3])
    })

    it('lists those of one state alone', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      receiver.answer = (response, { event }) => response.writeHead(event.type === 'project.created' ? 500 : 200).end()
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      await world.given(aProject())
      receiver.answer = 500
      await world.api.post(`/webhooks/${webhook.id}/test`)
      await world.service.timers.deliver()
      receiver.answer = 200
      await world.given(aTask())
      await world.service.timers.deliver()

      const listed: Resource = {}
      for (const state of ['pending', 'succeeded', 'failed'])
        listed[state] = sequencesOf((await pageOf(world.api, `/webhooks/${webhook.id}/deliveries?state=${state}`)).data)

      assert.deepEqual(listed, { pending: [1, 2], succeeded: [3], failed: [null] })
    })

    it('takes a cursor for that very list only', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const [webhook, other] = [await world.given(aWebhook(receiver)), await world.given(aWebhook(receiver))]
      for (let i = 0; i < 2; i += 1) await world.given(aTask())
      await world.service.timers.deliver()
      const { next_cursor } = await pageOf(world.api, `/webhooks/${webhook.id}/deliveries?limit=1`)

      for (const path of [
        `/webhooks/${other.id}/deliveries?limit=1`,
        `/webhooks/${webhook.id}/deliveries?sort=-created_at`,
        `/webhooks/${webhook.id}/deliveries?state=succeeded`,
        '/webhooks?limit=1',
      ])
        assertInvalid(await world.api.get(`${path}${path.includes('?') ? '&' : '?'}cursor=${next_cursor}`), [
          'query',
          'cursor',
          'invalid_value',
        ])
    })

    it('refuses what it does not know', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const { id } = await world.given(aWebhook(receiver))

      assertInvalid(await world.api.get(`/webhooks/${id}/deliveries?state=lost`), ['query', 'state', 'invalid_value'])
      assertInvalid(await world.api.get(`/webhooks/${id}/deliveries?sort=state`), ['query', 'sort', 'invalid_value'])
      assertInvalid(await world.api.get(`/webhooks/${id}/deliveries?limit=101`), ['query', 'limit', 'out_of_range'])
    })

    it('is of one webhook, which nobody sees from another account or by another webhook', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const stranger = await world.newAccount()
      const [webhook, sibling] = [
        await world.given(aWebhook(receiver)),
        await world.given(aWebhook(receiver, { event_types: ['webhook.*'] })),
      ]
      const strange = await aWebhook(receiver)(stranger.api)
      await world.given(aTask())
      await world.service.timers.deliver()
      const [{ id }] = await deliveriesTo(world.api, webhook)

      assert.deepEqual(await deliveriesTo(world.api, sibling), [])
      for (const [api, path] of [
        [stranger.api, `/webhooks/${webhook.id}/deliveries`],
        [stranger.api, `/webhooks/${webhook.id}/deliveries/${id}`],
        [stranger.api, `/webhooks/${strange.id}/deliveries/${id}`],
        [world.api, `/webhooks/${sibling.id}/deliveries/${id}`],
        [world.api, `/webhooks/${webhook.id}/deliveries/${UNKNOWN_ID}`],
        [world.api, `/webhooks/${UNKNOWN_ID}/deliveries`],
      ] as const)
        assertProblem(await api.get(path), 404, 'not_found')
      for (const [api, path] of [
        [stranger.api, `/webhooks/${webhook.id}/deliveries/${id}`],
        [stranger.api, `/webhooks/${strange.id}/deliveries/${id}`],
        [world.api, `/webhooks/${sibling.id}/deliveries/${id}`],
        [world.api, `/webhooks/${webhook.id}/deliveries/${UNKNOWN_ID}`],
      ] as const)
        assertProblem(await api.post(`${path}/redeliver`), 404, 'not_found')
      assertProblem(await stranger.api.post(`/webhooks/${webhook.id}/test`), 404, 'not_found')
    })

    it('is kept as long as the log of events, and forgotten with it', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      await world.service.timers.deliver()
      world.advance(1)
      await world.given(aTask())
      await world.service.timers.deliver()
      world.advance(30 * DAY)

      const { deliveries, events } = await world.service.timers.prune()

      assert.deepEqual([deliveries, events], [1, 1])
      assert.deepEqual(sequencesOf(await deliveriesTo(world.api, webhook)), [2])
    })
  })

  describe(`a delivery whose event the log no longer has (${engine})`, () => {
    it('shows no event, fails for good with the reason, and says nothing of its receiver', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      world.advance(29 * DAY)
      receiver.answer = 500
      await world.service.timers.deliver()
      world.advance(DAY + 1)
      await world.service.timers.prune()

      await world.service.timers.deliver()

      const [delivery] = await deliveriesTo(world.api, webhook)
      assert.partialDeepStrictEqual(delivery, { state: 'failed', next_attempt_at: null, event: null, sequence: 1 })
      assert.partialDeepStrictEqual(delivery.attempts[1], { response: null, error: 'The event is no longer in the log.' })
      assert.equal(receiver.received.length, 1)
    })

    it('cannot be delivered again', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      world.advance(29 * DAY)
      await world.service.timers.deliver()
      world.advance(DAY + 1)
      await world.service.timers.prune()
      const [{ id }] = await deliveriesTo(world.api, webhook)

      const reply = await world.api.post(`/webhooks/${webhook.id}/deliveries/${id}/redeliver`)

      assert.match(assertProblem(reply, 404, 'not_found').detail as string, /no longer in the log/)
    })
  })
}
