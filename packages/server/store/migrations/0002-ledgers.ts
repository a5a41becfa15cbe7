import type { Dialect } from '../dialect.ts'

const COUNTS = ['active_tasks', 'last_stamp', 'last_id', 'last_sequence', 'write_day', 'writes_that_day']

/**
 * What an account counts moves out of `accounts` into a table of its own. `accounts` is then changed by an operator alone and is small enough to
 * be kept whole on every node of a cluster, while the row that each write holds lies with the account's data.
 */
export const ledgers = ({ text, inKeyOrder }: Dialect): string[] => [
  `create table ledgers (
    account_id ${text} not null primary key references accounts (id) on delete cascade,
    active_tasks bigint not null,
    last_stamp bigint not null,
    last_id ${text} not null,
    last_sequence bigint not null,
    write_day bigint not null,
    writes_that_day bigint not null
  )${inKeyOrder}`,
  `insert into ledgers (account_id, ${COUNTS.join(', ')}) select id, ${COUNTS.join(', ')} from accounts`,
  ...COUNTS.map((column) => `alter table accounts drop column ${column}`),
]
