import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client as PostgresClient } from 'pg'
import { pino } from 'pino'
import { removeAccount, setAccount } from '../packages/server/actions/accounts.ts'
import type { Operator } from '../packages/server/actions/operator.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { switchApi } from '../packages/server/actions/switches.ts'
import { revokeToken } from '../packages/server/actions/tokens.ts'
import { startService } from '../packages/server/service.ts'
import { readSettings } from '../packages/server/settings.ts'
import { NEWEST_SCHEMA } from '../packages/server/store/migrate.ts'
import { aTask } from './builders.ts'
import { cannot } from './cannot.ts'
import { type Client, clientOf, type Reply } from './client.ts'
import { aDatabase, contentsOf, meddle, placeOf } from './database.ts'
import { limit, rateOf } from './limits.ts'
import { taskNow } from './reading.ts'
import { startRedis } from './redis.ts'
import { assertProblem, DAY, ENGINES, HOUR, type Instance, MINUTE, openWorld, type World, type WorldOptions } from './world.ts'

/** What two services on one database promise together. The like with processes, kills and much more of it is the fault suite (torture/). */

async function openTwo(options?: WorldOptions): Promise<{ world: World; other: Instance } & AsyncDisposable> {
  const world = await openWorld('postgres', options)
  const other = await world.another()
  return { world, other, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

/** Sends `count` requests at once, in turn to the one and the other, over connections that are open already. */
async function atBoth(
  { world, other }: { world: World; other: Instance },
  count: number,
  ask: (api: Client, index: number) => Promise<Reply>,
) {
  const apis = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? world.api : other.api))
  await Promise.all(apis.map((api) => api.get('//healthz')))
  return Promise.all(apis.map(ask))
}

const statusesOf = (replies: readonly Reply[]) =>
  Object.fromEntries([...Map.groupBy(replies, ({ status }) => status)].map(([status, of]) => [status, of.length]))

const typesOf = async (world: World, of = world.account) => (await world.events(of)).map(({ type }) => type)

/** A connection past the services, in a transaction that is taken back unless it is ended before. */
async function byHand(world: World): Promise<PostgresClient & AsyncDisposable> {
  const client = new PostgresClient(placeOf(world).databaseUrl ?? assert.fail())
  await client.connect()
  await client.query('begin')
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const GIVE_UP_AFTER_MS = 10_000

/** Asks until the answer is a right one. */
async function until<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS
  for (;;) {
    const answer = await ask()
    if (isRight(answer)) return answer
    assert.ok(performance.now() < deadline, `it stayed ${JSON.stringify(answer)}`)
  }
}

/** Answers, once there is one, with the process of the server that waits for what `hand` holds. */
async function waitingFor(hand: PostgresClient): Promise<number> {
  const ask = async () =>
    (await hand.query('select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))')).rows
  const [{ pid }] = (await until(ask, (rows) => rows.length > 0)) as [{ pid: number }]
  return pid
}

const WORDS: { what: string; say(by: Operator, world: World): Promise<unknown>; status: number; code: string }[] = [
  {
    what: 'a token that was revoked',
    say: async (by, world) => revokeToken(by, (await world.api.get('/me')).body.token.id),
    status: 401,
    code: 'invalid_token',
  },
  { what: 'an account deleted', say: (by, world) => removeAccount(by, world.account.email), status: 401, code: 'invalid_token' },
  {
    what: 'an account that was shut',
    say: (by, world) => setAccount(by, world.account.email, { apiAccess: false }),
    status: 403,
    code: 'access_disabled',
  },
  { what: 'another plan', say: (by, world) => setAccount(by, world.account.email, { plan: 'free' }), status: 403, code: 'plan_required' },
  { what: 'a plan changed', say: (by) => setPlan(by, 'unlimited', { apiAccess: false }), status: 403, code: 'plan_required' },
  { what: 'the API off', say: (by) => switchApi(by, false), status: 503, code: 'api_disabled' },
]

