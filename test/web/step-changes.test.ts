import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newStep, type StepWire, stepToWire } from '@fivetab/domain/step.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { type Board, withSteps } from '../../packages/web/src/board/board.ts'
import { type Change, Undone } from '../../packages/web/src/board/changes.ts'
import { addStep, deleteStep, isStepStored, stepsOf, updateStep } from '../../packages/web/src/board/step-changes.ts'
import { aBoard, aStatus, aTask, aWorkflow, knownFrom, NOT_FOUND, NOW, serviceAnswering } from './a-board.ts'

const EARLIER = Date.parse('2026-11-20T12:00:00Z')

function aStep(id: string, position: number, fields: Partial<StepWire> = {}): StepWire {
  return { ...stepToWire(newStep({ id, taskId: 'task', position, now: EARLIER }, { name: id })), ...fields }
}

const TICKED = { completed: true, completed_at: '2026-11-20T13:00:00.000Z' }

/** A task with a checklist, of which `boxes` is ticked. */
function withChecklist(fields: Partial<TaskWire> = {}, steps = [aStep('boxes', 1, { ...TICKED, minutes: 30 }), aStep('van', 2)]): Board {
  const counts = { steps_total: steps.length, steps_completed: steps.filter(({ completed }) => completed).length, estimate_minutes: 30 }
  const board = aBoard({ tasks: [aTask({ ...counts, ...fields })] })
  return withSteps(board, 'task', { version: '"1"', list: steps })
}

/** A task in Today that stands on the Status `draft`, of `draft`, `review` and `print`. */
function onWorkflow(fields: Partial<TaskWire> = {}): Board {
  const statuses = [
    aStatus('review', 'in_progress', { position: 2 }),
    aStatus('shelved', 'on_hold'),
    aStatus('draft', 'in_progress', { position: 1 }),
    aStatus('print', 'in_progress', { position: 3 }),
  ]
  const steps = ['draft', 'review', 'print'].map((id, index) => aStep(id, index + 1, { kind: 'status', status_id: id }))
  const task = aTask({
    disposition: 'in_progress',
    workflow_id: 'article',
    status_id: 'draft',
    steps_total: 3,
    estimate_minutes: 0,
    ...fields,
  })
  return withSteps(aBoard({ workflows: [aWorkflow({ statuses })], tasks: [task] }), 'task', { version: '"1"', list: steps })
}

function taskOn(board: Board): TaskWire {
  const task = board.tasks.get('task')
  assert.ok(task)
  return task
}

const namesOn = (board: Board) => stepsOf(board, taskOn(board))?.map(({ name }) => name)

const after = (board: Board, ...changes: Change[]) => changes.reduce((before, change) => change.apply(before, NOW), board)

describe('the steps of a task', () => {
  it('are not known before they were looked at', () => {
    const board = aBoard({ tasks: [aTask({ steps_total: 2 })] })

    assert.equal(stepsOf(board, taskOn(board)), null)
  })

  it('of a checklist are in the order of their positions', () => {
    assert.deepEqual(namesOn(withChecklist({}, [aStep('van', 2), aStep('boxes', 1)])), ['boxes', 'van'])
  })

  it('on a Workflow are its Today Statuses as they are called and stand now', () => {
    const board = onWorkflow()
    const statuses = [
      aStatus('draft', 'in_progress', { position: 4, name: 'Sketch' }),
      aStatus('review', 'in_progress', { position: 2 }),
      aStatus('shelved', 'on_hold'),
    ]

    assert.deepEqual(namesOn({ ...board, workflows: new Map([['article', aWorkflow({ statuses })]]) }), ['review', 'Sketch'])
  })

  it('are not known after the task has left its Workflow, until its own checklist was read', () => {
    const board = onWorkflow()
    const left = { ...taskOn(board), workflow_id: null, status_id: null }

    assert.equal(stepsOf(board, left), null)
  })

  it('are never replaced by older ones', () => {
    const board = withSteps(withChecklist(), 'task', { version: '"3"', list: [aStep('crates', 1)] })

    const late = withSteps(board, 'task', { version: '"2"', list: [aStep('boxes', 1)] })

    assert.deepEqual(namesOn(late), ['crates'])
  })
})

