import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EventType } from '@fivetab/domain/event.ts'
import { aTask, type Resource } from './builders.ts'
import { meddle } from './database.ts'
import { pageOf, pagesOf } from './reading.ts'
import { assertInvalid, DAY, ENGINES, type EngineName, openWorld, type World } from './world.ts'

const sequencesOf = (events: readonly Resource[]): number[] => events.map(({ sequence }) => sequence)

/** A world in whose log `count` tasks were created, one event each. */
async function aWorldWith(engine: EngineName, count: number): Promise<World> {
  const world = await openWorld(engine)
  for (let n = 0; n < count; n++) await world.given(aTask({ title: `Task ${n + 1}` }))
  return world
}

/** A world in whose log were `gone` events, which are forgotten, and then `kept`, which are not. */
async function aPrunedWorld(engine: EngineName, gone: number, kept: number): Promise<World> {
  const world = await aWorldWith(engine, gone)
  world.advance(31 * DAY)
  for (let n = 0; n < kept; n++) await world.given(aTask())
  assert.equal((await world.service.timers.prune()).events, gone)
  return world
}

/** Adds `count` events of this type to the world's first account's log, at once. What they tell of is nowhere else. */
async function putEvents(world: World, type: EventType, count: number): Promise<void> {
  const { id } = world.account
  await meddle(
    world,
    `with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
     insert into events (account_id, sequence, id, type, occurred_at, cause, data, previous)
     select '${id}', last_sequence + number, '019aa4a5-4c00-7b3e-8000-' || cast(100000000000 + last_sequence + number as text),
       '${type}', ${world.clock()}, 'api', '{"object":"task"}', '{}'
     from numbers, ledgers where account_id = '${id}'`,
    `update ledgers set last_sequence = last_sequence + ${count} where account_id = '${id}'`,
  )
}

const REFUSED: [parameter: string, code: string][] = [
  ['limit=0', 'out_of_range'],
  ['limit=101', 'out_of_range'],
  ['limit=-1', 'out_of_range'],
  ['limit=ten', 'invalid_type'],
  ['after=-1', 'out_of_range'],
  ['after=1.5', 'invalid_type'],
  ['after=', 'invalid_type'],
  ['after=%2B1', 'invalid_type'],
  ['after=1e0', 'invalid_type'],
  ['after=last', 'invalid_type'],
  ['after=999999999999999', 'out_of_range'],
  ['cursor=', 'too_short'],
  ['cursor=nothing', 'invalid_value'],
  ['after=1&after=1', 'invalid_value'],
  ['limit=1&limit=2', 'invalid_value'],
  ['cursor=a&cursor=a', 'invalid_value'],
  ['since=1', 'unknown'],
  ['After=1', 'unknown'],
]

