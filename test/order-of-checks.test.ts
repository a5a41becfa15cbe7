import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setAccount } from '../packages/server/actions/accounts.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { switchApi } from '../packages/server/actions/switches.ts'
import { revokeToken } from '../packages/server/actions/tokens.ts'
import { aTask, UNKNOWN_ID } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld, type World } from './world.ts'

const shutTheApi = (world: World) => switchApi(world.operator, false)
const shutTheAccount = (world: World) => setAccount(world.operator, world.account.email, { apiAccess: false })
const takeThePlan = (world: World) => setAccount(world.operator, world.account.email, { plan: 'free' })
const sealTheAccount = (world: World) => setAccount(world.operator, world.account.email, { vault: true })
const useUpTheMinute = (world: World) => setPlan(world.operator, 'unlimited', { tokenPerMinute: 0 })
const fillThePlan = (world: World) => setPlan(world.operator, 'unlimited', { activeTasks: 0 })

/** A time that has passed in every world. */
const PASSED = '2020-01-01T00:00:00Z'

/** Bodies that are refused as they stand, whatever is stored: what asks for it, what it sends, where to, and what is said. */
const REFUSED_AS_IT_STANDS: [
  what: string,
  method: 'POST' | 'PATCH',
  action: string,
  body: object,
  problem: [name: string, code: string],
][] = [
  ['a Later until a time that has passed', 'POST', '/later', { until: PASSED }, ['until', 'invalid_value']],
  ['a time to wake that has passed', 'PATCH', '', { on_hold_until: PASSED }, ['on_hold_until', 'invalid_value']],
  [
    'a time to wake that has passed with on_hold',
    'PATCH',
    '',
    { disposition: 'on_hold', on_hold_until: PASSED },
    ['on_hold_until', 'invalid_value'],
  ],
  ['a time to wake with done', 'PATCH', '', { disposition: 'done', on_hold_until: '2030-01-01T00:00:00Z' }, ['on_hold_until', 'conflict']],
  ['a Status without a Workflow', 'PATCH', '', { status_id: UNKNOWN_ID, workflow_id: null }, ['workflow_id', 'conflict']],
]

const NEIGHBOURS_OF_BODIES: Pair[] = REFUSED_AS_IT_STANDS.flatMap(([first, method, action, body, [name, code]]): Pair[] => {
  const assertFirst = (reply: Reply) => {
    assertInvalid(reply, ['body', name, code])
  }
  return [
    {
      first,
      second: 'a task that is not there',
      ask: (world) => world.api.send(method, `/tasks/${UNKNOWN_ID}${action}`, { body }),
      assertFirst,
    },
    {
      first,
      second: 'a version that does not match',
      ask: async (world) => {
        const task = await world.given(aTask())
        return world.api.send(method, `/tasks/${task.id}${action}`, { body, headers: { 'if-match': '"9"' } })
      },
      assertFirst,
    },
  ]
})

interface Pair {
  first: string
  second: string
  /** Makes both faults, and sends the request that has them. */
  ask(world: World): Promise<Reply>
  assertFirst(reply: Reply): void
}

const problem = (status: number, code: string) => (reply: Reply) => {
  assertProblem(reply, status, code)
}

async function withRevokedToken(world: World): Promise<Client> {
  const client = await world.clientWith(['tasks:read'])
  await revokeToken(world.operator, (await client.get('/me')).body.token.id)
  return client
}

