import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { timerIn } from '../packages/server/actions/actor.ts'
import { deleteTaskById } from '../packages/server/actions/tasks.ts'
import type { Reader } from '../packages/server/store/store.ts'
import { taskPage } from '../packages/server/store/tasks.ts'
import { meddle } from './database.ts'
import { ENGINES, openWorld } from './world.ts'

/** What another release of Fivetab leaves behind: no form, one that this release does not know, or one that it has not brought up to date. */
const OTHERS = {
  'has stored no form': 'update tasks set wire = null, wire_form = null, wire_version = null',
  'has stored a form of its own': `update tasks set wire = '{"object":"other"}', wire_form = 2`,
  'has changed without its form': 'update tasks set version = version + 1',
}

for (const engine of ENGINES) {
  describe(`a task that another release (${engine})`, () => {
    for (const [name, statement] of Object.entries(OTHERS)) {
      it(`${name} is shown by what is stored of it`, async () => {
        await using world = await openWorld(engine)
        const { body: task } = await world.api.post('/tasks', { title: 'Ring "Ada"', notes: 'zwei\nZeilen', due_date: '2026-12-01' })
        const { body: other } = await world.api.post('/tasks', { title: 'Second' })
        await meddle(world, `${statement} where id = '${task.id}'`)
        const shown = { ...task, version: statement.includes('version + 1') ? '"2"' : '"1"' }

        const read = await world.api.get(`/tasks/${task.id}`)
        const lists = await Promise.all(['created_at', 'updated_at', 'due_date'].map((sort) => world.api.get(`/tasks?sort=${sort}`)))

        assert.deepEqual([read.body, read.headers.etag], [shown, shown.version])
        for (const { body } of lists) assert.deepEqual(body.data, [shown, other])
      })
    }

    it('has stored does not end a list when it is deleted between two looks', async () => {
      await using world = await openWorld(engine)
      for (const title of ['First', 'Second', 'Third']) await world.api.post('/tasks', { title })
      await meddle(world, 'update tasks set wire = null')
      const { store } = world.service
      const [{ id }] = (await world.api.get('/tasks')).body.data
      let looks = 0
      const reader: Reader = {
        one: store.one,
        all: async (sql, values) => {
          looks += 1
          if (looks === 2) await deleteTaskById(timerIn(store, world.account.id), id, null)
          return store.all(sql, values)
        },
      }

      const page = await taskPage(
        reader,
        world.account.id,
        { includeArchived: false },
        { columns: ['id'], descending: false, after: null, limit: 1 },
      )

      assert.deepEqual(
        page.map(({ json }) => JSON.parse(json).title),
        ['Second', 'Third'],
      )
    })

    it('has stored is kept in the form of this one once it is changed', async () => {
      await using world = await openWorld(engine)
      const { body: task } = await world.api.post('/tasks', { title: 'First' })
      await meddle(world, `update tasks set wire = '{"object":"other"}', wire_form = 2`)

      const { body: changed } = await world.api.patch(`/tasks/${task.id}`, { title: 'Second' })

      assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, changed)
      assert.equal(changed.title, 'Second')
    })
  })
}
