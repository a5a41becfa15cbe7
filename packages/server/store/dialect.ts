/** The few words in which the engines' SQL has to differ. All else is one text for all of them. */
export interface Dialect {
  /** Added to a select: locks its rows until the transaction ends. Empty where a transaction is alone anyway. */
  readonly forUpdate: '' | ' for update'
  /** Added to a `create table`: keeps the rows in the order of the primary key. Empty where that is not to be had. */
  readonly inKeyOrder: '' | ' without rowid'
}

export const SQLITE: Dialect = { forUpdate: '', inKeyOrder: ' without rowid' }
