import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DispositionWire } from '@fivetab/domain/disposition.ts'
import type { EventType } from '@fivetab/domain/event.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { WorkflowWire, WorkflowWithStatusesWire } from '@fivetab/domain/workflow.ts'
import fc from 'fast-check'
import {
  type Board,
  type EventWire,
  withEvent,
  withEvents,
  withOlderTasks,
  withoutTask,
  withProject,
  withStatus,
  withTask,
} from '../../packages/web/src/board/board.ts'
import { aBoard, aProject, aStatus, aTask, aWorkflow } from './a-board.ts'

/** The event after the one that `board` has followed to. */
function next(board: Board, type: EventType, data: unknown, previous: EventWire['previous'] = {}): Board {
  return withEvent(board, { sequence: board.sequence + 1, type, cause: 'api', data, previous })
}

/** An event shows a Workflow without its Statuses. */
function asInEvents({ statuses: _, ...workflow }: WorkflowWithStatusesWire): WorkflowWire {
  return workflow
}

const version = (number: number) => ({ version: `"${number}"` })
const titleOf = (board: Board, id = 'task') => board.tasks.get(id)?.title

describe('a board that follows the log', () => {
  it('shows a task that was made, changed and deleted', () => {
    const made = next(aBoard({}), 'task.created', aTask({ title: 'Made' }))
    const changed = next(made, 'task.updated', aTask({ title: 'Changed', ...version(2) }))
    const deleted = next(changed, 'task.deleted', aTask({ title: 'Changed', ...version(2) }))

    assert.deepEqual([titleOf(made), titleOf(changed), titleOf(deleted)], ['Made', 'Changed', undefined])
    assert.equal(deleted.sequence, 4)
  })

  it('lets an event that it has followed already change nothing', () => {
    const board = { ...aBoard({ tasks: [aTask({ title: 'Now' })] }), sequence: 9 }

    assert.equal(withEvent(board, { sequence: 9, type: 'task.deleted', cause: 'api', data: aTask(), previous: {} }), board)
  })

  it('goes on past events of what is no part of it', () => {
    const board = aBoard({ tasks: [aTask()] })

    assert.deepEqual(next(board, 'webhook.disabled', { id: 'webhook' }), { ...board, sequence: 2 })
  })

  it('shows projects, Workflows, Statuses and tabs as they change', () => {
    let board = next(aBoard({}), 'project.created', aProject())
    board = next(board, 'workflow.created', asInEvents(aWorkflow()))
    board = next(board, 'status.created', aStatus('draft', 'in_progress'))
    board = next(board, 'workflow.updated', asInEvents(aWorkflow({ name: 'Essay', ...version(2) })))
    const today: DispositionWire = { object: 'disposition', key: 'in_progress', label: 'This week', color: '#112233', position: 2 }
    board = next(board, 'disposition.updated', today)

    assert.equal(board.projects.get('house')?.name, 'House move')
    assert.equal(board.workflows.get('article')?.name, 'Essay')
    assert.deepEqual(
      board.workflows.get('article')?.statuses.map(({ id }) => id),
      ['draft'],
    )
    assert.deepEqual(board.dispositions[1], today)

    board = next(board, 'status.deleted', aStatus('draft', 'in_progress'))
    assert.deepEqual(board.workflows.get('article')?.statuses, [])
    board = next(next(board, 'workflow.deleted', aWorkflow()), 'project.deleted', aProject())
    assert.equal(board.workflows.size + board.projects.size, 0)
  })
})

describe('a board takes over', () => {
  it('only what is newer, in whichever order answers and events arrive', () => {
    const versions = fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 1 })
    fc.assert(
      fc.property(versions, (numbers) => {
        const board = numbers.reduce((known, number) => withTask(known, aTask({ title: `v${number}`, ...version(number) })), aBoard({}))

        assert.equal(titleOf(board), `v${Math.max(...numbers)}`)
      }),
    )
  })

  it('nothing of what was deleted, however late an answer is', () => {
    const board = withoutTask(aBoard({ tasks: [aTask()] }), 'task')

    assert.equal(withTask(board, aTask(version(9))), board)
    assert.equal(withOlderTasks(board, [aTask()]).tasks.size, 0)
  })

  it('no project and no Status that is older than the one it knows', () => {
    const board = aBoard({
      projects: [aProject(version(3))],
      workflows: [aWorkflow({ statuses: [aStatus('draft', 'in_progress', version(3))] })],
    })

    assert.equal(withProject(board, aProject({ name: 'Old', ...version(2) })), board)
    assert.equal(withStatus(board, aStatus('draft', 'waiting', version(2))), board)
  })

  it('no Status of a Workflow that it does not know', () => {
    const board = aBoard({})

    assert.equal(withStatus(board, aStatus('draft', 'in_progress')), board)
  })
})

