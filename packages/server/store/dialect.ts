/** The few words in which the engines' SQL has to differ. All else is one text for all of them. */
export interface Dialect {
  /**
   * Added to a select: locks its rows of the table called `alias` until the transaction ends; with `unlessHeld`, leaves out those that another
   * transaction holds instead of waiting for it. Empty where a transaction is alone anyway.
   */
  holding(alias: string, unlessHeld?: 'unless held'): string
  /** The type of text whose order is that of its code points, on every machine. */
  readonly text: 'text' | 'text collate "C"'
  /** Whether several instances can share a database, and so count requests together in it. */
  readonly isShared: boolean
  /** Waits until no other process brings the schema to a newer version, and keeps others from it until the transaction ends. */
  readonly lockSchema: string | null
  /** Reads one row whose `place` is the same for two connections if they are to the same database. */
  readonly place: string
  /** Added to a `create table`: keeps the rows in the order of the primary key. Empty where that is not to be had. */
  readonly inKeyOrder: '' | ' without rowid'
  /** Statements that tell the query planner what to expect of each index, where it does not find out by itself. */
  expect(indexes: readonly IndexExpectation[]): string[]
}

/**
 * What to expect of an index: how many rows the table has, then how many share the first column, the first two, and so on.
 * The primary key goes by its table's name.
 */
type IndexExpectation = readonly [table: string, index: string, rows: readonly number[]]

export const SQLITE: Dialect = {
  holding: () => '',
  text: 'text',
  isShared: false,
  lockSchema: null,
  place: "select file as place from pragma_database_list where name = 'main'",
  inKeyOrder: ' without rowid',
  // Without statistics SQLite takes the primary key for as good as any index that begins with the same column.
  expect: (indexes) => [
    ...new Set(indexes.flatMap(([table]) => [`analyze ${table}`, `delete from sqlite_stat1 where tbl = '${table}'`])),
    ...indexes.map(
      ([table, index, rows]) => `insert into sqlite_stat1 (tbl, idx, stat) values ('${table}', '${index}', '${rows.join(' ')}')`,
    ),
    'analyze sqlite_schema',
  ],
}

/** Any number that nothing else in the database locks. */
const SCHEMA_LOCK = 46_521_977

export const POSTGRES: Dialect = {
  holding: (alias, unlessHeld) => ` for update of ${alias}${unlessHeld ? ' skip locked' : ''}`,
  // By default a database sorts by the language of the machine that made it.
  text: 'text collate "C"',
  isShared: true,
  lockSchema: `select pg_advisory_xact_lock(${SCHEMA_LOCK})`,
  place: `select concat_ws(' ', pg_postmaster_start_time(), current_setting('port'), current_database(), current_schema()) as place`,
  inKeyOrder: '',
  // It finds out by itself (autovacuum).
  expect: () => [],
}
