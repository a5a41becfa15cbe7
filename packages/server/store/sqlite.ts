import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, backup as onlineBackup, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurnOfTheLoop, setTimeout as pause } from 'node:timers/promises'
import { Failure } from '@fivetab/domain/failure.ts'
import { SQLITE } from './dialect.ts'
import { openLines, type Statements, type Transaction } from './lines.ts'
import { type CommitObserver, Duplicate, type Engine, type Finding, type Reader, type Value } from './store.ts'

/**
 * The embedded engine: one SQLite file in WAL mode with `synchronous=FULL`, one connection that reads and one that writes. There is one
 * writer, so all writes stand in one line, and those that arrive together share a commit.
 */

/** How long a write waits for another process (the command line, a backup tool) to let go of the database. */
const BUSY_TIMEOUT_MS = 5_000
const BUSY_FIRST_PAUSE_MS = 2
const BUSY_LONGEST_PAUSE_MS = 100
/** Lists are put together from filters; this bounds how many of their texts are kept prepared. */
const MAX_STATEMENTS = 500

/** Pages a step of a backup: all of them, for SQLite begins again when another connection writes between two steps. */
const WHOLE_DATABASE = 0x7fff_ffff

/** How many reads may be known at once. */
const MAX_KNOWN = 5_000

const BUSY = 5
const CONSTRAINT_PRIMARY_KEY = 1555
const CONSTRAINT_UNIQUE = 2067

const ONE_LINE = 'all'

/** Opens the database at `file`, making it and its folder when there is none. The file can be read by its owner alone. */
export function openSqlite(file: string, observer: CommitObserver): Engine {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const isNew = !existsSync(file)
  const writing = connect(file)
  if (isNew) chmodSync(file, 0o600)
  const reading = connect(file)
  reading.exec('pragma query_only = on')

  const reads = readsOn(reading)
  const lines = openLines({ begin, gather: nextTurnOfTheLoop, patienceMs: Number.POSITIVE_INFINITY, observer })
  const transaction: Transaction = {
    statements: statementsOn(writing),
    commit: async () => {
      writing.exec('commit')
      reads.end()
    },
    rollback: async () => {
      try {
        if (writing.isTransaction) writing.exec('rollback')
      } catch {
        // SQLite takes a transaction that it cannot go on with back by itself; the next one begins anew.
      }
    },
  }

  /** Begins a transaction. Waits without blocking this process while another one writes. */
  async function begin(): Promise<Transaction> {
    const deadline = performance.now() + BUSY_TIMEOUT_MS
    for (let pauseMs = BUSY_FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, BUSY_LONGEST_PAUSE_MS)) {
      try {
        writing.exec('begin immediate')
        return transaction
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() > deadline)
          throw new Failure('unavailable', 'Another process keeps the database locked.', { retryAfterSeconds: 5 })
      }
      await pause(pauseMs)
    }
  }

  return {
    one: reads.one,
    all: reads.all,
    dialect: SQLITE,
    snapshot: reads.snapshot,
    known: reads.known,
    transact: (job, _line, subject) => lines.transact(job, ONE_LINE, subject),
    waiting: lines.waiting,
    backup: async (target) => {
      await onlineBackup(reading, target, { rate: WHOLE_DATABASE })
    },
    inspect: async () => inspect(reading),
    hasTable: async (name) => reading.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined,
    close: async () => {
      await lines.end()
      reads.end()
      reading.close()
      writing.close()
    },
  }
}

/** Reads of a connection that does nothing else. */
interface Reads extends Pick<Engine, 'one' | 'all' | 'snapshot' | 'known'> {
  /** Ends the transaction, if there is one: what is read from now on shows what was stored by now. */
  end(): void
}

/**
 * All reads of one turn of the event loop are in one transaction, which costs less than one for each and is all that a snapshot needs: the reads
 * of a snapshot wait for nothing, so they are of one turn, and no commit comes between them. It ends as soon as this process stores something.
 *
 * What other processes stored is seen by `data_version`, which SQLite changes for every commit of another connection.
 */
