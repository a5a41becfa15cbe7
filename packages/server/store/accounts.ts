import type { Account } from '@fivetab/domain/account.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import { type PlanRow, planFromRow } from './plans.ts'
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
  active_tasks: number
}

export const ACCOUNT_COLUMNS = 'a.id, a.email, a.name, a.time_zone, a.plan_key, a.api_access, a.vault, a.created_at, a.active_tasks'

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
    activeTasks: row.active_tasks,
  }
}

/** E-mail addresses are told apart without regard to case. */
export async function accountByEmail(reader: Reader, email: string): Promise<Account | undefined> {
  const row = await reader.one<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts a where a.email = $1`, [email.toLowerCase()])
  return row && accountFromRow(row)
}

export async function allAccounts(reader: Reader): Promise<Account[]> {
  const rows = await reader.all<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts a order by a.id`, [])
  return rows.map(accountFromRow)
}

export async function anyAccount(reader: Reader): Promise<boolean> {
  return (await reader.one('select 1 as found from accounts limit 1', [])) !== undefined
}

/** @throws Duplicate when the address is taken */
export async function insertAccount(writer: Writer, account: Account): Promise<void> {
  await writer.run(
    `insert into accounts (id, email, name, time_zone, plan_key, api_access, vault, created_at, active_tasks, last_stamp, last_id, last_sequence, write_day, writes_that_day)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, '', 0, 0, 0)`,
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
}

export async function updateAccount(writer: Writer, account: Account): Promise<void> {
  await writer.run('update accounts set name = $2, time_zone = $3, plan_key = $4, api_access = $5, vault = $6 where id = $1', [
    account.id,
    account.name,
    account.timeZone,
    account.planKey,
    Number(account.apiAccess),
    Number(account.vault),
  ])
}

/** Deletes up to `limit` of the account's tasks and as many of its oldest events; tells how many rows went, and how many were active tasks. */
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
  return { rows: tasks.length + events, activeTasks: tasks.filter((task) => task.is_active === 1).length }
}

/** Deletes the account with everything that is left in it. */
export async function deleteAccount(writer: Writer, id: string): Promise<void> {
  // Tasks first: they point to Statuses, Workflows and projects, which then go with the account.
  await writer.run('delete from tasks where account_id = $1', [id])
  await writer.run('delete from statuses where account_id = $1', [id])
  await writer.run('delete from accounts where id = $1', [id])
}

/** What an account's turn counts on and leaves behind. Times are ms since the epoch. */
export interface Ledger {
  plan: Plan
  activeTasks: number
  /** The last time that was written into this account's data; time never runs backwards in it. */
  lastStamp: number
  lastId: string
  lastSequence: number
  /** The UTC day, in days since the epoch, of the last write that counted, and how many there were that day. */
  writeDay: number
  writesThatDay: number
}

interface LedgerRow extends PlanRow {
  account_active_tasks: number
  last_stamp: number
  last_id: string
  last_sequence: number
  write_day: number
  writes_that_day: number
}

/** The account's ledger, its row held until the transaction ends; undefined when there is no such account. `forUpdate` is the dialect's. */
export async function takeLedger(writer: Writer, accountId: string, forUpdate: string): Promise<Ledger | undefined> {
  const row = await writer.one<LedgerRow>(
    `select a.active_tasks as account_active_tasks, a.last_stamp, a.last_id, a.last_sequence, a.write_day, a.writes_that_day, p.*
     from accounts a join plans p on p.key = a.plan_key where a.id = $1${forUpdate && `${forUpdate} of a`}`,
    [accountId],
  )
  return (
    row && {
      plan: planFromRow(row),
      activeTasks: row.account_active_tasks,
      lastStamp: row.last_stamp,
      lastId: row.last_id,
      lastSequence: row.last_sequence,
      writeDay: row.write_day,
      writesThatDay: row.writes_that_day,
    }
  )
}

export async function saveLedger(writer: Writer, accountId: string, ledger: Ledger): Promise<void> {
  await writer.run(
    `update accounts set active_tasks = $2, last_stamp = $3, last_id = $4, last_sequence = $5, write_day = $6, writes_that_day = $7
     where id = $1`,
    [accountId, ledger.activeTasks, ledger.lastStamp, ledger.lastId, ledger.lastSequence, ledger.writeDay, ledger.writesThatDay],
  )
}
