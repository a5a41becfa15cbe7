/** The few words in which the engines' SQL has to differ. All else is one text for all of them. */
export interface Dialect {
  /** Added to a select: locks its rows until the transaction ends. Empty where a transaction is alone anyway. */
  readonly forUpdate: '' | ' for update'
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
  forUpdate: '',
  inKeyOrder: ' without rowid',
  // Without statistics SQLite takes the primary key for as good as any index that begins with the same column.
  expect: (indexes) => [
    'analyze',
    'delete from sqlite_stat1',
    ...indexes.map(
      ([table, index, rows]) => `insert into sqlite_stat1 (tbl, idx, stat) values ('${table}', '${index}', '${rows.join(' ')}')`,
    ),
    'analyze sqlite_schema',
  ],
}
