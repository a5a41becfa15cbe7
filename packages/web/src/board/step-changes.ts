import { byPosition, positionAfter } from '@fivetab/domain/position.ts'
import { statusOnWire, todayStatuses } from '@fivetab/domain/status.ts'
import {
  type CreateStep,
  newStep,
  patchStep,
  type Step,
  type StepWire,
  statusSteps,
  stepOnWire,
  stepToWire,
  type UpdateStep,
} from '@fivetab/domain/step.ts'
import { moveOn, startChecklist, type Task, withSteps as withStepsCounted } from '@fivetab/domain/task.ts'
import { type TaskWire, taskOnWire, taskToWire } from '@fivetab/domain/task-shape.ts'
import { ask, type Page, Refused } from '../client/http.ts'
import { type Board, showingTask, withoutTask, withSteps, withTask } from './board.ts'
import { type Change, type Settle, Undone } from './changes.ts'
import { TASK } from './task-changes.ts'

/** What a person can do to the steps of a task, and what follows for the task: by the same rules as the service's. */

/**
 * The steps of a task in order; null while they are not known. Those of a Workflow have the names and the order that its Statuses have now, of which the
 * task itself is not told.
 */
export function stepsOf(board: Board, task: TaskWire): readonly Step[] | null {
  const known = board.steps.get(task.id)?.list
  if (known === undefined) return null
  if (task.workflow_id === null) {
    const isOwn = known.every(({ kind }) => kind === 'subtask')
    return isOwn ? known.map(stepOnWire).sort(byPosition) : null
  }
  const workflow = board.workflows.get(task.workflow_id)
  if (workflow === undefined) return null
  const progress = known.map(stepOnWire).map(({ id, completedAt, minutes }) => ({ statusId: id, completedAt, minutes }))
  return statusSteps(task.id, todayStatuses(workflow.statuses.map(statusOnWire)), progress)
}

/** Adds a step at the end. `key` makes it one step however often it is sent: a UUID. */
export function addStep(taskId: string, input: CreateStep, key: string): Change {
  /** The step as the service has made it: once that is shown, it is not to be shown twice. */
  let made: StepWire | null = null
  return {
    lane: TASK.lane(taskId),
    apply: (board, at) =>
      stepped(board, taskId, (task, steps) => {
        if (steps.some(({ id }) => id === made?.id)) return null
        const step = newStep({ id: `${NOT_YET}${key}`, taskId, position: positionAfter(steps.at(-1)?.position ?? null), now: at }, input)
        return { task: steps.length === 0 ? startChecklist(task) : task, steps: [...steps, step] }
      }),
    send: async () => {
      made ??= await ask<StepWire>('POST', `/tasks/${taskId}/steps`, { body: input, onceKey: key })
      return readSteps(taskId)
    },
  }
}

/** A step that the service has not made yet has an id of this form, and nothing can be done to it. */
const NOT_YET = 'new:'

export function isStepStored({ id }: Pick<Step, 'id'>): boolean {
  return !id.startsWith(NOT_YET)
}

/** Ticks, unticks, renames, times or moves a step: the last one who does has the say. Ticking may move the task on. */
export function updateStep(taskId: string, stepId: string, fields: UpdateStep): Change {
  return {
    lane: TASK.lane(taskId),
    apply: (board, at) =>
      stepped(board, taskId, (task, steps) => {
        const before = steps.find(({ id }) => id === stepId)
        if (before === undefined) return null
        const after = patchStep(before, fields, at)
        const stepsNow = steps.map((step) => (step.id === stepId ? after : step))
        const wasTicked = before.completedAt === null && after.completedAt !== null
        return { task: wasTicked ? moveOn(task, stepsNow, after) : task, steps: stepsNow }
      }),
    send: async () => {
      await ask('PATCH', `/tasks/${taskId}/steps/${stepId}`, { body: fields })
      return readSteps(taskId)
    },
  }
}

/**
 * Deletes a step, which shows at once, but is sent only when `decided` is: true to go on, false when the person took it back. It has a lane of its own, since
 * what else is done to the task does not wait for that.
 */
export function deleteStep(taskId: string, stepId: string, decided: Promise<boolean>): Change {
  return {
    lane: `step:${stepId}`,
    isSentOnLeaving: true,
    apply: (board) => stepped(board, taskId, (task, steps) => ({ task, steps: steps.filter(({ id }) => id !== stepId) })),
    send: async () => {
      if (!(await decided)) throw new Undone()
      try {
        // The page may be about to close.
        await ask('DELETE', `/tasks/${taskId}/steps/${stepId}`, { keepalive: true })
      } catch (error) {
        if (!isGone(error)) throw error
      }
      return readSteps(taskId)
    },
  }
}

/** Reads a task, and then its steps, so that these are at least as new. @throws Refused, Unreachable */
export async function readSteps(taskId: string): Promise<Settle> {
  try {
    const task = await ask<TaskWire>('GET', `/tasks/${taskId}`)
    const { data } = await ask<Page<StepWire>>('GET', `/tasks/${taskId}/steps`)
    return (board) => withSteps(withTask(board, task), taskId, { version: task.version, list: data })
  } catch (error) {
    if (!isGone(error)) throw error
    return (board) => withoutTask(board, taskId)
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Refused && error.problem.code === 'not_found'
}

interface Stepped {
  task: Task
  steps: readonly Step[]
}

/** The board after the steps of a task have changed, with the task counted anew; as it was where the rule says null, or the steps are not known. */
function stepped(board: Board, taskId: string, rule: (task: Task, steps: readonly Step[]) => Stepped | null): Board {
  const shown = board.tasks.get(taskId)
  const known = board.steps.get(taskId)
  const steps = shown && stepsOf(board, shown)
  if (shown === undefined || known === undefined || !steps) return board
  const after = rule(taskOnWire(shown), steps)
  if (after === null) return board
  const task = { ...taskToWire(withStepsCounted(after.task, after.steps)), version: shown.version }
  return {
    ...showingTask(board, task),
    steps: new Map(board.steps).set(taskId, { ...known, list: after.steps.map(stepToWire) }),
  }
}
