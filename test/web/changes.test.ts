import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { Board } from '../../packages/web/src/board/board.ts'
import { type Change, Conflict, clashes, Undone } from '../../packages/web/src/board/changes.ts'
import { TRIES } from '../../packages/web/src/board/editing.ts'
import {
  archive,
  completeTask,
  createTask,
  deleteTask,
  editTask,
  isStored,
  moveTask,
  placeOf,
  placeThatIsLeft,
  putOffTask,
  unarchive,
} from '../../packages/web/src/board/task-changes.ts'
import { Refused, Unreachable } from '../../packages/web/src/client/http.ts'
import { aBoard, aProject, aStatus, aTask, aWorkflow, changedMeanwhile, knownFrom, NOT_FOUND, NOW, serviceAnswering } from './a-board.ts'

const ARTICLE = aWorkflow({
  statuses: [
    aStatus('review', 'in_progress', { position: 2 }),
    aStatus('draft', 'in_progress', { position: 1 }),
    aStatus('feedback', 'waiting'),
    aStatus('shelved', 'on_hold'),
  ],
})
const LATER = Date.parse('2026-11-23T08:00:00Z')

function boardWith(task: TaskWire): Board {
  return aBoard({ tasks: [task], workflows: [ARTICLE], projects: [aProject()] })
}

/** The task as it shows while the change is on its way. */
function after(task: TaskWire, change: Change): TaskWire | undefined {
  return change.apply(boardWith(task), NOW).tasks.get(task.id)
}

/** Sends a change, and gives what is known to be stored then. */
async function stored(first: Board, change: Change): Promise<Board> {
  const known = knownFrom(first)
  known.learn(await change.send(known))
  return known.board()
}

describe('a change of a task shows at once, by the rules of the service', () => {
  const draft = aTask({ disposition: 'in_progress', workflow_id: 'article', status_id: 'draft', steps_total: 2 })

  const CHANGES: [name: string, task: TaskWire, change: (task: TaskWire) => Change, expected: Partial<TaskWire>][] = [
    [
      'completing stamps the time and leaves the Status',
      draft,
      completeTask,
      { disposition: 'done', status_id: null, workflow_id: 'article', completed_at: new Date(NOW).toISOString() },
    ],
    [
      'putting off until a time',
      draft,
      (task) => putOffTask(task, LATER),
      { disposition: 'on_hold', status_id: null, on_hold_until: new Date(LATER).toISOString() },
    ],
    ['putting off without a time', aTask(), (task) => putOffTask(task, null), { disposition: 'on_hold', on_hold_until: null }],
    ['putting off until a time that has passed is left to the service to refuse', draft, (task) => putOffTask(task, NOW - 1), draft],
    [
      'a tab leaves the Status and keeps the Workflow',
      draft,
      (task) => moveTask(task, { disposition: 'waiting' }),
      { disposition: 'waiting', status_id: null, workflow_id: 'article' },
    ],
    [
      'a Status brings its Workflow and its tab',
      aTask(),
      (task) => moveTask(task, { status_id: 'feedback' }),
      { disposition: 'waiting', status_id: 'feedback', workflow_id: 'article' },
    ],
    [
      'a Workflow brings its first Status and its steps',
      aTask({ disposition: 'in_progress' }),
      (task) => moveTask(task, { workflow_id: 'article' }),
      { status_id: 'draft', steps_total: 2 },
    ],
    ['a Status that is not known yet is left to the service', draft, (task) => moveTask(task, { status_id: 'unheard of' }), draft],
    ['archiving', draft, archive, { archived: true, archived_at: new Date(NOW).toISOString(), disposition: 'in_progress' }],
    [
      'taking it out of the archive',
      aTask({ archived: true, archived_at: '2026-11-20T12:00:00.000Z' }),
      unarchive,
      { archived: false, archived_at: null },
    ],
    [
      'an edit',
      aTask(),
      (task) => editTask(task, { title: 'Read it', project_id: 'house', due_date: '2026-12-24' }),
      { title: 'Read it', project_id: 'house', due_date: '2026-12-24' },
    ],
  ]

  for (const [name, task, change, expected] of CHANGES) {
    it(name, () => {
      assert.partialDeepStrictEqual(after(task, change(task)), { ...expected, version: task.version })
    })
  }

  it('a deletion', () => {
    assert.equal(after(draft, deleteTask(draft, Promise.resolve(true))), undefined)
  })

  it('a change of what is not there any more changes nothing', () => {
    const board = aBoard({})

    for (const change of [completeTask(draft), editTask(draft, { title: 'x' }), moveTask(draft, { disposition: 'done' })]) {
      assert.equal(change.apply(board, NOW), board)
    }
  })

  it('one after another, each upon the one before', () => {
    const moved = moveTask(draft, { status_id: 'feedback' }).apply(boardWith(draft), NOW)
    const edited = editTask(draft, { title: 'Read it' }).apply(moved, NOW)

    assert.partialDeepStrictEqual(edited.tasks.get('task'), { title: 'Read it', status_id: 'feedback' })
  })
})