describe('two instances on one database', { skip: !ENGINES.includes('postgres'), timeout: 120_000 }, () => {
  for (const { what, say, status, code } of WORDS) {
    it(`both know of ${what} from the next request on, whichever of them was told`, async () => {
      for (const told of ['the world', 'the other']) {
        await using two = await openTwo()
        for (const { api } of [two.world, two.other]) assert.equal((await api.get('/me')).status, 200)

        await say(told === 'the world' ? two.world.operator : two.other.operator, two.world)

        for (const { api } of [two.world, two.other]) assertProblem(await api.get('/me'), status, code)
      }
    })
  }

  it('make one task out of 64 creations with one key: one 201, the others 200', async () => {
    await using two = await openTwo()

    const replies = await atBoth(two, 64, (api) => api.post('/tasks', { title: 'One' }, { 'idempotency-key': 'row 17' }))

    assert.deepEqual(statusesOf(replies), { 200: 63, 201: 1 })
    assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
    assert.deepEqual(await typesOf(two.world), ['task.created'])
  })

  it('let one of 32 changes of one version pass, and tell the others of what it made', async () => {
    await using two = await openTwo()
    const task = await two.world.given(aTask())

    const replies = await atBoth(two, 32, (api, index) =>
      api.patch(`/tasks/${task.id}`, { title: `By ${index}` }, { 'if-match': task.version }),
    )

    assert.deepEqual(statusesOf(replies), { 200: 1, 412: 31 })
    const winner = replies.find(({ status }) => status === 200)?.body
    assert.deepEqual(await taskNow(two.other.api, task), winner)
    for (const { status, body } of replies) if (status === 412) assert.deepEqual(body.current, winner)
  })

  it('carry out all of 32 changes of one task, one after another', async () => {
    await using two = await openTwo()
    const task = await two.world.given(aTask())

    const replies = await atBoth(two, 32, (api, index) => api.patch(`/tasks/${task.id}`, { title: `By ${index}` }))

    const versions = replies.map(({ body }) => Number(JSON.parse(body.version)))
    assert.deepEqual(
      versions.sort((a, b) => a - b),
      Array.from({ length: 32 }, (_, index) => index + 2),
    )
    assert.deepEqual(
      (await two.world.events()).map(({ sequence }) => sequence),
      Array.from({ length: 33 }, (_, index) => index + 1),
    )
  })

  it('let exactly as many tasks be active as the plan says', async () => {
    await using two = await openTwo()
    await limit(two.world, { activeTasks: 10 })

    const replies = await atBoth(two, 32, (api, index) => api.post('/tasks', { title: `Task ${index}` }))

    assert.deepEqual(statusesOf(replies), { 201: 10, 403: 22 })
    assert.equal((await two.other.api.get('/me')).body.plan.active_tasks, 10)
  })

  it('let exactly as many writes of a day through as the plan says', async () => {
    await using two = await openTwo()
    await limit(two.world, { writesPerDay: 10 })

    const replies = await atBoth(two, 32, (api, index) => api.post('/tasks', { title: `Task ${index}` }))

    const passed = replies.filter(({ status }) => status === 201)
    assert.deepEqual(passed.map((reply) => rateOf(reply)[1]).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.deepEqual(statusesOf(replies), { 201: 10, 429: 22 })
  })

  it('give each of 32 projects a place of its own', async () => {
    await using two = await openTwo()

    const replies = await atBoth(two, 32, (api, index) => api.post('/projects', { name: `Project ${index}` }))

    const inOrder = replies.map(({ body }) => body).sort((a, b) => (a.id < b.id ? -1 : 1))
    assert.deepEqual(
      inOrder.map(({ position }) => position - inOrder[0].position),
      Array.from({ length: 32 }, (_, index) => index),
    )
  })

  for (const each of ['tokenPerMinute', 'accountPerMinute'] as const) {
    it(`let no less than the limit of the minute through, and at most 5 % more (${each})`, async () => {
      await using two = await openTwo()
      await limit(two.world, { [each]: 100 })

      const replies = [...(await atBoth(two, 80, (api) => api.get('/me'))), ...(await atBoth(two, 80, (api) => api.get('/me')))]

      const passed = replies.filter(({ status }) => status === 200).length
      assert.ok(passed >= 100 && passed <= 105, `${passed} passed`)
      assert.deepEqual(statusesOf(replies), { 200: passed, 429: 160 - passed })
      two.world.advance(MINUTE)
      for (const { api } of [two.world, two.other]) assert.equal((await api.get('/me')).status, 200)
    })
  }

  it('wake each due task once when both wake at the same time', async () => {
    await using two = await openTwo()
    const { world, other } = two
    const people = [{ account: world.account, api: world.api }, await world.newAccount(), await world.newAccount()]
    const sleeper = aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) })
    await Promise.all(people.flatMap(({ api }) => Array.from({ length: 60 }, () => sleeper(api))))
    world.advance(HOUR)

    await Promise.all([world.service.timers.wake(), other.service.timers.wake()])

    for (const { account, api } of people) {
      // What the other instance held for a moment is woken by itself, once it is free.
      await until(
        () => api.get('/tasks?disposition=on_hold'),
        ({ body }) => body.data.length === 0,
      )
      assert.equal((await typesOf(world, account)).filter((type) => type === 'task.woke').length, 60)
    }
  })

  it('wake what others have meanwhile, and then what is in an account that another transaction held', async () => {
    await using two = await openTwo()
    const { world, other } = two
    const free = await world.newAccount()
    const sleeper = aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) })
    const [held, task] = [await sleeper(world.api), await sleeper(free.api)]
    await using hand = await byHand(world)
    await hand.query('select 1 from ledgers where account_id = $1 for update', [world.account.id])
    world.advance(HOUR)

    const [here, there] = await Promise.all([world.service.timers.wake(), other.service.timers.wake()])

    assert.equal(here + there, 1)
    assert.equal((await taskNow(free.api, task)).disposition, 'in_progress')
    assert.equal((await taskNow(world.api, held)).disposition, 'on_hold')
    await waitingFor(hand)
    await hand.query('commit')
    await until(
      () => taskNow(world.api, held),
      ({ disposition }) => disposition === 'in_progress',
    )
    assert.deepEqual(await typesOf(world), ['task.created', 'task.woke'])
  })

  it('forget each row once when both prune at the same time', async () => {
    await using two = await openTwo()
    const { world, other } = two
    const old = world.clock() - 40 * DAY
    await meddle(
      world,
      `insert into events (account_id, sequence, id, type, occurred_at, cause, data, previous)
       select '${world.account.id}', n, 'event ' || n, 'task.created', ${old}, 'api', '{}', '{}' from generate_series(1, 1700) n`,
      `insert into idempotency_keys (account_id, route, key, body_hash, resource_id, created_at)
       select '${world.account.id}', 'POST /v1/tasks', 'key ' || n, '', '', ${old} from generate_series(1, 1700) n`,
    )

    const [here, there] = await Promise.all([world.service.timers.prune(), other.service.timers.prune()])

    assert.deepEqual([here.keys + there.keys, here.events + there.events], [1_700, 1_700])
    const { events, idempotency_keys } = await contentsOf(world)
    assert.deepEqual([events, idempotency_keys], [[], []])
  })

  it('leave nothing locked when the connection of one dies in the midst of a turn', async () => {
    await using two = await openTwo()
    const { world, other } = two
    const task = await world.given(aTask())
    await using hand = await byHand(world)
    await hand.query('select 1 from tasks where id = $1 for update', [task.id])
    const broken = other.api.patch(`/tasks/${task.id}`, { title: 'Broken off' })

    // It holds the account by now, and waits to store the task.
    await hand.query('select pg_terminate_backend($1)', [await waitingFor(hand)])

    assertProblem(await broken, 503, 'api_disabled')
    await hand.query('commit')
    const replies = [
      await world.api.patch(`/tasks/${task.id}`, { title: 'Here' }),
      await other.api.patch(`/tasks/${task.id}`, { title: 'There' }),
    ]
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body.version]),
      [
        [200, '"2"'],
        [200, '"3"'],
      ],
    )
    assert.deepEqual(await typesOf(world), ['task.created', 'task.updated', 'task.updated'])
  })

  it('come up when ten start at once on an empty database', async () => {
    await using database = await aDatabase('postgres')
    const settings = readSettings({ PORT: '0', ...database.environment })
    const world = { clock: Date.now, random: randomBytes, runTimers: false }

    const services = await Promise.all(Array.from({ length: 10 }, () => startService(settings, pino({ level: 'silent' }), world)))

    const ready = await Promise.all(services.map(({ url }) => clientOf(url, null).get('//readyz')))
    await Promise.all(services.map((service) => service.stop()))
    assert.deepEqual(statusesOf(ready), { 200: 10 })
    const { migrations, plans, switches } = await contentsOf(database)
    assert.deepEqual([migrations?.length, plans?.length, switches?.length], [NEWEST_SCHEMA, 3, 1])
  })

  it('share limits through Redis, and count alone when it is away, with no request failing for it', async (t) => {
    await using redis = await startRedis()
    if (redis === null) return cannot(t, 'there is neither redis-server nor valkey-server here')
    await using two = await openTwo({ environment: { REDIS_URL: redis.url } })
    await limit(two.world, { tokenPerMinute: 100 })

    const shared = await atBoth(two, 160, (api) => api.get('/me'))

    const passed = shared.filter(({ status }) => status === 200).length
    assert.ok(passed >= 100 && passed <= 105, `${passed} passed`)
    assert.deepEqual((await contentsOf(two.world)).shared_counts, [])
    await redis.kill()
    two.world.advance(MINUTE)
    for (const { api } of [two.world, two.other]) {
      const alone = await Promise.all(Array.from({ length: 120 }, () => api.get('/me')))
      assert.deepEqual(statusesOf(alone), { 200: 100, 429: 20 })
    }
  })
})
