import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setAccount } from '../packages/server/actions/accounts.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { switchApi } from '../packages/server/actions/switches.ts'
import { aProject, aStep, aTask, aWorkflow, UNKNOWN_ID } from './builders.ts'
import type { Reply } from './client.ts'
import { filledWith, operationsOf } from './operations.ts'
import { ENGINES, openWorld, type World } from './world.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A request for every status that the API answers with, in the world that it needs. */
const ANSWERS: [status: number, what: string, ask: (world: World) => Promise<Reply>][] = [
  [200, 'a list', (world) => world.api.get('/tasks')],
  [201, 'a creation', (world) => world.api.post('/tasks', { title: 'One' })],
  [204, 'a deletion', async (world) => world.api.delete(`/tasks/${(await world.given(aTask())).id}`)],
  [304, 'what is known', async (world) => world.api.get(`/tasks/${(await world.given(aTask())).id}`, { 'if-none-match': '*' })],
  [400, 'an invalid request', (world) => world.api.post('/tasks', {})],
  [400, 'a body that is not JSON', (world) => world.api.send('POST', '/tasks', { raw: '{' })],
  [403, 'a missing scope', async (world) => (await world.clientWith(['projects:read'])).get('/tasks')],
  [
    403,
    'the limit of tasks',
    (world) => setPlan(world.operator, 'unlimited', { activeTasks: 0 }).then(() => world.api.post('/tasks', { title: 'One' })),
  ],
  [
    403,
    'a shut account',
    (world) => setAccount(world.operator, world.account.email, { apiAccess: false }).then(() => world.api.get('/me')),
  ],
  [
    403,
    'a plan without the API',
    (world) => setAccount(world.operator, world.account.email, { plan: 'free' }).then(() => world.api.get('/me')),
  ],
  [
    403,
    'an encrypted account',
    (world) => setAccount(world.operator, world.account.email, { vault: true }).then(() => world.api.get('/me')),
  ],
  [404, 'a missing resource', (world) => world.api.get(`/tasks/${UNKNOWN_ID}`)],
  [412, 'a stale write', async (world) => world.api.delete(`/tasks/${(await world.given(aTask())).id}`, { 'if-match': '"9"' })],
  [429, 'a used-up limit', (world) => setPlan(world.operator, 'unlimited', { tokenPerMinute: 0 }).then(() => world.api.get('/me'))],
  [
    500,
    'a fault',
    (world) => {
      world.service.store.all = () => Promise.reject(new Error('broken'))
      return world.api.get('/tasks')
    },
  ],
]

/** Answers to requests of which nobody knows by whom they are. */
const UNKNOWN: typeof ANSWERS = [
  [400, 'a token in the URL', (world) => world.api.get(`/me?token=${world.api.token}`)],
  [400, 'a URL that cannot be decoded', (world) => world.api.get('/tasks/%zz')],
  [401, 'no token', (world) => world.anonymous.get('/me')],
  [404, 'an unknown path', (world) => world.api.get('/nowhere')],
  [404, 'an unknown method', (world) => world.api.send('PUT', '/tasks')],
  [503, 'the API switched off', (world) => switchApi(world.operator, false).then(() => world.api.get('/me'))],
  [200, 'the document', (world) => world.api.get('/openapi.json')],
  [200, 'a probe', (world) => world.api.get('//healthz')],
]

