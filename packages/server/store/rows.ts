/** How the rows of one kind of resource are written: they belong to an account, and the first of their columns is the id. */
export interface RowStatements {
  /** `select` of the columns, without a condition. */
  select: string
  /** Parameters: the account, then a value for each column. */
  insert: string
  /** Parameters as for `insert`; the id says which row. */
  update: string
  /** Parameters: the account and the id. */
  delete: string
}

/** The statements for `table`. `written` are columns that are only written, never read back. */
export function rowStatements(table: string, columns: readonly string[], written: readonly string[] = []): RowStatements {
  const all = [...columns, ...written]
  const [id = '', ...others] = all
  const places = all.map((_, index) => `$${index + 2}`)
  const settings = others.map((column, index) => `${column} = $${index + 3}`)
  return {
    select: `select ${columns.join(', ')} from ${table}`,
    insert: `insert into ${table} (account_id, ${all.join(', ')}) values ($1, ${places.join(', ')})`,
    update: `update ${table} set ${settings.join(', ')} where account_id = $1 and ${id} = $2`,
    delete: `delete from ${table} where account_id = $1 and ${id} = $2`,
  }
}
