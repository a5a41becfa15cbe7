import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { RandomBytes } from './ids.ts'
import { migrate, requireNewestSchema } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { CommitObserver, Engine } from './store.ts'
import { type Store, withTurns } from './turn.ts'
import { requireNoUnfinishedCopy } from './unfinished-copy.ts'

/** Where the data is: in PostgreSQL when there is an address of it, in a folder otherwise. */
export interface Place {
  dataDir: string
  /** `postgres://…`, with its password: not to be printed or logged. */
  databaseUrl: string | null
  /** How many connections to PostgreSQL may be open at once. */
  databaseConnections: number
}

/** Where the embedded database lives in the folder of data. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'fivetab.db')
}

/** The place in words for a person, without what is secret in it. */
export function nameOf({ dataDir, databaseUrl }: Place): string {
  if (databaseUrl === null) return databaseFile(dataDir)
  const { host, pathname } = new URL(databaseUrl)
  return `PostgreSQL at ${host}${pathname}`
}

/** Whether there is a database of Fivetab, also one that this user may not read. */
export async function hasDatabase(place: Place): Promise<boolean> {
  if (place.databaseUrl !== null) return withEngine(place, (engine) => engine.hasTable('migrations'))
  try {
    return statSync(databaseFile(place.dataDir)).isFile()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** What is told of a store: of its commits, and of accounts that have news. */
interface StoreObserver extends CommitObserver {
  /** The account's log has grown, or something else that others wait for is stored. */
  hasNews(accountId: string): void
}

const UNOBSERVED: StoreObserver = { committed: () => {}, hasNews: () => {} }

/** Opens the database as it is, whatever its schema, for work that takes its time; makes an empty one where there is none. */
function openEngine({ dataDir, databaseUrl, databaseConnections }: Place): Engine {
  if (databaseUrl === null) return openSqlite(databaseFile(dataDir), UNOBSERVED)
  return openPostgres(databaseUrl, { observer: UNOBSERVED, poolSize: databaseConnections, isPatient: true })
}

/** Opens the database as it is for `work`, and closes it again. Whatever works on a database comes by here first. @throws UnfinishedCopy */
export function withEngine<T>(place: Place, work: (engine: Engine) => Promise<T>): Promise<T> {
  return withTarget(place, async (engine) => {
    await requireNoUnfinishedCopy(engine, nameOf(place))
    return work(engine)
  })
}

/** Like `withEngine`, for a database that is copied into: it may hold the beginning of the copy. */
export async function withTarget<T>(place: Place, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = openEngine(place)
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/**
 * Opens the database for work beside a service that may be running: made when there is none yet, but never brought to a newer schema under its feet.
 * @throws SchemaTooOld, SchemaTooNew, UnfinishedCopy
 */
export async function openStoreAsItIs(place: Place, clock: () => number, random: RandomBytes): Promise<Store> {
  if (await hasDatabase(place)) await withEngine(place, requireNewestSchema)
  else await withEngine(place, (engine) => migrate(engine, clock()))
  return withTurns(openEngine(place), clock, random, UNOBSERVED.hasNews)
}

/** Opens the database for a service, and brings it to the newest schema. `clock` gives ms since the epoch. @throws SchemaTooNew, UnfinishedCopy */
export async function openStore(place: Place, clock: () => number, random: RandomBytes, observer = UNOBSERVED): Promise<Store> {
  await withEngine(place, (engine) => migrate(engine, clock()))
  const { dataDir, databaseUrl, databaseConnections } = place
  const engine =
    databaseUrl === null
      ? openSqlite(databaseFile(dataDir), observer)
      : openPostgres(databaseUrl, { observer, poolSize: databaseConnections, isPatient: false })
  return withTurns(engine, clock, random, observer.hasNews)
}
