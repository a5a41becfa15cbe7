import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { aProject, aStep, aTask, aWorkflow, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, HOUR, openWorld } from './world.ts'

/** Each field that is set by itself, to a value and, where it can be empty, to nothing. */
const FIELDS: { field: string; from: unknown; to: unknown }[] = [
  { field: 'title', from: 'Write it', to: 'Write it well' },
  { field: 'notes', from: null, to: 'In two\nlines' },
  { field: 'notes', from: 'Some', to: null },
  { field: 'due_date', from: null, to: '2026-12-01' },
  { field: 'due_date', from: '2026-12-01', to: null },
  { field: 'estimate_minutes', from: 30, to: 90 },
  { field: 'estimate_minutes', from: 30, to: null },
  { field: 'disposition', from: 'not_started', to: 'waiting' },
]

const UNCHANGING: { what: string; sent: Record<string, unknown> }[] = [
  { what: 'nothing', sent: {} },
  { what: 'the title it has', sent: { title: 'Write it' } },
  { what: 'the title it has, between spaces', sent: { title: ' Write it\t' } },
  { what: 'the notes it has, with other line ends', sent: { notes: 'Two\r\nlines ' } },
  { what: 'the Disposition it has', sent: { disposition: 'on_hold' } },
  { what: 'the due date it has', sent: { due_date: '2026-12-01' } },
  { what: 'the time to wake it has, in another offset', sent: { on_hold_until: '2026-11-22T15:00:00+03:00' } },
  { what: 'the estimate it has', sent: { estimate_minutes: 30 } },
  { what: 'null for what it has not', sent: { project_id: null, workflow_id: null, status_id: null } },
]

const REFUSED: { what: string; sent: Record<string, unknown>; problems: [name: string, code: string][] }[] = [
  { what: 'null for the title', sent: { title: null }, problems: [['title', 'invalid_type']] },
  { what: 'null for the Disposition', sent: { disposition: null }, problems: [['disposition', 'invalid_type']] },
  { what: 'an empty title', sent: { title: '  ' }, problems: [['title', 'too_short']] },
  { what: 'a title of 501 characters', sent: { title: 'x'.repeat(501) }, problems: [['title', 'too_long']] },
  { what: 'notes of 20,001 characters', sent: { notes: 'x'.repeat(20_001) }, problems: [['notes', 'too_long']] },
  { what: 'a Disposition that is none', sent: { disposition: 'today' }, problems: [['disposition', 'invalid_value']] },
  { what: 'a day that does not exist', sent: { due_date: '2026-04-31' }, problems: [['due_date', 'invalid_format']] },
  { what: 'an estimate over a year', sent: { estimate_minutes: 525_601 }, problems: [['estimate_minutes', 'out_of_range']] },
  { what: 'the archived flag', sent: { archived: true }, problems: [['archived', 'unknown']] },
  { what: 'a version', sent: { version: '"1"' }, problems: [['version', 'unknown']] },
  {
    what: 'several faults, all listed',
    sent: { title: '', due_date: 'soon', status_id: 'x', colour: 'red' },
    problems: [
      ['title', 'too_short'],
      ['due_date', 'invalid_format'],
      ['status_id', 'invalid_format'],
      ['colour', 'unknown'],
    ],
  },
  {
    what: 'ids that the account does not have, all listed',
    sent: { title: 'Another', status_id: UNKNOWN_ID, workflow_id: UNKNOWN_ID, project_id: UNKNOWN_ID },
    problems: [
      ['status_id', 'unknown_reference'],
      ['workflow_id', 'unknown_reference'],
      ['project_id', 'unknown_reference'],
    ],
  },
]

const PAIRS = DISPOSITIONS.flatMap((from) => DISPOSITIONS.filter((to) => to !== from).map((to) => ({ from, to })))

