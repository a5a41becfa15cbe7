import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, type Resource, UNKNOWN_ID } from './builders.ts'
import { contentsOf } from './database.ts'
import { limit, rateOf } from './limits.ts'
import { aWebhook, deliveriesTo, openReceiver, REACHABLE } from './receiver.ts'
import { assertProblem, DAY, ENGINES, type EngineName, HOUR, openWorld, type World } from './world.ts'

/** An address that is public, so that no name is looked up. Nothing is sent to it. */
const PUBLIC = { url: 'https://1.1.1.1/hook' }

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

const withoutSecret = ({ secret, ...webhook }: Resource): Resource => webhook

/** How many writes of the day `act` takes. */
async function writesOf(world: World, act: () => Promise<unknown>): Promise<number> {
  const { store } = world.service
  const count = async () => Number((await store.one<{ n: number }>('select max(writes_that_day) as n from ledgers', []))?.n)
  const before = await count()
  await act()
  return (await count()) - before
}

for (const engine of ENGINES) {
  describe(`changing a webhook (${engine})`, () => {
    it('changes what is sent and nothing else', async () => {
      await using world = await openReachable(engine)
      const webhook = await world.given(aWebhook(PUBLIC, { description: 'Mirror' }))
      world.advance(HOUR)

      const url = await world.api.patch(`/webhooks/${webhook.id}`, { url: 'http://127.0.0.1/other' })
      const types = await world.api.patch(`/webhooks/${webhook.id}`, { event_types: ['task.woke', 'task.woke'] })
      const cleared = await world.api.patch(`/webhooks/${webhook.id}`, { description: null })

      const first = { ...withoutSecret(webhook), url: 'http://127.0.0.1/other', updated_at: world.now, version: '"2"' }
      assert.deepEqual(url.body, first)
      assert.deepEqual(types.body, { ...first, event_types: ['task.woke'], version: '"3"' })
      assert.deepEqual(cleared.body, { ...first, event_types: ['task.woke'], description: null, version: '"4"' })
      assert.deepEqual([url.headers.etag, types.headers.etag, cleared.headers.etag], ['"2"', '"3"', '"4"'])
      assert.deepEqual((await world.api.get(`/webhooks/${webhook.id}`)).body, cleared.body)
    })

    it('is no change, and no write of the day, when it changes nothing', async () => {
      await using world = await openReachable(engine)
      const webhook = await world.given(aWebhook(PUBLIC, { description: 'Mirror' }))
      world.advance(HOUR)

      for (const body of [{}, { description: 'Mirror' }, { enabled: true }, { url: PUBLIC.url, event_types: ['*', '*'] }]) {
        const writes = await writesOf(world, async () => {
          const reply = await world.api.patch(`/webhooks/${webhook.id}`, body)
          assert.deepEqual([reply.status, reply.body], [200, withoutSecret(webhook)])
        })
        assert.equal(writes, 0)
      }
    })

    it('is a write of the day when it does, as are creating, rotating, testing and deleting', async () => {
      await using world = await openReachable(engine)
      let webhook: Resource

      const acts: (() => Promise<unknown>)[] = [
        async () => {
          webhook = await world.given(aWebhook(PUBLIC))
        },
        () => world.api.patch(`/webhooks/${webhook.id}`, { description: 'New' }),
        () => world.api.patch(`/webhooks/${webhook.id}`, { enabled: false }),
        () => world.api.post(`/webhooks/${webhook.id}/rotate_secret`),
        () => world.api.post(`/webhooks/${webhook.id}/test`),
        () => world.api.delete(`/webhooks/${webhook.id}`),
      ]
      for (const act of acts) assert.equal(await writesOf(world, act), 1)
    })

    it('is refused when the writes of the day are used up', async () => {
      await using world = await openReachable(engine)
      await limit(world, { writesPerDay: 1 })
      const webhook = await world.given(aWebhook(PUBLIC))

      const reply = await world.api.patch(`/webhooks/${webhook.id}`, { description: 'New' })

      assertProblem(reply, 429, 'rate_limited')
      assert.deepEqual(rateOf(reply), [1, 0, 43_200])
    })

    for (const [what, act] of [
      [
        'changing',
        (world: World, id: string, headers: object) => world.api.patch(`/webhooks/${id}`, { description: 'New' }, { ...headers }),
      ],
      ['deleting', (world: World, id: string, headers: object) => world.api.delete(`/webhooks/${id}`, { ...headers })],
      [
        'rotating',
        (world: World, id: string, headers: object) => world.api.post(`/webhooks/${id}/rotate_secret`, undefined, { ...headers }),
      ],
    ] as const) {
      it(`refuses ${what} another version than the one named, and shows the one there is`, async () => {
        await using world = await openReachable(engine)
        const { id } = await world.given(aWebhook(PUBLIC))
        const { body: current } = await world.api.patch(`/webhooks/${id}`, { description: 'Mirror' })

        const stale = await act(world, id, { 'if-match': '"1"' })
        const right = await act(world, id, { 'if-match': '"2"' })

        assert.deepEqual(assertProblem(stale, 412, 'precondition_failed').current, current)
        assert.ok(right.status < 300)
      })
    }

    it('is refused for an address by its text before all else, and by where it leads after 404 and 412', async () => {
      await using world = await openWorld(engine)
      const { id } = await world.given(aWebhook({ url: 'https://192.88.100.1/hook' }))
      const change = async (path: string, url: string) => (await world.api.patch(path, { url }, { 'if-match': '"7"' })).status

      assert.deepEqual(
        [
          await change(`/webhooks/${UNKNOWN_ID}`, 'http://127.0.0.1/'),
          await change(`/webhooks/${UNKNOWN_ID}`, 'http://localhost/'),
          await change(`/webhooks/${id}`, 'http://localhost/'),
          (await world.api.patch(`/webhooks/${id}`, { url: 'http://localhost/' })).status,
        ],
        [400, 404, 412, 400],
      )
    })

    it('lets one of 32 changes of one version pass', async () => {
      await using world = await openReachable(engine)
      const { id, version } = await world.given(aWebhook(PUBLIC))

      const replies = await Promise.all(
        Array.from({ length: 32 }, (_, index) =>
          world.api.patch(`/webhooks/${id}`, { description: `By ${index}` }, { 'if-match': version }),
        ),
      )

      assert.deepEqual(
        [200, 412].map((wanted) => replies.filter(({ status }) => status === wanted).length),
        [1, 31],
      )
    })
  })

  describe(`enabling and disabling a webhook (${engine})`, () => {
    it('says why and since when, and forgets it', async () => {
      await using world = await openReachable(engine)
      const { id } = await world.given(aWebhook(PUBLIC))
      world.advance(HOUR)

      const off = await world.api.patch(`/webhooks/${id}`, { enabled: false })
      const since = world.now
      world.advance(HOUR)
      const still = await world.api.patch(`/webhooks/${id}`, { enabled: false })
      const on = await world.api.patch(`/webhooks/${id}`, { enabled: true })

      assert.partialDeepStrictEqual(off.body, { enabled: false, disabled_reason: 'request', disabled_at: since, version: '"2"' })
      assert.deepEqual(still.body, off.body)
      assert.partialDeepStrictEqual(on.body, { enabled: true, disabled_reason: null, disabled_at: null, version: '"3"' })
    })

    it('begins with what happens once it is enabled, be it made disabled or disabled later', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const { id } = await world.given(aWebhook(receiver, { enabled: false }))
      await world.given(aTask())
      await world.api.patch(`/webhooks/${id}`, { enabled: true })
      await world.given(aTask())
      await world.service.timers.deliver()
      await world.api.patch(`/webhooks/${id}`, { enabled: false })
      await world.given(aTask())
      await world.service.timers.deliver()
      await world.api.patch(`/webhooks/${id}`, { enabled: true })
      await world.given(aTask())
      await world.service.timers.deliver()

      assert.deepEqual(
        receiver.received.map(({ event }) => event.sequence),
        [2, 4],
      )
    })

    it('misses nothing of what happens while a request only says what it is already', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const { id } = await world.given(aWebhook(receiver))
      await world.given(aTask())
      await world.api.patch(`/webhooks/${id}`, { enabled: true })

      await world.service.timers.deliver()

      assert.equal(receiver.received.length, 1)
    })
  })

  describe(`rotating a secret (${engine})`, () => {
    it('shows the new one, and until when the one before signs', async () => {
      await using world = await openReachable(engine)
      const webhook = await world.given(aWebhook(PUBLIC))
      world.advance(HOUR)

      const reply = await world.api.post(`/webhooks/${webhook.id}/rotate_secret`)

      assert.deepEqual([reply.status, reply.headers.etag], [200, '"2"'])
      assert.deepEqual(reply.body, {
        ...webhook,
        secret: reply.body.secret,
        previous_secret_expires_at: world.later(DAY),
        updated_at: world.now,
        version: '"2"',
      })
      assert.match(reply.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.notEqual(reply.body.secret, webhook.secret)
    })

    it('counts the day anew with the next one', async () => {
      await using world = await openReachable(engine)
      const { id } = await world.given(aWebhook(PUBLIC))
      await world.api.post(`/webhooks/${id}/rotate_secret`)
      world.advance(HOUR)

      const { body } = await world.api.post(`/webhooks/${id}/rotate_secret`, {})

      assert.deepEqual([body.previous_secret_expires_at, body.version], [world.later(DAY), '"3"'])
    })
  })

  describe(`deleting a webhook (${engine})`, () => {
    it('takes its deliveries out of sight, and no others', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const [webhook, other] = [await world.given(aWebhook(receiver)), await world.given(aWebhook(receiver))]
      await world.given(aTask())
      await world.service.timers.deliver()
      const [delivery] = await deliveriesTo(world.api, webhook)

      const reply = await world.api.delete(`/webhooks/${webhook.id}`)

      assert.deepEqual([reply.status, reply.text], [204, ''])
      for (const path of ['', '/deliveries', `/deliveries/${delivery.id}`])
        assertProblem(await world.api.get(`/webhooks/${webhook.id}${path}`), 404, 'not_found')
      assertProblem(await world.api.delete(`/webhooks/${webhook.id}`), 404, 'not_found')
      assert.equal((await deliveriesTo(world.api, other)).length, 1)
    })

    it('has nothing more be tried, and leaves nothing for longer than the log is kept', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      receiver.answer = 500
      const webhook = await world.given(aWebhook(receiver))
      await world.given(aTask())
      await world.service.timers.deliver()
      await world.api.delete(`/webhooks/${webhook.id}`)

      world.advance(30 * DAY + 1)
      await world.service.timers.deliver()
      await world.service.timers.prune()

      assert.equal(receiver.received.length, 1)
      assert.deepEqual((await contentsOf(world)).deliveries, [])
    })
  })
}
