import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises'
import { Failure } from '@fivetab/domain/failure.ts'
import { DatabaseError, Pool, type PoolClient, type QueryConfig, types } from 'pg'
import { POSTGRES } from './dialect.ts'
import { openLines, Spoilt, type Statements, type Transaction, TryAgain } from './lines.ts'
import { type CommitObserver, Duplicate, type Engine, type Finding, type Reader, type Value } from './store.ts'

/**
 * The engine for PostgreSQL: a pool of connections, statements prepared once on each, and as few round trips as can be.
 *
 * Statements are sent without waiting for those before them (pipelining), so a turn is two round trips and what it has to read: `begin` with the
 * account's ledger goes first, and all that it stores goes with the `commit`. An account's writes stand in a line of this process, so that one that is busy takes one
 * connection and not all of them.
 */

/** How long to wait for a connection: for a free one, or for a new one to be made. */
const CONNECT_TIMEOUT_MS = 3_000
const IDLE_CONNECTION_MS = 30_000
/** After a failed attempt to connect, how long until the next one; doubled with each. */
const FIRST_BACKOFF_MS = 50
const LONGEST_BACKOFF_MS = 1_000
const LOCK_TIMEOUT_MS = 4_000
const STATEMENT_TIMEOUT_MS = 5_000
/** A server that does not answer at all, not even that a statement took too long, is given up. */
const ANSWER_TIMEOUT_MS = 6_000
/** What a process that died or stands still in the midst of a transaction keeps locked is let go after this. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
/** How long a write may wait for those of its account before it. */
const LINE_PATIENCE_MS = 4_000
/** How long a shared read waits for the one before it, which may hang. */
const SHARING_PATIENCE_MS = 100
/** Lists are put together from filters; this bounds how many of their texts are kept prepared. */
const MAX_STATEMENTS = 500

const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
/** Classes of SQLSTATE (the first two characters) that say nothing of the statement: no connection, no resources, an operator's intervention. */
const PASSING_CLASSES = new Set(['08', '53', '57'])
const DISK_FULL = '53100'
const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'
/** `read_only_sql_transaction`: a connection to what is a standby now. */
const READ_ONLY = '25006'

const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    // Counts and times are far below 2^53.
    oid === types.builtins.INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format as 'text'),
}

export interface PostgresOptions {
  observer: CommitObserver
  /** How many connections may be open at once. */
  poolSize: number
  /** Whether a statement may take as long as it takes: for the command line, which nobody waits for with a request. */
  isPatient: boolean
}

/** Opens the database that `url` (`postgres://…`) names. Nothing is connected before it is needed. */
export function openPostgres(url: string, { observer, poolSize, isPatient }: PostgresOptions): Engine {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    pipeline: true,
    types: TYPES,
    application_name: 'fivetab',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    ...(!isPatient && { lock_timeout: LOCK_TIMEOUT_MS, statement_timeout: STATEMENT_TIMEOUT_MS, query_timeout: ANSWER_TIMEOUT_MS }),
  })
  // A connection that breaks is noticed by whoever uses it; one that nobody uses is replaced when it is needed.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const connect = connector(pool, poolSize)
  const lines = openLines({ begin: () => begin('begin'), gather: async () => {}, patienceMs: LINE_PATIENCE_MS, observer })

  async function begin(statement: string): Promise<Transaction> {
    const client = await connect()
    const connection = connectionOn(client)
    connection.send(statement)
    return {
      statements: connection,
      commit: async () => {
        connection.send('commit')
        await connection.settle(OUTCOME_UNKNOWN).catch((error) => {
          throw error instanceof Failure ? error : new Spoilt(error)
        })
        client.release()
      },
      rollback: () => {
        connection.forgetFailure()
        connection.send('rollback')
        return connection.settle().then(
          () => client.release(),
          () => client.release(true),
        )
      },
    }
  }

  async function all<Row>(sql: string, values: readonly Value[]): Promise<Row[]> {
    const client = await connect()
    try {
      const { rows } = await client.query(prepared(sql, values))
      client.release()
      return rows as Row[]
    } catch (error) {
      client.release(!isAboutTheStatement(error))
      throw translated(error)
    }
  }

  async function snapshot<T>(job: (reader: Reader) => Promise<T>): Promise<T> {
    const transaction = await begin('begin isolation level repeatable read read only')
    try {
      const result = await job(transaction.statements)
      await transaction.commit()
      return result
    } catch (error) {
      await transaction.rollback()
      throw error
    }
  }

  const reader: Reader = { one: async <Row>(sql: string, values: readonly Value[]) => (await all<Row>(sql, values))[0], all }

  return {
    ...reader,
    dialect: POSTGRES,
    snapshot,
    known: sharingReads(reader),
    transact: (job, line, subject) => lines.transact(job, line ?? Symbol('alone'), subject),
    waiting: lines.waiting,
    backup: async () => {
      throw new Failure('invalid_request', 'The database is PostgreSQL: back it up with pg_dump or a base backup (docs/operating.md).')
    },
    inspect: () => inspect(reader),
    hasTable: async (name) => (await reader.one('select 1 as found where to_regclass($1) is not null', [name])) !== undefined,
    close: async () => {
      await lines.end()
      await pool.end()
    },
  }
}

