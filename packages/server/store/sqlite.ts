import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, backup as onlineBackup, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurnOfTheLoop, setTimeout as pause } from 'node:timers/promises'
import { Failure } from '@fivetab/domain/failure.ts'
import { SQLITE } from './dialect.ts'
import { type CommitObserver, Duplicate, type Engine, type Finding, type Reader, type Value, type Writer } from './store.ts'

/**
 * The embedded engine: one SQLite file in WAL mode with `synchronous=FULL`, one connection that reads and one that writes.
 *
 * Writes that arrive together share a commit: each runs in a savepoint of its own, one after another, and all are answered after the one
 * `commit` that makes them durable. A job that fails takes back only its own savepoint; a commit that fails fails every job in it, also
 * those that had failed already, since what they saw never came to be.
 */

const MAX_JOBS_A_COMMIT = 64
const MAX_WAITING = 10_000
/** How long a write waits for another process (the command line, a backup tool) to let go of the database. */
const BUSY_TIMEOUT_MS = 5_000
const BUSY_FIRST_PAUSE_MS = 2
const BUSY_LONGEST_PAUSE_MS = 100
/** Lists are put together from filters; this bounds how many of their texts are kept prepared. */
const MAX_STATEMENTS = 500

/** Pages a step of a backup: all of them, for SQLite begins again when another connection writes between two steps. */
const WHOLE_DATABASE = 0x7fff_ffff

const BUSY = 5
const CONSTRAINT_PRIMARY_KEY = 1555
const CONSTRAINT_UNIQUE = 2067

interface Waiting {
  run: (writer: Writer) => Promise<unknown>
  resolve: (value: never) => void
  reject: (reason: unknown) => void
}

/** Opens the database at `file`, making it and its folder when there is none. The file can be read by its owner alone. */
export function openSqlite(file: string, observer: CommitObserver): Engine {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const isNew = !existsSync(file)
  const writing = connect(file)
  if (isNew) chmodSync(file, 0o600)
  const reading = connect(file)
  reading.exec('pragma query_only = on')

  const reader = readerOn(reading)
  const writer = writerOn(writing)
  const [savepoint, release, rollbackTo] = ['savepoint job', 'release job', 'rollback to job'].map((sql) => writing.prepare(sql)) as [
    StatementSync,
    StatementSync,
    StatementSync,
  ]
  const queue: Waiting[] = []
  let draining: Promise<void> | null = null
  let closing = false

  function transact<T>(run: (writer: Writer) => Promise<T>): Promise<T> {
    if (closing) return Promise.reject(new Failure('unavailable', 'The service is stopping.', { retryAfterSeconds: 5 }))
    if (queue.length >= MAX_WAITING)
      return Promise.reject(new Failure('unavailable', 'Too many writes are waiting.', { retryAfterSeconds: 2 }))
    return new Promise<T>((resolve, reject) => {
      queue.push({ run, resolve, reject })
      draining ??= drain()
    })
  }

  let snapshots = 0

  // Jobs of one turn of the event loop share the transaction: they wait for nothing but their reads, so it ends within that turn.
  async function snapshot<T>(job: (reader: Reader) => Promise<T>): Promise<T> {
    if (snapshots === 0) reading.exec('begin')
    snapshots += 1
    try {
      return await job(reader)
    } finally {
      snapshots -= 1
      if (snapshots === 0) reading.exec('commit')
    }
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      // Requests that arrive in the same turn of the event loop get their chance to join this commit.
      await nextTurnOfTheLoop()
      await commitTogether(queue.splice(0, MAX_JOBS_A_COMMIT))
    }
    draining = null
  }

  async function commitTogether(jobs: Waiting[]): Promise<void> {
    const started = performance.now()
    const answers: (() => void)[] = []
    try {
      await begin()
      for (const job of jobs) answers.push(await carryOut(job))
      writing.exec('commit')
    } catch (error) {
      takeBack()
      for (const job of jobs) job.reject(error)
      return
    }
    for (const answer of answers) answer()
    tell(jobs.length, (performance.now() - started) / 1000)
  }

  function tell(jobs: number, seconds: number): void {
    try {
      observer.committed(jobs, seconds)
    } catch {
      // Figures are not worth a write: what is stored is stored, and the next ones go on.
    }
  }

  function takeBack(): void {
    try {
      if (writing.isTransaction) writing.exec('rollback')
    } catch {
      // SQLite takes a transaction that it cannot go on with back by itself; the next one begins anew.
    }
  }

  /** Runs one job in its savepoint and returns how to answer it. @throws when the whole transaction is lost with it */
  async function carryOut(job: Waiting): Promise<() => void> {
    savepoint.run()
    try {
      const value = await job.run(writer)
      release.run()
      return () => job.resolve(value as never)
    } catch (error) {
      // A full disk or a failing one can make SQLite take back the whole transaction by itself.
      if (!writing.isTransaction) throw error
      rollbackTo.run()
      release.run()
      return () => job.reject(error)
    }
  }

  /** Begins a transaction. Waits without blocking this process while another one writes. */
  async function begin(): Promise<void> {
    const deadline = performance.now() + BUSY_TIMEOUT_MS
    for (let pauseMs = BUSY_FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, BUSY_LONGEST_PAUSE_MS)) {
      try {
        writing.exec('begin immediate')
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() > deadline)
          throw new Failure('unavailable', 'Another process keeps the database locked.', { retryAfterSeconds: 5 })
      }
      await pause(pauseMs)
    }
  }

  return {
    ...reader,
    dialect: SQLITE,
    snapshot,
    transact,
    waiting: () => queue.length,
    backup: async (target) => {
      await onlineBackup(reading, target, { rate: WHOLE_DATABASE })
    },
    inspect: async () => inspect(reading),
    hasTable: async (name) => reading.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined,
    close: async () => {
      closing = true
      await draining
      reading.close()
      writing.close()
    },
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
function statementsOf(database: DatabaseSync): (sql: string) => StatementSync {
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
  const statement = statementsOf(database)
  return {
    one: async <Row>(sql: string, values: readonly Value[]) => statement(sql).get(...values) as Row | undefined,
    all: async <Row>(sql: string, values: readonly Value[]) => statement(sql).all(...values) as Row[],
  }
}

function writerOn(database: DatabaseSync): Writer {
  const statement = statementsOf(database)
  return {
    ...readerOn(database),
    run: async (sql, values) => {
      try {
        return Number(statement(sql).run(...values).changes)
      } catch (error) {
        throw isDuplicate(error) ? new Duplicate((error as Error).message, { cause: error }) : error
      }
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
