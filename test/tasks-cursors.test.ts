import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pageOf as cutPage } from '../packages/server/api/pages.ts'
import { aTask, UNKNOWN_ID } from './builders.ts'
import { pageOf } from './reading.ts'
import { assertInvalid, ENGINES, openWorld, type World } from './world.ts'

/** The first page's cursor of a list that goes on. */
async function aCursor(world: World, query = ''): Promise<string> {
  for (let n = 0; n < 3; n++) await world.given(aTask({ title: 'Buy boxes', due_date: '2026-12-01' }))
  const { next_cursor } = await pageOf(world.api, `/tasks?limit=1&${query}`)
  assert.ok(next_cursor)
  return next_cursor
}

const OTHER_LISTS = [
  'disposition=not_started',
  `project_id=${UNKNOWN_ID}`,
  `workflow_id=${UNKNOWN_ID}`,
  `status_id=${UNKNOWN_ID}`,
  'updated_since=2026-11-21T00:00:00Z',
  'due_before=2026-12-31',
  'due_after=2026-11-01',
  'include_archived=true',
  'q=boxes',
  'sort=-created_at',
  'sort=updated_at',
  'sort=due_date',
]

for (const engine of ENGINES) {
  describe(`a cursor (${engine})`, () => {
    it('takes another limit', async () => {
      await using world = await openWorld(engine)
      const cursor = await aCursor(world)

      const { data, next_cursor } = await pageOf(world.api, `/tasks?limit=100&cursor=${cursor}`)

      assert.equal(data.length, 2)
      assert.equal(next_cursor, null)
    })

    it('takes the same parameters in another order, and the default sort said or not', async () => {
      await using world = await openWorld(engine)
      const cursor = await aCursor(world, 'q=boxes&disposition=not_started')

      const { data } = await pageOf(world.api, `/tasks?disposition=not_started&cursor=${cursor}&sort=created_at&q=boxes`)

      assert.equal(data.length, 2)
    })

    for (const [made, used] of [
      ['', 'include_archived=false'],
      ['include_archived=false', ''],
    ] as const) {
      it(`takes ${used === '' ? 'no include_archived' : used} where it was made with ${made === '' ? 'none' : made}`, async () => {
        await using world = await openWorld(engine)
        const cursor = await aCursor(world, made)
        for (const name of ['First', 'Second']) await world.api.post('/projects', { name })
        const ofProjects = (await pageOf(world.api, `/projects?limit=1&${made}`)).next_cursor

        const tasks = await pageOf(world.api, `/tasks?cursor=${cursor}&${used}`)
        const projects = await pageOf(world.api, `/projects?cursor=${ofProjects}&${used}`)

        assert.equal(tasks.data.length, 2)
        assert.equal(projects.data.length, 1)
      })
    }

    it('gives the same page again', async () => {
      await using world = await openWorld(engine)
      const cursor = await aCursor(world)

      assert.deepEqual(await pageOf(world.api, `/tasks?cursor=${cursor}`), await pageOf(world.api, `/tasks?cursor=${cursor}`))
    })

    it('holds after a restart', async () => {
      await using world = await openWorld(engine)
      const cursor = await aCursor(world)
      await world.restart()

      assert.equal((await pageOf(world.api, `/tasks?cursor=${cursor}`)).data.length, 2)
    })

    it('holds when the task it stands at is gone', async () => {
      await using world = await openWorld(engine)
      const cursor = await aCursor(world)
      const [first] = (await pageOf(world.api, '/tasks?limit=1')).data
      await world.api.delete(`/tasks/${first.id}`)

      assert.equal((await pageOf(world.api, `/tasks?cursor=${cursor}`)).data.length, 2)
    })

    for (const parameters of OTHER_LISTS) {
      it(`is refused with ${parameters} where it was made without`, async () => {
        await using world = await openWorld(engine)
        const cursor = await aCursor(world)

        assertInvalid(await world.api.get(`/tasks?${parameters}&cursor=${cursor}`), ['query', 'cursor', 'invalid_value'])
      })
    }

    for (const parameters of OTHER_LISTS.filter((one) => !one.includes('_id='))) {
      it(`is refused without ${parameters} where it was made with it`, async () => {
        await using world = await openWorld(engine)
        const cursor = await aCursor(world, parameters)

        assertInvalid(await world.api.get(`/tasks?cursor=${cursor}`), ['query', 'cursor', 'invalid_value'])
      })
    }

    it('is refused in another account', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      const cursor = await aCursor(world)

      assertInvalid(await other.api.get(`/tasks?cursor=${cursor}`), ['query', 'cursor', 'invalid_value'])
    })

    it('serves every token of the account', async () => {
      await using world = await openWorld(engine)
      const reader = await world.clientWith(['tasks:read'])
      const cursor = await aCursor(world)

      assert.equal((await pageOf(reader, `/tasks?cursor=${cursor}`)).data.length, 2)
    })

    for (const list of ['projects', 'workflows']) {
      it(`is refused in the list of ${list}, and one of those here`, async () => {
        await using world = await openWorld(engine)
        const ofTasks = await aCursor(world)
        for (const name of ['First', 'Second']) await world.api.post(`/${list}`, { name })
        const ofOthers = (await world.api.get(`/${list}?limit=1`)).body.next_cursor

        assertInvalid(await world.api.get(`/${list}?cursor=${ofTasks}`), ['query', 'cursor', 'invalid_value'])
        assertInvalid(await world.api.get(`/tasks?cursor=${ofOthers}`), ['query', 'cursor', 'invalid_value'])
      })
    }

    it('is refused when any of its characters was altered, left out or added', async () => {
      await using world = await openWorld(engine)
      const cursor = await aCursor(world)
      const altered = [...cursor].flatMap((character, at) => [
        cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
        cursor.slice(0, at) + cursor.slice(at + 1),
      ])

      for (const one of [...altered, `${cursor}A`, `A${cursor}`, `${cursor}=`, `${cursor}.`, cursor.toUpperCase()]) {
        const reply = await world.api.get(`/tasks?cursor=${one}`)
        assertInvalid(reply, ['query', 'cursor', 'invalid_value'])
      }
    })

    for (const key of [[], ['a', 'b'], ['a', 'b', 'c'], [7], [null]]) {
      it(`is refused when someone made it up by the source, to go on from ${JSON.stringify(key)}`, async () => {
        await using world = await openWorld(engine)
        const list = [world.account.id, 'tasks', { sort: 'created_at' }] as const
        const order = { columns: [], types: [], keyOf: () => key }
        const { next_cursor } = cutPage(['first', 'second'], 1, list, (item) => item, order)

        assertInvalid(await world.api.get(`/tasks?cursor=${next_cursor}`), ['query', 'cursor', 'invalid_value'])
      })
    }

    for (const { what, cursor, code } of [
      { what: 'empty', cursor: '', code: 'too_short' },
      { what: 'of 201 characters', cursor: 'A'.repeat(201), code: 'too_long' },
      { what: 'of 200 characters that nobody gave out', cursor: 'A'.repeat(200), code: 'invalid_value' },
      { what: 'a task id', cursor: UNKNOWN_ID, code: 'invalid_value' },
      { what: 'full of signs', cursor: '%00.%2e%2e%2f%27--', code: 'invalid_value' },
    ]) {
      it(`is refused when it is ${what}`, async () => {
        await using world = await openWorld(engine)

        assertInvalid(await world.api.get(`/tasks?cursor=${cursor}`), ['query', 'cursor', code])
      })
    }
  })
}
