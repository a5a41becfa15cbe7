import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ACCOUNT_ID_BEGINNING, accountsStatements } from './accounts.ts'
import { type Database, openDatabase, type Place } from './database.ts'
import { heldWire, WIRE_COLUMNS, wireValues } from './wire-forms.ts'

/**
 * The database that every contestant begins with: an account with a token that no limit holds back, and its tasks, put in as the service would
 * have put them there, without events. The tasks may lie in many accounts (`accounts.ts`) instead of that one.
 */

/** Whose data it is, and what lets one in. */
export interface Seed {
  place: Place
  /** The account that was made first, and a token of it: with one account it has all tasks, with many none. */
  accountId: string
  token: string
  /** In all accounts together. */
  tasks: number
  accounts: number
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

/** Makes the database, with `tasks` tasks: a fifth in each Disposition. They are in one account, or as many in each of several. */
export async function seed(place: Place, tasks: number, accounts = 1): Promise<Seed> {
  const fivetab = (...words: string[]) =>
    execFileSync(process.execPath, [SCRIPT, ...words], { env: environmentOf(place), encoding: 'utf8' })
  fivetab('plan', 'set', 'bench', '--token-per-minute', '1000000000', '--account-per-minute', '1000000000')
  fivetab('account', 'create', '--email', 'bench@example.org', '--plan', 'bench')
  const words = ['--account', 'bench@example.org', '--name', 'bench', '--scopes', 'tasks:read,tasks:write', '--expires-in', '1d', '--json']
  const { token } = JSON.parse(fivetab('token', 'create', ...words)) as { token: string }
  return { place, accountId: await fill(place, tasks, accounts), token, tasks, accounts }
}

/** Puts the tasks in, and answers with the id of the account that is there. */
async function fill(place: Place, tasks: number, accounts: number): Promise<string> {
  const database = await openDatabase(place)
  try {
    const { id } = await database.one<{ id: string }>('select id from accounts')
    const owner = accounts === 1 ? `'${id}'` : `'${ACCOUNT_ID_BEGINNING}' || (100000000001 + (number - 1) / ${tasks / accounts})`
    await database.change((accounts === 1 ? '' : accountsStatements(accounts)) + tasksStatements(database, owner, tasks))
    await database.settle()
    return id
  } finally {
    await database.close()
  }
}

/** `owner` is an SQL expression: the account that the task `number` is in. */
function tasksStatements({ time }: Database, owner: string, tasks: number): string {
  const beginning = (id: string) => id.slice(0, 24)
  const id = `'${beginning(taskId(0))}' || (100000000000 + number)`
  const wire = wireValues({ id, number: 'number', disposition: 'disposition', time: time('stamp'), notes: NOTES })
  return `
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${tasks}),
      placed (number, own, stamp, disposition) as (
        select number, case when number > ${tasks - OWN_TASKS} then 1 else 0 end, ${FIRST_CREATED_AT} + number,
          case when number > ${tasks - OWN_TASKS} or number % 5 = 0 then 'in_progress' when number % 5 = 1 then 'not_started'
            when number % 5 = 2 then 'waiting' when number % 5 = 3 then 'on_hold' else 'done' end
        from numbers)
    insert into tasks (account_id, id, title, notes, search_text, disposition, completed_at, steps_total, steps_completed, steps_minutes,
      created_at, updated_at, version, ${WIRE_COLUMNS})
    select ${owner}, ${id}, 'Task ' || number, '${NOTES}', 'task ' || number || '\n${NOTES}',
      disposition, case disposition when 'done' then stamp end, own, 0, 0, stamp, stamp, 1, ${wire}
    from placed;
    insert into checklist_steps (account_id, task_id, id, name, completed_at, minutes, position)
    select account_id, id, '${beginning(stepId(0))}' || substr(id, 25), 'The step', null, 0, 1 from tasks where steps_total = 1;
    ${COUNT_ACTIVE_TASKS}
    update ledgers set last_stamp = ${FIRST_CREATED_AT + tasks};`
}

const COUNT_ACTIVE_TASKS = `
  update ledgers set active_tasks = (select count(*) from tasks where account_id = ledgers.account_id and completed_at is null);`

/** Puts all tasks on hold until `until` (ms since the epoch), as if each had been held when it was made. */
export function holdAll(database: Database, until: number): Promise<void> {
  return database.change(
    `update tasks set disposition = 'on_hold', completed_at = null, on_hold_until = ${until},
       wire = ${heldWire(until, database.time('completed_at'))};
     ${COUNT_ACTIVE_TASKS}`,
  )
}
