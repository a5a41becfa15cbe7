import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { timerIn } from '../packages/server/actions/actor.ts'
import { createWebhook } from '../packages/server/actions/webhooks.ts'
import { openDestinations } from '../packages/server/outgoing/destinations.ts'
import { type Resource, UNKNOWN_ID } from './builders.ts'
import { meddle } from './database.ts'
import { pageOf, pagesOf } from './reading.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld, thirtyTwo, type World } from './world.ts'

/** An address that is public, so that no name is looked up. Nothing is sent to it: no test here delivers. */
const WEBHOOK = { url: 'https://1.1.1.1/hook', event_types: ['task.*', 'project.deleted'] }
const KEY = { 'idempotency-key': 'row 17' }
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

async function created(world: World, fields: object = {}): Promise<Resource> {
  const reply = await world.api.post('/webhooks', { ...WEBHOOK, ...fields })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

const withoutSecret = ({ secret, ...webhook }: Resource): Resource => webhook

const OPERATIONS: { method: string; path: string; body?: object }[] = [
  { method: 'GET', path: '' },
  { method: 'POST', path: '', body: WEBHOOK },
  { method: 'GET', path: '/ID' },
  { method: 'PATCH', path: '/ID', body: {} },
  { method: 'DELETE', path: '/ID' },
  { method: 'POST', path: '/ID/rotate_secret' },
  { method: 'POST', path: '/ID/test' },
  { method: 'GET', path: '/ID/deliveries' },
  { method: 'GET', path: '/ID/deliveries/ID' },
  { method: 'POST', path: '/ID/deliveries/ID/redeliver' },
]

for (const engine of ENGINES) {
  describe(`creating a webhook (${engine})`, () => {
    it('answers with all of it, its secret too', async () => {
      await using world = await openWorld(engine)

      const { status, headers, body } = await world.api.post('/webhooks', { ...WEBHOOK, description: 'Mirror to the warehouse' })

      assert.equal(status, 201)
      assert.deepEqual(body, {
        object: 'webhook',
        id: body.id,
        ...WEBHOOK,
        description: 'Mirror to the warehouse',
        enabled: true,
        disabled_reason: null,
        disabled_at: null,
        previous_secret_expires_at: null,
        created_at: world.now,
        updated_at: world.now,
        version: '"1"',
        secret: body.secret,
      })
      assert.match(body.secret, SECRET)
      assert.equal(headers.etag, '"1"')
      assert.equal(headers.location, `${world.service.url}/v1/webhooks/${body.id}`)
    })

    it('makes one that is disabled when it is asked to', async () => {
      await using world = await openWorld(engine)

      const webhook = await created(world, { enabled: false })

      assert.partialDeepStrictEqual(webhook, { enabled: false, disabled_reason: 'request', disabled_at: world.now })
    })

    it('gives each a secret of its own', async () => {
      await using world = await openWorld(engine)

      const webhooks = await Promise.all(Array.from({ length: 10 }, () => created(world)))

      assert.equal(new Set(webhooks.map(({ secret }) => secret)).size, 10)
    })

    it('is no event', async () => {
      await using world = await openWorld(engine)

      await created(world)

      assert.deepEqual(await world.events(), [])
    })

    it('is refused once the account has 2,000 of them, however many come at once, until one is deleted', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      const [first] = [await created(world)]
      const rows = Array.from(
        { length: 1_989 },
        (_, index) => `('${world.account.id}', 'webhook ${index}', 'https://1.1.1.1/', '*', '', 0, 0, 1, 0, 0)`,
      )
      await meddle(
        world,
        `insert into webhooks (account_id, id, url, event_types, secret, created_at, updated_at, version, sent_through, claimed_until) values ${rows}`,
      )

      const replies = await thirtyTwo(world, () => world.api.post('/webhooks', WEBHOOK))

      const refused = replies.filter(({ status }) => status !== 201)
      assert.equal(refused.length, 22)
      for (const reply of refused) assertInvalid(reply, ['body', '', 'out_of_range'])
      assert.equal((await other.api.post('/webhooks', WEBHOOK)).status, 201)
      await world.api.delete(`/webhooks/${first.id}`)
      await created(world)
    })
  })

  describe(`creating a webhook with an Idempotency-Key (${engine})`, () => {
    it('makes it once, and shows a retry its secret too', async () => {
      await using world = await openWorld(engine)
      const first = await world.api.post('/webhooks', WEBHOOK, KEY)

      const retry = await world.api.post('/webhooks', WEBHOOK, KEY)

      assert.deepEqual([first.status, retry.status, retry.headers['idempotent-replayed']], [201, 200, 'true'])
      assert.deepEqual(retry.body, first.body)
      assert.deepEqual([retry.headers.etag, retry.headers.location], [first.headers.etag, first.headers.location])
      assert.equal((await pageOf(world.api, '/webhooks')).data.length, 1)
    })

    it('refuses another body for the same key', async () => {
      await using world = await openWorld(engine)
      await world.api.post('/webhooks', WEBHOOK, KEY)

      const reply = await world.api.post('/webhooks', { ...WEBHOOK, event_types: ['*'] }, KEY)

      assertInvalid(reply, ['header', 'Idempotency-Key', 'conflict'])
    })

    it('makes one of 32 at once', async () => {
      await using world = await openWorld(engine)

      const replies = await thirtyTwo(world, () => world.api.post('/webhooks', WEBHOOK, KEY))

      assert.equal(replies.filter(({ status }) => status === 201).length, 1)
      assert.equal(replies.filter(({ status }) => status === 200).length, 31)
      assert.equal(new Set(replies.map(({ body }) => `${body.id} ${body.secret}`)).size, 1)
    })

    it('answers 404 once it is deleted', async () => {
      await using world = await openWorld(engine)
      const { body } = await world.api.post('/webhooks', WEBHOOK, KEY)
      await world.api.delete(`/webhooks/${body.id}`)

      assertProblem(await world.api.post('/webhooks', WEBHOOK, KEY), 404, 'not_found')
    })

    it('answers a retry though nothing may be sent to its address any more', async () => {
      await using world = await openWorld(engine)
      const { store } = world.service
      const key = { key: 'row 17', route: 'POST /v1/webhooks', bodyHash: 'hash' }
      const makeWith = (ranges: readonly string[]) =>
        createWebhook(timerIn(store, world.account.id), { url: 'http://127.0.0.1/', event_types: ['*'] }, key, {
          destinations: openDestinations(ranges),
          random: randomBytes,
        })
      const first = await makeWith(['127.0.0.1'])

      const retry = await makeWith([])

      assert.deepEqual(retry, { resource: first.resource, replayed: true })
    })

    it('shows a retry the webhook with the secret it has now', async () => {
      await using world = await openWorld(engine)
      const { body } = await world.api.post('/webhooks', WEBHOOK, KEY)
      const rotated = (await world.api.post(`/webhooks/${body.id}/rotate_secret`)).body

      assert.deepEqual((await world.api.post('/webhooks', WEBHOOK, KEY)).body, rotated)
    })
  })

  describe(`reading webhooks (${engine})`, () => {
    it('shows one without its secret', async () => {
      await using world = await openWorld(engine)
      const webhook = await created(world)

      const { status, headers, body } = await world.api.get(`/webhooks/${webhook.id}`)

      assert.deepEqual([status, headers.etag], [200, '"1"'])
      assert.deepEqual(body, withoutSecret(webhook))
    })

    it('answers 304 to whoever has the version already', async () => {
      await using world = await openWorld(engine)
      const { id, version } = await created(world)

      const same = await world.api.get(`/webhooks/${id}`, { 'if-none-match': version })
      const other = await world.api.get(`/webhooks/${id}`, { 'if-none-match': '"2"' })

      assert.deepEqual([same.status, same.text, same.headers.etag, other.status], [304, '', version, 200])
    })

    it('lists them without their secrets, the oldest first, page by page', async () => {
      await using world = await openWorld(engine)
      const webhooks: Resource[] = []
      for (let i = 0; i < 5; i += 1) webhooks.push(withoutSecret(await created(world)))

      const pages = await pagesOf(world.api, '/webhooks?limit=2')

      assert.deepEqual(pages, [webhooks.slice(0, 2), webhooks.slice(2, 4), webhooks.slice(4)])
    })

    it('shows nothing of another account, and changes nothing there', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      const webhook = await created(world)

      assert.deepEqual((await pageOf(other.api, '/webhooks')).data, [])
      for (const { method, path, body } of OPERATIONS.filter(({ path }) => path !== ''))
        assertProblem(await other.api.send(method, `/webhooks${path.replaceAll('ID', webhook.id)}`, body && { body }), 404, 'not_found')
      assert.deepEqual((await world.api.get(`/webhooks/${webhook.id}`)).body, withoutSecret(webhook))
    })

    it('answers 404 for one that is not there', async () => {
      await using world = await openWorld(engine)

      for (const { method, path, body } of OPERATIONS.filter(({ path }) => path !== ''))
        assertProblem(await world.api.send(method, `/webhooks${path.replaceAll('ID', UNKNOWN_ID)}`, body && { body }), 404, 'not_found')
    })
  })

  describe(`the scope webhooks:manage (${engine})`, () => {
    it('is what every operation needs, and all it needs', async () => {
      await using world = await openWorld(engine)
      const with_ = await world.clientWith(['webhooks:manage'])
      const without = await world.clientWith(SCOPE_NAMES.filter((name) => name !== 'webhooks:manage'))
      const { id } = await created(world)

      for (const { method, path, body } of OPERATIONS) {
        const filled = `/webhooks${path.replaceAll('ID', id)}`
        assertProblem(await without.send(method, filled, body && { body }), 403, 'insufficient_scope')
        if (method !== 'DELETE') assert.ok((await with_.send(method, filled, body && { body })).status !== 403)
      }
      assert.equal((await with_.delete(`/webhooks/${id}`)).status, 204)
    })
  })

  describe(`the secret of a webhook (${engine})`, () => {
    it('is shown at its creation, a replay of that and a rotation, and nowhere else', async () => {
      await using world = await openWorld(engine, { logLevel: 'trace' })
      const webhook = (await world.api.post('/webhooks', WEBHOOK, KEY)).body
      const rotated = (await world.api.post(`/webhooks/${webhook.id}/rotate_secret`)).body
      const path = `/webhooks/${webhook.id}`

      const replies = [
        await world.api.get('/webhooks'),
        await world.api.get(path),
        await world.api.patch(path, { description: 'New' }),
        await world.api.patch(path, { description: 'Old' }, { 'if-match': '"1"' }),
        await world.api.post(`${path}/rotate_secret`, {}, { 'if-match': '"1"' }),
        await world.api.delete(path, { 'if-match': '"1"' }),
        await world.api.post(`${path}/test`),
        await world.api.get(`${path}/deliveries`),
        await world.api.patch(path, { secret: webhook.secret }),
      ]

      const told = JSON.stringify([replies.map(({ text, headers }) => [text, headers]), world.logged, await world.events()])
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 200, 412, 412, 412, 202, 200, 400],
      )
      for (const { secret } of [webhook, rotated]) assert.ok(!told.includes(secret.slice(6)))
    })
  })
}