describe('a board that takes many events at once', () => {
  it('is as it would be after one event at a time', () => {
    const kinds = ['created', 'updated', 'completed', 'archived', 'deleted'] as const
    const happening = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      kind: fc.constantFrom(...kinds),
      version: fc.integer({ min: 1, max: 9 }),
    })
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 250, size: 'max' }), (happenings) => {
        const board = aBoard({ tasks: [aTask({ id: 'a' }), aTask({ id: 'b', disposition: 'done' })], projects: [aProject()], doneTotal: 7 })
        const tasks = happenings.map(({ id, kind, version: number }, index): EventWire => {
          const data = aTask({
            id,
            disposition: kind === 'completed' ? 'done' : 'waiting',
            archived: kind === 'archived',
            ...version(number),
          })
          return { sequence: 2 * index + 2, type: `task.${kind}`, cause: 'api', data, previous: {} }
        })
        const events = tasks.flatMap((event): EventWire[] => [
          event,
          { ...event, sequence: event.sequence + 1, type: 'project.updated', data: aProject(version(event.sequence)) },
        ])

        assert.deepEqual(withEvents(board, events), events.reduce(withEvent, board))
      }),
    )
  })

  it('is the same where there are none', () => {
    const board = aBoard({})

    assert.equal(withEvents(board, []), board)
  })
})

describe('the count of what is done', () => {
  const done = (fields: Partial<TaskWire> = {}) => aTask({ disposition: 'done', completed_at: '2026-11-21T12:00:00.000Z', ...fields })

  it('grows and shrinks with tasks that it knows', () => {
    const board = aBoard({ tasks: [aTask()], doneTotal: 4 })
    const completed = next(board, 'task.completed', done(version(2)), { disposition: 'not_started' })
    const reopened = next(completed, 'task.updated', aTask(version(3)), { disposition: 'done' })

    assert.deepEqual([completed.doneTotal, reopened.doneTotal], [5, 4])
  })

  it('shrinks with done tasks that it does not know', () => {
    const board = aBoard({ doneTotal: 4 })

    assert.equal(next(board, 'task.updated', aTask(version(3)), { disposition: 'done' }).doneTotal, 3)
    assert.equal(next(board, 'task.archived', done({ archived: true }), { archived: false }).doneTotal, 3)
    assert.equal(next(board, 'task.deleted', done()).doneTotal, 3)
  })

  it('shrinks once with a task of whose deletion both an answer and an event tell', () => {
    const answered = withoutTask(withOlderTasks(aBoard({ doneTotal: 4 }), [done()]), 'task')

    assert.deepEqual([answered.doneTotal, next(answered, 'task.deleted', done()).doneTotal], [3, 3])
  })

  it('stays with a change of a done task that it does not know, and with a look at older ones', () => {
    const board = aBoard({ doneTotal: 4 })

    assert.equal(next(board, 'task.updated', done({ title: 'New words' })).doneTotal, 4)
    assert.equal(withOlderTasks(board, [done()]).doneTotal, 4)
  })

  it('grows with a task that is done from the first, and with one that comes out of the archive', () => {
    const board = aBoard({ doneTotal: 4 })

    assert.equal(next(board, 'task.created', done()).doneTotal, 5)
    assert.equal(next(board, 'task.unarchived', done(version(2)), { archived: true }).doneTotal, 5)
  })

  it('leaves out what is done and archived', () => {
    const board = aBoard({ tasks: [done({ archived: true })], doneTotal: 4 })

    assert.equal(next(board, 'task.deleted', done({ archived: true })).doneTotal, 4)
  })
})
