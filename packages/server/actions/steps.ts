import { refuse } from '@fivetab/domain/failure.ts'
import { positionAfter } from '@fivetab/domain/position.ts'
import { todayStatuses } from '@fivetab/domain/status.ts'
import { type CreateStep, MAX_STEPS, newStep, patchStep, type Step, statusSteps, type UpdateStep } from '@fivetab/domain/step.ts'
import { moveOn, startChecklist, type Task, withSteps } from '@fivetab/domain/task.ts'
import { statusesOf } from '../store/statuses.ts'
import { checklistOf, deleteChecklistStep, insertChecklistStep, progressOf, updateStep } from '../store/steps.ts'
import type { Reader } from '../store/store.ts'
import { taskById, taskToChange } from '../store/tasks.ts'
import type { Turn } from '../store/turn.ts'
import { type Actor, requireScope, write } from './actor.ts'
import { found } from './found.ts'
import { type Made, type OnceKey, once } from './once.ts'
import { saveTask } from './record.ts'

/** The steps of the task in order: those of its Workflow, or its own checklist when it is on none. */
async function stepsOf(reader: Reader, accountId: string, task: Pick<Task, 'id' | 'workflowId'>): Promise<Step[]> {
  if (task.workflowId === null) return checklistOf(reader, accountId, task.id)
  const today = todayStatuses(await statusesOf(reader, accountId, task.workflowId))
  return statusSteps(task.id, today, await progressOf(reader, accountId, task.id))
}

/** @throws Failure `not_found` */
export function listSteps(by: Actor, taskId: string): Promise<Step[]> {
  requireScope(by, 'tasks:read')
  return by.store.snapshot(async (reader) => stepsOf(reader, by.accountId, found('task', await taskById(reader, by.accountId, taskId))))
}

/** @throws Failure `not_found` when the task is not there, or the step is none of its steps */
export async function getStep(by: Actor, taskId: string, stepId: string): Promise<Step> {
  return stepIn(await listSteps(by, taskId), stepId)
}

function stepIn(steps: readonly Step[], id: string): Step {
  return found(
    'step of this task',
    steps.find((step) => step.id === id),
  )
}

/**
 * Adds a step at the end of a task's own checklist. The first one replaces a whole-task estimate.
 * @throws Failure `not_found`, `invalid_request` for a task on a Workflow or a full checklist, `key_reused`
 */
export function addStep(by: Actor, taskId: string, input: CreateStep, key: OnceKey | null): Promise<Made<Step>> {
  requireScope(by, 'tasks:write')
  const job = async (tx: Turn) => {
    const task = found('task', await taskToChange(tx, by.accountId, taskId))
    const steps = await stepsOf(tx, by.accountId, task)
    return once(
      tx,
      key,
      async (id) => stepIn(steps, id),
      async () => {
        requireRoom(task, steps)
        const step = newStep({ id: tx.newId(), taskId, position: positionAfter(steps.at(-1)?.position ?? null), now: tx.now }, input)
        await insertChecklistStep(tx, by.accountId, step)
        const counted = withSteps(steps.length === 0 ? startChecklist(task) : task, [...steps, step])
        await saveTask(tx, by, task, counted)
        return { id: step.id, resource: step }
      },
    )
  }
  return write(by, job, taskId)
}

function requireRoom(task: Task, steps: readonly Step[]): void {
  if (task.workflowId !== null) {
    refuse([{ field: '', code: 'conflict', detail: 'The task is on a Workflow, and has that Workflow’s Today Statuses as its steps.' }])
  }
  if (steps.length >= MAX_STEPS)
    refuse([{ field: '', code: 'out_of_range', detail: `A task holds at most ${MAX_STEPS} steps, and this one has them.` }])
}

/**
 * Ticks, unticks, renames, times or moves a step. Ticking may move a task in Today on to its next open step.
 * @throws Failure `not_found`, `invalid_request` for a new name or position of a Workflow step
 */
export function updateStepOf(by: Actor, taskId: string, stepId: string, input: UpdateStep): Promise<Step> {
  requireScope(by, 'tasks:write')
  const job = async (tx: Turn) => {
    const task = found('task', await taskToChange(tx, by.accountId, taskId))
    const steps = await stepsOf(tx, by.accountId, task)
    const before = stepIn(steps, stepId)
    const after = patchStep(before, input, tx.now)
    if (isSameStep(before, after)) return before
    await updateStep(tx, by.accountId, after)
    const stepsNow = steps.map((step) => (step.id === stepId ? after : step))
    const counted = withSteps(task, stepsNow)
    const wasTicked = before.completedAt === null && after.completedAt !== null
    await saveTask(tx, by, task, wasTicked ? moveOn(counted, stepsNow, after) : counted, { touched: true })
    return after
  }
  return write(by, job, taskId)
}

function isSameStep(a: Step, b: Step): boolean {
  return a.name === b.name && a.completedAt === b.completedAt && a.minutes === b.minutes && a.position === b.position
}

/** Removes a step of a task's own checklist. @throws Failure `not_found`, `invalid_request` for a Workflow step */
export function removeStep(by: Actor, taskId: string, stepId: string): Promise<void> {
  requireScope(by, 'tasks:write')
  const job = async (tx: Turn) => {
    const task = found('task', await taskToChange(tx, by.accountId, taskId))
    const steps = await stepsOf(tx, by.accountId, task)
    const step = stepIn(steps, stepId)
    if (step.kind === 'status') {
      refuse([{ field: '', code: 'conflict', detail: 'A Workflow step cannot be removed from a task: it is a Status of its Workflow.' }])
    }
    await deleteChecklistStep(tx, by.accountId, taskId, stepId)
    const rest = steps.filter((other) => other.id !== stepId)
    await saveTask(tx, by, task, withSteps(task, rest), { touched: true })
  }
  return write(by, job, taskId)
}