describe('a new step', () => {
  it('shows at the end at once, and counts', () => {
    const shown = after(withChecklist(), addStep('task', { name: 'keys', minutes: 15 }, 'k'))

    assert.deepEqual(namesOn(shown), ['boxes', 'van', 'keys'])
    assert.partialDeepStrictEqual(taskOn(shown), { steps_total: 3, steps_completed: 1, estimate_minutes: 45, version: '"1"' })
  })

  it('cannot be changed before the service has made it', () => {
    const shown = after(withChecklist(), addStep('task', { name: 'keys' }, 'k'))

    assert.deepEqual(stepsOf(shown, taskOn(shown))?.map(isStepStored), [true, true, false])
  })

  it('that is the first replaces the estimate of the whole task', () => {
    const shown = after(withChecklist({ estimate_minutes: 90 }, []), addStep('task', { name: 'keys' }, 'k'))

    assert.equal(taskOn(shown).estimate_minutes, 0)
  })

  it('is sent with its key, and shows once when the service has made it', async (test) => {
    const made = aStep('keys', 3)
    const task = aTask({ steps_total: 3, steps_completed: 1, estimate_minutes: 30, version: '"2"' })
    const list = [aStep('boxes', 1, { ...TICKED, minutes: 30 }), aStep('van', 2), made]
    const asked = serviceAnswering(test, { status: 201, body: made }, { status: 200, body: task }, { status: 200, body: { data: list } })
    const change = addStep('task', { name: 'keys' }, 'k')

    const stored = (await change.send(knownFrom(withChecklist())))(withChecklist())

    assert.partialDeepStrictEqual(asked[0], { method: 'POST', path: '/app/tasks/task/steps', body: { name: 'keys' }, onceKey: 'k' })
    assert.deepEqual(stored.steps.get('task'), { version: '"2"', list })
    assert.deepEqual(after(stored, change), stored)
  })

  it('is made once, however often its steps have to be read anew', async (test) => {
    const lost = { status: 503, body: { status: 503, code: 'unavailable', detail: 'Not now.', request_id: 'r' } }
    const made = aStep('keys', 3)
    const answers = [
      { status: 200, body: aTask() },
      { status: 200, body: { data: [made] } },
    ]
    const asked = serviceAnswering(test, { status: 201, body: made }, lost, ...answers)
    const change = addStep('task', { name: 'keys' }, 'k')

    await assert.rejects(change.send(knownFrom(withChecklist())))
    await change.send(knownFrom(withChecklist()))

    assert.deepEqual(
      asked.map(({ method }) => method),
      ['POST', 'GET', 'GET', 'GET'],
    )
  })
})

