import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aTask, aWorkflow, statusOf, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, DAY, ENGINES, HOUR, MINUTE, openWorld } from './world.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

interface Row {
  what: string
  sent: Record<string, unknown>
  stored: Record<string, unknown>
}

const TAKEN: Row[] = [
  { what: 'a title of 1 character', sent: { title: 'x' }, stored: { title: 'x' } },
  { what: 'a title of 500 code points', sent: { title: '🪴'.repeat(500) }, stored: { title: '🪴'.repeat(500) } },
  { what: 'a title of 500 between spaces', sent: { title: `  ${'x'.repeat(500)}\t ` }, stored: { title: 'x'.repeat(500) } },
  { what: 'notes of 20,000 code points', sent: { notes: '🪴'.repeat(20_000) }, stored: { notes: '🪴'.repeat(20_000) } },
  { what: 'notes with line ends and tabs', sent: { notes: '\r\n a\r\n\tb \n' }, stored: { notes: 'a\n\tb' } },
  { what: 'an estimate of nothing', sent: { estimate_minutes: 0 }, stored: { estimate_minutes: 0 } },
  { what: 'an estimate of a year', sent: { estimate_minutes: 525_600 }, stored: { estimate_minutes: 525_600 } },
  { what: 'a leap day', sent: { due_date: '2028-02-29' }, stored: { due_date: '2028-02-29' } },
  { what: 'a due date in the past', sent: { due_date: '1999-12-31' }, stored: { due_date: '1999-12-31' } },
  {
    what: 'a time to wake in any offset',
    sent: { disposition: 'on_hold', on_hold_until: '2026-11-22T01:30:00.5+05:30' },
    stored: { disposition: 'on_hold', on_hold_until: '2026-11-21T20:00:00.500Z' },
  },
  {
    what: 'null for every field that can be empty',
    sent: {
      notes: null,
      status_id: null,
      workflow_id: null,
      project_id: null,
      due_date: null,
      on_hold_until: null,
      estimate_minutes: null,
    },
    stored: {
      notes: null,
      status_id: null,
      workflow_id: null,
      project_id: null,
      due_date: null,
      on_hold_until: null,
      estimate_minutes: null,
    },
  },
]

const REFUSED: { what: string; sent: Record<string, unknown>; problems: [name: string, code: string][] }[] = [
  { what: 'no title', sent: { title: undefined }, problems: [['title', 'required']] },
  { what: 'a title of null', sent: { title: null }, problems: [['title', 'invalid_type']] },
  { what: 'a title that is a number', sent: { title: 5 }, problems: [['title', 'invalid_type']] },
  { what: 'an empty title', sent: { title: '' }, problems: [['title', 'too_short']] },
  { what: 'a title of spaces', sent: { title: ' \t ' }, problems: [['title', 'too_short']] },
  { what: 'a title of 501 characters', sent: { title: 'x'.repeat(501) }, problems: [['title', 'too_long']] },
  { what: 'a title of two lines', sent: { title: 'a\nb' }, problems: [['title', 'malformed']] },
  { what: 'notes of 20,001 characters', sent: { notes: 'x'.repeat(20_001) }, problems: [['notes', 'too_long']] },
  { what: 'notes that are a list', sent: { notes: ['a'] }, problems: [['notes', 'invalid_type']] },
  { what: 'a Disposition that is none', sent: { disposition: 'later' }, problems: [['disposition', 'invalid_value']] },
  { what: 'a Disposition of null', sent: { disposition: null }, problems: [['disposition', 'invalid_type']] },
  { what: 'an estimate below nothing', sent: { estimate_minutes: -1 }, problems: [['estimate_minutes', 'out_of_range']] },
  { what: 'an estimate over a year', sent: { estimate_minutes: 525_601 }, problems: [['estimate_minutes', 'out_of_range']] },
  { what: 'an estimate of half a minute', sent: { estimate_minutes: 0.5 }, problems: [['estimate_minutes', 'invalid_type']] },
  { what: 'an estimate that is a string', sent: { estimate_minutes: '30' }, problems: [['estimate_minutes', 'invalid_type']] },
  { what: 'a day that does not exist', sent: { due_date: '2026-02-29' }, problems: [['due_date', 'invalid_format']] },
  { what: 'a due date with a time', sent: { due_date: '2026-12-01T00:00:00Z' }, problems: [['due_date', 'invalid_format']] },
  { what: 'an id that is no UUID', sent: { project_id: '7' }, problems: [['project_id', 'invalid_format']] },
  {
    what: 'a time to wake without offset',
    sent: { disposition: 'on_hold', on_hold_until: '2026-12-01T08:00:00' },
    problems: [['on_hold_until', 'invalid_format']],
  },
  { what: 'the archived flag', sent: { archived: true }, problems: [['archived', 'unknown']] },
  { what: 'a field that the service writes', sent: { completed_at: '2026-11-21T12:00:00Z' }, problems: [['completed_at', 'unknown']] },
  { what: 'a time to wake without Later', sent: { on_hold_until: '2026-12-01T08:00:00Z' }, problems: [['on_hold_until', 'conflict']] },
  {
    what: 'a time to wake with another Disposition',
    sent: { disposition: 'waiting', on_hold_until: '2026-12-01T08:00:00Z' },
    problems: [['on_hold_until', 'conflict']],
  },
  {
    what: 'a time to wake that is now',
    sent: { disposition: 'on_hold', on_hold_until: '2026-11-21T12:00:00.000Z' },
    problems: [['on_hold_until', 'invalid_value']],
  },
  {
    what: 'several faults, all listed',
    sent: { title: '', notes: 5, disposition: 'later', due_date: 'soon', colour: 'red' },
    problems: [
      ['title', 'too_short'],
      ['notes', 'invalid_type'],
      ['disposition', 'invalid_value'],
      ['due_date', 'invalid_format'],
      ['colour', 'unknown'],
    ],
  },
  {
    what: 'ids that the account does not have, all listed',
    sent: { status_id: UNKNOWN_ID, workflow_id: UNKNOWN_ID, project_id: UNKNOWN_ID },
    problems: [
      ['status_id', 'unknown_reference'],
      ['workflow_id', 'unknown_reference'],
      ['project_id', 'unknown_reference'],
    ],
  },
]

