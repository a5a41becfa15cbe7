import { Failure } from '@fivetab/domain/failure.ts'
import { type Status, statusOnWire } from '@fivetab/domain/status.ts'
import {
  archiveTask,
  holdTask,
  moveTo,
  newTask,
  patchTask,
  type Task,
  type TaskReferences,
  unarchiveTask,
  workflowAfter,
} from '@fivetab/domain/task.ts'
import { type CreateTask, type TaskWire, taskFromWire, taskOnWire, taskToWire, type UpdateTask } from '@fivetab/domain/task-shape.ts'
import { ask, Refused } from '../client/http.ts'
import { type Board, showingTask, withoutTask, withTask } from './board.ts'
import { type Change, type Settle, Undone } from './changes.ts'
import { type Editable, edit } from './editing.ts'

/** What a person can do to a task. Until the service has answered, the same rules say here what comes of it. */

const laneOf = (id: string) => `task:${id}`

export const TASK: Editable<TaskWire> = {
  lane: laneOf,
  path: ({ id }) => `/tasks/${id}`,
  of: (board, { id }) => board.tasks.get(id),
  with: (board, task) => withTask(board, task),
  showing: (board, task) => showingTask(board, task),
}

/** What the service has not made yet has an id of this form, and nothing can be done to it. */
export const NOT_YET = 'new:'

export function isStored({ id }: { id: string }): boolean {
  return !id.startsWith(NOT_YET)
}

/** `key` makes it one task however often it is sent: a UUID. New tasks are sent one after another, so that they keep their order. */
export function createTask(input: CreateTask, key: string): Change {
  const id = `${NOT_YET}${key}`
  return {
    lane: laneOf(NOT_YET),
    apply: (board, now) => {
      const task = attempt(() => {
        const made = newTask({ id, now }, { ...taskFromWire(input), title: input.title }, referencesIn(board, input), 0, now)
        return { ...made, ...stepsOn(board, made.workflowId) }
      })
      return task === null ? board : showingTask(board, taskToWire(task))
    },
    send: async () => {
      const made = await ask<TaskWire>('POST', '/tasks', { body: input, onceKey: key })
      return (board) => withTask(board, made)
    },
  }
}

/** Changes fields of a task, and is a Conflict where somebody else has changed the same. `shown` is what the person saw on beginning. */
export function editTask(shown: TaskWire, fields: UpdateTask): Change {
  return edit(TASK, shown, fields, (now, board, at) => patched(now, fields, board, at))
}

/** Where a task can be put: into a Disposition, on a Status, on a Workflow or on none. */
export type Place = Pick<UpdateTask, 'disposition' | 'status_id' | 'workflow_id' | 'on_hold_until'>

/** Puts a task somewhere else, wherever it was: the last one who moves it has the say. */
export function moveTask(task: TaskWire, place: Place): Change {
  return changeOf(
    task.id,
    (now, board, at) => patched(now, place, board, at),
    () => ask('PATCH', `/tasks/${task.id}`, { body: place }),
  )
}

export function completeTask({ id }: TaskWire): Change {
  return changeOf(
    id,
    (now, _, at) => ruled(now, (task) => moveTo(task, 'done', at)),
    () => ask('POST', `/tasks/${id}/complete`),
  )
}

/** Puts a task off until a time (ms since the epoch), or without one. */
export function putOffTask({ id }: TaskWire, until: number | null): Change {
  const body = until === null ? {} : { until: new Date(until).toISOString() }
  return changeOf(
    id,
    (now, _, at) => ruled(now, (task) => holdTask(task, until, at, at)),
    () => ask('POST', `/tasks/${id}/later`, { body }),
  )
}

export function archive({ id }: TaskWire): Change {
  return changeOf(
    id,
    (now, _, at) => ruled(now, (task) => archiveTask(task, at)),
    () => ask('POST', `/tasks/${id}/archive`),
  )
}

export function unarchive({ id }: TaskWire): Change {
  return changeOf(
    id,
    (now) => ruled(now, unarchiveTask),
    () => ask('POST', `/tasks/${id}/unarchive`),
  )
}

/**
 * Deletes a task, which shows at once, but is sent only when `decided` is: true to go on, false when the person took it back.
 */
export function deleteTask({ id }: TaskWire, decided: Promise<boolean>): Change {
  return {
    lane: laneOf(id),
    isSentOnLeaving: true,
    apply: (board) => withoutTask(board, id),
    send: async () => {
      if (!(await decided)) throw new Undone()
      try {
        // The page may be about to close.
        await ask('DELETE', `/tasks/${id}`, { keepalive: true })
      } catch (error) {
        if (!(error instanceof Refused && error.problem.code === 'not_found')) throw error
      }
      return (board) => withoutTask(board, id)
    },
  }
}

