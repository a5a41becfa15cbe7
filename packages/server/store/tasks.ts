import { DISPOSITIONS, type Disposition } from '@fivetab/domain/disposition.ts'
import type { Task } from '@fivetab/domain/task.ts'
import { TASK_WIRE_FORM, taskToWire } from '@fivetab/domain/task-shape.ts'
import { folded } from '@fivetab/domain/text.ts'
import { type Filter, filterBy, type Order, type PageRequest, pageStatement } from './pages.ts'
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

const SQL = rowStatements('tasks', COLUMNS, ['search_text', 'wire', 'wire_form', 'wire_version'])

/** Null for a task that another release of Fivetab stored, which knows another form, or none. */
const WIRE = `case when wire_form = ${TASK_WIRE_FORM} and wire_version = version then wire end as wire`

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

/** The values of the columns, in their order, and of those that are only written. */
function taskToValues(task: Task, json: string): Value[] {
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
    json,
    TASK_WIRE_FORM,
    task.version,
  ]
}

export async function taskById(reader: Reader, accountId: string, id: string): Promise<Task | undefined> {
  const row = await reader.one<TaskRow>(`${SQL.select} where account_id = $1 and id = $2`, [accountId, id])
  return row && taskFromRow(row)
}

/**
 * The task, to be changed in this transaction. The first that asks reads, in one statement, the tasks that any job of the transaction is about; what
 * becomes of them is handed on.
 */
export async function taskToChange(writer: Writer, accountId: string, id: string): Promise<Task | undefined> {
  const subjects = await subjectsIn(writer, accountId)
  return subjects.has(id) ? subjects.get(id) : taskById(writer, accountId, id)
}

/** The tasks that jobs of the transaction are about, as they are by now; undefined for one that is not there. */
function subjectsIn(writer: Writer, accountId: string): Promise<Map<string, Task | undefined>> {
  return writer.common(`tasks of ${accountId}`, async () => {
    const ids = [...new Set(writer.subjects.filter((subject) => subject.accountId === accountId).map(({ id }) => id))]
    const found = await tasksByIds(writer, accountId, ids)
    return new Map(ids.map((id) => [id, found.get(id)]))
  })
}

async function handOn(writer: Writer, accountId: string, id: string, task: Task | undefined): Promise<void> {
  const subjects = await subjectsIn(writer, accountId)
  if (subjects.has(id)) subjects.set(id, task)
}

/** The tasks of these ids that there are, by their ids. */
export async function tasksByIds(reader: Reader, accountId: string, ids: readonly string[]): Promise<Map<string, Task>> {
  if (ids.length === 0) return new Map()
  const places = ids.map((_, index) => `$${index + 2}`).join(', ')
  const rows = await reader.all<TaskRow>(`${SQL.select} where account_id = $1 and id in (${places})`, [accountId, ...ids])
  return new Map(rows.map((row) => [row.id, taskFromRow(row)]))
}

/** A task in its wire form. */
export interface WrittenTask {
  version: number
  json: string
}

/** A task of a list, in its wire form; `key` is its place in the list's order. */
export interface ListedTask {
  key: Value[]
  json: string
}

const toJson = (task: Task) => JSON.stringify(taskToWire(task))

/** The task as it is sent, which it is kept as: nothing has to be written anew. */
export async function writtenTaskById(reader: Reader, accountId: string, id: string): Promise<WrittenTask | undefined> {
  const row = await reader.one<{ version: number; wire: string | null }>(
    `select version, ${WIRE} from tasks where account_id = $1 and id = $2`,
    [accountId, id],
  )
  if (row === undefined) return undefined
  if (row.wire !== null) return { version: row.version, json: row.wire }
  const task = await taskById(reader, accountId, id)
  return task && { version: task.version, json: toJson(task) }
}

/** `json` is the task's wire form. */
export async function insertTask(writer: Writer, accountId: string, task: Task, json: string): Promise<void> {
  await writer.put(SQL.insert, [accountId, ...taskToValues(task, json)])
}

/** `json` is the task's wire form. */
export async function updateTask(writer: Writer, accountId: string, task: Task, json: string): Promise<void> {
  await handOn(writer, accountId, task.id, task)
  await writer.put(SQL.update, [accountId, ...taskToValues(task, json)])
}

