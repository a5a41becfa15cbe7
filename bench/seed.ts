import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { databaseFile } from '../packages/server/store/open.ts'

/**
 * The database that every contestant begins with: one account with a token that no limit holds back, and its tasks, put in as the service would
 * have put them there, without events.
 */

/** Where a database is: in PostgreSQL when it has an address, in a folder otherwise. */
export interface Place {
  dataDir: string
  databaseUrl: string | null
}

/** Whose data it is, and what lets one in. */
export interface Seed {
  place: Place
  accountId: string
  token: string
  tasks: number
}

/** How many tasks at the end of the list are there to be changed, one for each connection: those at its beginning are read and stay as they are. */
export const OWN_TASKS = 64

/** As long as notes often are. */
export const NOTES = 'x'.repeat(200)

export function taskId(number: number): string {
  return `019aa4a5-4c00-7b3e-8000-${100_000_000_000 + number}`
}

/** The only step of a task that is there to be changed. */
export function stepId(number: number): string {
  return `019aa4a5-4c00-7b3e-9000-${100_000_000_000 + number}`
}

const FIRST_CREATED_AT = Date.parse('2026-01-01T00:00:00Z')
const SCRIPT = join(import.meta.dirname, '../packages/server/fivetab.js')

/** What Fivetab finds a database by. */
export function environmentOf({ dataDir, databaseUrl }: Place): NodeJS.ProcessEnv {
  return { ...process.env, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' }
}

/** Makes the database, with `tasks` tasks: a fifth in each Disposition. */
export async function seed(place: Place, tasks: number): Promise<Seed> {
  const fivetab = (...words: string[]) =>
    execFileSync(process.execPath, [SCRIPT, ...words], { env: environmentOf(place), encoding: 'utf8' })
  fivetab('plan', 'set', 'bench', '--token-per-minute', '1000000000', '--account-per-minute', '1000000000')
  fivetab('account', 'create', '--email', 'bench@example.org', '--plan', 'bench')
  const words = ['--account', 'bench@example.org', '--name', 'bench', '--scopes', 'tasks:read,tasks:write', '--expires-in', '1d', '--json']
  const { token } = JSON.parse(fivetab('token', 'create', ...words)) as { token: string }
  return { place, accountId: await fill(place, tasks), token, tasks }
}

/** Puts the tasks in, and answers with the account's id. */
async function fill({ dataDir, databaseUrl }: Place, tasks: number): Promise<string> {
  if (databaseUrl === null) return fillSqlite(databaseFile(dataDir), tasks)
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>(ACCOUNT)
    const accountId = rows[0]?.id ?? ''
    await client.query(`begin; ${statementsFor(accountId, tasks)} commit`)
    await client.query('vacuum analyze')
    return accountId
  } finally {
    await client.end()
  }
}

function fillSqlite(file: string, tasks: number): string {
  const database = new DatabaseSync(file)
  try {
    const { id } = database.prepare(ACCOUNT).get() as { id: string }
    database.exec(`pragma synchronous = off; begin; ${statementsFor(id, tasks)} commit`)
    return id
  } finally {
    database.close()
  }
}

const ACCOUNT = 'select id from accounts'

function statementsFor(accountId: string, tasks: number): string {
  const beginning = (id: string) => id.slice(0, 24)
  return `
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${tasks}),
      placed (number, own, stamp, disposition) as (
        select number, case when number > ${tasks - OWN_TASKS} then 1 else 0 end, ${FIRST_CREATED_AT} + number,
          case when number > ${tasks - OWN_TASKS} or number % 5 = 0 then 'in_progress' when number % 5 = 1 then 'not_started'
            when number % 5 = 2 then 'waiting' when number % 5 = 3 then 'on_hold' else 'done' end
        from numbers)
    insert into tasks (account_id, id, title, notes, search_text, disposition, completed_at, steps_total, steps_completed, steps_minutes,
      created_at, updated_at, version)
    select '${accountId}', '${beginning(taskId(0))}' || (100000000000 + number), 'Task ' || number, '${NOTES}', 'task ' || number || '\n${NOTES}',
      disposition, case disposition when 'done' then stamp end, own, 0, 0, stamp, stamp, 1
    from placed;
    insert into checklist_steps (account_id, task_id, id, name, completed_at, minutes, position)
    select account_id, id, '${beginning(stepId(0))}' || substr(id, 25), 'The step', null, 0, 1 from tasks where steps_total = 1;
    update ledgers set active_tasks = (select count(*) from tasks where completed_at is null), last_stamp = ${FIRST_CREATED_AT + tasks};`
}