/**
 * Reads by the same name follow each other, each for all that had asked when it began: those of one turn of the event loop, or those that
 * asked while the one before was under way.
 */
function sharingReads(reader: Reader): Engine['known'] {
  const underWay = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<unknown>>()

  async function readAfter<T>(before: Promise<unknown> | undefined, name: string, read: (reader: Reader) => Promise<T>): Promise<T> {
    // That the one before fails is told to those who asked for it.
    await (before === undefined ? endOfTurn() : Promise.race([before.catch(() => {}), pause(SHARING_PATIENCE_MS, null, { ref: false })]))
    next.delete(name)
    const reading = read(reader)
    underWay.set(name, reading)
    try {
      return await reading
    } finally {
      if (underWay.get(name) === reading) underWay.delete(name)
    }
  }

  return <T>(name: string, read: (reader: Reader) => Promise<T>) => {
    const shared = next.get(name) ?? readAfter(underWay.get(name), name, read)
    next.set(name, shared)
    return shared as Promise<T>
  }
}

/** Gives connections of the pool. After a failed attempt to make a new one it refuses at once for a while, instead of trying with each request. */
function connector(pool: Pool, poolSize: number): () => Promise<PoolClient> {
  let backoffMs = FIRST_BACKOFF_MS
  let quietUntil = 0
  let lastError: unknown
  return async () => {
    const needsNew = pool.idleCount === 0 && pool.totalCount < poolSize
    if (needsNew && performance.now() < quietUntil) throw translated(lastError)
    try {
      const client = await pool.connect()
      backoffMs = FIRST_BACKOFF_MS
      return client
    } catch (error) {
      lastError = error
      if (needsNew && performance.now() >= quietUntil) {
        quietUntil = performance.now() + backoffMs
        backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)
      }
      throw translated(error)
    }
  }
}

/** One connection in the midst of a transaction. */
interface Connection extends Statements {
  /** Sends a statement whose answer nobody waits for. */
  send(sql: string, values?: readonly Value[]): void
  /** Waits until all that was sent is answered. @throws the first failure; `lost` says what it means when the connection broke */
  settle(lost?: string): Promise<void>
  forgetFailure(): void
}

function connectionOn(client: PoolClient): Connection {
  let failure: { error: unknown } | null = null
  let last: Promise<unknown> = Promise.resolve()

  function send(sql: string, values: readonly Value[] = []): void {
    last = client.query(prepared(sql, values)).catch((error) => {
      failure ??= { error }
    })
  }

  /** Answers come in the order of the statements, so a failure before this one is known by the time this one is answered. */
  async function ask(sql: string, values: readonly Value[]) {
    try {
      return await client.query(prepared(sql, values))
    } catch (error) {
      failure ??= { error }
      throw translated(failure.error)
    }
  }

  return {
    one: async <Row>(sql: string, values: readonly Value[]) => (await ask(sql, values)).rows[0] as Row | undefined,
    all: async <Row>(sql: string, values: readonly Value[]) => (await ask(sql, values)).rows as Row[],
    run: async (sql, values) => (await ask(sql, values)).rowCount ?? 0,
    put: async (sql, values) => send(sql, values),
    send,
    settle: async (lost) => {
      await last
      if (failure !== null) throw translated(failure.error, lost)
    },
    forgetFailure: () => {
      failure = null
    },
  }
}