function readsOn(connection: DatabaseSync): Reads {
  const { one, all } = readerOn(connection)
  const begin = connection.prepare('begin')
  const commit = connection.prepare('commit')
  const dataVersion = connection.prepare('pragma data_version')
  const known = new Map<string, Promise<unknown>>()
  let knownAt: unknown
  let isOpen = false
  let isCurrent = false
  let ending: NodeJS.Immediate

  function open(): void {
    if (isOpen) return
    begin.run()
    isOpen = true
    ending = setImmediate(end)
  }

  function end(): void {
    if (!isOpen) return
    clearImmediate(ending)
    isOpen = false
    isCurrent = false
    // A disk that cannot be read makes SQLite take the transaction back by itself.
    if (connection.isTransaction) commit.run()
  }

  /** Forgets what is known if anything was stored since. */
  function bringUpToDate(): void {
    open()
    if (isCurrent) return
    const version = dataVersion.get()?.data_version
    if (version !== knownAt || known.size > MAX_KNOWN) known.clear()
    knownAt = version
    isCurrent = true
  }

  const reader: Reader = {
    one: async (sql, values) => {
      open()
      return one(sql, values)
    },
    all: async (sql, values) => {
      open()
      return all(sql, values)
    },
  }

  return {
    ...reader,
    snapshot: (job) => job(reader),
    known: async <T>(name: string, read: (reader: Reader) => Promise<T>) => {
      bringUpToDate()
      const earlier = known.get(name)
      if (earlier !== undefined) return earlier as Promise<T>
      const value = read(reader)
      known.set(name, value)
      value.catch(() => known.delete(name))
      return value
    },
    end,
  }
}

function connect(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 0 })
  // In this order: turning WAL on takes a lock that another process may hold for a moment.
  database.exec(`
    pragma busy_timeout = ${BUSY_TIMEOUT_MS};
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma cache_size = -16000;
    pragma busy_timeout = 0;
  `)
  return database
}

/** Statements by their text, those unused for longest forgotten first. */
function preparedOn(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known !== undefined) {
      prepared.delete(sql)
      prepared.set(sql, known)
      return known
    }
    // SQLite knows `?1` as a numbered parameter, and `$1` only as a name.
    const statement = database.prepare(sql.replace(/\$(\d+)/g, '?$1'))
    if (prepared.size >= MAX_STATEMENTS) prepared.delete(prepared.keys().next().value as string)
    prepared.set(sql, statement)
    return statement
  }
}

function readerOn(database: DatabaseSync): Reader {
  const statement = preparedOn(database)
  return {
    one: async <Row>(sql: string, values: readonly Value[]) => statement(sql).get(...values) as Row | undefined,
    all: async <Row>(sql: string, values: readonly Value[]) => statement(sql).all(...values) as Row[],
  }
}

function statementsOn(database: DatabaseSync): Statements {
  const statement = preparedOn(database)
  const run: Statements['run'] = async (sql, values) => {
    try {
      return Number(statement(sql).run(...values).changes)
    } catch (error) {
      throw isDuplicate(error) ? new Duplicate((error as Error).message, { cause: error }) : error
    }
  }
  return {
    ...readerOn(database),
    run,
    put: async (sql, values) => {
      await run(sql, values)
    },
  }
}

function isBusy(error: unknown): boolean {
  // The low byte is the primary code; the extended ones (busy_recovery, busy_snapshot) are kinds of it.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === CONSTRAINT_PRIMARY_KEY || error.errcode === CONSTRAINT_UNIQUE)
}

function inspect(database: DatabaseSync): Finding[] {
  const setting = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
  const damage = database
    .prepare('pragma integrity_check(5)')
    .all()
    .map((row) => String(Object.values(row)[0]))
  const orphans = database.prepare('pragma foreign_key_check').all()
  const sound = damage.length === 1 && damage[0] === 'ok'
  const durable = setting('journal_mode') === 'wal' && setting('synchronous') === 2
  return [
    {
      what: 'database integrity',
      ok: sound,
      detail: sound ? 'every page and index is sound' : `${damage.join('; ')}. Stop the service and restore the last backup.`,
    },
    {
      what: 'references',
      ok: orphans.length === 0,
      detail:
        orphans.length === 0
          ? 'every row points to rows that exist'
          : `${orphans.length} rows point to nothing. Restore the last backup, and report this.`,
    },
    {
      what: 'durability',
      ok: durable,
      detail: durable
        ? 'write-ahead log, synchronous=FULL'
        : `journal_mode=${setting('journal_mode')}, synchronous=${setting('synchronous')}. The file system may not support a write-ahead log: move DATA_DIR to a local disk.`,
    },
  ]
}
