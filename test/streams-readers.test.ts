import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { EVENT_TYPES, type EventType } from '@fivetab/domain/event.ts'
import { pino } from 'pino'
import { hashOfToken } from '../packages/server/actions/tokens.ts'
import type { Caller } from '../packages/server/api/caller.ts'
import { openStreams, type Streams } from '../packages/server/api/streams.ts'
import { type Bell, openBell } from '../packages/server/store/bell.ts'
import { admittance } from '../packages/server/store/tokens.ts'
import type { Store } from '../packages/server/store/turn.ts'
import { aTask, type Resource } from './builders.ts'
import type { Client } from './client.ts'
import { meddle } from './database.ts'
import { openSource, type SourceOptions } from './event-source.ts'
import { ENGINES, openWorld, type World } from './world.ts'

/** What waits in memory for a reader at most; how long one may stand still, and when one is sent a comment, in ms. */
const BUFFER_BYTES = 64 * 1024
const STANDSTILL_MS = 10_000
const SILENCE_MS = 15_000

const follow = (world: World, options?: SourceOptions) => openSource(world.service.url, world.api.token, options)

const sequencesOf = (events: readonly Resource[]) => events.map(({ sequence }) => sequence)

/** The whole numbers from `first` to `last`. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Puts `count` events behind the last one, each of a little more than so many bytes. */
async function putEvents(world: World, count: number, bytes = 0): Promise<void> {
  const last = (await world.events()).length
  const id = `'${world.account.id}'`
  await meddle(
    world,
    `with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
     insert into events (account_id, sequence, id, type, occurred_at, cause, data, previous)
     select ${id}, ${last} + number, 'event ' || (${last} + number), 'task.updated', ${world.clock()}, 'api', '{"notes":"${'x'.repeat(bytes)}"}', '{}'
     from numbers`,
    `update ledgers set last_sequence = last_sequence + ${count} where account_id = ${id}`,
  )
}

/** Streams of the world's data that are in no service, so that what waits for their readers can be looked at. */
interface Bare {
  bell: Bell
  streams: Streams
  /** A stream of what comes after the sequence: of all types, with the world's own token, unless it is said otherwise. */
  open(after: number, types?: readonly EventType[], api?: Client): Promise<Readable>
}

function bareStreams(world: World, store: Store = world.service.store): Bare {
  const bell = openBell(null)
  const streams = openStreams({ store, bell, clock: world.clock, log: pino({ level: 'silent' }) })
  const open: Bare['open'] = async (after, types = EVENT_TYPES, { token } = world.api) => {
    const { bearer } = await admittance(world.service.store, hashOfToken(token ?? ''))
    return streams.open({ ...bearer, session: null } as Caller, { after, types })
  }
  return { bell, streams, open }
}

const GIVE_UP_AFTER_MS = 10_000

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS
  while (!isSo()) {
    assert.ok(performance.now() < deadline, `it did not come to ${isSo}`)
    await nextTurnOfTheLoop()
  }
}

/** The sequences of all events in the text of a stream. */
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)\ndata/gm)].map(([, id]) => Number(id))

async function textUntil(readable: Readable, last: number): Promise<string> {
  let text = ''
  for await (const chunk of readable) {
    text += chunk
    if (idsIn(text.slice(-2 * String(chunk).length)).includes(last)) break
  }
  return text
}