/** Where the task is, as a move that brings it back there. */
export function placeOf(task: TaskWire): Place {
  const { disposition, status_id, workflow_id, on_hold_until } = task
  // A Status of null is said too: a Workflow alone would put the task on its first one. And so is that it does not wake, for it may by then.
  return { disposition, status_id, workflow_id, ...(disposition === 'on_hold' && { on_hold_until: stillToCome(on_hold_until) }) }
}

/** What is left of a place that was left a while ago: its Status or its Workflow may be gone, or have become another. */
export function placeThatIsLeft(board: Board, place: Place): Place {
  const { disposition, status_id, workflow_id, on_hold_until } = place
  const isGone = workflow_id !== undefined && workflow_id !== null && !board.workflows.has(workflow_id)
  const status = [...board.workflows.values()].flatMap(({ statuses }) => statuses).find(({ id }) => id === status_id)
  const stays = status !== undefined && (disposition === undefined || status.disposition === disposition)
  return {
    ...(disposition && { disposition }),
    ...(status_id !== undefined && { status_id: stays ? status_id : null }),
    ...(workflow_id !== undefined && { workflow_id: isGone ? null : workflow_id }),
    ...(on_hold_until !== undefined && { on_hold_until: stillToCome(on_hold_until) }),
  }
}

/** The time to wake, unless it has passed; none may be set that has. */
function stillToCome(time: string | null): string | null {
  return time !== null && Date.parse(time) > Date.now() ? time : null
}

function changeOf(id: string, applied: (now: TaskWire, board: Board, at: number) => TaskWire, send: () => Promise<TaskWire>): Change {
  return {
    lane: laneOf(id),
    apply: (board, at) => {
      const now = board.tasks.get(id)
      return now === undefined ? board : showingTask(board, applied(now, board, at))
    },
    send: async (): Promise<Settle> => {
      const stored = await send()
      return (board) => withTask(board, stored)
    },
  }
}

function ruled(shown: TaskWire, rule: (task: Task) => Task): TaskWire {
  return sameButFor(
    shown,
    attempt(() => rule(taskOnWire(shown))),
  )
}

function patched(shown: TaskWire, fields: UpdateTask, board: Board, at: number): TaskWire {
  return sameButFor(
    shown,
    attempt(() => {
      const task = taskOnWire(shown)
      const input = taskFromWire(fields)
      const references = referencesIn(board, fields)
      const stays = workflowAfter(task, input, references) === task.workflowId
      const after = patchTask(task, input, references, stays ? task.stepsTotal : 0, at, at)
      return stays ? after : { ...after, ...stepsOn(board, after.workflowId) }
    }),
  )
}

/** How many steps a task has that has just come to a Workflow. Those of its own checklist are not known before the service has answered. */
function stepsOn(board: Board, workflowId: string | null): Pick<Task, 'stepsTotal' | 'stepsCompleted' | 'stepsMinutes'> {
  const statuses = board.workflows.get(workflowId ?? '')?.statuses ?? []
  return { stepsTotal: statuses.filter(({ disposition }) => disposition === 'in_progress').length, stepsCompleted: 0, stepsMinutes: 0 }
}

/** What is not the rules' affair stays as the service has told it. */
function sameButFor(shown: TaskWire, task: Task | null): TaskWire {
  return task === null ? shown : { ...taskToWire(task), version: shown.version }
}

/** What a rule makes of something; null where it refuses, which the service will say in its own words. */
function attempt<T>(rule: () => T): T | null {
  try {
    return rule()
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

function referencesIn(board: Board, { status_id, workflow_id, project_id }: UpdateTask): TaskReferences {
  const workflows = [...board.workflows.values()]
  const statuses = (id: string): Status[] => (board.workflows.get(id)?.statuses ?? []).map(statusOnWire)
  const status = status_id && workflows.flatMap((workflow) => workflow.statuses).find(({ id }) => id === status_id)
  return {
    ...(status_id && { status: status ? statusOnWire(status) : null }),
    ...(project_id && { project: board.projects.has(project_id) ? { id: project_id } : null }),
    ...(workflow_id && { workflow: board.workflows.has(workflow_id) ? { id: workflow_id, statuses: statuses(workflow_id) } : null }),
  }
}
