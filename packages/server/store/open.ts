import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { RandomBytes } from './ids.ts'
import { migrate, requireNewestSchema } from './migrate.ts'
import { openSqlite } from './sqlite.ts'
import type { CommitObserver, Engine } from './store.ts'
import { type Store, withTurns } from './turn.ts'

/** Where the embedded database lives in the folder of data. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'fivetab.db')
}

/** Whether there is a database, also one that this user may not read. */
export function hasDatabase(dataDir: string): boolean {
  try {
    return statSync(databaseFile(dataDir)).isFile()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

const UNOBSERVED: CommitObserver = { committed: () => {} }

/** Opens the database as it is, whatever its schema; makes an empty one where there is none. */
export function openEngine(dataDir: string, observer: CommitObserver = UNOBSERVED): Engine {
  return openSqlite(databaseFile(dataDir), observer)
}

/**
 * Opens the database for work beside a service that may be running: made when there is none yet, but never brought to a newer schema under its feet.
 * @throws SchemaTooOld, SchemaTooNew
 */
export async function openStoreAsItIs(dataDir: string, clock: () => number, random: RandomBytes): Promise<Store> {
  if (!hasDatabase(dataDir)) return openStore(dataDir, clock, random)
  const engine = openEngine(dataDir)
  try {
    await requireNewestSchema(engine)
  } catch (error) {
    await engine.close()
    throw error
  }
  return withTurns(engine, clock, random)
}

/** Opens the database and brings it to the newest schema. `clock` gives ms since the epoch. @throws SchemaTooNew */
export async function openStore(dataDir: string, clock: () => number, random: RandomBytes, observer?: CommitObserver): Promise<Store> {
  const engine = openEngine(dataDir, observer)
  try {
    await migrate(engine, clock())
  } catch (error) {
    await engine.close()
    throw error
  }
  return withTurns(engine, clock, random)
}
