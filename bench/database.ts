import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { databaseFile } from '../packages/server/store/open.ts'

/** A contestant's database, seen from the bench: what is put in and looked up there goes past the service. */

/** Where a database is: in PostgreSQL when it has an address, in a folder otherwise. */
export interface Place {
  dataDir: string
  databaseUrl: string | null
}

export interface Database {
  /** Carries out statements, each ended by a semicolon, in one transaction. */
  change(sql: string): Promise<void>
  /** The first row that a statement finds. */
  one<T>(sql: string): Promise<T>
  /** SQL for a time as JSON has it; `stamp` is SQL for it in ms since the epoch. */
  time(stamp: string): string
  /** Lets the database get to know what it holds. */
  settle(): Promise<void>
  close(): Promise<void>
}

export function openDatabase({ dataDir, databaseUrl }: Place): Promise<Database> {
  return databaseUrl === null ? openSqlite(databaseFile(dataDir)) : openPostgres(databaseUrl)
}

async function openSqlite(file: string): Promise<Database> {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  // What is put in is there to be measured, and nothing has to outlive the run.
  database.exec('pragma synchronous = off')
  return {
    change: async (sql) => database.exec(`begin immediate; ${sql} commit`),
    one: async <T>(sql: string) => database.prepare(sql).get() as T,
    time: (stamp) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${stamp} / 1000.0, 'unixepoch')`,
    settle: async () => {},
    close: async () => database.close(),
  }
}

async function openPostgres(databaseUrl: string): Promise<Database> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  return {
    change: async (sql) => void (await client.query(`begin; ${sql} commit`)),
    one: async <T>(sql: string) => (await client.query(sql)).rows[0] as T,
    time: (stamp) => `to_char(to_timestamp(${stamp} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    settle: async () => void (await client.query('vacuum analyze')),
    close: () => client.end(),
  }
}
