import type { Task } from '@fivetab/domain/task.ts'
import { TASK_WIRE_FORM, taskToWire } from '@fivetab/domain/task-shape.ts'

/**
 * SQL that makes what Fivetab keeps beside a task's columns: its wire form. The domain writes that of a model, and SQL puts each task's own values
 * in the model's place. All tasks that are put in are alike in what is not replaced here.
 */

const TIME = '2026-01-01T00:00:00.000Z'
const STAMP = Date.parse(TIME)
const ID = '019aa4a5-4c00-7b3e-8000-100000000000'

const MODEL: Task = {
  id: ID,
  title: 'Task @',
  notes: null,
  disposition: 'in_progress',
  statusId: null,
  workflowId: null,
  projectId: null,
  dueDate: null,
  onHoldUntil: null,
  completedAt: null,
  ownEstimateMinutes: null,
  stepsTotal: 0,
  stepsCompleted: 0,
  stepsMinutes: 0,
  leftStatusId: null,
  archivedAt: null,
  createdAt: STAMP,
  updatedAt: STAMP,
  version: 1,
}

/** What a task differs in from others. `id`, `number`, `disposition` and `time` (as JSON has it) are SQL expressions. */
export interface WireParts {
  id: string
  number: string
  disposition: string
  time: string
  notes: string
}

export const WIRE_COLUMNS = 'wire, wire_form, wire_version'

/** The values of `WIRE_COLUMNS` for a new task, where `own` tells one with a step. */
export function wireValues({ id, number, disposition, time, notes }: WireParts): string {
  const form = (task: Partial<Task>) => {
    const json = `'${JSON.stringify(taskToWire({ ...MODEL, notes, ...task }))}'`
    const texts = { [ID]: id, 'Task @': `'Task ' || ${number}`, '"in_progress"': `'"' || ${disposition} || '"'`, [TIME]: time }
    return Object.entries(texts).reduce((text, [model, own]) => `replace(${text}, '${model}', ${own})`, json)
  }
  const done = form({ completedAt: STAMP })
  return `case when ${disposition} = 'done' then ${done} when own = 1 then ${form({ stepsTotal: 1 })} else ${form({})} end, ${TASK_WIRE_FORM}, 1`
}

/** The wire form of a task that is put on hold until `until` (ms since the epoch). `completedAt` is SQL for when it was completed, as JSON has it. */
export function heldWire(until: number, completedAt: string): string {
  const onHold = `replace(wire, '"disposition":"' || disposition || '"', '"disposition":"on_hold"')`
  const notDone = `replace(${onHold}, '"completed_at":"' || coalesce(${completedAt}, '') || '"', '"completed_at":null')`
  return `replace(${notDone}, '"on_hold_until":null', '"on_hold_until":"${new Date(until).toISOString()}"')`
}
