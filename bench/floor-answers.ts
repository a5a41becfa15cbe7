import { randomUUIDv7 } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** What the floors have in common, whatever the database: the wire form, answers, and the reading of requests by hand. */

export const COLUMNS = `id, title, notes, disposition, status_id, workflow_id, project_id, due_date, on_hold_until, completed_at, own_estimate_minutes,
  steps_total, steps_completed, steps_minutes, archived_at, created_at, updated_at, version`

export interface Row {
  id: string
  title: string
  notes: string | null
  disposition: string
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
  archived_at: number | null
  created_at: number
  updated_at: number
  version: number
}

export interface StepRow {
  name: string
  completed_at: number | null
  minutes: number
  position: number
}

export interface Body {
  title?: string
  notes?: string
  disposition?: string
  completed?: boolean
}

export interface Answer {
  status: number
  headers: Record<string, string>
  json: string
}

const time = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString())

export function toWire(row: Row) {
  return {
    object: 'task',
    id: row.id,
    title: row.title,
    notes: row.notes,
    disposition: row.disposition,
    status_id: row.status_id,
    workflow_id: row.workflow_id,
    project_id: row.project_id,
    due_date: row.due_date,
    on_hold_until: time(row.on_hold_until),
    completed_at: time(row.completed_at),
    estimate_minutes: row.steps_total > 0 ? row.steps_minutes : row.own_estimate_minutes,
    steps_total: row.steps_total,
    steps_completed: row.steps_completed,
    archived: row.archived_at !== null,
    archived_at: time(row.archived_at),
    created_at: time(row.created_at),
    updated_at: time(row.updated_at),
    version: `"${row.version}"`,
  }
}

export function jsonAnswer(json: string, headers: Record<string, string> = {}, status = 200): Answer {
  return { status, headers, json }
}

export function refused(status: number): Answer {
  return jsonAnswer('{}', {}, status)
}

/** The answer with one task. */
export function taskAnswer(row: Row | undefined, status = 200): Answer {
  return row === undefined ? refused(404) : jsonAnswer(JSON.stringify(toWire(row)), { ETag: `"${row.version}"` }, status)
}

export function stepAnswer(step: StepRow, taskId: string, id: string): Answer {
  return jsonAnswer(
    JSON.stringify({
      object: 'step',
      id,
      task_id: taskId,
      kind: 'subtask',
      name: step.name,
      status_id: null,
      completed: step.completed_at !== null,
      completed_at: time(step.completed_at),
      minutes: step.minutes,
      position: step.position,
    }),
  )
}

/** What a page is asked for with: its statement, whose parameters are `place(1)`, `place(2)` and so on. */
export interface PageQuery {
  sql: string
  given: (string | number)[]
  limit: number
  byUpdate: boolean
}

const DEFAULT_LIMIT = 50

export function pageQuery(query: string, account: string, place: (number: number) => string): PageQuery {
  const parameters = new URLSearchParams(query)
  const byUpdate = parameters.get('sort') === 'updated_at'
  const limit = Number(parameters.get('limit') ?? DEFAULT_LIMIT)
  const given: PageQuery['given'] = []
  const next = (value: string | number) => place(given.push(value))
  let where = `account_id = ${next(account)}`
  if (parameters.get('include_archived') !== 'true') where += ' and archived_at is null'
  const disposition = parameters.get('disposition')
  if (disposition !== null) where += ` and disposition = ${next(disposition)}`
  const updatedSince = parameters.get('updated_since')
  if (updatedSince !== null) where += ` and updated_at >= ${next(Date.parse(updatedSince))}`
  const order = byUpdate ? 'updated_at, id' : 'id'
  return { sql: `select ${COLUMNS} from tasks where ${where} order by ${order} limit ${next(limit + 1)}`, given, limit, byUpdate }
}

/** The cursor has no seal, as Fivetab's has. */
export function pageAnswer(rows: readonly Row[], { limit, byUpdate }: PageQuery): Answer {
  const hasMore = rows.length > limit
  const last = rows[limit - 1]
  const key = hasMore && last !== undefined ? (byUpdate ? [last.updated_at, last.id] : [last.id]) : null
  return jsonAnswer(
    JSON.stringify({
      object: 'list',
      data: rows.slice(0, limit).map(toWire),
      has_more: hasMore,
      next_cursor: key && Buffer.from(JSON.stringify(key)).toString('base64url'),
    }),
  )
}

const BLANK = {
  disposition: 'not_started',
  status_id: null,
  workflow_id: null,
  project_id: null,
  due_date: null,
  on_hold_until: null,
  completed_at: null,
  own_estimate_minutes: null,
  steps_total: 0,
  steps_completed: 0,
  steps_minutes: 0,
  archived_at: null,
  version: 1,
}

/** The row of a new task. */
export function newRow({ title = '', notes }: Body): Row {
  const now = Date.now()
  return { ...BLANK, id: randomUUIDv7(), title, notes: notes ?? null, created_at: now, updated_at: now }
}

/** The answer that a task was made. */
export function madeAnswer(id: string, json: string): Answer {
  return jsonAnswer(json, { ETag: '"1"', Location: `http://127.0.0.1/v1/tasks/${id}` }, 201)
}

/** As `search_text` is stored. */
export const folded = ({ title, notes }: Pick<Row, 'title' | 'notes'>) => `${title}\n${notes ?? ''}`.toLowerCase()

export function send(response: ServerResponse, { status, headers, json }: Answer): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(json), ...headers })
  response.end(json)
}

/** A request that has come whole. `id`, `part` and `step` are of `/v1/tasks/:id/steps/:step_id` or `/v1/tasks/:id/complete`. */
export interface Asked {
  method: string | undefined
  id: string | undefined
  part: string | undefined
  step: string | undefined
  query: string
  match: string | undefined
  body: Body
}

/** Serves on a free port, which it prints the address with. */
export function listen(answer: (asked: Asked, response: ServerResponse) => void): void {
  const server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    const [, , , id, part, step] = path.split('/')
    const asked = { method: request.method, id, part, step, query, match: request.headers['if-match'], body: {} }
    if (request.method === 'GET') answer(asked, response)
    else receive(request, (text) => answer({ ...asked, body: text === '' ? {} : JSON.parse(text) }, response))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`)
  })
  process.once('SIGTERM', () => process.exit(0))
}

function receive(request: IncomingMessage, then: (text: string) => void): void {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => then(text))
}

/** The fields of `before` that `after` has otherwise, for an event. */
export function formerValues(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const former: Record<string, unknown> = {}
  for (const name in before) if (before[name] !== after[name]) former[name] = before[name]
  return former
}
