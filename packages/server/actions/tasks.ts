import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { Failure, refuse } from '@fivetab/domain/failure.ts'
import { allowsAnotherTask } from '@fivetab/domain/plan.ts'
import { todayStatuses } from '@fivetab/domain/status.ts'
import { type Step, statusSteps } from '@fivetab/domain/step.ts'
import {
  archiveTask as archived,
  contradictions,
  holdTask as held,
  isActive,
  isDue,
  moveTo,
  newTask,
  patchTask,
  type Task,
  type TaskInput,
  type TaskReferences,
  unarchiveTask as unarchived,
  withSteps,
  wakeTask as woken,
  workflowAfter,
} from '@fivetab/domain/task.ts'
import { taskToWire } from '@fivetab/domain/task-shape.ts'
import { type Precondition, requireVersion } from '@fivetab/domain/version.ts'
import type { PageRequest } from '../store/pages.ts'
import { projectById } from '../store/projects.ts'
import { statusById, statusesOf } from '../store/statuses.ts'
import { checklistOf, deleteProgress } from '../store/steps.ts'
import {
  type ListedTask,
  type TaskFilter,
  taskById,
  taskPage,
  tasksByIds,
  taskToChange,
  type WrittenTask,
  writtenTaskById,
} from '../store/tasks.ts'
import type { Turn } from '../store/turn.ts'
import { workflowById } from '../store/workflows.ts'
import { type Actor, requireScope, write } from './actor.ts'
import { found } from './found.ts'
import { type Made, type OnceKey, once } from './once.ts'
import { addTask, removeTask, saveTask } from './record.ts'

/** How many tasks are woken before others get a turn of the event loop: about a millisecond's work. */
const WOKEN_AT_ONCE = 20

/** Up to `limit` + 1 tasks of a page: one more than asked for tells that there are more. */
export async function listTasks(by: Actor, filter: TaskFilter, page: PageRequest): Promise<ListedTask[]> {
  requireScope(by, 'tasks:read')
  return taskPage(by.store, by.accountId, filter, page)
}

/** @throws Failure `not_found` */
export async function getTask(by: Actor, id: string): Promise<WrittenTask> {
  requireScope(by, 'tasks:read')
  return found('task', await writtenTaskById(by.store, by.accountId, id))
}

/** @throws Failure `invalid_request`, `key_reused`, `not_found` (a replay of a task since deleted), `task_limit_reached` */
export function createTask(by: Actor, input: TaskInput & { title: string }, key: OnceKey | null): Promise<Made<Task>> {
  requireScope(by, 'tasks:write')
  refuse(contradictions(input, true))
  return write(by, (tx) =>
    once(
      tx,
      key,
      async (id) => found('task', await taskById(tx, by.accountId, id)),
      async () => {
        const references = await referencesOf(tx, input)
        const steps = await stepsIn(tx, null, workflowAfter({ workflowId: null }, input, references))
        const task = withSteps(newTask({ id: tx.newId(), now: tx.now }, input, references, steps.length, tx.clock), steps)
        requireCapacity(tx, task)
        return { id: task.id, resource: await addTask(tx, by, task) }
      },
    ),
  )
}

function requireCapacity({ ledger }: Turn, task: Task): void {
  if (!isActive(task) || allowsAnotherTask(ledger.plan, ledger.activeTasks)) return
  throw new Failure(
    'task_limit_reached',
    `The limit of active tasks is reached: the plan ${ledger.plan.key} has ${ledger.plan.activeTasks}, and the account uses ${ledger.activeTasks}. Completing or archiving tasks makes room.`,
  )
}

/** Changes the fields that `input` holds. @throws Failure `not_found`, `precondition_failed`, `invalid_request` */
export function updateTaskById(by: Actor, id: string, input: TaskInput, expected: Precondition): Promise<Task> {
  requireScope(by, 'tasks:write')
  refuse(contradictions(input, false))
  return changeTask(by, id, expected, async (task, tx) => {
    const references = await referencesOf(tx, input)
    const workflowId = workflowAfter(task, input, references)
    if (workflowId === task.workflowId) return patchTask(task, input, references, task.stepsTotal, tx.now, tx.clock)

    const steps = await stepsIn(tx, task.id, workflowId)
    const patched = withSteps(patchTask(task, input, references, steps.length, tx.now, tx.clock), steps)
    await deleteProgress(tx, by.accountId, id)
    return patched
  })
}

