import type { Disposition } from '@fivetab/domain/disposition.ts'
import type { Task } from '@fivetab/domain/task.ts'
import { folded } from '@fivetab/domain/text.ts'
import { type Filter, filterBy, type PageRequest, pageStatement, type SortOrder } from './pages.ts'
import { rowStatements } from './rows.ts'
import type { Reader, Value, Writer } from './store.ts'

interface TaskRow {
  id: string
  title: string
  notes: string | null
  disposition: Disposition
  status_id: string | null
  workflow_id: string | null
  project_id: string | null
  due_date: string | null
  on_hold_until: number | null
  completed_at: number | null
  own_estimate_minutes: number | null
  steps_total: number
  steps_completed: number
  steps_minutes: number
  left_status_id: string | null
  archived_at: number | null
  created_at: number
  updated_at: number
  version: number
}

const COLUMNS = [
  'id',
  'title',
  'notes',
  'disposition',
  'status_id',
  'workflow_id',
  'project_id',
  'due_date',
  'on_hold_until',
  'completed_at',
  'own_estimate_minutes',
  'steps_total',
  'steps_completed',
  'steps_minutes',
  'left_status_id',
  'archived_at',
  'created_at',
  'updated_at',
  'version',
] as const satisfies (keyof TaskRow)[]

const SQL = rowStatements('tasks', COLUMNS, ['search_text'])

function taskFromRow(row: TaskRow): Task {
  return {
    id: row.id,
    title: row.title,
    notes: row.notes,
    disposition: row.disposition,
    statusId: row.status_id,
    workflowId: row.workflow_id,
    projectId: row.project_id,
    dueDate: row.due_date,
    onHoldUntil: row.on_hold_until,
    completedAt: row.completed_at,
    ownEstimateMinutes: row.own_estimate_minutes,
    stepsTotal: row.steps_total,
    stepsCompleted: row.steps_completed,
    stepsMinutes: row.steps_minutes,
    leftStatusId: row.left_status_id,
    archivedAt: row.archived_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

/** The values of the columns, in their order, and of `search_text`. */
function taskToValues(task: Task): Value[] {
  return [
    task.id,
    task.title,
    task.notes,
    task.disposition,
    task.statusId,
    task.workflowId,
    task.projectId,
    task.dueDate,
    task.onHoldUntil,
    task.completedAt,
    task.ownEstimateMinutes,
    task.stepsTotal,
    task.stepsCompleted,
    task.stepsMinutes,
    task.leftStatusId,
    task.archivedAt,
    task.createdAt,
    task.updatedAt,
    task.version,
    folded(`${task.title}\n${task.notes ?? ''}`),
  ]
}

export async function taskById(reader: Reader, accountId: string, id: string): Promise<Task | undefined> {
  const row = await reader.one<TaskRow>(`${SQL.select} where account_id = $1 and id = $2`, [accountId, id])
  return row && taskFromRow(row)
}

export async function insertTask(writer: Writer, accountId: string, task: Task): Promise<void> {
  await writer.put(SQL.insert, [accountId, ...taskToValues(task)])
}

export async function updateTask(writer: Writer, accountId: string, task: Task): Promise<void> {
  await writer.put(SQL.update, [accountId, ...taskToValues(task)])
}

/** Deletes the task with its steps. */
export async function deleteTask(writer: Writer, accountId: string, id: string): Promise<void> {
  await writer.put(SQL.delete, [accountId, id])
}

/** What GET /tasks can be narrowed to. Dates are inclusive, `updatedSince` is ms since the epoch, every word of `words` must occur. */
export interface TaskFilter {
  disposition?: Disposition
  projectId?: string
  workflowId?: string
  statusId?: string
  dueAfter?: string
  dueBefore?: string
  updatedSince?: number
  words?: readonly string[]
  includeArchived: boolean
}

export type TaskSort = 'created_at' | 'updated_at' | 'due_date'

/** A task without a due date sorts after every date there can be. */
const DUE_DATE_OR_LAST = "coalesce(due_date, '~')"

export const TASK_ORDERS: Record<TaskSort, SortOrder<Task>> = {
  created_at: { columns: ['id'], types: ['string'], keyOf: ({ id }) => [id] },
  updated_at: { columns: ['updated_at', 'id'], types: ['number', 'string'], keyOf: ({ updatedAt, id }) => [updatedAt, id] },
  due_date: { columns: [DUE_DATE_OR_LAST, 'id'], types: ['string', 'string'], keyOf: ({ dueDate, id }) => [dueDate ?? '~', id] },
}

/** Up to `limit` + 1 tasks of a page. */
export async function taskPage(reader: Reader, accountId: string, filter: TaskFilter, page: PageRequest): Promise<Task[]> {
  const { sql, values } = pageStatement(SQL.select, taskConditions(accountId, filter), page)
  return (await reader.all<TaskRow>(sql, values)).map(taskFromRow)
}

function taskConditions(accountId: string, filter: TaskFilter): Filter {
  const where: Filter = { conditions: [], values: [] }
  filterBy(where, 'account_id = ?', accountId)
  if (!filter.includeArchived) where.conditions.push('archived_at is null')
  if (filter.disposition !== undefined) filterBy(where, 'disposition = ?', filter.disposition)
  if (filter.projectId !== undefined) filterBy(where, 'project_id = ?', filter.projectId)
  if (filter.workflowId !== undefined) filterBy(where, 'workflow_id = ?', filter.workflowId)
  if (filter.statusId !== undefined) filterBy(where, 'status_id = ?', filter.statusId)
  if (filter.dueAfter !== undefined) filterBy(where, 'due_date >= ?', filter.dueAfter)
  if (filter.dueBefore !== undefined) filterBy(where, 'due_date <= ?', filter.dueBefore)
  if (filter.updatedSince !== undefined) filterBy(where, 'updated_at >= ?', filter.updatedSince)
  // A text that a word can be taken out of contains it. Every engine has `replace`, and none is slow at it, as `like` is with long patterns.
  for (const word of new Set(filter.words)) filterBy(where, "replace(search_text, ?, '') <> search_text", word)
  return where
}

/** How a cascade chooses tasks: those that point to the project, Workflow or Status. */
export type TaskPointer = 'project_id' | 'workflow_id' | 'status_id'

/** Up to `limit` tasks that point to `id`, by id, after the task `after` (`''` for the first ones). */
export async function tasksPointingTo(
  reader: Reader,
  accountId: string,
  pointer: TaskPointer,
  id: string,
  after: string,
  limit: number,
): Promise<Task[]> {
  const rows = await reader.all<TaskRow>(`${SQL.select} where account_id = $1 and ${pointer} = $2 and id > $3 order by id limit $4`, [
    accountId,
    id,
    after,
    limit,
  ])
  return rows.map(taskFromRow)
}

export interface DueTask {
  account_id: string
  id: string
  on_hold_until: number
}

/** Up to `limit` tasks of all accounts whose time to wake has come at `clock` (ms since the epoch), the longest overdue first, after the task `after`. */
export function dueTasks(reader: Reader, clock: number, after: DueTask | null, limit: number): Promise<DueTask[]> {
  return reader.all(
    `select account_id, id, on_hold_until from tasks
     where on_hold_until <= $1 and on_hold_until >= $2 and (on_hold_until, account_id, id) > ($2, $3, $4)
     order by on_hold_until, account_id, id limit $5`,
    [clock, after?.on_hold_until ?? Number.MIN_SAFE_INTEGER, after?.account_id ?? '', after?.id ?? '', limit],
  )
}