const NEIGHBOURS: Pair[] = [
  {
    first: 'a token in the URL',
    second: 'the API switched off',
    ask: async (world) => {
      await shutTheApi(world)
      return world.api.get(`/me?token=${world.api.token}`)
    },
    assertFirst: problem(400, 'invalid_request'),
  },
  {
    first: 'the API switched off',
    second: 'no valid token',
    ask: async (world) => {
      await shutTheApi(world)
      return world.anonymous.get('/me')
    },
    assertFirst: problem(503, 'api_disabled'),
  },
  {
    first: 'no valid token',
    second: 'an account that is shut',
    ask: async (world) => {
      const client = await withRevokedToken(world)
      await shutTheAccount(world)
      return client.get('/me')
    },
    assertFirst: problem(401, 'invalid_token'),
  },
  {
    first: 'an account that is shut',
    second: 'a plan without the API',
    ask: async (world) => {
      await shutTheAccount(world)
      await takeThePlan(world)
      return world.api.get('/me')
    },
    assertFirst: problem(403, 'access_disabled'),
  },
  {
    first: 'a plan without the API',
    second: 'an encrypted account',
    ask: async (world) => {
      await takeThePlan(world)
      await sealTheAccount(world)
      return world.api.get('/me')
    },
    assertFirst: problem(403, 'plan_required'),
  },
  {
    first: 'an encrypted account',
    second: 'a limit used up',
    ask: async (world) => {
      await sealTheAccount(world)
      await useUpTheMinute(world)
      return world.api.get('/me')
    },
    assertFirst: problem(403, 'vault_account_unsupported'),
  },
  {
    first: 'a limit used up',
    second: 'a missing scope',
    ask: async (world) => {
      const client = await world.clientWith(['projects:read'])
      await useUpTheMinute(world)
      return client.get('/tasks')
    },
    assertFirst: problem(429, 'rate_limited'),
  },
  {
    first: 'the writes of the day used up',
    second: 'a missing scope',
    ask: async (world) => {
      const client = await world.clientWith(['projects:read'])
      await setPlan(world.operator, 'unlimited', { writesPerDay: 0 })
      return client.post('/tasks', { title: 'One' })
    },
    assertFirst: problem(429, 'rate_limited'),
  },
  {
    first: 'a missing scope',
    second: 'an unknown parameter',
    ask: async (world) => (await world.clientWith(['projects:read'])).get('/tasks?nope=1'),
    assertFirst: problem(403, 'insufficient_scope'),
  },
  {
    first: 'a missing scope',
    second: 'a body that is not JSON',
    ask: async (world) => (await world.clientWith(['tasks:read'])).send('POST', '/tasks', { raw: '{' }),
    assertFirst: problem(403, 'insufficient_scope'),
  },
  {
    first: 'a missing scope',
    second: 'a body that is too large',
    ask: async (world) => (await world.clientWith(['tasks:read'])).post('/tasks', { title: 'x'.repeat(300_000) }),
    assertFirst: problem(403, 'insufficient_scope'),
  },
  {
    first: 'an invalid body',
    second: 'a task that is not there',
    ask: (world) => world.api.patch(`/tasks/${UNKNOWN_ID}`, { title: '' }),
    assertFirst: (reply) => assertInvalid(reply, ['body', 'title', 'too_short']),
  },
  {
    first: 'an invalid If-Match',
    second: 'a task that is not there',
    ask: (world) => world.api.delete(`/tasks/${UNKNOWN_ID}`, { 'if-match': 'W/7' }),
    assertFirst: (reply) => assertInvalid(reply, ['header', 'If-Match', 'invalid_format']),
  },
  {
    first: 'a task that is not there',
    second: 'a version that does not match',
    ask: (world) => world.api.patch(`/tasks/${UNKNOWN_ID}`, { title: 'Two' }, { 'if-match': '"9"' }),
    assertFirst: problem(404, 'not_found'),
  },
  {
    first: 'a version that does not match',
    second: 'an unknown reference',
    ask: async (world) => {
      const task = await world.given(aTask())
      return world.api.patch(`/tasks/${task.id}`, { project_id: UNKNOWN_ID }, { 'if-match': '"9"' })
    },
    assertFirst: problem(412, 'precondition_failed'),
  },
  {
    first: 'a version that does not match',
    second: 'an estimate that goes against the steps',
    ask: async (world) => {
      const task = await world.given(aTask({ onStatus: 'Draft' }))
      return world.api.patch(`/tasks/${task.id}`, { estimate_minutes: 5 }, { 'if-match': '"9"' })
    },
    assertFirst: problem(412, 'precondition_failed'),
  },
  {
    first: 'a task that is not there',
    second: 'an unknown reference',
    ask: (world) => world.api.patch(`/tasks/${UNKNOWN_ID}`, { project_id: UNKNOWN_ID }),
    assertFirst: problem(404, 'not_found'),
  },
  {
    first: 'an unknown reference',
    second: 'the limit of active tasks',
    ask: async (world) => {
      await fillThePlan(world)
      return world.api.post('/tasks', { title: 'One', project_id: UNKNOWN_ID })
    },
    assertFirst: (reply) => assertInvalid(reply, ['body', 'project_id', 'unknown_reference']),
  },
  {
    first: 'a key used for another body',
    second: 'the limit of active tasks',
    ask: async (world) => {
      await world.api.post('/tasks', { title: 'One' }, { 'idempotency-key': 'k' })
      await fillThePlan(world)
      return world.api.post('/tasks', { title: 'Two' }, { 'idempotency-key': 'k' })
    },
    assertFirst: (reply) => assertInvalid(reply, ['header', 'Idempotency-Key', 'conflict']),
  },
]

