import type { Account } from '@fivetab/domain/account.ts'
import { insertLedger } from './ledgers.ts'
import type { Reader, Writer } from './store.ts'

export interface AccountRow {
  id: string
  email: string
  name: string | null
  time_zone: string
  plan_key: string
  api_access: number
  vault: number
  created_at: number
}

export const ACCOUNT_COLUMNS = 'a.id, a.email, a.name, a.time_zone, a.plan_key, a.api_access, a.vault, a.created_at'

export function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    timeZone: row.time_zone,
    planKey: row.plan_key,
    apiAccess: row.api_access === 1,
    vault: row.vault === 1,
    createdAt: row.created_at,
  }
}

/** An account as its operator sees it: with what it counts, and whether anybody can sign in to it. */
export interface CountedAccount extends Account {
  activeTasks: number
  hasPassword: boolean
}

interface CountedAccountRow extends AccountRow {
  active_tasks: number
  has_password: number
}

function countedFromRow(row: CountedAccountRow): CountedAccount {
  return { ...accountFromRow(row), activeTasks: row.active_tasks, hasPassword: row.has_password === 1 }
}

/** A condition: the account that `id` (a column) names may use the API now, as far as its operator has a say. */
export function isLetIn(id: string): string {
  return `exists (select 1 from accounts a join plans p on p.key = a.plan_key join switches s on s.name = 'api'
    where a.id = ${id} and a.api_access = 1 and a.vault = 0 and p.api_access = 1 and s.is_on = 1)`
}

const COUNTED_ACCOUNTS = `select ${ACCOUNT_COLUMNS}, l.active_tasks, case when p.account_id is null then 0 else 1 end as has_password
  from accounts a join ledgers l on l.account_id = a.id left join passwords p on p.account_id = a.id`

/** E-mail addresses are told apart without regard to case. */
export async function accountByEmail(reader: Reader, email: string): Promise<CountedAccount | undefined> {
  const row = await reader.one<CountedAccountRow>(`${COUNTED_ACCOUNTS} where a.email = $1`, [email.toLowerCase()])
  return row && countedFromRow(row)
}

export async function accountById(reader: Reader, id: string): Promise<CountedAccount | undefined> {
  const row = await reader.one<CountedAccountRow>(`${COUNTED_ACCOUNTS} where a.id = $1`, [id])
  return row && countedFromRow(row)
}

export async function allAccounts(reader: Reader): Promise<CountedAccount[]> {
  const rows = await reader.all<CountedAccountRow>(`${COUNTED_ACCOUNTS} order by a.id`, [])
  return rows.map(countedFromRow)
}

export async function anyAccount(reader: Reader): Promise<boolean> {
  return (await reader.one('select 1 as found from accounts limit 1', [])) !== undefined
}

/** @throws Duplicate when the address is taken */
export async function insertAccount(writer: Writer, account: Account): Promise<void> {
  await writer.run(
    'insert into accounts (id, email, name, time_zone, plan_key, api_access, vault, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)',
    [
      account.id,
      account.email.toLowerCase(),
      account.name,
      account.timeZone,
      account.planKey,
      Number(account.apiAccess),
      Number(account.vault),
      account.createdAt,
    ],
  )
  await insertLedger(writer, account.id)
}

export async function updateAccount(writer: Writer, account: Account): Promise<void> {
  await writer.put('update accounts set name = $2, time_zone = $3, plan_key = $4, api_access = $5, vault = $6 where id = $1', [
    account.id,
    account.name,
    account.timeZone,
    account.planKey,
    Number(account.apiAccess),
    Number(account.vault),
  ])
}

/** @throws Duplicate when the address is taken */
export async function updateEmail(writer: Writer, id: string, email: string): Promise<void> {
  await writer.run('update accounts set email = $2 where id = $1', [id, email.toLowerCase()])
}

/** Leaves nobody a way into the account: neither a token, nor a password, nor a link to a new one, nor a session. */
export async function shutAccount(writer: Writer, id: string): Promise<void> {
  await writer.put('update accounts set api_access = 0 where id = $1', [id])
  await writer.put('delete from passwords where account_id = $1', [id])
  await writer.put('delete from one_time_links where account_id = $1', [id])
  await writer.put('delete from sessions where account_id = $1', [id])
}

/** Deletes up to `limit` of the account's tasks, as many of its oldest events and of its deliveries; tells how many rows went, and how many were active tasks. */
export async function deleteSomeOfAccount(writer: Writer, id: string, limit: number): Promise<{ rows: number; activeTasks: number }> {
  const tasks = await writer.all<{ is_active: number }>(
    `delete from tasks where account_id = $1 and id in (select id from tasks where account_id = $1 order by id limit $2)
     returning case when disposition <> 'done' and archived_at is null then 1 else 0 end as is_active`,
    [id, limit],
  )
  const events = await writer.run(
    'delete from events where account_id = $1 and sequence in (select sequence from events where account_id = $1 order by sequence limit $2)',
    [id, limit],
  )
  const deliveries = await writer.run(
    `delete from deliveries where account_id = $1 and (webhook_id, id) in
       (select webhook_id, id from deliveries where account_id = $1 order by webhook_id, id limit $2)`,
    [id, limit],
  )
  return { rows: tasks.length + events + deliveries, activeTasks: tasks.filter((task) => task.is_active === 1).length }
}

/** Deletes the account with everything that is left in it. */
export async function deleteAccount(writer: Writer, id: string): Promise<void> {
  // Tasks first: they point to Statuses, Workflows and projects, which then go with the account.
  await writer.put('delete from tasks where account_id = $1', [id])
  await writer.put('delete from statuses where account_id = $1', [id])
  await writer.put('delete from accounts where id = $1', [id])
}