describe('a new task', () => {
  const creation = createTask({ title: 'Buy boxes', disposition: 'in_progress', project_id: 'house', workflow_id: 'article' }, 'key')

  it('shows at once, where it will be, and cannot be changed yet', () => {
    const [task] = [...creation.apply(boardWith(aTask()), NOW).tasks.values()].filter((one) => !isStored(one))

    assert.partialDeepStrictEqual(task, {
      title: 'Buy boxes',
      disposition: 'in_progress',
      project_id: 'house',
      status_id: 'draft',
      steps_total: 2,
    })
  })

  it('is one however often it is sent', async (test) => {
    const made = { status: 201, body: aTask({ id: 'made' }) }
    const asked = serviceAnswering(test, made, { ...made, status: 200 })

    const once = await stored(aBoard({}), creation)
    const twice = await stored(once, creation)

    assert.deepEqual([...twice.tasks.keys()], ['made'])
    assert.deepEqual(
      asked.map(({ onceKey }) => onceKey),
      ['key', 'key'],
    )
  })
})

describe('an edit', () => {
  const task = aTask({ title: 'Write it', notes: 'Mine' })

  it('is sent with the version that is known', async (test) => {
    const asked = serviceAnswering(test, { status: 200, body: { ...task, title: 'Read it', version: '"2"' } })

    const board = await stored(boardWith(task), editTask(task, { title: 'Read it' }))

    assert.equal(board.tasks.get('task')?.title, 'Read it')
    assert.deepEqual(asked, [{ method: 'PATCH', path: '/app/tasks/task', body: { title: 'Read it' }, ifMatch: '"1"', onceKey: null }])
  })

  it('is based on what others have changed meanwhile, where that is something else', async (test) => {
    const theirs = { ...task, notes: 'Theirs', version: '"7"' }
    const asked = serviceAnswering(test, changedMeanwhile(theirs), { status: 200, body: { ...theirs, title: 'Read it', version: '"8"' } })

    const board = await stored(boardWith(task), editTask(task, { title: 'Read it' }))

    assert.partialDeepStrictEqual(board.tasks.get('task'), { title: 'Read it', notes: 'Theirs' })
    assert.deepEqual(
      asked.map(({ ifMatch }) => ifMatch),
      ['"1"', '"7"'],
    )
  })

  it('is a Conflict where somebody else has changed the same, and can be insisted on', async (test) => {
    const theirs = { ...task, title: 'Sell it', version: '"7"' }
    const asked = serviceAnswering(test, changedMeanwhile(theirs), { status: 200, body: { ...theirs, title: 'Read it', version: '"8"' } })
    const known = knownFrom(boardWith(task))

    const conflict = await editTask(task, { title: 'Read it', due_date: '2026-12-24' })
      .send(known)
      .catch((error: unknown) => error)

    assert.ok(conflict instanceof Conflict)
    assert.deepEqual(conflict.fields, [{ field: 'title', mine: 'Read it', theirs: 'Sell it' }])
    assert.equal(known.board().tasks.get('task')?.title, 'Sell it')
    const board = await stored(known.board(), conflict.insist())
    assert.equal(board.tasks.get('task')?.title, 'Read it')
    assert.equal(asked.at(-1)?.ifMatch, '"7"')
  })

  it('is a Conflict without being sent, where the log has told of theirs already', async (test) => {
    const asked = serviceAnswering(test)
    const theirs = { ...task, title: 'Sell it', version: '"7"' }

    await assert.rejects(editTask(task, { title: 'Read it' }).send(knownFrom(boardWith(theirs))), Conflict)
    assert.equal(asked.length, 0)
  })

  it('is none where both have changed it to the same', async (test) => {
    const theirs = { ...task, title: 'Read it', version: '"7"' }
    serviceAnswering(test, changedMeanwhile(theirs), { status: 200, body: theirs })

    const board = await stored(boardWith(task), editTask(task, { title: 'Read it' }))

    assert.equal(board.tasks.get('task')?.title, 'Read it')
  })

  it('is given up after five newer versions, lest it runs after them for ever', async (test) => {
    const newer = (number: number) => changedMeanwhile({ ...task, notes: `${number}`, version: `"${number}"` })
    const asked = serviceAnswering(test, ...Array.from({ length: TRIES + 1 }, (_, index) => newer(index + 2)))

    await assert.rejects(editTask(task, { title: 'Read it' }).send(knownFrom(boardWith(task))), Refused)
    assert.equal(asked.length, TRIES)
  })

  it('fails where the task is gone, and where there is no answer', async (test) => {
    serviceAnswering(test, NOT_FOUND)
    const known = knownFrom(boardWith(task))

    await assert.rejects(editTask(task, { title: 'Read it' }).send(known), Refused)
    await assert.rejects(editTask(task, { title: 'Read it' }).send(known), Unreachable)
  })
})

