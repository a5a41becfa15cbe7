import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aTask } from './builders.ts'
import { openSource } from './event-source.ts'
import { ENGINES, openWorld, type World } from './world.ts'

const follow = (world: World, query = '') => openSource(world.service.url, world.api.token, { query })

const SILENCE_MS = 15_000

/** Moves time, and has the streams looked after. */
async function lookAfter(world: World, ms: number): Promise<void> {
  world.advance(ms)
  await world.service.timers.lookAfterStreams()
}

for (const engine of ENGINES) {
  describe(`a stream of events in which nothing happens (${engine})`, () => {
    it('has a comment after 15 s', async () => {
      await using world = await openWorld(engine)
      using source = await follow(world)

      await lookAfter(world, SILENCE_MS)

      assert.deepEqual(await source.next(), { comment: 'still here' })
    })

    it('has none before, and none so long as something happens', async () => {
      await using world = await openWorld(engine)
      using source = await follow(world)

      for (let round = 0; round < 3; round++) {
        await lookAfter(world, SILENCE_MS - 1)
        await world.given(aTask())
        assert.equal((await source.events(1)).length, 1)
      }
    })

    it('has one again after 15 s more', async () => {
      await using world = await openWorld(engine)
      using source = await follow(world)
      await lookAfter(world, SILENCE_MS)
      await source.next()

      await lookAfter(world, SILENCE_MS - 1)
      await world.given(aTask())
      await source.events(1)
      await lookAfter(world, SILENCE_MS)

      assert.deepEqual(await source.next(), { comment: 'still here' })
    })

    it('is told how far it has come where others than its own events happened, once', async () => {
      await using world = await openWorld(engine)
      using source = await follow(world, '?types=project.*')
      using all = await follow(world)
      for (let count = 0; count < 3; count++) await world.given(aTask())
      await all.events(3)

      for (let round = 0; round < 2; round++) await lookAfter(world, SILENCE_MS)
      await world.given(aProject())

      assert.deepEqual(await source.next(), { comment: 'still here', id: '3' })
      assert.deepEqual(await source.next(), { comment: 'still here' })
      assert.deepEqual(
        (await source.events(1)).map(({ sequence }) => sequence),
        [4],
      )
    })

    it('is not told the place of an event again that it was shown', async () => {
      await using world = await openWorld(engine)
      using source = await follow(world)
      await world.given(aTask())
      await source.events(1)

      await lookAfter(world, SILENCE_MS)

      assert.deepEqual(await source.next(), { comment: 'still here' })
    })

    it('has its comments while the database is away, and what it missed afterwards', async (t) => {
      await using world = await openWorld(engine)
      using source = await follow(world)
      const asking = t.mock.method(world.service.store, 'all', () => Promise.reject(new Error('disk I/O error')))
      await world.given(aTask())

      world.advance(SILENCE_MS)
      await world.service.timers.lookAfterStreams().catch(() => {})
      asking.mock.restore()
      assert.deepEqual(await source.next(), { comment: 'still here' })
      await world.service.timers.lookAfterStreams()

      assert.equal((await source.events(1)).length, 1)
    })
  })
}