/** The steps that a task has on arriving at a Workflow, or at none, where its own checklist shows again. `taskId` is null for a task that is new. */
async function stepsIn(tx: Turn, taskId: string | null, workflowId: string | null): Promise<Step[]> {
  if (workflowId === null) return taskId === null ? [] : checklistOf(tx, tx.accountId, taskId)
  return statusSteps(taskId ?? '', todayStatuses(await statusesOf(tx, tx.accountId, workflowId)), [])
}

async function referencesOf(tx: Turn, { statusId, workflowId, projectId }: TaskInput): Promise<TaskReferences> {
  const [status, project, workflow, statuses] = await Promise.all([
    statusId ? statusById(tx, tx.accountId, statusId) : undefined,
    projectId ? projectById(tx, tx.accountId, projectId) : undefined,
    workflowId ? workflowById(tx, tx.accountId, workflowId) : undefined,
    workflowId ? statusesOf(tx, tx.accountId, workflowId) : [],
  ])
  return {
    ...(statusId && { status: status ?? null }),
    ...(projectId && { project: project ?? null }),
    ...(workflowId && { workflow: workflow === undefined ? null : { id: workflow.id, statuses } }),
  }
}

/** Completes a task. Completing a done task changes nothing. @throws Failure `not_found`, `precondition_failed` */
export function completeTask(by: Actor, id: string, expected: Precondition): Promise<Task> {
  requireScope(by, 'tasks:write')
  return changeTask(by, id, expected, (task, tx) => moveTo(task, 'done', tx.now))
}

/** Puts a task off until a time (ms since the epoch), or without one. @throws Failure `not_found`, `precondition_failed`, `invalid_request` */
export function holdTask(by: Actor, id: string, until: number | null, expected: Precondition): Promise<Task> {
  requireScope(by, 'tasks:write')
  return changeTask(by, id, expected, (task, tx) => held(task, until, tx.now, tx.clock))
}

/** @throws Failure `not_found`, `precondition_failed` */
export function archiveTask(by: Actor, id: string, expected: Precondition): Promise<Task> {
  requireScope(by, 'tasks:write')
  return changeTask(by, id, expected, (task, tx) => archived(task, tx.now))
}

/** @throws Failure `not_found`, `precondition_failed` */
export function unarchiveTask(by: Actor, id: string, expected: Precondition): Promise<Task> {
  requireScope(by, 'tasks:write')
  return changeTask(by, id, expected, unarchived)
}

function changeTask(by: Actor, id: string, expected: Precondition, rule: (task: Task, tx: Turn) => Task | Promise<Task>): Promise<Task> {
  const job = async (tx: Turn) => {
    const before = found('task', await taskToChange(tx, by.accountId, id))
    requireVersion(before, expected, taskToWire)
    return saveTask(tx, by, before, await rule(before, tx))
  }
  return write(by, job, id)
}

/** Deletes a task with its steps, for good. @throws Failure `not_found`, `precondition_failed` */
export function deleteTaskById(by: Actor, id: string, expected: Precondition): Promise<void> {
  requireScope(by, 'tasks:write')
  const job = async (tx: Turn) => {
    const task = found('task', await taskToChange(tx, by.accountId, id))
    requireVersion(task, expected, taskToWire)
    await removeTask(tx, by, task)
  }
  return write(by, job, id)
}

/**
 * Wakes those of the tasks whose time has come, in one turn; one that was moved or put off since is left alone. Returns the ids of those that
 * woke; undefined, with nothing done, when somebody else is in the account's turn and `unlessHeld` is said.
 */
export function wakeTasks(by: Actor, ids: readonly string[], unlessHeld?: 'unless held'): Promise<ReadonlySet<string> | undefined> {
  const { store, accountId } = by
  const job = async (tx: Turn) => {
    const awake = new Set<string>()
    const tasks = await tasksByIds(tx, accountId, ids)
    const due = ids.flatMap((id) => tasks.get(id) ?? []).filter((task) => isDue(task, tx.clock))
    const workflows = [...new Set(due.flatMap(({ workflowId }) => workflowId ?? []))]
    const statuses = new Map(await Promise.all(workflows.map(async (id) => [id, await statusesOf(tx, accountId, id)] as const)))
    for (const [index, task] of due.entries()) {
      const today = todayStatuses(statuses.get(task.workflowId ?? '') ?? [])
      await saveTask(tx, by, task, woken(task, today, tx.now), { type: 'task.woke' })
      awake.add(task.id)
      // Whoever only reads gets a turn in between.
      if ((index + 1) % WOKEN_AT_ONCE === 0) await nextTurnOfTheLoop()
    }
    return awake
  }
  return unlessHeld ? store.writeUnlessHeld(accountId, job) : store.write(accountId, job)
}
