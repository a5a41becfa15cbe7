import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { aProject, aTask, aWorkflow, type Resource, statusOf, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, ENGINES, HOUR, MINUTE, openWorld, type World } from './world.ts'

/** The titles that a list gives, in its order. */
async function titles(world: World, query: string): Promise<string[]> {
  const reply = await world.api.get(`/tasks${query}`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.map((task: Resource) => task.title)
}

const MALFORMED: { query: string; name: string; code: string }[] = [
  { query: 'limit=0', name: 'limit', code: 'out_of_range' },
  { query: 'limit=101', name: 'limit', code: 'out_of_range' },
  { query: 'limit=-1', name: 'limit', code: 'out_of_range' },
  { query: 'limit=1.5', name: 'limit', code: 'invalid_type' },
  { query: 'limit=ten', name: 'limit', code: 'invalid_type' },
  { query: 'limit=', name: 'limit', code: 'invalid_type' },
  { query: 'disposition=later', name: 'disposition', code: 'invalid_value' },
  { query: 'disposition=', name: 'disposition', code: 'invalid_value' },
  { query: 'disposition=DONE', name: 'disposition', code: 'invalid_value' },
  { query: 'project_id=7', name: 'project_id', code: 'invalid_format' },
  { query: 'project_id=null', name: 'project_id', code: 'invalid_format' },
  { query: 'workflow_id=7', name: 'workflow_id', code: 'invalid_format' },
  { query: 'status_id=', name: 'status_id', code: 'invalid_format' },
  { query: 'updated_since=2026-11-21', name: 'updated_since', code: 'invalid_format' },
  { query: 'updated_since=2026-11-21T12:00:00', name: 'updated_since', code: 'invalid_format' },
  { query: 'updated_since=1795262400', name: 'updated_since', code: 'invalid_format' },
  { query: 'due_before=2026-02-29', name: 'due_before', code: 'invalid_format' },
  { query: 'due_after=2026-12-01T00:00:00Z', name: 'due_after', code: 'invalid_format' },
  { query: 'include_archived=1', name: 'include_archived', code: 'invalid_value' },
  { query: 'include_archived=', name: 'include_archived', code: 'invalid_value' },
  { query: 'sort=title', name: 'sort', code: 'invalid_value' },
  { query: 'sort=-due_date', name: 'sort', code: 'invalid_value' },
  { query: 'offset=10', name: 'offset', code: 'unknown' },
  { query: 'Limit=10', name: 'Limit', code: 'unknown' },
  { query: 'limit=10&limit=10', name: 'limit', code: 'invalid_value' },
]

for (const engine of ENGINES) {
  describe(`listing tasks (${engine})`, () => {
    it('answers with an envelope of whole tasks, oldest first', async () => {
      await using world = await openWorld(engine)
      const tasks = [await world.given(aTask()), await world.given(aTask({ onStatus: 'Review' })), await world.given(aTask())]

      const reply = await world.api.get('/tasks')

      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, { object: 'list', data: tasks, has_more: false, next_cursor: null })
    })

    it('is an empty list where there is nothing', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.get('/tasks')

      assert.deepEqual(reply.body, { object: 'list', data: [], has_more: false, next_cursor: null })
    })

    it('shows the tasks of the account alone', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      const own = await world.given(aTask())
      await aTask()(other.api)

      const reply = await world.api.get('/tasks')

      assert.deepEqual(reply.body.data, [own])
    })

    for (const disposition of DISPOSITIONS) {
      it(`gives those that are ${disposition}, and no others`, async () => {
        await using world = await openWorld(engine)
        for (const one of DISPOSITIONS) await world.given(aTask({ disposition: one, title: one }))

        assert.deepEqual(await titles(world, `?disposition=${disposition}`), [disposition])
      })
    }

    it('gives those of a project, a Workflow and a Status, and no others', async () => {
      await using world = await openWorld(engine)
      const [project, otherProject] = [await world.given(aProject()), await world.given(aProject())]
      const [workflow, otherWorkflow] = [await world.given(aWorkflow()), await world.given(aWorkflow())]
      const review = statusOf(workflow, 'Review').id
      await world.given(aTask({ title: 'plain' }))
      await world.given(aTask({ title: 'in project', project_id: project.id }))
      await world.given(aTask({ title: 'in other project', project_id: otherProject.id }))
      await world.given(aTask({ title: 'on Workflow', workflow_id: workflow.id }))
      await world.given(aTask({ title: 'on other Workflow', workflow_id: otherWorkflow.id, disposition: 'in_progress' }))
      await world.given(aTask({ title: 'on Status', status_id: review, project_id: project.id }))

      assert.deepEqual(await titles(world, `?project_id=${project.id}`), ['in project', 'on Status'])
      assert.deepEqual(await titles(world, `?workflow_id=${workflow.id}`), ['on Workflow', 'on Status'])
      assert.deepEqual(await titles(world, `?status_id=${review}`), ['on Status'])
      assert.deepEqual(await titles(world, `?status_id=${review.toUpperCase()}`), ['on Status'])
    })

    it('gives those that meet every filter', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const all = { project_id: project.id, disposition: 'waiting', due_date: '2026-12-01', notes: 'call the mover' }
      await world.given(aTask({ title: 'all', ...all }))
      await world.given(aTask({ title: 'no project', ...all, project_id: null }))
      await world.given(aTask({ title: 'other Disposition', ...all, disposition: 'done' }))
      await world.given(aTask({ title: 'other date', ...all, due_date: '2026-12-02' }))
      await world.given(aTask({ title: 'other words', ...all, notes: null }))

      const query = `?project_id=${project.id}&disposition=waiting&due_before=2026-12-01&due_after=2026-12-01&q=mover`
      assert.deepEqual(await titles(world, query), ['all'])
    })

    for (const filter of ['project_id', 'workflow_id', 'status_id']) {
      it(`lists nothing for a ${filter} that the account does not have`, async () => {
        await using world = await openWorld(engine)
        await world.given(aTask({ onStatus: 'Review' }))

        assert.deepEqual(await titles(world, `?${filter}=${UNKNOWN_ID}`), [])
      })
    }

    it('takes the days of due_after and due_before in, and leaves out what is not due', async () => {
      await using world = await openWorld(engine)
      for (const due_date of ['2026-11-30', '2026-12-01', '2026-12-02', '2026-12-03', null])
        await world.given(aTask({ title: String(due_date), due_date }))

      assert.deepEqual(await titles(world, '?due_after=2026-12-02'), ['2026-12-02', '2026-12-03'])
      assert.deepEqual(await titles(world, '?due_before=2026-12-01'), ['2026-11-30', '2026-12-01'])
      assert.deepEqual(await titles(world, '?due_after=2026-12-01&due_before=2026-12-02'), ['2026-12-01', '2026-12-02'])
      assert.deepEqual(await titles(world, '?due_after=2026-12-02&due_before=2026-12-01'), [])
    })

    it('gives those that changed at or after updated_since', async () => {
      await using world = await openWorld(engine)
      const first = await world.given(aTask({ title: 'changed' }))
      await world.given(aTask({ title: 'left alone' }))
      world.advance(HOUR)
      const since = world.now
      await world.api.patch(`/tasks/${first.id}`, { notes: 'New' })
      world.advance(HOUR)
      await world.given(aTask({ title: 'created since' }))

      assert.deepEqual(await titles(world, `?updated_since=${since}`), ['changed', 'created since'])
      assert.deepEqual(await titles(world, `?updated_since=${new Date(Date.parse(since) + 1).toISOString()}`), ['created since'])
      assert.deepEqual(await titles(world, `?updated_since=${world.later(1)}`), [])
    })

    for (const { what, since } of [
      { what: 'Z', since: '2026-11-21T13:00:00Z' },
      { what: 'an encoded plus', since: '2026-11-21T18:30:00%2B05:30' },
      { what: 'a plus as it is', since: '2026-11-21T18:30:00+05:30' },
      { what: 'a minus', since: '2026-11-21T05:00:00-08:00' },
    ]) {
      it(`reads updated_since with ${what}`, async () => {
        await using world = await openWorld(engine)
        world.advance(HOUR - 1)
        await world.given(aTask({ title: 'just before' }))
        world.advance(1)
        await world.given(aTask({ title: 'just then' }))

        assert.deepEqual(await titles(world, `?updated_since=${since}`), ['just then'])
      })
    }

    it('misses no change for a client that asks since the last time it saw, when the clock was set back', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const lastSeen = (await world.api.get('/tasks')).body.data[0].updated_at
      world.advance(-HOUR)

      await world.api.patch(`/tasks/${task.id}`, { title: 'Changed' })

      assert.deepEqual(await titles(world, `?updated_since=${lastSeen}`), ['Changed'])
    })

    for (const { query, name, code } of MALFORMED) {
      it(`refuses ?${query}`, async () => {
        await using world = await openWorld(engine)

        assertInvalid(await world.api.get(`/tasks?${query}`), ['query', name, code])
      })
    }

    it('lists every problem of a query, and says which parameter was meant', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.get('/tasks?limit=0&projectid=7&due_before=soon')

      const errors = assertInvalid(
        reply,
        ['query', 'limit', 'out_of_range'],
        ['query', 'projectid', 'unknown'],
        ['query', 'due_before', 'invalid_format'],
      )
      assert.match(errors.find((error) => error.name === 'projectid')?.detail ?? '', /Did you mean project_id\?/)
    })
  })

  describe(`the order of tasks (${engine})`, () => {
    const ORDERS: { sort: string; expected: string[] }[] = [
      { sort: '', expected: ['a', 'b', 'c', 'd', 'e'] },
      { sort: '?sort=created_at', expected: ['a', 'b', 'c', 'd', 'e'] },
      { sort: '?sort=-created_at', expected: ['e', 'd', 'c', 'b', 'a'] },
      { sort: '?sort=updated_at', expected: ['c', 'd', 'e', 'b', 'a'] },
      { sort: '?sort=-updated_at', expected: ['a', 'b', 'e', 'd', 'c'] },
      { sort: '?sort=due_date', expected: ['b', 'c', 'e', 'a', 'd'] },
    ]

    for (const { sort, expected } of ORDERS) {
      it(`is right for ${sort || 'no sort'}`, async () => {
        await using world = await openWorld(engine)
        const tasks = new Map<string, Resource>()
        const dueDates = { a: null, b: '2026-12-01', c: '2026-12-02', d: null, e: '2026-12-02' }
        for (const [title, due_date] of Object.entries(dueDates)) tasks.set(title, await world.given(aTask({ title, due_date })))
        for (const title of ['b', 'a']) {
          world.advance(MINUTE)
          await world.api.patch(`/tasks/${tasks.get(title).id}`, { notes: 'New' })
        }

        assert.deepEqual(await titles(world, sort), expected)
      })
    }

    it('by creation is not disturbed by a clock that was set back', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask({ title: 'first' }))
      world.advance(-HOUR)
      await world.given(aTask({ title: 'second' }))

      assert.deepEqual(await titles(world, ''), ['first', 'second'])
      assert.deepEqual(await titles(world, '?sort=updated_at'), ['first', 'second'])
    })
  })
}
