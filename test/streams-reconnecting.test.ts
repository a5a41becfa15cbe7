import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { EventSource } from 'eventsource'
import { aTask, type Resource } from './builders.ts'
import { clientOf } from './client.ts'
import { openSource } from './event-source.ts'
import { openPassage } from './passage.ts'
import { ENGINES, openWorld, type World } from './world.ts'

/** The whole numbers from `first` to `last`. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

const follow = (world: World, lastEventId?: number) =>
  openSource(world.service.url, world.api.token, lastEventId === undefined ? {} : { headers: { 'last-event-id': String(lastEventId) } })

const sequencesOf = (events: readonly Resource[]) => events.map(({ sequence }) => sequence)

/** An EventSource as a client has it, which sends the token along. */
function eventSource(url: string, token: string | null): EventSource {
  return new EventSource(`${url}/v1/events/stream`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } }),
  })
}

/** How long a service may take to stop though streams are open, in ms: far less than its patience with requests. */
const SOON_MS = 4_000

for (const engine of ENGINES) {
  describe(`a client of a stream of events (${engine})`, () => {
    it('that is an EventSource sees each event once, though its connection is cut in the midst of them', { timeout: 30_000 }, async () => {
      await using world = await openWorld(engine)
      await using passage = await openPassage(Number(new URL(world.service.url).port))
      const source = eventSource(`http://127.0.0.1:${passage.port}`, world.api.token)
      const seen: number[] = []
      let arrived = () => {}
      source.onmessage = ({ data, lastEventId }) => {
        const { sequence } = JSON.parse(data)
        assert.equal(lastEventId, String(sequence))
        seen.push(sequence)
        arrived()
      }
      const untilSeen = (count: number) =>
        new Promise<void>((resolve) => {
          arrived = () => seen.length >= count && resolve()
          arrived()
        })
      await once(source, 'open')

      const writing = Promise.all(range(1, 40).map(() => world.given(aTask())))
      await untilSeen(20)
      passage.cut()
      await writing
      await world.given(aTask())
      await untilSeen(41)
      source.close()

      assert.deepEqual(seen, range(1, 41))
    })

    it('is told that the service stops, which does not wait for it, and misses nothing after the restart', async () => {
      await using world = await openWorld(engine)
      const sources = await Promise.all(range(1, 20).map(() => follow(world)))
      await world.given(aTask())
      for (const source of sources) assert.deepEqual(sequencesOf(await source.events(1)), [1])

      const started = performance.now()
      await world.restart()

      assert.ok(performance.now() - started < SOON_MS)
      for (const source of sources) assert.deepEqual(await source.rest(), [{ comment: 'The service is stopping.' }])
      await world.given(aTask())
      using again = await follow(world, 1)
      assert.deepEqual(sequencesOf(await again.events(1)), [2])
    })

    it('that does not read does not keep the service from stopping', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())
      using slow = await follow(world)
      const task = await world.given(aTask())
      // More than the system takes for a reader.
      for (let count = 0; count < 100; count++)
        await world.api.patch(`/tasks/${task.id}`, { notes: String.fromCodePoint(0x1f600 + (count % 10)).repeat(20_000) })

      const started = performance.now()
      await world.restart()

      assert.ok(performance.now() - started < SOON_MS, `it took ${Math.round(performance.now() - started)} ms`)
      assert.equal(slow.reply.status, 200)
    })

    it('gets all that was acknowledged until the service stopped, here and after it', async () => {
      await using world = await openWorld(engine)
      using source = await follow(world)
      // Each with a connection of its own, lest they be waited for.
      const api = clientOf(world.service.url, world.api.token)
      const writing = Array.from({ length: 40 }, () => aTask()(api))
      await writing[0]

      await world.restart()

      await Promise.all(writing)
      const before = (await source.rest()).flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data)]))
      using again = await follow(world, before.length)
      assert.deepEqual(sequencesOf([...before, ...(await again.events(40 - before.length))]), range(1, 40))
      assert.deepEqual(
        world.logged.filter(({ level }) => Number(level) >= 40),
        [],
      )
    })
  })
}
