import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { writeCursor } from '../packages/server/api/pages.ts'
import { aTask, aWorkflow, type Resource } from './builders.ts'
import { putTasks } from './bulk.ts'
import type { Client } from './client.ts'
import { pageOf, pagesOf } from './reading.ts'
import { assertInvalid, ENGINES, type EngineName, openWorld, thirtyTwo, type World } from './world.ts'

const sequencesOf = (events: readonly Resource[]): number[] => events.map(({ sequence }) => sequence)

/** The whole numbers from `first` to `last`. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** A world in whose log `count` tasks were created, one event each. */
async function aWorldWith(engine: EngineName, count: number): Promise<World> {
  const world = await openWorld(engine)
  for (let n = 0; n < count; n++) await world.given(aTask({ title: `Task ${n + 1}` }))
  return world
}

/** Reads as a program does that is told to stay in step: to the end, page by page, and then after the last sequence that it was told. */
function aReader(api: Client, query: string) {
  let after = 0
  const seen: Resource[] = []
  return {
    seen,
    readToTheEnd: async (): Promise<void> => {
      for (let cursor = ''; ; ) {
        const page = await api.get(`/events?after=${after}&${query}${cursor}`)
        assert.equal(page.status, 200, page.text)
        seen.push(...page.body.data)
        if (page.body.has_more) cursor = `&cursor=${page.body.next_cursor}`
        else {
          after = page.body.latest_sequence
          return
        }
      }
    },
  }
}

/** Places that no cursor of the service ever holds. */
const MADE_UP = [[], [1, 2], ['1'], [null], [-1], [0.5], [1e300], [Number.MAX_SAFE_INTEGER], [true]]

