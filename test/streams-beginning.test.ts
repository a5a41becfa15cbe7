import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, type Resource } from './builders.ts'
import { meddle } from './database.ts'
import { openSource, type Source, type SourceOptions } from './event-source.ts'
import { assertInvalid, DAY, ENGINES, openWorld, type World } from './world.ts'

const follow = (world: World, options?: SourceOptions): Promise<Source> => openSource(world.service.url, world.api.token, options)

const sequencesOf = (events: readonly Resource[]) => events.map(({ sequence }) => sequence)

/** The whole numbers from `first` to `last`. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Makes so many events: each is a new task. */
async function someEvents(world: World, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => world.given(aTask())))
}

const BEHIND_3: [what: string, options: SourceOptions][] = [
  ['Last-Event-ID', { headers: { 'last-event-id': '3' } }],
  ['`after`', { query: '?after=3' }],
  ['Last-Event-ID rather than `after`', { query: '?after=9', headers: { 'last-event-id': '3' } }],
  ['Last-Event-ID, also when `after` is out of reach', { query: '?after=900', headers: { 'last-event-id': '3' } }],
  ['`after` when Last-Event-ID is empty', { query: '?after=3', headers: { 'last-event-id': '' } }],
]

for (const engine of ENGINES) {
  describe(`where a stream of events begins (${engine})`, () => {
    for (const [what, options] of BEHIND_3) {
      it(`is behind ${what}`, async () => {
        await using world = await openWorld(engine)
        await someEvents(world, 10)

        using source = await follow(world, options)

        assert.equal(source.beginning.id, '3')
        await someEvents(world, 1)
        assert.deepEqual(sequencesOf(await source.events(8)), range(4, 11))
      })
    }

    it('is now when Last-Event-ID is empty, as it is before the first event', async () => {
      await using world = await openWorld(engine)
      await someEvents(world, 3)

      using source = await follow(world, { headers: { 'last-event-id': '' } })

      await someEvents(world, 1)
      assert.deepEqual(sequencesOf(await source.events(1)), [4])
    })

    it('is the beginning of the log for 0, and its end for the last sequence', async () => {
      await using world = await openWorld(engine)
      await someEvents(world, 2)

      using all = await follow(world, { headers: { 'last-event-id': '0' } })
      using none = await follow(world, { headers: { 'last-event-id': '2' } })

      await someEvents(world, 1)
      assert.deepEqual(sequencesOf(await all.events(3)), [1, 2, 3])
      assert.deepEqual(sequencesOf(await none.events(1)), [3])
    })

    it('is followed by all that waits and all that comes meanwhile, each once and in order', async () => {
      await using world = await openWorld(engine)
      await someEvents(world, 450)

      const writing = someEvents(world, 150)
      const sources = await Promise.all(range(0, 9).map((place) => follow(world, { headers: { 'last-event-id': String(place * 50) } })))
      await writing

      for (const [place, source] of sources.entries()) {
        assert.deepEqual(sequencesOf(await source.events(600 - place * 50)), range(place * 50 + 1, 600))
        source[Symbol.dispose]()
      }
    })

    it('is left and taken up again at any place without a loss', async () => {
      await using world = await openWorld(engine)
      const writing = someEvents(world, 120)
      const seen: number[] = []

      while (seen.length < 120) {
        using source = await follow(world, { headers: { 'last-event-id': String(seen.length) } })
        seen.push(...sequencesOf(await source.events(Math.min(17, 120 - seen.length))))
      }

      await writing
      assert.deepEqual(seen, range(1, 120))
    })
  })

  describe(`where a stream of events cannot begin (${engine})`, () => {
    it('is a Last-Event-ID that is no sequence', async () => {
      await using world = await openWorld(engine)

      for (const id of ['x', '-1', '1.5', '1e3', '0x1', '1 2', '1,2', '9'.repeat(16)]) {
        using source = await follow(world, { headers: { 'last-event-id': id } })
        assertInvalid(source.reply, ['header', 'Last-Event-ID', 'invalid_format'])
      }
    })

    it('is behind what the log has come to', async () => {
      await using world = await openWorld(engine)
      await someEvents(world, 3)

      using byHeader = await follow(world, { headers: { 'last-event-id': '4' }, query: '?after=1' })
      using byQuery = await follow(world, { query: '?after=4' })

      assertInvalid(byHeader.reply, ['header', 'Last-Event-ID', 'out_of_range'])
      assertInvalid(byQuery.reply, ['query', 'after', 'out_of_range'])
    })

    it('is before what the log still has', async () => {
      await using world = await openWorld(engine)
      await someEvents(world, 3)
      world.advance(40 * DAY)
      await someEvents(world, 1)
      await world.service.timers.prune()

      using tooEarly = await follow(world, { headers: { 'last-event-id': '2' } })
      using inTime = await follow(world, { headers: { 'last-event-id': '3' } })

      assertInvalid(tooEarly.reply, ['header', 'Last-Event-ID', 'out_of_range'])
      assert.deepEqual(sequencesOf(await inTime.events(1)), [4])
    })

    it('tells every fault of a request at once', async () => {
      await using world = await openWorld(engine)

      using source = await follow(world, { headers: { 'last-event-id': 'x' }, query: '?after=-1&limit=5' })

      assertInvalid(
        source.reply,
        ['header', 'Last-Event-ID', 'invalid_format'],
        ['query', 'after', 'out_of_range'],
        ['query', 'limit', 'unknown'],
      )
    })

    it('is a log that lost what comes next while the stream waited', async () => {
      await using world = await openWorld(engine)
      using source = await follow(world)
      await meddle(world, `update ledgers set last_sequence = 7 where account_id = '${world.account.id}'`)
      await someEvents(world, 1)

      assert.deepEqual(await source.rest(), [{ comment: 'What comes next is no longer in the log.' }])
    })
  })
}
