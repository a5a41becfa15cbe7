import { randomUUIDv7 } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import {
  type Answer,
  type Asked,
  type Body,
  COLUMNS,
  folded,
  formerValues,
  jsonAnswer,
  listen,
  madeAnswer,
  newRow,
  pageAnswer,
  pageQuery,
  type Row,
  refused,
  type StepRow,
  send,
  stepAnswer,
  taskAnswer,
  toWire,
} from './floor-answers.ts'

/**
 * The floor: what one would write by hand for the same answers, with node:http, node:sqlite, the least SQL and JSON.stringify, on the same tables with
 * the same durability. There is no token, no limit, no validation, no log, no idempotency and no problem document.
 *
 * A write is one transaction of its own and stores the resource alone. With `--share-commits`, writes of one turn of the event loop share a commit as
 * Fivetab's do, and each writes the account's ledger and the event as well.
 */

const { values, positionals } = parseArgs({
  options: { account: { type: 'string', default: '' }, 'share-commits': { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [file = ''] = positionals
const account = values.account
const sharesCommits = values['share-commits']
const MAX_WRITES_A_COMMIT = 64

function connect(): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16000')
  return database
}

const reading = connect()
const writing = connect()

const taskById = reading.prepare(`select ${COLUMNS} from tasks where account_id = ? and id = ?`)
const pages = new Map<string, StatementSync>()
const write = {
  begin: writing.prepare('begin immediate'),
  commit: writing.prepare('commit'),
  taskById: writing.prepare(`select ${COLUMNS} from tasks where account_id = ? and id = ?`),
  insertTask: writing.prepare(
    `insert into tasks (account_id, id, title, notes, search_text, disposition, steps_total, steps_completed, steps_minutes, created_at, updated_at, version)
     values (?, ?, ?, ?, ?, 'not_started', 0, 0, 0, ?, ?, 1)`,
  ),
  updateTask: writing.prepare(
    `update tasks set title = ?, search_text = ?, disposition = ?, completed_at = ?, steps_completed = ?, updated_at = ?, version = ?
     where account_id = ? and id = ?`,
  ),
  stepById: writing.prepare(
    'select name, completed_at, minutes, position from checklist_steps where account_id = ? and task_id = ? and id = ?',
  ),
  updateStep: writing.prepare('update checklist_steps set completed_at = ? where account_id = ? and task_id = ? and id = ?'),
  countUp: writing.prepare(
    'update ledgers set last_sequence = last_sequence + 1, active_tasks = active_tasks + ?, last_stamp = ? where account_id = ? returning last_sequence',
  ),
  insertEvent: writing.prepare(
    `insert into events (account_id, sequence, id, type, occurred_at, cause, token_id, request_id, data, previous)
     values (?, ?, ?, ?, ?, 'api', null, null, ?, ?)`,
  ),
}

function getPage(query: string): Answer {
  const wanted = pageQuery(query, account, () => '?')
  const statement = pages.get(wanted.sql) ?? reading.prepare(wanted.sql)
  pages.set(wanted.sql, statement)
  return pageAnswer(statement.all(...wanted.given) as unknown as Row[], wanted)
}

/** What Fivetab writes beside the resource: the account's ledger and the event. */
function record(type: string, now: number, active: number, data: string, previous: string): void {
  if (!sharesCommits) return
  const { last_sequence } = write.countUp.all(active, now, account)[0] as { last_sequence: number }
  write.insertEvent.run(account, last_sequence, randomUUIDv7(), type, now, data, previous)
}

function createTask(body: Body): Answer {
  const row = newRow(body)
  write.insertTask.run(account, row.id, row.title, row.notes, folded(row), row.created_at, row.updated_at)
  const json = JSON.stringify(toWire(row))
  record('task.created', row.created_at, 1, json, '{}')
  return madeAnswer(row.id, json)
}

function changeTask(id: string, match: string | undefined, { title, disposition }: Body): Answer {
  const before = write.taskById.get(account, id) as Row | undefined
  if (before === undefined) return refused(404)
  if (match !== undefined && match !== `"${before.version}"`) return refused(412)
  const now = Date.now()
  const after = { ...before, title: title ?? before.title, disposition: disposition ?? before.disposition }
  after.completed_at = after.disposition === 'done' ? (before.completed_at ?? now) : null
  return jsonAnswer(save(before, after, now), { ETag: `"${before.version + 1}"` })
}

/** Stores the task and answers with its JSON. */
function save(before: Row, after: Row, now: number): string {
  after.updated_at = now
  after.version = before.version + 1
  write.updateTask.run(
    after.title,
    folded(after),
    after.disposition,
    after.completed_at,
    after.steps_completed,
    now,
    after.version,
    account,
    after.id,
  )
  const data = toWire(after)
  const json = JSON.stringify(data)
  const completed = after.disposition === 'done' && before.disposition !== 'done'
  const active = Number(before.disposition === 'done') - Number(completed)
  if (sharesCommits)
    record(completed ? 'task.completed' : 'task.updated', now, active, json, JSON.stringify(formerValues(toWire(before), data)))
  return json
}

/** Ticks or unticks a step of a checklist. */
function changeStep(taskId: string, id: string, { completed = false }: Body): Answer {
  const task = write.taskById.get(account, taskId) as Row | undefined
  const step = write.stepById.get(account, taskId, id) as StepRow | undefined
  if (task === undefined || step === undefined) return refused(404)
  const now = Date.now()
  const completedAt = completed ? (step.completed_at ?? now) : null
  write.updateStep.run(completedAt, account, taskId, id)
  const change = Number(completed) - Number(step.completed_at !== null)
  save(task, { ...task, steps_completed: task.steps_completed + change }, now)
  return stepAnswer({ ...step, completed_at: completedAt }, taskId, id)
}

interface Waiting {
  response: ServerResponse
  job: () => Answer
}

const waiting: Waiting[] = []

function carryOut(job: Waiting): void {
  if (!sharesCommits) commitTogether([job])
  else if (waiting.push(job) === 1) setImmediate(commitWaiting)
}

function commitWaiting(): void {
  const jobs = waiting.splice(0, MAX_WRITES_A_COMMIT)
  if (waiting.length > 0) setImmediate(commitWaiting)
  commitTogether(jobs)
}

function commitTogether(jobs: Waiting[]): void {
  write.begin.run()
  const answers = jobs.map(({ job }) => job())
  write.commit.run()
  for (const [index, { response }] of jobs.entries()) send(response, answers[index] as Answer)
}

function jobFor({ method, id, part, step, match, body }: Asked): () => Answer {
  if (id === undefined) return () => createTask(body)
  if (step !== undefined) return () => changeStep(id, step, body)
  if (part === 'complete') return () => changeTask(id, match, { disposition: 'done' })
  return method === 'PATCH' ? () => changeTask(id, match, body) : () => refused(404)
}

listen((asked, response) => {
  if (asked.method !== 'GET') carryOut({ response, job: jobFor(asked) })
  else send(response, asked.id === undefined ? getPage(asked.query) : taskAnswer(taskById.get(account, asked.id) as Row | undefined))
})
