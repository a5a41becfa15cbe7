import { createHash } from 'node:crypto'
import { Failure } from '@fivetab/domain/failure.ts'
import { migrate, NEWEST_SCHEMA, requireNewestSchema, schemaVersion } from './migrate.ts'
import type { Engine, Reader, Value, Writer } from './store.ts'
import { originAt, originOfUnfinishedCopy, removeMark, setMark } from './unfinished-copy.ts'

/**
 * Copies a whole database into an empty one, on whatever engines the two are: account by account, each table in the order of its keys, many rows
 * a transaction. What the target holds is therefore always a beginning of what is to come, and a copy that was cut off goes on after the last
 * key that is there. In the end both are read once more and compared.
 */

type Row = Record<string, Value>

interface Table {
  name: string
  /** The columns that order its rows (within the account, where they belong to one), each with a value that comes before any other. */
  key: Row
  /** The column that says whose a row is. */
  owner: 'account_id' | 'id'
}

const tableOf = (name: string, key: Row, owner: Table['owner'] = 'account_id'): Table => ({ name, key, owner })

const ACCOUNTS = tableOf('accounts', { id: '' }, 'id')

/** Copied as they are, from end to end. */
const COMMON_TABLES: readonly Table[] = [
  tableOf('plans', { key: '' }),
  tableOf('switches', { name: '' }),
  ACCOUNTS,
  // Some are of no account: invitations go on working.
  tableOf('one_time_links', { hash: '' }),
]

/** Copied account by account. */
const ACCOUNT_TABLES: readonly Table[] = [
  tableOf('tokens', { id: '' }),
  tableOf('passwords', { account_id: '' }),
  tableOf('sessions', { id: '' }),
  tableOf('tabs', { disposition: '' }),
  tableOf('ledgers', { account_id: '' }),
  tableOf('projects', { id: '' }),
  tableOf('workflows', { id: '' }),
  tableOf('statuses', { id: '' }),
  tableOf('tasks', { id: '' }),
  tableOf('checklist_steps', { task_id: '', id: '' }),
  tableOf('status_progress', { task_id: '', status_id: '' }),
  tableOf('events', { sequence: -1 }),
  tableOf('webhooks', { id: '' }),
  tableOf('deliveries', { webhook_id: '', id: '' }),
  tableOf('idempotency_keys', { route: '', key: '' }),
]

/** In this order, no row ever points to one that comes later. */
const TABLES = [...COMMON_TABLES, ...ACCOUNT_TABLES]

/** The names of all tables that are copied. */
export const COPIED_TABLES: readonly string[] = TABLES.map(({ name }) => name)

/** Tables of which each database has its own: what was done to its schema, and counts that may be lost at any time. */
export const OWN_TABLES: readonly string[] = ['migrations', 'shared_counts', 'tries']

const ROWS_A_READ = 500
const ROWS_A_TRANSACTION = 2_000
/** Of all texts together, for rows can be large: an event shows its whole resource. */
const CHARACTERS_A_TRANSACTION = 8_000_000
/** A power of 2; 192 parameters at most, for a table has up to 24 columns. With more SQLite is slower: binding takes time by the square of their number. */
const ROWS_A_STATEMENT = 8

/** How far a copy has come. */
export interface Progress {
  doing: 'copying' | 'checking'
  rows: number
  allRows: number
  /** Which account it is at, from 1 on; 0 before the first. */
  account: number
  accounts: number
}

export type Watch = (progress: Progress) => void

/** A table, or an account's rows in it, that is not the same in the source and the target. */
export interface Difference {
  table: string
  account: { id: string; email: string } | null
  rowsInSource: number
  rowsInTarget: number
}

export interface Outcome {
  accounts: number
  rows: number
  /** None when the copy is whole. */
  differences: readonly Difference[]
}

/**
 * Makes the target ready to be copied into, and marks it: brought to the newest schema when it is empty, left as it is when the same copy was begun
 * before. Answers with whether it was.
 *
 * @param name of the source, for a person; the mark keeps it
 * @param now ms since the epoch
 * @throws Failure `invalid_request` for a target that is the source, holds accounts, or holds the beginning of another copy
 * @throws SchemaTooOld, SchemaTooNew
 */
