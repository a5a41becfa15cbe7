import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client as PostgresClient } from 'pg'
import { revokeToken } from '../packages/server/actions/tokens.ts'
import { aTask, type Resource } from './builders.ts'
import { placeOf } from './database.ts'
import { openSource, type SourceOptions } from './event-source.ts'
import { ENGINES, type Instance, openWorld, type World } from './world.ts'

/** What a stream at one instance shows of what is written at another. No timer is run, unless a test says so. */

const follow = (instance: Pick<Instance, 'service' | 'api'>, options?: SourceOptions) =>
  openSource(instance.service.url, instance.api.token, options)

const sequencesOf = (events: readonly Resource[]) => events.map(({ sequence }) => sequence)

/** The whole numbers from `first` to `last`. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

async function openHand(world: World): Promise<PostgresClient & AsyncDisposable> {
  const client = new PostgresClient(placeOf(world).databaseUrl ?? assert.fail())
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const LISTENERS = `select pid from pg_stat_activity
  where application_name = 'fivetab relay' and query in ('listen "fivetab ' || current_schema() || '"', 'LISTEN "fivetab ' || current_schema() || '"')
    and state = 'idle'`

const GIVE_UP_AFTER_MS = 10_000

/** The processes of the server that listen for the instances on the world's schema, once so many do beside `others`. */
async function listeners(hand: PostgresClient, count: number, others: readonly number[] = []): Promise<number[]> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS
  for (;;) {
    const { rows } = await hand.query<{ pid: number }>(LISTENERS)
    const pids = rows.map(({ pid }) => pid).filter((pid) => !others.includes(pid))
    if (pids.length === count) return pids
    assert.ok(performance.now() < deadline, `${pids.length} of ${count} listen`)
  }
}

interface Two extends AsyncDisposable {
  world: World
  other: Instance
  hand: PostgresClient
  /** The processes of the server that listen for the two. */
  pids: number[]
}

/** Two instances that hear each other. */
async function openTwo(): Promise<Two> {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld('postgres'))
  const other = await world.another()
  const hand = opened.use(await openHand(world))
  const pids = await listeners(hand, 2)
  const kept = opened.move()
  return { world, other, hand, pids, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

describe('a stream of events at one of two instances', { skip: !ENGINES.includes('postgres'), timeout: 60_000 }, () => {
  it('shows what is written at either of them', async () => {
    await using two = await openTwo()
    using here = await follow(two.world)
    using there = await follow(two.other)

    await aTask()(two.other.api)
    for (const source of [here, there]) assert.deepEqual(sequencesOf(await source.events(1)), [1])
    await aTask()(two.world.api)

    for (const source of [here, there]) assert.deepEqual(sequencesOf(await source.events(1)), [2])
  })

  it('shows all of it in order when both are written to at once', async () => {
    await using two = await openTwo()
    const sources = await Promise.all(range(1, 10).flatMap(() => [follow(two.world), follow(two.other)]))

    await Promise.all(range(1, 200).map((number) => aTask()(number % 2 === 0 ? two.world.api : two.other.api)))

    for (const source of sources) {
      assert.deepEqual(sequencesOf(await source.events(200)), range(1, 200))
      source[Symbol.dispose]()
    }
  })

  it('shows nothing that was written at the other after its token was revoked there', async () => {
    await using two = await openTwo()
    const short = await two.world.clientWith(['tasks:read'])
    using source = await openSource(two.world.service.url, short.token)

    await revokeToken(two.other.operator, (await short.get('/me')).body.token.id)
    await aTask()(two.other.api)

    assert.deepEqual(await source.rest(), [{ comment: 'The token was revoked.' }])
  })

  it('is told by a look what it missed while the relay was broken, and at once again when the relay has come back', async () => {
    await using two = await openTwo()
    const { world, other, hand, pids } = two
    using source = await follow(world)

    await hand.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids])
    await aTask()(other.api)
    await world.service.timers.lookAfterStreams()
    assert.deepEqual(sequencesOf(await source.events(1)), [1])

    await listeners(hand, 2, pids)
    await aTask()(other.api)

    assert.deepEqual(sequencesOf(await source.events(1)), [2])
  })

  it('can be left there, and taken up here', async () => {
    await using two = await openTwo()
    const seen: number[] = []
    const writing = Promise.all(range(1, 60).map((number) => aTask()(number % 2 === 0 ? two.world.api : two.other.api)))

    for (let round = 0; seen.length < 60; round++) {
      using source = await follow(round % 2 === 0 ? two.world : two.other, { headers: { 'last-event-id': String(seen.length) } })
      seen.push(...sequencesOf(await source.events(Math.min(10, 60 - seen.length))))
    }

    await writing
    assert.deepEqual(seen, range(1, 60))
  })
})