for (const engine of ENGINES) {
  describe(`paging through events (${engine})`, () => {
    for (const limit of [1, 2, 3, 7, 8, 100]) {
      it(`shows each once, in order, ${limit} at a time`, async () => {
        await using world = await aWorldWith(engine, 7)

        const pages = await pagesOf(world.api, `/events?limit=${limit}`)

        assert.deepEqual(pages.flatMap(sequencesOf), range(1, 7))
        assert.equal(pages.length, Math.ceil(7 / limit))
      })
    }

    it('shows 50 where no limit is sent, and 100 at most', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ statuses: [] }))
      await putTasks(world, 120, { workflow })
      await world.api.post(`/workflows/${workflow.id}/statuses`, { name: 'Draft', disposition: 'in_progress' })

      const [few, many] = [await pageOf(world.api, '/events'), await pageOf(world.api, '/events?limit=100')]

      assert.deepEqual([few.data.length, many.data.length], [50, 100])
    })

    it('begins after `after`, and there is nothing after the last', async () => {
      await using world = await aWorldWith(engine, 4)

      const pages = await Promise.all(range(0, 4).map((after) => world.api.get(`/events?after=${after}`)))

      for (const [after, { body }] of pages.entries()) {
        assert.deepEqual(sequencesOf(body.data), range(after + 1, 4))
        assert.deepEqual([body.has_more, body.next_cursor, body.latest_sequence], [false, null, 4])
      }
    })

    it('goes on with what happened meanwhile, whose sequence each page tells', async () => {
      await using world = await aWorldWith(engine, 2)
      const first = (await world.api.get('/events?limit=1')).body
      await world.given(aTask())

      const second = (await world.api.get(`/events?limit=1&cursor=${first.next_cursor}`)).body
      await world.given(aTask())
      const rest = (await world.api.get(`/events?limit=50&cursor=${second.next_cursor}`)).body

      assert.deepEqual([first.latest_sequence, second.latest_sequence, rest.latest_sequence], [2, 3, 4])
      assert.deepEqual([...sequencesOf(second.data), ...sequencesOf(rest.data)], [2, 3, 4])
      assert.equal(rest.has_more, false)
    })

    it('never skips and never repeats one while 32 write at once', async () => {
      await using world = await openWorld(engine)
      const readers = [aReader(world.api, 'limit=100'), aReader(world.api, 'limit=3'), aReader(world.api, 'limit=7&types=task.updated')]
      const task = await world.given(aTask())
      let writing = true

      const reading = readers.map(async ({ readToTheEnd }) => {
        while (writing) await readToTheEnd()
        await readToTheEnd()
      })
      for (let round = 0; round < 3; round++) {
        await thirtyTwo(world, (n) => (n % 2 ? world.given(aTask()) : world.api.patch(`/tasks/${task.id}`, { title: `${round} ${n}` })))
      }
      writing = false
      await Promise.all(reading)

      const log = await world.events()
      assert.equal(log.length, 1 + 3 * 32)
      for (const { seen } of readers.slice(0, 2)) assert.deepEqual(sequencesOf(seen), range(1, log.length))
      assert.deepEqual(sequencesOf(readers[2]?.seen ?? []), sequencesOf(log.filter(({ type }) => type === 'task.updated')))
    })

    it('never shows a part of what one request did while it is doing it', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ statuses: [] }))
      await putTasks(world, 200, { workflow })
      const known = (await world.events()).length
      let done = false

      const adding = world.api.post(`/workflows/${workflow.id}/statuses`, { name: 'Draft', disposition: 'in_progress' }).then(() => {
        done = true
      })
      const ends = new Set<number>()
      while (!done) ends.add((await world.api.get('/events?limit=1')).body.latest_sequence)
      await adding

      const { length } = await world.events()
      assert.equal(length, known + 202)
      for (const end of ends) assert.ok(end === known || end === length, `${end}`)
    })
  })

  describe(`a cursor of events (${engine})`, () => {
    it('takes another limit, and serves every token that is shown the same', async () => {
      await using world = await aWorldWith(engine, 3)
      const [one, other] = [await world.clientWith(['tasks:read']), await world.clientWith(['tasks:read', 'tasks:write'])]
      const { next_cursor } = await pageOf(one, '/events?limit=1')

      assert.deepEqual(sequencesOf((await pageOf(other, `/events?limit=100&cursor=${next_cursor}`)).data), [2, 3])
    })

    it('takes the same types said otherwise', async () => {
      await using world = await aWorldWith(engine, 3)
      const { next_cursor } = await pageOf(world.api, '/events?limit=1&types=task.deleted,task.created')

      const { data } = await pageOf(world.api, `/events?types=task.created,%20task.deleted,task.created&cursor=${next_cursor}`)

      assert.deepEqual(sequencesOf(data), [2, 3])
    })

    for (const [made, used] of [
      ['', 'after=0'],
      ['after=0', ''],
      ['after=0', 'after=1'],
      ['', 'types=task.*'],
      ['types=task.*', ''],
      ['types=task.*', 'types=task.created'],
    ] as const) {
      it(`is refused with ${used || 'nothing'} where it was made with ${made || 'nothing'}`, async () => {
        await using world = await aWorldWith(engine, 3)
        const { next_cursor } = await pageOf(world.api, `/events?limit=1&${made}`)

        assertInvalid(await world.api.get(`/events?${used}&cursor=${next_cursor}`), ['query', 'cursor', 'invalid_value'])
      })
    }

    it('is refused where a token is shown other events', async () => {
      await using world = await aWorldWith(engine, 3)
      const { next_cursor } = await pageOf(world.api, '/events?limit=1')

      const reply = await (await world.clientWith(['tasks:read'])).get(`/events?cursor=${next_cursor}`)

      assertInvalid(reply, ['query', 'cursor', 'invalid_value'])
    })

    it('is refused in another account, in another list, and when it was altered', async () => {
      await using world = await aWorldWith(engine, 3)
      const { api: stranger } = await world.newAccount()
      const { next_cursor } = await pageOf(world.api, '/events?limit=1')
      const ofTasks = (await pageOf(world.api, '/tasks?limit=1')).next_cursor

      for (const reply of [
        await stranger.get(`/events?cursor=${next_cursor}`),
        await world.api.get(`/tasks?cursor=${next_cursor}`),
        await world.api.get(`/events?cursor=${ofTasks}`),
        await world.api.get(`/events?cursor=${next_cursor}A`),
        await world.api.get(`/events?cursor=A${next_cursor}`),
        await world.api.get(`/events?cursor=${next_cursor?.slice(1)}`),
      ]) {
        assertInvalid(reply, ['query', 'cursor', 'invalid_value'])
      }
    })

    for (const place of MADE_UP) {
      it(`is refused when someone made it up by the source, to go on from ${JSON.stringify(place)}`, async () => {
        await using world = await openWorld(engine)
        const cursor = writeCursor(place as number[], [world.account.id, 'events', { after: null, types: ['task.created'] }])

        const { status, body } = await world.api.get(`/events?types=task.created&cursor=${cursor}`)

        assert.deepEqual([status, body.errors?.[0].name], [400, 'cursor'], JSON.stringify(body))
      })
    }
  })
}