/** Deletes the task with its steps. */
export async function deleteTask(writer: Writer, accountId: string, id: string): Promise<void> {
  await handOn(writer, accountId, id, undefined)
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
  /** Only those that are archived. */
  isArchived?: true
}

export type TaskSort = 'created_at' | 'updated_at' | 'due_date'

/** A task without a due date sorts after every date there can be. */
const DUE_DATE_OR_LAST = "coalesce(due_date, '~')"

export const TASK_ORDERS: Record<TaskSort, Order> = {
  created_at: { columns: ['id'], types: ['string'] },
  updated_at: { columns: ['updated_at', 'id'], types: ['number', 'string'] },
  due_date: { columns: [DUE_DATE_OR_LAST, 'id'], types: ['string', 'string'] },
}

interface WireRow {
  id: string
  /** Null where it is not kept. */
  wire: string | null
}

type ListedRow = WireRow & Record<`key_${number}`, Value>

/** Up to `limit` + 1 tasks of a page. */
export async function taskPage(reader: Reader, accountId: string, filter: TaskFilter, page: PageRequest): Promise<ListedTask[]> {
  const keys = page.columns.map((column, index) => `${column} as key_${index}`)
  const select = `select ${keys.join(', ')}, id, ${WIRE} from tasks`
  const { sql, values } = pageStatement(select, taskConditions(accountId, filter), page)
  const rows = await reader.all<ListedRow>(sql, values)
  const written = await inWireForm(reader, accountId, rows)
  // One is gone by now: without it the page would look like the last one.
  if (written === undefined) return taskPage(reader, accountId, filter, page)
  return rows.map((row, index) => ({
    key: page.columns.map((_, column) => row[`key_${column}`] as Value),
    json: written[index] as string,
  }))
}

/** The tasks of these rows in their wire form, made anew where it is not kept; undefined when one of those is gone. */
async function inWireForm(reader: Reader, accountId: string, rows: readonly WireRow[]): Promise<string[] | undefined> {
  const outdated = rows.filter(({ wire }) => wire === null).map(({ id }) => id)
  const anew = await tasksByIds(reader, accountId, outdated)
  return anew.size < outdated.length ? undefined : rows.map(({ id, wire }) => wire ?? toJson(anew.get(id) as Task))
}

/** Engines merge the rows of the four as they read them: those that are done are not looked at, however many they are. */
const OPEN_TASKS = `${DISPOSITIONS.filter((key) => key !== 'done')
  .map((key) => `select id, ${WIRE} from tasks where account_id = $1 and archived_at is null and disposition = '${key}' and id > $2`)
  .join(' union all ')} order by id limit $3`

/** Up to `limit` tasks that are neither done nor archived, by id, after the task `after` (`''` for the first ones), in their wire form. */
export async function openTasks(reader: Reader, accountId: string, after: string, limit: number): Promise<ListedTask[]> {
  const rows = await reader.all<WireRow>(OPEN_TASKS, [accountId, after, limit])
  const written = await inWireForm(reader, accountId, rows)
  if (written === undefined) return openTasks(reader, accountId, after, limit)
  return rows.map(({ id }, index) => ({ key: [id], json: written[index] as string }))
}

/** How many tasks are done and not archived. Both numbers come out of indexes alone. */
export async function countDone(reader: Reader, accountId: string): Promise<number> {
  const row = await reader.one<{ done: number; archived: number }>(
    `select (select count(*) from tasks where account_id = $1 and disposition = 'done') as done,
       (select count(*) from tasks where account_id = $1 and disposition = 'done' and archived_at is not null) as archived`,
    [accountId],
  )
  return (row?.done ?? 0) - (row?.archived ?? 0)
}

/** Up to `limit` tasks of whatever state, by id, after the task `after` (`''` for the first ones). */
export async function tasksAfter(reader: Reader, accountId: string, after: string, limit: number): Promise<Task[]> {
  const rows = await reader.all<TaskRow>(`${SQL.select} where account_id = $1 and id > $2 order by id limit $3`, [accountId, after, limit])
  return rows.map(taskFromRow)
}

function taskConditions(accountId: string, filter: TaskFilter): Filter {
  const where: Filter = { conditions: [], values: [] }
  filterBy(where, 'account_id = ?', accountId)
  if (filter.isArchived) where.conditions.push('archived_at is not null')
  else if (!filter.includeArchived) where.conditions.push('archived_at is null')
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