for (const engine of ENGINES) {
  describe(`the reach of the log (${engine})`, () => {
    it('is from the first event that is kept, where nothing else is asked for', async () => {
      await using world = await aPrunedWorld(engine, 3, 2)

      const { body } = await world.api.get('/events')

      assert.deepEqual([sequencesOf(body.data), body.latest_sequence], [[4, 5], 5])
    })

    it('ends at what is no longer kept: what came after the last that was forgotten is all there', async () => {
      await using world = await aPrunedWorld(engine, 3, 2)

      const border = await world.api.get('/events?after=3')
      const before = await world.api.get('/events?after=2')

      assert.deepEqual(sequencesOf(border.body.data), [4, 5])
      const [error] = assertInvalid(before, ['query', 'after', 'out_of_range'])
      assert.match(error?.detail ?? '', /begins with 4/)
      assertInvalid(await world.api.get('/events?after=0'), ['query', 'after', 'out_of_range'])
    })

    it('is nothing, at the end, where all was forgotten', async () => {
      await using world = await aPrunedWorld(engine, 3, 0)

      const replies = [await world.api.get('/events'), await world.api.get('/events?after=3')]

      for (const { body } of replies) {
        assert.deepEqual(body, { object: 'list', data: [], has_more: false, next_cursor: null, latest_sequence: 3 })
      }
      for (const after of [0, 2]) assertInvalid(await world.api.get(`/events?after=${after}`), ['query', 'after', 'out_of_range'])
      await world.given(aTask())
      assert.deepEqual(sequencesOf((await pageOf(world.api, '/events?after=3')).data), [4])
    })

    it('does not go beyond the last event', async () => {
      await using world = await aWorldWith(engine, 2)
      const { api: newcomer } = await world.newAccount()

      const [error] = assertInvalid(await world.api.get('/events?after=3'), ['query', 'after', 'out_of_range'])

      assert.match(error?.detail ?? '', /its last event is 2/)
      assertInvalid(await newcomer.get('/events?after=1'), ['query', 'after', 'out_of_range'])
      assert.equal((await newcomer.get('/events?after=0')).status, 200)
    })

    it('is told of also where no event of the types asked for was forgotten', async () => {
      await using world = await aPrunedWorld(engine, 3, 2)

      assertInvalid(await world.api.get('/events?after=2&types=project.*'), ['query', 'after', 'out_of_range'])
      assert.deepEqual((await world.api.get('/events?after=3&types=project.*')).body.data, [])
    })

    it('is told of to whoever comes too late with a cursor', async () => {
      await using world = await aWorldWith(engine, 3)
      const { next_cursor } = await pageOf(world.api, '/events?limit=1')
      world.advance(31 * DAY)
      await world.given(aTask())
      await world.service.timers.prune()

      assertInvalid(await world.api.get(`/events?limit=1&cursor=${next_cursor}`), ['query', 'cursor', 'out_of_range'])
    })

    it('is told of by HEAD too, and nobody is told of another account’s', async () => {
      await using world = await aPrunedWorld(engine, 3, 0)
      const { api: stranger } = await world.newAccount()
      await aTask()(stranger)

      assert.equal((await world.api.send('HEAD', '/events?after=0')).status, 400)
      assert.equal((await stranger.get('/events?after=0')).status, 200)
    })

    for (const [parameters, code] of REFUSED) {
      it(`has no place for ${parameters}`, async () => {
        await using world = await openWorld(engine)

        assertInvalid(await world.api.get(`/events?${parameters}`), ['query', parameters.split('=')[0] ?? '', code])
      })
    }
  })

  describe(`rare events in a long log (${engine})`, () => {
    /** One task deleted at the beginning, after 7,000 events, and at the end of a log of 12,003. */
    async function aLongLog(): Promise<World> {
      const world = await openWorld(engine)
      for (const [type, count] of [
        ['task.deleted', 1],
        ['task.updated', 7_000],
        ['task.deleted', 1],
        ['task.updated', 5_000],
        ['task.deleted', 1],
      ] as const) {
        await putEvents(world, type, count)
      }
      return world
    }

    it('are all found by following the cursors, past pages that have none', async () => {
      await using world = await aLongLog()

      for (const limit of [1, 2, 100]) {
        const pages = await pagesOf(world.api, `/events?types=task.deleted&limit=${limit}`)
        assert.deepEqual(pages.flatMap(sequencesOf), [1, 7_002, 12_003])
        assert.ok(pages.length <= 6, `${pages.length}`)
      }
    })

    it('are none on a page while there is more, and the last page says that there is no more', async () => {
      await using world = await aLongLog()

      const pages = await pagesOf(world.api, '/events?types=task.created&limit=100')
      const { body } = await world.api.get('/events?types=task.created&limit=100')

      assert.deepEqual(pages, [[], [], []])
      assert.deepEqual([body.data, body.has_more, body.latest_sequence], [[], true, 12_003])
    })

    it('are found after any sequence', async () => {
      await using world = await aLongLog()

      for (const [after, found] of [
        [1, [7_002, 12_003]],
        [7_001, [7_002, 12_003]],
        [7_002, [12_003]],
        [12_002, [12_003]],
        [12_003, []],
      ] as const) {
        const pages = await pagesOf(world.api, `/events?types=task.deleted&after=${after}`)
        assert.deepEqual(pages.flatMap(sequencesOf), found)
      }
    })

    it('are found where what came before was forgotten', async () => {
      await using world = await aLongLog()
      world.advance(31 * DAY)
      await putEvents(world, 'task.updated', 5_001)
      await putEvents(world, 'task.deleted', 1)
      await world.service.timers.prune()

      const pages = await pagesOf(world.api, '/events?types=task.deleted&limit=100')

      assert.deepEqual(pages.flatMap(sequencesOf), [17_005])
    })

    it('end a page exactly where the look ends, without one too few or too many', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 'task.updated', 4_999)
      await putEvents(world, 'task.deleted', 1)
      const alone = (await world.api.get('/events?types=task.deleted')).body
      await putEvents(world, 'task.deleted', 1)

      const pages = await pagesOf(world.api, '/events?types=task.deleted&limit=100')

      assert.deepEqual([sequencesOf(alone.data), alone.has_more], [[5_000], false])
      assert.deepEqual(pages.map(sequencesOf), [[5_000], [5_001]])
    })
  })
}