for (const engine of ENGINES) {
  describe(`response headers (${engine})`, () => {
    for (const [status, what, ask] of [...ANSWERS, ...UNKNOWN]) {
      it(`have an X-Request-Id of the server's making on ${what} (${status})`, async () => {
        await using world = await openWorld(engine)

        const reply = await ask(world)

        assert.equal(reply.status, status, reply.text)
        assert.match(reply.headers['x-request-id'] as string, UUID)
      })
    }

    for (const [status, what, ask] of ANSWERS) {
      it(`have RateLimit-* as whole numbers on ${what} (${status})`, async () => {
        await using world = await openWorld(engine)

        const { headers } = await ask(world)

        for (const name of ['limit', 'remaining', 'reset']) assert.match(headers[`ratelimit-${name}`] ?? 'missing', /^\d+$/, name)
      })
    }

    for (const [status, what, ask] of UNKNOWN) {
      it(`have no RateLimit-* on ${what} (${status})`, async () => {
        await using world = await openWorld(engine)

        const { headers } = await ask(world)

        assert.deepEqual(
          Object.keys(headers).filter((name) => name.startsWith('ratelimit')),
          [],
        )
      })
    }

    it('have another X-Request-Id each time, whatever the client sends', async () => {
      await using world = await openWorld(engine)
      const sent = { 'x-request-id': UNKNOWN_ID, 'request-id': UNKNOWN_ID }

      const ids = [await world.api.get('/me', sent), await world.api.get('/me', sent)].map(({ headers }) => headers['x-request-id'])

      assert.equal(new Set([...ids, UNKNOWN_ID]).size, 3)
    })

    it('name the request that made an event', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/tasks', { title: 'One' })

      const [event] = await world.events()
      assert.equal(event?.requestId, reply.headers['x-request-id'])
    })

    it('have the version as ETag wherever one resource is shown that has one', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const project = await world.given(aProject())
      const workflow = await world.given(aWorkflow())
      const { api } = world

      const replies = [
        await api.post('/tasks', { title: 'One' }),
        await api.get(`/tasks/${task.id}`),
        await api.patch(`/tasks/${task.id}`, { title: 'Two' }),
        await api.post(`/tasks/${task.id}/later`),
        await api.post(`/tasks/${task.id}/complete`),
        await api.post(`/tasks/${task.id}/archive`),
        await api.post(`/tasks/${task.id}/unarchive`),
        await api.post('/projects', { name: 'One' }),
        await api.get(`/projects/${project.id}`),
        await api.patch(`/projects/${project.id}`, { name: 'Two' }),
        await api.post('/workflows', { name: 'One' }),
        await api.get(`/workflows/${workflow.id}`),
        await api.patch(`/workflows/${workflow.id}`, { name: 'Two' }),
        await api.post(`/workflows/${workflow.id}/statuses`, { name: 'One', disposition: 'done' }),
        await api.get(`/workflows/${workflow.id}/statuses/${workflow.statuses[0].id}`),
        await api.patch(`/workflows/${workflow.id}/statuses/${workflow.statuses[0].id}`, { name: 'Two' }),
      ]

      for (const { status, headers, body } of replies) {
        assert.ok(status === 200 || status === 201)
        assert.match(headers.etag as string, /^"\d+"$/)
        assert.equal(headers.etag, body.version)
      }
    })

    it('have no ETag on lists and on what has no version', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task))

      for (const path of ['/me', '/dispositions', '/tasks', '/projects', '/workflows', `/tasks/${task.id}/steps/${step.id}`]) {
        const { status, headers } = await world.api.get(path)
        assert.deepEqual([status, headers.etag], [200, undefined], path)
      }
    })

    for (const base of [undefined, 'https://tasks.example.org', 'https://example.org/fivetab/']) {
      it(`have the URL of what was created as Location, below ${base ?? 'the address it listens on'}`, async () => {
        await using world = await openWorld(engine, { environment: { BASE_URL: base } })
        const task = await world.given(aTask())
        const workflow = await world.given(aWorkflow())
        const creations: [path: string, body: object][] = [
          ['/tasks', { title: 'One' }],
          ['/projects', { name: 'One' }],
          ['/workflows', { name: 'One' }],
          [`/workflows/${workflow.id}/statuses`, { name: 'One', disposition: 'done' }],
          [`/tasks/${task.id}/steps`, { name: 'One' }],
        ]
        const root = `${(base ?? world.service.url).replace(/\/$/, '')}/v1`

        for (const [path, body] of creations) {
          const made = await world.api.post(path, body)
          assert.equal(made.headers.location, `${root}${path}/${made.body.id}`)
          const read = await world.api.get(made.headers.location?.slice(root.length) as string)
          assert.deepEqual(read.body, made.body)
        }
      })
    }

    it('have a JSON Content-Type on every success that has a body, and none on one without', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const withBody = [await world.api.get('/me'), await world.api.get('/tasks'), await world.api.post('/tasks', { title: 'One' })]
      const without = [await world.api.get(`/tasks/${task.id}`, { 'if-none-match': '*' }), await world.api.delete(`/tasks/${task.id}`)]

      for (const { headers } of withBody) assert.match(headers['content-type'] as string, /^application\/json(; charset=utf-8)?$/)
      for (const { headers, text } of without) assert.deepEqual([headers['content-type'], text], [undefined, ''])
    })

    it('tell with Allow what a path has, when asked for a method it lacks', async () => {
      await using world = await openWorld(engine)
      const operationsAt = Map.groupBy(await operationsOf(world), ({ path }) => path)

      for (const [path, operations] of operationsAt) {
        const has = operations.map(({ method }) => method)
        if (has.includes('GET')) has.push('HEAD')
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].filter((one) => !has.includes(one))) {
          const reply = await world.api.send(method, filledWith(path))
          assert.equal(reply.status, 404, `${method} ${path}`)
          assert.deepEqual(reply.headers.allow?.split(', ').sort(), has.toSorted(), `${method} ${path}`)
        }
      }
    })

    it('have no Allow for a path that is none', async () => {
      await using world = await openWorld(engine)

      const replies = [await world.api.send('PUT', '/nowhere'), await world.api.get('/tasks/7/nowhere')]

      for (const { status, headers } of replies) assert.deepEqual([status, headers.allow], [404, undefined])
    })

    it('are the same for HEAD as for GET, and there is no body', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const workflow = await world.given(aWorkflow())

      for (const path of [
        '/me',
        '/dispositions',
        '/tasks',
        `/tasks/${task.id}`,
        `/workflows/${workflow.id}/statuses`,
        `/tasks/${UNKNOWN_ID}`,
        '/tasks?nope=1',
      ]) {
        const [get, head] = [await world.api.get(path), await world.api.send('HEAD', path)]
        assert.deepEqual([head.status, head.text], [get.status, ''], path)
        for (const name of ['content-type', 'content-length', 'etag'])
          assert.equal(head.headers[name], get.headers[name], `${path} ${name}`)
      }
    })

    it('have WWW-Authenticate on 401 and insufficient_scope, and on no other refusal', async () => {
      await using world = await openWorld(engine)
      const unauthorized = await world.anonymous.get('/me')
      const lacking = await (await world.clientWith(['projects:read'])).get('/tasks')
      await setAccount(world.operator, world.account.email, { apiAccess: false })
      const shut = await world.api.get('/me')

      assert.deepEqual(
        [unauthorized, lacking, shut].map(({ headers }) => headers['www-authenticate']),
        ['Bearer', 'Bearer error="insufficient_scope", scope="tasks:read"', undefined],
      )
    })

    it('have Retry-After on 429 and 503, in seconds', async () => {
      await using world = await openWorld(engine)
      await setPlan(world.operator, 'unlimited', { tokenPerMinute: 0 })
      const limited = await world.api.get('/me')
      await switchApi(world.operator, false)
      const off = await world.api.get('/me')

      assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '60'])
      assert.equal(off.status, 503)
      assert.match(off.headers['retry-after'] as string, /^[1-9]\d*$/)
    })

    it('announce nothing unless the operator does', async () => {
      await using world = await openWorld(engine)

      const { headers } = await world.api.get('/me')

      assert.deepEqual([headers.deprecation, headers.sunset], [undefined, undefined])
    })

    for (const [status, what, ask] of [...ANSWERS, ...UNKNOWN.filter(([status]) => status === 401 || status === 503)]) {
      it(`announce the end of the version on ${what} (${status})`, async () => {
        await using world = await openWorld(engine, {
          environment: { API_DEPRECATION: '2027-01-31', API_SUNSET: '2027-12-31T12:00:00+01:00' },
        })

        const { headers } = await ask(world)

        assert.deepEqual([headers.deprecation, headers.sunset], ['@1801353600', 'Fri, 31 Dec 2027 11:00:00 GMT'])
      })
    }

    it('announce a deprecation without an end, and an end without a deprecation', async () => {
      await using deprecated = await openWorld(engine, { environment: { API_DEPRECATION: '2026-01-01' } })
      await using ending = await openWorld(engine, { environment: { API_SUNSET: '2027-01-01' } })

      const first = (await deprecated.api.get('/me')).headers
      const second = (await ending.api.get('/me')).headers

      assert.deepEqual([first.deprecation, first.sunset], ['@1767225600', undefined])
      assert.deepEqual([second.deprecation, second.sunset], [undefined, 'Fri, 01 Jan 2027 00:00:00 GMT'])
    })
  })
}