/** What a request can come with that would be refused at an endpoint that exists. */
const HOWEVER: [what: string, ask: (world: World, method: string, path: string) => Promise<Reply>][] = [
  ['without a token', (world, method, path) => world.anonymous.send(method, path)],
  ['with a revoked token', async (world, method, path) => (await withRevokedToken(world)).send(method, path)],
  [
    'while the API is off',
    async (world, method, path) => {
      await shutTheApi(world)
      return world.api.send(method, path)
    },
  ],
  [
    'while the account is shut',
    async (world, method, path) => {
      await shutTheAccount(world)
      return world.api.send(method, path)
    },
  ],
  [
    'while a limit is used up',
    async (world, method, path) => {
      await useUpTheMinute(world)
      return world.api.send(method, path)
    },
  ],
  ['with unknown parameters', (world, method, path) => world.api.send(method, `${path}?nope=1`)],
  ['with a body that is not JSON', (world, method, path) => world.api.send(method, path, { raw: '{' })],
  [
    'with a body of another type',
    (world, method, path) => world.api.send(method, path, { raw: 'x', headers: { 'content-type': 'text/plain' } }),
  ],
  ['with a body that is too large', (world, method, path) => world.api.send(method, path, { raw: ' '.repeat(300_000) })],
]

for (const engine of ENGINES) {
  describe(`the order of checks (${engine})`, () => {
    for (const { first, second, ask, assertFirst } of [...NEIGHBOURS, ...NEIGHBOURS_OF_BODIES]) {
      it(`tells of ${first} before ${second}`, async () => {
        await using world = await openWorld(engine)

        assertFirst(await ask(world))
      })
    }

    it('shows the next refusal each time that one is mended', async () => {
      await using world = await openWorld(engine)
      const client = await world.clientWith(['projects:read'])
      await shutTheApi(world)
      await shutTheAccount(world)
      await takeThePlan(world)
      await sealTheAccount(world)
      await setPlan(world.operator, 'free', { tokenPerMinute: 0 })
      const { email } = world.account
      const mendings = [
        () => switchApi(world.operator, true),
        () => setAccount(world.operator, email, { apiAccess: true }),
        () => setPlan(world.operator, 'free', { apiAccess: true }),
        () => setAccount(world.operator, email, { vault: false }),
        () => setPlan(world.operator, 'free', { tokenPerMinute: 300 }),
      ]

      const codes = [(await client.get('/tasks?nope=1')).body.code]
      for (const mend of mendings) {
        await mend()
        codes.push((await client.get('/tasks?nope=1')).body.code)
      }

      assert.deepEqual(codes, [
        'api_disabled',
        'access_disabled',
        'plan_required',
        'vault_account_unsupported',
        'rate_limited',
        'insufficient_scope',
      ])
    })

    for (const [what, ask] of HOWEVER) {
      it(`answers 404 for an unknown path ${what}`, async () => {
        await using world = await openWorld(engine)

        assertProblem(await ask(world, 'POST', '/nowhere'), 404, 'not_found')
      })

      it(`answers 404 with Allow for a method that a path lacks ${what}`, async () => {
        await using world = await openWorld(engine)

        const reply = await ask(world, 'POST', '/me')

        assertProblem(reply, 404, 'not_found')
        assert.equal(reply.headers.allow, 'GET, HEAD')
      })
    }
  })
}
