import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { type Status, todayStatuses } from '@fivetab/domain/status.ts'
import { statusSteps } from '@fivetab/domain/step.ts'
import { type Task, withSteps } from '@fivetab/domain/task.ts'
import { progressOf } from '../store/steps.ts'
import { type TaskPointer, tasksPointingTo } from '../store/tasks.ts'
import type { Turn } from '../store/turn.ts'
import { type Actor, cascading } from './actor.ts'
import { saveTask } from './record.ts'

const TASKS_AT_ONCE = 500

/** Applies `rule` to every task that points to the resource `id`; what it changes is saved and recorded as a cascade. `rule` only reads. */
export async function changeTasks(
  tx: Turn,
  by: Actor,
  pointer: TaskPointer,
  id: string,
  rule: (task: Task) => Task | Promise<Task>,
): Promise<void> {
  let after = ''
  for (;;) {
    const tasks = await tasksPointingTo(tx, by.accountId, pointer, id, after, TASKS_AT_ONCE)
    const changed = await Promise.all(tasks.map(rule))
    for (const [index, task] of tasks.entries()) await saveTask(tx, cascading(by), task, changed[index] as Task)
    if (tasks.length < TASKS_AT_ONCE) return
    // A Workflow can have very many tasks: whoever only reads gets a turn in between.
    await nextTurnOfTheLoop()
    after = (tasks.at(-1) as Task).id
  }
}

/** The task with its Workflow's steps counted anew, when the Statuses of that Workflow are `statuses`. */
export async function recounted(tx: Turn, task: Task, statuses: readonly Status[]): Promise<Task> {
  return withSteps(task, statusSteps(task.id, todayStatuses(statuses), await progressOf(tx, tx.accountId, task.id)))
}
