import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { DEFAULT_PLANS } from '@fivetab/domain/plan.ts'
import { Client as PostgresClient, types } from 'pg'
import { type Environment, readSettings } from '../packages/server/settings.ts'
import { NEWEST_SCHEMA } from '../packages/server/store/migrate.ts'
import { databaseFile, type Place } from '../packages/server/store/open.ts'
import { aFolder } from './folder.ts'

/** Databases of a test's own, empty at first, on every engine; and what can be done by hand to the data in them. */

const SERVER = process.env.TEST_DATABASE_URL
assert.ok(SERVER || !process.env.CI, 'There is no PostgreSQL to test with. Run npm test, which starts one, or set TEST_DATABASE_URL.')

export type EngineName = 'sqlite' | 'postgres'

/** What every behaviour is tested on. A single file that is run by hand has no PostgreSQL unless TEST_DATABASE_URL names one. */
export const ENGINES: readonly EngineName[] = SERVER ? ['sqlite', 'postgres'] : ['sqlite']

/** Where data is, and the settings that say so. */
export interface Home {
  environment: Environment
}

export interface Database extends Home, AsyncDisposable {
  /** An empty folder; where the data is, if the engine is the embedded one. */
  dataDir: string
  place: Place
}

/** An empty database: without even a table. */
export async function aDatabase(engine: EngineName): Promise<Database> {
  const folder = aFolder()
  if (engine === 'sqlite') return databaseIn(folder.path, {}, async () => folder[Symbol.dispose]())
  const schema = await newSchema()
  return databaseIn(folder.path, inSchema(schema), async () => {
    await onServer(`drop schema ${schema} cascade`)
    folder[Symbol.dispose]()
  })
}

/** Schemas that have the newest tables, and in them what a new database has. */
const ready: string[] = []

/** A database as a service finds it that was started before, or an empty one; on PostgreSQL one that another test has left, since tables take long to make. */
export async function aUsedDatabase(engine: EngineName): Promise<Database> {
  if (engine === 'sqlite') return aDatabase(engine)
  const folder = aFolder()
  const schema = ready.pop() ?? (await newSchema())
  return databaseIn(folder.path, inSchema(schema), async () => {
    folder[Symbol.dispose]()
    await onServer(...EMPTYING.map((statement) => statement.replaceAll('in.', `${schema}.`))).then(
      () => ready.push(schema),
      // One whose tables a test has changed is of no use to another.
      () => onServer(`drop schema ${schema} cascade`),
    )
  })
}

/** Leaves a schema as a migration of an empty one makes it. */
const EMPTYING = [
  'delete from in.tasks',
  'delete from in.statuses',
  'delete from in.accounts',
  'delete from in.shared_counts',
  'delete from in.one_time_links',
  'delete from in.tries',
  'delete from in.switches',
  'delete from in.plans',
  `do $$ begin assert (select count(*) from in.migrations) = ${NEWEST_SCHEMA}; end $$`,
  "insert into in.switches (name, is_on) values ('api', 1)",
  ...DEFAULT_PLANS.map(
    (plan) =>
      `insert into in.plans (key, api_access, active_tasks, token_per_minute, account_per_minute, writes_per_day)
       values ('${plan.key}', ${Number(plan.apiAccess)}, ${plan.activeTasks}, ${plan.tokenPerMinute}, ${plan.accountPerMinute}, ${plan.writesPerDay})`,
  ),
]

async function newSchema(): Promise<string> {
  const schema = `${process.env.TEST_SCHEMAS ?? 'fivetab_'}${randomBytes(6).toString('hex')}`
  await onServer(`create schema ${schema}`)
  return schema
}

function inSchema(schema: string): Environment {
  const url = new URL(SERVER ?? assert.fail())
  url.searchParams.set('options', `-c search_path=${schema}`)
  return { DATABASE_URL: url.href }
}

function databaseIn(dataDir: string, more: Environment, dispose: () => Promise<void>): Database {
  const environment = { DATA_DIR: dataDir, ...more }
  return { dataDir, environment, place: placeOf({ environment }), [Symbol.asyncDispose]: dispose }
}

async function onServer(...statements: string[]): Promise<void> {
  const client = new PostgresClient(SERVER)
  await client.connect()
  try {
    await client.query(statements.join(';'))
  } finally {
    await client.end()
  }
}

export function placeOf({ environment }: Home): Place {
  return readSettings(environment)
}

/** A connection to do by hand what the service would never do. */
interface Hands extends AsyncDisposable {
  all(sql: string): Promise<Record<string, unknown>[]>
}

/** Numbers as the embedded engine gives them, so that what the two hold compares. */
const NUMBERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format as 'text'),
}

async function handsOn(home: Home): Promise<Hands> {
  const { databaseUrl, dataDir } = placeOf(home)
  if (databaseUrl === null) {
    const database = new DatabaseSync(databaseFile(dataDir), { enableForeignKeyConstraints: false })
    return { all: async (sql) => database.prepare(sql).all(), [Symbol.asyncDispose]: async () => database.close() }
  }
  const client = new PostgresClient({ connectionString: databaseUrl, types: NUMBERS })
  await client.connect()
  // Whatever points to nothing is put in all the same.
  await client.query('set session_replication_role = replica')
  return { all: async (sql) => (await client.query(sql)).rows, [Symbol.asyncDispose]: () => client.end() }
}

/** Changes the database by hand, which nobody should: also into what the service would never make of it. */
export async function meddle(home: Home, ...statements: string[]): Promise<void> {
  await using hands = await handsOn(home)
  for (const statement of statements) await hands.all(statement)
  // As if by another process: what a service has read in this turn of the event loop it does not read again.
  await nextTurnOfTheLoop()
}

const TABLES = {
  sqlite: "select name from sqlite_schema where type = 'table' order by name",
  postgres: 'select table_name as name from information_schema.tables where table_schema = current_schema() order by table_name',
}

/** Everything that the database holds, table by table. */
export async function contentsOf(home: Home): Promise<Record<string, unknown[]>> {
  await using hands = await handsOn(home)
  const tables = await hands.all(TABLES[placeOf(home).databaseUrl === null ? 'sqlite' : 'postgres'])
  const contents: Record<string, unknown[]> = {}
  for (const { name } of tables) contents[String(name)] = await hands.all(`select * from ${name} order by 1, 2`)
  return contents
}

/** Whether some transaction is writing, in whatever account. */
export async function isBeingWritten(home: Home): Promise<boolean> {
  await using hands = await handsOn(home)
  if (placeOf(home).databaseUrl !== null) {
    const [all, free] = [await hands.all('select 1 from ledgers'), await hands.all('select 1 from ledgers for update skip locked')]
    return free.length < all.length
  }
  try {
    await hands.all('begin immediate')
    return false
  } catch {
    return true
  }
}
