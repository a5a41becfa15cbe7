import type { StatusProgress, Step } from '@fivetab/domain/step.ts'
import type { Reader, Writer } from './store.ts'

interface ChecklistRow {
  id: string
  name: string
  completed_at: number | null
  minutes: number
  position: number
}

/** The entries of a task's own checklist, in order. */
export async function checklistOf(reader: Reader, accountId: string, taskId: string): Promise<Step[]> {
  const rows = await reader.all<ChecklistRow>(
    'select id, name, completed_at, minutes, position from checklist_steps where account_id = $1 and task_id = $2 order by position, id',
    [accountId, taskId],
  )
  return rows.map((row) => stepFromRow({ ...row, task_id: taskId }))
}

/** The checklists of these tasks, each in order, by the task's id. */
export async function checklistsOf(reader: Reader, accountId: string, taskIds: readonly string[]): Promise<Map<string, Step[]>> {
  if (taskIds.length === 0) return new Map()
  const rows = await reader.all<ChecklistRow & { task_id: string }>(
    `select task_id, id, name, completed_at, minutes, position from checklist_steps
     where account_id = $1 and task_id in (${placesOf(taskIds)}) order by position, id`,
    [accountId, ...taskIds],
  )
  return Map.groupBy(rows.map(stepFromRow), ({ taskId }) => taskId)
}

function stepFromRow(row: ChecklistRow & { task_id: string }): Step {
  return {
    id: row.id,
    taskId: row.task_id,
    kind: 'subtask',
    name: row.name,
    completedAt: row.completed_at,
    minutes: row.minutes,
    position: row.position,
  }
}

/** The places of the values behind the first. */
const placesOf = (values: readonly unknown[]) => values.map((_, index) => `$${index + 2}`).join(', ')

/** What the task has done of its Workflow's Statuses; those it never touched are not in it. */
export async function progressOf(reader: Reader, accountId: string, taskId: string): Promise<StatusProgress[]> {
  const rows = await reader.all<{ status_id: string; completed_at: number | null; minutes: number }>(
    'select status_id, completed_at, minutes from status_progress where account_id = $1 and task_id = $2',
    [accountId, taskId],
  )
  return rows.map((row) => ({ statusId: row.status_id, completedAt: row.completed_at, minutes: row.minutes }))
}

/** The same of several tasks, by the task's id. */
export async function progressOfEach(
  reader: Reader,
  accountId: string,
  taskIds: readonly string[],
): Promise<Map<string, StatusProgress[]>> {
  if (taskIds.length === 0) return new Map()
  const rows = await reader.all<{ task_id: string; status_id: string; completed_at: number | null; minutes: number }>(
    `select task_id, status_id, completed_at, minutes from status_progress where account_id = $1 and task_id in (${placesOf(taskIds)})`,
    [accountId, ...taskIds],
  )
  const progress = rows.map((row) => ({
    taskId: row.task_id,
    statusId: row.status_id,
    completedAt: row.completed_at,
    minutes: row.minutes,
  }))
  return Map.groupBy(progress, ({ taskId }) => taskId)
}

export async function insertChecklistStep(writer: Writer, accountId: string, step: Step): Promise<void> {
  await writer.put(
    'insert into checklist_steps (account_id, task_id, id, name, completed_at, minutes, position) values ($1, $2, $3, $4, $5, $6, $7)',
    [accountId, step.taskId, step.id, step.name, step.completedAt, step.minutes, step.position],
  )
}

/** Stores a step of either kind as it is now. */
export async function updateStep(writer: Writer, accountId: string, step: Step): Promise<void> {
  if (step.kind === 'status') {
    await writer.put(
      `insert into status_progress (account_id, task_id, status_id, completed_at, minutes) values ($1, $2, $3, $4, $5)
       on conflict (account_id, task_id, status_id) do update set completed_at = excluded.completed_at, minutes = excluded.minutes`,
      [accountId, step.taskId, step.id, step.completedAt, step.minutes],
    )
  } else {
    await writer.put(
      'update checklist_steps set name = $4, completed_at = $5, minutes = $6, position = $7 where account_id = $1 and task_id = $2 and id = $3',
      [accountId, step.taskId, step.id, step.name, step.completedAt, step.minutes, step.position],
    )
  }
}

export async function deleteChecklistStep(writer: Writer, accountId: string, taskId: string, id: string): Promise<void> {
  await writer.put('delete from checklist_steps where account_id = $1 and task_id = $2 and id = $3', [accountId, taskId, id])
}

/** Forgets what the task has done of Statuses. */
export async function deleteProgress(writer: Writer, accountId: string, taskId: string): Promise<void> {
  await writer.put('delete from status_progress where account_id = $1 and task_id = $2', [accountId, taskId])
}