describe('a tick', () => {
  it('counts at once', () => {
    const shown = after(withChecklist(), updateStep('task', 'van', { completed: true }))

    assert.partialDeepStrictEqual(taskOn(shown), { steps_total: 2, steps_completed: 2, estimate_minutes: 30 })
    assert.equal(stepsOf(shown, taskOn(shown))?.[1]?.completedAt, NOW)
  })

  it('of the Status that the task stands on moves it on', () => {
    const shown = after(onWorkflow(), updateStep('task', 'draft', { completed: true }))

    assert.partialDeepStrictEqual(taskOn(shown), { status_id: 'review', steps_completed: 1 })
  })

  it('after another, while both are on their way, moves it on by two', () => {
    const ticks = ['draft', 'review'].map((id) => updateStep('task', id, { completed: true }))

    assert.partialDeepStrictEqual(taskOn(after(onWorkflow(), ...ticks)), { status_id: 'print', steps_completed: 2 })
  })

  it('of another Status moves nothing', () => {
    const shown = after(onWorkflow(), updateStep('task', 'review', { completed: true }))

    assert.partialDeepStrictEqual(taskOn(shown), { status_id: 'draft', steps_completed: 1 })
  })

  it('taken away moves nothing', () => {
    const tick = updateStep('task', 'draft', { completed: true })

    const shown = after(onWorkflow(), tick, updateStep('task', 'draft', { completed: false }))

    assert.partialDeepStrictEqual(taskOn(shown), { status_id: 'review', steps_completed: 0 })
  })

  it('moves nothing a second time when the log has told of the task before the answer came', () => {
    const told = onWorkflow({ status_id: 'review', steps_completed: 1, version: '"2"' })

    const shown = after(told, updateStep('task', 'draft', { completed: true }))

    assert.partialDeepStrictEqual(taskOn(shown), { status_id: 'review', steps_completed: 1 })
  })

  it('is sent alone, and the task and its steps are read after it', async (test) => {
    const task = aTask({ steps_total: 2, steps_completed: 2, estimate_minutes: 30, version: '"2"' })
    const list = [aStep('boxes', 1, TICKED), aStep('van', 2, TICKED)]
    const asked = serviceAnswering(
      test,
      { status: 200, body: aStep('van', 2, TICKED) },
      { status: 200, body: task },
      { status: 200, body: { data: list } },
    )

    const settle = await updateStep('task', 'van', { completed: true }).send(knownFrom(withChecklist()))

    assert.deepEqual(
      asked.map(({ method, path }) => `${method} ${path}`),
      ['PATCH /app/tasks/task/steps/van', 'GET /app/tasks/task', 'GET /app/tasks/task/steps'],
    )
    assert.deepEqual(asked[0]?.body, { completed: true })
    assert.deepEqual(taskOn(settle(withChecklist())), task)
  })
})

describe('a step', () => {
  it('takes another name, minutes and place at once', () => {
    const changes = [{ name: 'crates' }, { minutes: 45 }, { position: 3 }].map((fields) => updateStep('task', 'boxes', fields))

    const shown = after(withChecklist(), ...changes)

    assert.deepEqual(namesOn(shown), ['van', 'crates'])
    assert.equal(taskOn(shown).estimate_minutes, 45)
  })

  it('that is gone meanwhile changes nothing', () => {
    assert.deepEqual(after(withChecklist(), updateStep('task', 'keys', { completed: true })), withChecklist())
  })
})

describe('a deletion of a step', () => {
  it('shows at once, and counts no more', () => {
    const shown = after(withChecklist(), deleteStep('task', 'boxes', new Promise(() => undefined)))

    assert.deepEqual(namesOn(shown), ['van'])
    assert.partialDeepStrictEqual(taskOn(shown), { steps_total: 1, steps_completed: 0, estimate_minutes: 0 })
  })

  it('of the last one leaves no estimate', () => {
    const shown = after(withChecklist({}, [aStep('boxes', 1)]), deleteStep('task', 'boxes', new Promise(() => undefined)))

    assert.partialDeepStrictEqual(taskOn(shown), { steps_total: 0, estimate_minutes: null })
  })

  it('keeps nothing else of the task waiting while it can be taken back', () => {
    const { lane } = updateStep('task', 'boxes', { completed: true })

    assert.notEqual(deleteStep('task', 'boxes', Promise.resolve(true)).lane, lane)
  })

  it('is not sent when it was taken back', async (test) => {
    const asked = serviceAnswering(test)

    await assert.rejects(deleteStep('task', 'boxes', Promise.resolve(false)).send(knownFrom(withChecklist())), Undone)

    assert.deepEqual(asked, [])
  })

  it('of one that is gone already is done', async (test) => {
    const answers = [NOT_FOUND, { status: 200, body: aTask({ version: '"2"' }) }, { status: 200, body: { data: [] } }]
    serviceAnswering(test, ...answers)

    const settle = await deleteStep('task', 'boxes', Promise.resolve(true)).send(knownFrom(withChecklist()))

    assert.deepEqual(namesOn(settle(withChecklist())), [])
  })

  it('with its task gone as well takes the task off the board', async (test) => {
    serviceAnswering(test, NOT_FOUND, NOT_FOUND)

    const settle = await deleteStep('task', 'boxes', Promise.resolve(true)).send(knownFrom(withChecklist()))

    assert.equal(settle(withChecklist()).tasks.size, 0)
  })
})