describe('what clashes', () => {
  it('is a field that is neither as it was nor as it is wanted', () => {
    const base = { a: 1, b: 1, c: 1, d: 1 }

    assert.deepEqual(clashes(base, { a: 2, b: 2, c: 2 }, { a: 1, b: 2, c: 3, d: 4 }), [{ field: 'c', mine: 2, theirs: 3 }])
  })
})

describe('a deletion', () => {
  const task = aTask()

  it('is sent once it is decided, and outlives the page', async (test) => {
    const asked = serviceAnswering(test, { status: 204 })
    const decision = Promise.withResolvers<boolean>()
    const change = deleteTask(task, decision.promise)

    const sending = stored(boardWith(task), change)
    assert.equal(asked.length, 0)
    decision.resolve(true)

    const board = await sending
    assert.equal(board.tasks.size, 0)
    assert.equal(change.isSentOnLeaving, true)
  })

  it('is never sent when it was taken back', async (test) => {
    const asked = serviceAnswering(test)

    await assert.rejects(deleteTask(task, Promise.resolve(false)).send(knownFrom(boardWith(task))), Undone)
    assert.equal(asked.length, 0)
  })

  it('of what somebody else has deleted is done', async (test) => {
    serviceAnswering(test, NOT_FOUND)

    const board = await stored(boardWith(task), deleteTask(task, Promise.resolve(true)))

    assert.equal(board.tasks.size, 0)
  })
})

describe('the place of a task', () => {
  it('brings it back there after it was completed', () => {
    const PLACES: Partial<TaskWire>[] = [
      { disposition: 'waiting' },
      { disposition: 'in_progress', workflow_id: 'article', status_id: 'review' },
      { disposition: 'in_progress', workflow_id: 'article', status_id: null },
      { disposition: 'on_hold', workflow_id: 'article', status_id: 'shelved' },
      { disposition: 'on_hold', on_hold_until: '2126-11-23T08:00:00.000Z' },
    ]
    for (const place of PLACES) {
      const task = aTask(place)
      const completed = completeTask(task).apply(boardWith(task), NOW)

      const back = moveTask(task, placeOf(task)).apply(completed, NOW).tasks.get('task')

      assert.partialDeepStrictEqual(back, { ...place, completed_at: null })
    }
  })

  it('has no time to wake once that has passed', () => {
    const task = aTask({ disposition: 'on_hold', on_hold_until: '2020-01-01T00:00:00.000Z' })

    assert.deepEqual(placeOf(task), { disposition: 'on_hold', status_id: null, workflow_id: null, on_hold_until: null })
    assert.equal(placeThatIsLeft(boardWith(task), { on_hold_until: '2020-01-01T00:00:00.000Z' }).on_hold_until, null)
  })

  it('is without a time to wake where it was, though the task was given one meanwhile', () => {
    const task = aTask({ disposition: 'on_hold' })
    const board = putOffTask(task, Date.parse('2126-11-23T08:00:00.000Z')).apply(boardWith(task), NOW)

    const back = moveTask(task, placeThatIsLeft(board, placeOf(task)))
      .apply(board, NOW)
      .tasks.get('task')

    assert.equal(back?.on_hold_until, null)
  })

  it('is what is left of it', () => {
    const board = boardWith(aTask())
    const place = { disposition: 'in_progress', status_id: 'draft', workflow_id: 'article' } as const

    assert.deepEqual(placeThatIsLeft(board, place), place)
    assert.deepEqual(placeThatIsLeft(board, { ...place, status_id: 'gone' }), { ...place, status_id: null })
    assert.deepEqual(placeThatIsLeft(board, { ...place, disposition: 'waiting' }), { ...place, disposition: 'waiting', status_id: null })
    assert.deepEqual(placeThatIsLeft(aBoard({}), place), { disposition: 'in_progress', status_id: null, workflow_id: null })
    assert.deepEqual(placeThatIsLeft(board, { disposition: 'not_started' }), { disposition: 'not_started' })
  })
})