const names = new Map<string, string>()

/** A statement that each connection prepares once, by a name of its own; one without values, or one too many, is sent as it is. */
function prepared(sql: string, values: readonly Value[]): QueryConfig {
  if (values.length === 0) return { text: sql }
  const name = names.get(sql)
  if (name !== undefined) return { name, text: sql, values: values as Value[] }
  if (names.size >= MAX_STATEMENTS) return { text: sql, values: values as Value[] }
  names.set(sql, `fivetab_${names.size + 1}`)
  return prepared(sql, values)
}

const UNREACHABLE = 'The database cannot be reached, or does not answer in time.'
const OUTCOME_UNKNOWN =
  'The connection to the database broke while this was being stored: it may be stored or not. Ask again with the same Idempotency-Key, or look before you repeat it.'

function unavailable(detail: string, cause: unknown): Failure {
  const failure = new Failure('unavailable', detail, { retryAfterSeconds: 2 })
  failure.cause = cause
  return failure
}

/** What a driver's error means to the rest of the program. Without an answer of the server, the connection was lost: `lost` says what follows. */
function translated(error: unknown, lost?: string): unknown {
  if (!(error instanceof DatabaseError)) return unavailable(lost ?? UNREACHABLE, error)
  const { code = '', message, severity } = error
  // The server ended the connection, or itself, as it does when it cannot write its log: what it had stored by then is not known either.
  if (lost !== undefined && (severity === 'FATAL' || severity === 'PANIC')) return unavailable(lost, error)
  if (code === UNIQUE_VIOLATION) return new Duplicate(message, { cause: error })
  if (code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED) return new TryAgain()
  if (code === QUERY_CANCELED) return unavailable('This took the database too long.', error)
  if (code === LOCK_NOT_AVAILABLE) return unavailable('Another write of this account takes long.', error)
  if (code !== DISK_FULL && (PASSING_CLASSES.has(code.slice(0, 2)) || code === READ_ONLY)) return unavailable(UNREACHABLE, error)
  return error
}

/** Whether the connection is in order after this error. */
function isAboutTheStatement(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR'
}

/** The oldest version that this was ever run with. */
const LEAST_VERSION = 140_000

async function inspect(reader: Reader): Promise<Finding[]> {
  const [settings] = await reader.all<Record<'version' | 'number' | 'fsync' | 'synchronous_commit' | 'full_page_writes', string>>(
    `select current_setting('server_version') as version, current_setting('server_version_num') as number, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as synchronous_commit, current_setting('full_page_writes') as full_page_writes`,
    [],
  )
  if (settings === undefined) throw new Error('PostgreSQL did not tell its settings.')
  const isNewEnough = Number(settings.number) >= LEAST_VERSION
  const isDurable = settings.fsync === 'on' && settings.synchronous_commit !== 'off' && settings.full_page_writes === 'on'
  const durability = `fsync=${settings.fsync}, synchronous_commit=${settings.synchronous_commit}, full_page_writes=${settings.full_page_writes}`
  return [
    {
      what: 'server',
      ok: isNewEnough,
      detail: `PostgreSQL ${settings.version}${isNewEnough ? '' : `. Take ${LEAST_VERSION / 10_000} or newer.`}`,
    },
    {
      what: 'durability',
      ok: isDurable,
      detail: isDurable
        ? durability
        : `${durability}. What was acknowledged can be lost: set fsync and full_page_writes to on, and synchronous_commit to on.`,
    },
  ]
}