for (const engine of ENGINES) {
  describe(`a reader of a stream of events that does not read (${engine})`, () => {
    it('has no more waiting for it in memory than 64 KiB and an event', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 300, 20_000)
      const { streams, open } = bareStreams(world)

      const readable = await open(0)
      await until(() => readable.readableLength >= BUFFER_BYTES)
      for (let round = 0; round < 3; round++) await streams.look()

      assert.ok(readable.readableLength < BUFFER_BYTES + 21_000, `${readable.readableLength}`)
      streams.close()
    })

    it('is cut off after 10 s, and not before', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 10, 20_000)
      const { streams, open } = bareStreams(world)
      const readable = await open(0)
      await until(() => readable.readableLength >= BUFFER_BYTES)

      world.advance(STANDSTILL_MS - 1)
      await streams.look()
      const before = [streams.count(), readable.destroyed]
      world.advance(1)
      await streams.look()

      assert.deepEqual([...before, streams.count(), readable.destroyed], [1, false, 0, true])
    })

    it('is not cut off while it takes anything, be it little of one large event', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 3, 250_000)
      const { streams, open } = bareStreams(world)
      const readable = await open(0)
      await until(() => readable.readableLength >= 250_000)

      for (let looks = 0; looks < 10; looks++) {
        readable.read(16 * 1024)
        world.advance(STANDSTILL_MS - 1)
        await streams.look()
      }
      const before = readable.destroyed
      world.advance(STANDSTILL_MS)
      await streams.look()

      assert.deepEqual([before, readable.destroyed], [false, true])
      streams.close()
    })

    it('is not cut off when nothing waits for it', async () => {
      await using world = await openWorld(engine)
      const { bell, streams, open } = bareStreams(world)
      const readable = await open(0)

      world.advance(STANDSTILL_MS)
      await world.given(aTask())
      bell.ring(world.account.id)
      await streams.look()

      assert.deepEqual([streams.count(), readable.destroyed], [1, false])
      streams.close()
    })

    it('is given what it did not take, each event once, when it reads on', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 40, 20_000)
      const { streams, open } = bareStreams(world)
      const readable = await open(0)
      await until(() => readable.readableLength >= BUFFER_BYTES)
      world.advance(STANDSTILL_MS - 1)

      const text = await textUntil(readable, 40)

      assert.deepEqual(idsIn(text), range(1, 40))
      assert.equal(streams.count(), 0)
    })

    it('takes no place once the stream was to end', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 10, 20_000)
      const { streams, open } = bareStreams(world)
      const readable = await open(0)
      await until(() => readable.readableLength >= BUFFER_BYTES)

      streams.close()
      for (let round = 0; round < 2; round++) {
        world.advance(STANDSTILL_MS)
        await streams.look()
      }

      assert.ok(readable.destroyed)
    })

    it('does not delay others, is cut off, and takes up again without a loss', async () => {
      await using world = await openWorld(engine)
      using slow = await follow(world)
      using fast = await follow(world)
      // More than the system takes for a reader.
      await putEvents(world, 600, 40_000)
      await world.given(aTask())

      assert.deepEqual(sequencesOf(await fast.events(601)), range(1, 601))
      world.advance(STANDSTILL_MS)
      await world.service.timers.lookAfterStreams()

      const seen: number[] = []
      await assert.rejects(async () => {
        for (;;) seen.push(...sequencesOf(await slow.events(1)))
      }, /aborted/)
      assert.deepEqual(seen, range(1, seen.length))
      using again = await follow(world, { headers: { 'last-event-id': String(seen.length) } })
      assert.deepEqual(sequencesOf(await again.events(601 - seen.length)), range(seen.length + 1, 601))
    })
  })

  describe(`a reader of a stream of events that is far behind (${engine})`, () => {
    it('is given thousands of events, all of them and in order', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 6_000)

      using source = await follow(world, { query: '?after=0' })

      assert.deepEqual(sequencesOf(await source.events(6_000)), range(1, 6_000))
      await world.given(aTask())
      assert.deepEqual(sequencesOf(await source.events(1)), [6_001])
    })

    it('is given the one event that it wants behind thousands that it does not', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 12_000)
      await world.given(aTask())

      using source = await follow(world, { query: '?after=0&types=task.created' })

      assert.deepEqual(sequencesOf(await source.events(1)), [12_001])
    })

    it('leaves the process to others in between, whatever it passes over', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 12_000)
      let reads = 0
      let most = 0
      let isOver = false
      const { store } = world.service
      const all: Store['all'] = (...asked) => {
        reads += 1
        most = Math.max(most, reads)
        return store.all(...asked)
      }
      const { streams, open } = bareStreams(world, { ...store, all })
      const turning = (async () => {
        for (; !isOver; await nextTurnOfTheLoop()) reads = 0
      })()

      await open(0, ['project.deleted'])
      await streams.look()
      isOver = true
      await turning

      assert.ok(most <= 10, `${most} reads in one turn of the event loop`)
      streams.close()
    })

    it('has little more of the log read than it takes', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 300, 20_000)
      const { store } = world.service
      let read = 0
      const all: Store['all'] = async <Row>(...[sql, values]: Parameters<Store['all']>) => {
        const rows = await store.all<Row>(sql, values)
        if (sql.includes('from events')) read += rows.length
        return rows
      }
      const { streams, open } = bareStreams(world, { ...store, all })

      const text = await textUntil(await open(0), 300)

      assert.deepEqual(idsIn(text), range(1, 300))
      assert.ok(read <= 3 * 300, `${read} events were read`)
      streams.close()
    })

    it('has what it reads at about the same place as others read once for all of them', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 100)
      const { store } = world.service
      let reads = 0
      const all: Store['all'] = (...asked) => {
        if (asked[0].includes('from events')) reads += 1
        return store.all(...asked)
      }
      const { streams, open } = bareStreams(world, { ...store, all })

      const readables = await Promise.all(range(0, 49).map((after) => open(after)))
      const texts = await Promise.all(readables.map((readable) => textUntil(readable, 100)))

      for (const [after, text] of texts.entries()) assert.deepEqual(idsIn(text), range(after + 1, 100))
      assert.ok(reads <= 40, `the log was read ${reads} times`)
      streams.close()
    })

    it('does not keep another account from its comments', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount('unlimited')
      await putEvents(world, 10)
      const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
      const { store } = world.service
      const all: Store['all'] = async <Row>(...[sql, values]: Parameters<Store['all']>) => {
        if (sql.includes('from events') && values[0] === world.account.id) await gate
        return store.all<Row>(sql, values)
      }
      const { streams, open } = bareStreams(world, { ...store, all })
      await open(0)
      const theirs = await open(0, EVENT_TYPES, other.api)
      let text = ''
      theirs.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })

      world.advance(SILENCE_MS)
      const looking = streams.look()
      await until(() => text.includes(': still here')).finally(openGate)

      await looking
      streams.close()
    })
  })
}