export async function beginCopy(source: Engine, target: Engine, name: string, now: number): Promise<{ isResumed: boolean }> {
  await requireNewestSchema(source)
  if (await areTheSame(source, target)) throw new Failure('invalid_request', `The target is the source itself, ${name}.`)
  const [origin, begun] = [await originAt(source, name), await originOfUnfinishedCopy(target)]
  if (begun !== null) {
    if (begun.name !== origin.name || begun.madeAt !== origin.madeAt)
      throw new Failure(
        'invalid_request',
        `The target holds an unfinished copy of another database, ${begun.name}. Go on with that one, or take an empty target.`,
      )
    if ((await schemaVersion(target)) !== NEWEST_SCHEMA)
      throw new Failure('invalid_request', 'The target holds a copy that another version of Fivetab began. Take an empty target.')
    return { isResumed: true }
  }
  if ((await schemaVersion(target)) > 0) await requireNewestSchema(target)
  await migrate(target, now)
  await target.transact(async (writer) => {
    if ((await writer.one('select 1 as found from accounts limit 1', [])) !== undefined)
      throw new Failure('invalid_request', 'The target is not empty: it holds accounts. Take an empty database, or a new folder.')
    await setMark(writer, origin)
    // Those that a new database has, or one that was started and not used, make room for those of the source.
    for (const table of ['one_time_links', 'switches', 'plans']) await writer.run(`delete from ${table}`, [])
  })
  return { isResumed: false }
}

async function areTheSame(source: Engine, target: Engine): Promise<boolean> {
  if (source.dialect !== target.dialect) return false
  const [one, other] = await Promise.all([source, target].map((engine) => engine.one<{ place: string }>(engine.dialect.place, [])))
  return one?.place === other?.place
}

/**
 * Copies all that the target does not hold yet, compares the two, and takes the mark off the target if they are the same. Nothing may write to
 * either meanwhile; where something did, that is found as a difference.
 */
export async function finishCopy(
  source: Engine,
  target: Engine,
  { isResumed, watch }: { isResumed: boolean; watch: Watch },
): Promise<Outcome> {
  const [allRows, accounts] = [await countOfRows(source), await countIn(source, ACCOUNTS)]
  const rows = isResumed ? await countOfRows(target) : 0
  await copyRows(source, target, isResumed, progressOf({ doing: 'copying', rows, allRows, account: 0, accounts }, watch))
  const seen = progressOf({ doing: 'checking', rows: 0, allRows, account: 0, accounts }, watch)
  const outcome = await compare(source, target, seen)
  if (outcome.differences.length === 0) await target.transact(removeMark)
  return outcome
}

/** Tells that `rows` more are done, the last of them of this account (its place among all, from 1 on). */
type Advance = (rows: number, account: number) => void

function progressOf(start: Progress, watch: Watch): Advance {
  let { rows } = start
  return (more, account) => {
    rows += more
    watch({ ...start, rows, account })
  }
}

async function countIn(reader: Reader, { name }: Table): Promise<number> {
  const row = await reader.one<{ count: number }>(`select count(*) as count from ${name}`, [])
  return row?.count ?? 0
}

async function countOfRows(reader: Reader): Promise<number> {
  let count = 0
  for (const table of TABLES) count += await countIn(reader, table)
  return count
}

/** A table, or the rows in it of one account. */
interface Part {
  table: Table
  account: Account | null
}

interface Account {
  id: string
  email: string
  /** Its place among all, from 1 on. */
  number: number
}

async function* accountsOf(reader: Reader): AsyncGenerator<Account> {
  let number = 0
  for await (const rows of pagesOf(reader, { table: ACCOUNTS, account: null })) {
    for (const { id, email } of rows) {
      number += 1
      yield { id: String(id), email: String(email), number }
    }
  }
}

async function* partsOf(reader: Reader, common: readonly Table[], owned: readonly Table[]): AsyncGenerator<Part> {
  for (const table of common) yield { table, account: null }
  for await (const account of accountsOf(reader)) for (const table of owned) yield { table, account }
}

/** The rows of a part in the order of their keys, a page at a time, from after the key `after` on. */
async function* pagesOf(
  reader: Reader,
  { table, account }: Part,
  after: readonly Value[] = Object.values(table.key),
): AsyncGenerator<Row[]> {
  const columns = Object.keys(table.key)
  const order = columns.join(', ')
  const places = columns.map((_, index) => `$${index + (account === null ? 1 : 2)}`).join(', ')
  const owned = account === null ? '' : `${table.owner} = $1 and `
  const sql = `select * from ${table.name} where ${owned}(${order}) > (${places}) order by ${order} limit ${ROWS_A_READ}`
  for (let last = after; ; ) {
    const rows = await reader.all<Row>(sql, account === null ? last : [account.id, ...last])
    const [end] = rows.slice(-1)
    if (end === undefined) return
    yield rows
    if (rows.length < ROWS_A_READ) return
    last = columns.map((column) => end[column] as Value)
  }
}

