import { parseArgs } from 'node:util'
import { Pool, types } from 'pg'
import {
  type Answer,
  type Asked,
  type Body,
  COLUMNS,
  folded,
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
 * The floor on PostgreSQL: as `floor.ts`, with node-postgres and as many connections as Fivetab has. Each request is one prepared statement; one that
 * writes stores the resource alone and is a commit of its own.
 */

const { values, positionals } = parseArgs({ options: { account: { type: 'string', default: '' } }, allowPositionals: true })
const account = values.account
const CONNECTIONS = 10

types.setTypeParser(types.builtins.INT8, Number)
const pool = new Pool({ connectionString: positionals[0], max: CONNECTIONS })
const names = new Map<string, string>()

async function rowsOf<T>(text: string, given: readonly unknown[]): Promise<T[]> {
  const name = names.get(text) ?? `statement ${names.size}`
  names.set(text, name)
  return (await pool.query({ name, text, values: [...given] })).rows
}

async function getPage(query: string): Promise<Answer> {
  const wanted = pageQuery(query, account, (number) => `$${number}`)
  return pageAnswer(await rowsOf<Row>(wanted.sql, wanted.given), wanted)
}

async function getTask(id: string): Promise<Answer> {
  const [row] = await rowsOf<Row>(`select ${COLUMNS} from tasks where account_id = $1 and id = $2`, [account, id])
  return taskAnswer(row)
}

async function createTask(body: Body): Promise<Answer> {
  const row = newRow(body)
  await rowsOf(
    `insert into tasks (account_id, id, title, notes, search_text, disposition, steps_total, steps_completed, steps_minutes, created_at, updated_at, version)
     values ($1, $2, $3, $4, $5, 'not_started', 0, 0, 0, $6, $6, 1)`,
    [account, row.id, row.title, row.notes, folded(row), row.created_at],
  )
  return madeAnswer(row.id, JSON.stringify(toWire(row)))
}

const NEXT_VERSION = 'updated_at = $3, version = version + 1 where account_id = $1 and id = $2'

async function retitle(id: string, match: string | undefined, title: string): Promise<Answer> {
  const [row] = await rowsOf<Row>(
    `update tasks set title = $4, search_text = lower($4 || chr(10) || coalesce(notes, '')), ${NEXT_VERSION} and version = coalesce($5, version)
     returning ${COLUMNS}`,
    [account, id, Date.now(), title, match === undefined ? null : Number(match.slice(1, -1))],
  )
  return row === undefined ? refused(412) : taskAnswer(row)
}

async function moveTo(id: string, disposition: string): Promise<Answer> {
  const [row] = await rowsOf<Row>(
    `update tasks set disposition = $4, completed_at = case when $4 = 'done' then $3::bigint end, ${NEXT_VERSION} returning ${COLUMNS}`,
    [account, id, Date.now(), disposition],
  )
  return taskAnswer(row)
}

/** Ticks a step that is open, or unticks one that is ticked. */
async function tick(id: string, step: string, completed: boolean): Promise<Answer> {
  const [row] = await rowsOf<StepRow>(
    `with step as (
       update checklist_steps set completed_at = case when $5 then $3::bigint end
       where account_id = $1 and task_id = $2 and id = $4 and (completed_at is null) = $5 returning *),
     task as (
       update tasks set steps_completed = steps_completed + case when $5 then 1 else -1 end, ${NEXT_VERSION} and exists (select from step))
     select * from step`,
    [account, id, Date.now(), step, completed],
  )
  return row === undefined ? refused(404) : stepAnswer(row, id, step)
}

async function answerTo({ method, id, part, step, query, match, body }: Asked): Promise<Answer> {
  if (method === 'GET') return id === undefined ? getPage(query) : getTask(id)
  if (id === undefined) return createTask(body)
  if (step !== undefined) return tick(id, step, body.completed === true)
  if (part === 'complete') return moveTo(id, 'done')
  return body.title === undefined ? moveTo(id, body.disposition ?? '') : retitle(id, match, body.title)
}

listen(async (asked, response) => send(response, await answerTo(asked)))
