import type { Plan } from '@fivetab/domain/plan.ts'
import { type PlanRow, planFromRow } from './plans.ts'
import type { Engine, Writer } from './store.ts'

/** What each account counts. The row is what an account's turn holds, so it lies with the account's own data. */

/** How much of its plan an account uses. A day is days since the epoch, in UTC. */
export interface Usage {
  activeTasks: number
  /** The day of the last write that counted, and how many there were that day. */
  writeDay: number
  writesThatDay: number
}

/** What an account's turn counts on and leaves behind. */
export interface Ledger extends Usage {
  plan: Plan
  /** The last time that was written into this account's data, in ms since the epoch; time never runs backwards in it. */
  lastStamp: number
  lastId: string
  lastSequence: number
}

interface LedgerRow extends PlanRow {
  account_active_tasks: number
  last_stamp: number
  last_id: string
  last_sequence: number
  write_day: number
  writes_that_day: number
}

/** Opens the ledger of an account that is new. */
export async function insertLedger(writer: Writer, accountId: string): Promise<void> {
  await writer.put(
    `insert into ledgers (account_id, active_tasks, last_stamp, last_id, last_sequence, write_day, writes_that_day)
     values ($1, 0, 0, '', 0, 0, 0)`,
    [accountId],
  )
}

/** The account's ledger, its row held until the transaction ends; undefined when there is no such account. `holding` is the dialect's word for it. */
export async function takeLedger(writer: Writer, accountId: string, holding: string): Promise<Ledger | undefined> {
  const row = await writer.one<LedgerRow>(
    `select l.active_tasks as account_active_tasks, l.last_stamp, l.last_id, l.last_sequence, l.write_day, l.writes_that_day, p.*
     from ledgers l join accounts a on a.id = l.account_id join plans p on p.key = a.plan_key
     where l.account_id = $1${holding}`,
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
  await writer.put(
    `update ledgers set active_tasks = $2, last_stamp = $3, last_id = $4, last_sequence = $5, write_day = $6, writes_that_day = $7
     where account_id = $1`,
    [accountId, ledger.activeTasks, ledger.lastStamp, ledger.lastId, ledger.lastSequence, ledger.writeDay, ledger.writesThatDay],
  )
}

/** How much the account uses now; nothing when it is gone. */
export function usageOf(store: Pick<Engine, 'known'>, accountId: string): Promise<Usage> {
  return store.known(`usage of ${accountId}`, async (reader) => {
    const row = await reader.one<{ active_tasks: number; write_day: number; writes_that_day: number }>(
      'select active_tasks, write_day, writes_that_day from ledgers where account_id = $1',
      [accountId],
    )
    return { activeTasks: row?.active_tasks ?? 0, writeDay: row?.write_day ?? 0, writesThatDay: row?.writes_that_day ?? 0 }
  })
}