for (const engine of ENGINES) {
  describe(`creating a task (${engine})`, () => {
    it('needs a title alone, and answers with every field', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/tasks', { title: 'Write it' })

      assert.equal(reply.status, 201)
      assert.match(reply.body.id, UUID_V7)
      assert.match(reply.body.version, /^"[^"]+"$/)
      assert.deepEqual(reply.body, {
        object: 'task',
        id: reply.body.id,
        title: 'Write it',
        notes: null,
        disposition: 'not_started',
        status_id: null,
        workflow_id: null,
        project_id: null,
        due_date: null,
        on_hold_until: null,
        completed_at: null,
        estimate_minutes: null,
        steps_total: 0,
        steps_completed: 0,
        archived: false,
        archived_at: null,
        created_at: world.now,
        updated_at: world.now,
        version: reply.body.version,
      })
    })

    it('says where the task is, and its version as the ETag', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/tasks', { title: 'Write it' })

      assert.equal(reply.headers.location, `${world.service.url}/v1/tasks/${reply.body.id}`)
      assert.equal(reply.headers.etag, reply.body.version)
    })

    it('makes a task that reads back the same', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const sent = {
        title: 'Write it',
        notes: 'In two\nlines',
        disposition: 'on_hold',
        project_id: project.id,
        due_date: '2026-12-01',
        on_hold_until: world.later(DAY),
        estimate_minutes: 90,
      }

      const made = await world.api.post('/tasks', sent)
      const read = await world.api.get(`/tasks/${made.body.id}`)

      assert.partialDeepStrictEqual(made.body, sent)
      assert.deepEqual(read.body, made.body)
      assert.equal(read.headers.etag, made.headers.etag)
    })

    it('gives ids that grow, also when the clock is set back', async () => {
      await using world = await openWorld(engine)
      const ids: string[] = []

      for (const ms of [0, 0, HOUR, -2 * HOUR, 0, MINUTE]) {
        world.advance(ms)
        ids.push((await world.given(aTask())).id)
      }

      assert.deepEqual(ids, ids.toSorted())
      assert.equal(new Set(ids).size, ids.length)
    })

    it('stamps no time before the last one when the clock is set back', async () => {
      await using world = await openWorld(engine)
      const first = await world.given(aTask())
      world.advance(-HOUR)

      const second = await world.given(aTask({ disposition: 'done' }))

      assert.partialDeepStrictEqual(second, {
        created_at: first.created_at,
        updated_at: first.created_at,
        completed_at: first.created_at,
      })
    })

    it('stamps the completion of a task that is created as done', async () => {
      await using world = await openWorld(engine)

      const task = await world.given(aTask({ disposition: 'done' }))

      assert.equal(task.completed_at, world.now)
    })

    for (const { what, sent, stored } of TAKEN) {
      it(`takes ${what}`, async () => {
        await using world = await openWorld(engine)

        const reply = await world.api.post('/tasks', { title: 'Write it', ...sent })

        assert.equal(reply.status, 201, reply.text)
        assert.partialDeepStrictEqual(reply.body, stored)
      })
    }

    for (const { what, sent, problems } of REFUSED) {
      it(`refuses ${what}`, async () => {
        await using world = await openWorld(engine)

        const reply = await world.api.post('/tasks', { title: 'Write it', ...sent })

        assertInvalid(reply, ...problems.map(([name, code]) => ['body', name, code] as [string, string, string]))
        assert.deepEqual((await world.api.get('/tasks?include_archived=true')).body.data, [])
        assert.deepEqual(await world.events(), [])
      })
    }

    it('refuses an estimate on a Workflow with Today Statuses', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())

      const byWorkflow = await world.api.post('/tasks', { title: 'Write it', workflow_id: workflow.id, estimate_minutes: 30 })
      const byStatus = await world.api.post('/tasks', {
        title: 'Write it',
        status_id: statusOf(workflow, 'Published').id,
        estimate_minutes: 0,
      })

      assertInvalid(byWorkflow, ['body', 'estimate_minutes', 'conflict'])
      assertInvalid(byStatus, ['body', 'estimate_minutes', 'conflict'])
    })

    it('takes an estimate on a Workflow without Today Statuses', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ statuses: [{ name: 'Feedback', disposition: 'waiting' }] }))

      const task = await world.given(aTask({ workflow_id: workflow.id, estimate_minutes: 30 }))

      assert.partialDeepStrictEqual(task, { estimate_minutes: 30, steps_total: 0 })
    })

    it('counts the Today Statuses of its Workflow as steps, with no minutes yet', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())

      const task = await world.given(aTask({ workflow_id: workflow.id, estimate_minutes: null }))

      assert.partialDeepStrictEqual(task, { steps_total: 3, steps_completed: 0, estimate_minutes: 0 })
    })
  })
}