for (const engine of ENGINES) {
  describe(`changing a task (${engine})`, () => {
    for (const { field, from, to } of FIELDS) {
      it(`changes ${field} from ${from} to ${to} and nothing else, but the version and its time`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ [field]: from }))
        world.advance(HOUR)

        const reply = await world.api.patch(`/tasks/${task.id}`, { [field]: to })

        assert.equal(reply.status, 200)
        assert.notEqual(reply.body.version, task.version)
        assert.equal(reply.headers.etag, reply.body.version)
        assert.deepEqual(reply.body, { ...task, [field]: to, updated_at: world.now, version: reply.body.version })
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, reply.body)
      })
    }

    it('puts a task into a project and out of it', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const task = await world.given(aTask())

      const inside = await world.api.patch(`/tasks/${task.id}`, { project_id: project.id })
      const outside = await world.api.patch(`/tasks/${task.id}`, { project_id: null })

      assert.equal(inside.body.project_id, project.id)
      assert.equal(outside.body.project_id, null)
    })

    it('takes an id in capitals for the id it is', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const task = await world.given(aTask())

      const reply = await world.api.patch(`/tasks/${task.id.toUpperCase()}`, { project_id: project.id.toUpperCase() })

      assert.partialDeepStrictEqual(reply.body, { id: task.id, project_id: project.id })
    })

    for (const { what, sent } of UNCHANGING) {
      it(`keeps version and time when it is sent ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(
          aTask({
            notes: 'Two\nlines',
            disposition: 'on_hold',
            on_hold_until: world.later(DAY),
            due_date: '2026-12-01',
            estimate_minutes: 30,
          }),
        )
        world.advance(HOUR)

        const reply = await world.api.patch(`/tasks/${task.id}`, sent)

        assert.equal(reply.status, 200)
        assert.deepEqual(reply.body, task)
        assert.equal(reply.headers.etag, task.version)
        assert.equal((await world.events()).length, 1)
      })
    }

    for (const { what, sent, problems } of REFUSED) {
      it(`refuses ${what}, and changes nothing`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await world.api.patch(`/tasks/${task.id}`, sent)

        assertInvalid(reply, ...problems.map(([name, code]) => ['body', name, code] as [string, string, string]))
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
      })
    }

    it('says which field was meant', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const reply = await world.api.patch(`/tasks/${task.id}`, { due_dat: '2026-12-01' })

      const [problem] = assertInvalid(reply, ['body', 'due_dat', 'unknown'])
      assert.match(problem?.detail ?? '', /Did you mean due_date\?/)
    })

    it('is refused when the task is not there, or its id is no id', async () => {
      await using world = await openWorld(engine)

      const unknown = await world.api.patch(`/tasks/${UNKNOWN_ID}`, { title: 'Another' })
      const malformed = await world.api.patch('/tasks/7', { title: '' })

      assertProblem(unknown, 404, 'not_found')
      assertInvalid(malformed, ['path', 'id', 'invalid_format'], ['body', 'title', 'too_short'])
    })

    it('never sets a stamp back when the clock is', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const before = world.now
      world.advance(-DAY)

      const done = await world.api.patch(`/tasks/${task.id}`, { disposition: 'done' })
      const archived = await world.api.post(`/tasks/${task.id}/archive`)

      assert.partialDeepStrictEqual(done.body, { updated_at: before, completed_at: before })
      assert.partialDeepStrictEqual(archived.body, { updated_at: before, archived_at: before })
      assert.equal(new Set([task.version, done.body.version, archived.body.version]).size, 3)
    })

    it('gives every change a version of its own within one millisecond', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => world.api.patch(`/tasks/${task.id}`, { title: `Title ${n}` })))

      assert.equal(new Set([task.version, ...replies.map((reply) => reply.body.version)]).size, 21)
    })
  })

  describe(`changing the Disposition of a task (${engine})`, () => {
    for (const { from, to } of PAIRS) {
      it(`moves from ${from} to ${to}`, async () => {
        await using world = await openWorld(engine)
        const hold = from === 'on_hold' ? { on_hold_until: world.later(DAY) } : {}
        const task = await world.given(aTask({ disposition: from, ...hold }))
        world.advance(HOUR)

        const reply = await world.api.patch(`/tasks/${task.id}`, { disposition: to })

        assert.equal(reply.status, 200)
        assert.deepEqual(reply.body, {
          ...task,
          disposition: to,
          on_hold_until: null,
          completed_at: to === 'done' ? world.now : null,
          updated_at: world.now,
          version: reply.body.version,
        })
      })
    }

    it('stamps the completion anew after a task was reopened', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'done' }))
      await world.api.patch(`/tasks/${task.id}`, { disposition: 'in_progress' })
      world.advance(HOUR)

      const reply = await world.api.patch(`/tasks/${task.id}`, { disposition: 'done' })

      assert.notEqual(reply.body.completed_at, task.completed_at)
      assert.equal(reply.body.completed_at, world.now)
    })

    it('keeps the completion of a done task that changes otherwise', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'done' }))
      world.advance(HOUR)

      const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Written', disposition: 'done' })

      assert.partialDeepStrictEqual(reply.body, { title: 'Written', completed_at: task.completed_at, updated_at: world.now })
    })
  })

  describe(`the estimate of a task (${engine})`, () => {
    for (const value of [30, 0, null]) {
      it(`is refused as ${value} where the task has steps`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())
        await world.given(aStep(task, { minutes: 30 }))

        const reply = await world.api.patch(`/tasks/${task.id}`, { estimate_minutes: value })

        assertInvalid(reply, ['body', 'estimate_minutes', 'conflict'])
      })
    }

    it('is refused together with a Workflow that brings steps', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask())

      const reply = await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id, estimate_minutes: 30 })

      assertInvalid(reply, ['body', 'estimate_minutes', 'conflict'])
    })

    it('can be sent together with leaving the Workflow that brought steps', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Draft' }))

      const reply = await world.api.patch(`/tasks/${task.id}`, { workflow_id: null, estimate_minutes: 30 })

      assert.partialDeepStrictEqual(reply.body, { workflow_id: null, steps_total: 0, estimate_minutes: 30 })
    })

    it('is refused together with leaving the Workflow for a checklist', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask())
      await world.given(aStep(task))
      await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id })

      const reply = await world.api.patch(`/tasks/${task.id}`, { workflow_id: null, estimate_minutes: 30 })

      assertInvalid(reply, ['body', 'estimate_minutes', 'conflict'])
    })

    it('is the sum of the steps while there are any, and shows again when the Workflow goes', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ estimate_minutes: 90 }))

      const onWorkflow = await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id })
      await world.api.patch(`/tasks/${task.id}/steps/${workflow.statuses[0].id}`, { minutes: 20 })
      await world.api.patch(`/tasks/${task.id}/steps/${workflow.statuses[1].id}`, { minutes: 15 })
      const withMinutes = await world.api.get(`/tasks/${task.id}`)
      const offWorkflow = await world.api.patch(`/tasks/${task.id}`, { workflow_id: null })

      assert.deepEqual(
        [onWorkflow, withMinutes, offWorkflow].map((reply) => reply.body.estimate_minutes),
        [0, 35, 90],
      )
    })

    it('is cleared by the first step of a checklist, for good', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ estimate_minutes: 90 }))
      const step = await world.given(aStep(task, { minutes: 20 }))
      const withStep = await world.api.get(`/tasks/${task.id}`)

      await world.api.delete(`/tasks/${task.id}/steps/${step.id}`)

      assert.equal(withStep.body.estimate_minutes, 20)
      assert.equal((await world.api.get(`/tasks/${task.id}`)).body.estimate_minutes, null)
    })
  })
}