/** The greatest key that a part has; undefined when it has no rows. */
async function lastKeyOf(reader: Reader, { table, account }: Part): Promise<Value[] | undefined> {
  const columns = Object.keys(table.key)
  const owned = account === null ? '' : `where ${table.owner} = $1`
  const order = columns.map((column) => `${column} desc`).join(', ')
  const sql = `select ${columns.join(', ')} from ${table.name} ${owned} order by ${order} limit 1`
  const row = await reader.one<Row>(sql, account === null ? [] : [account.id])
  return row && columns.map((column) => row[column] as Value)
}

async function copyRows(source: Engine, target: Engine, isResumed: boolean, advance: Advance): Promise<void> {
  const load = openLoad(target, advance)
  for await (const part of partsOf(source, COMMON_TABLES, ACCOUNT_TABLES)) {
    const after = isResumed ? await lastKeyOf(target, part) : undefined
    for await (const rows of pagesOf(source, part, after)) await load.add(part, rows)
  }
  await load.store()
}

/** Gathers rows, also of several tables and accounts, until they are worth a transaction. */
interface Load {
  add(part: Part, rows: readonly Row[]): Promise<void>
  store(): Promise<void>
}

function openLoad(target: Engine, advance: Advance): Load {
  const gathered = new Map<Table, Row[]>(TABLES.map((table) => [table, []]))
  let [rowCount, characters, account] = [0, 0, 0]

  async function store(): Promise<void> {
    if (rowCount === 0) return
    // Table after table, whosever the rows are: so no row points to one that comes later, and each statement takes many.
    await target.transact(async (writer) => {
      for (const [table, rows] of gathered) await insert(writer, table, rows)
    })
    advance(rowCount, account)
    for (const rows of gathered.values()) rows.length = 0
    rowCount = characters = 0
  }

  return {
    add: async (part, rows) => {
      gathered.get(part.table)?.push(...rows)
      rowCount += rows.length
      for (const row of rows) for (const value of Object.values(row)) if (typeof value === 'string') characters += value.length
      account = part.account?.number ?? 0
      if (rowCount >= ROWS_A_TRANSACTION || characters >= CHARACTERS_A_TRANSACTION) await store()
    },
    store,
  }
}

async function insert(writer: Writer, { name }: Table, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  for (const batch of batchesOf(rows)) {
    const places = batch.map((_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(', ')})`)
    const values = batch.flatMap((row) => columns.map((column) => row[column] as Value))
    await writer.put(`insert into ${name} (${columns.join(', ')}) values ${places.join(', ')}`, values)
  }
}

/** The rows in batches whose sizes are powers of 2, so that a table needs few statements, which stay prepared. */
function* batchesOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let from = 0
  for (let size = ROWS_A_STATEMENT; size >= 1; size /= 2) {
    for (; rows.length - from >= size; from += size) yield rows.slice(from, from + size)
  }
}

async function compare(source: Engine, target: Engine, advance: Advance): Promise<Outcome> {
  const differences: Difference[] = []
  let [rows, accounts] = [0, 0]
  for await (const part of partsOf(source, COMMON_TABLES, [ACCOUNTS, ...ACCOUNT_TABLES])) {
    accounts = part.account?.number ?? 0
    // The row of each account is in the whole table as well.
    const isSeenAgain = part.account !== null && part.table === ACCOUNTS
    const onPage = (more: number) => isSeenAgain || advance(more, accounts)
    const [one, other] = await Promise.all([digestOf(source, part, onPage), digestOf(target, part)])
    if (one.checksum !== other.checksum) differences.push(differenceOf(part, one.rows, other.rows))
    if (!isSeenAgain) rows += one.rows
  }
  return { accounts, rows, differences }
}

function differenceOf({ table, account }: Part, rowsInSource: number, rowsInTarget: number): Difference {
  return { table: table.name, account: account && { id: account.id, email: account.email }, rowsInSource, rowsInTarget }
}

/** How many rows a part has, and the SHA-256 of all that is in them: the same on every engine for the same rows. */
async function digestOf(reader: Reader, part: Part, onPage?: (rows: number) => void): Promise<{ rows: number; checksum: string }> {
  const hash = createHash('sha256')
  let count = 0
  for await (const rows of pagesOf(reader, part)) {
    const columns = Object.keys(rows[0] as Row).sort()
    hash.update(JSON.stringify(columns))
    for (const row of rows) hash.update(JSON.stringify(columns.map((column) => row[column])))
    count += rows.length
    onPage?.(rows.length)
  }
  return { rows: count, checksum: hash.digest('hex') }
}
