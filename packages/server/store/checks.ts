import type { Finding, Reader } from './store.ts'

/** What the accounts count, counted anew: for the operator who wonders whether all is well. */
export async function checkLedgers(reader: Reader): Promise<Finding[]> {
  const miscounted = await reader.all<{ email: string; active_tasks: number; counted: number }>(
    `select a.email, l.active_tasks,
       (select count(*) from tasks t where t.account_id = l.account_id and t.disposition <> 'done' and t.archived_at is null) as counted
     from ledgers l join accounts a on a.id = l.account_id
     where l.active_tasks <>
       (select count(*) from tasks t where t.account_id = l.account_id and t.disposition <> 'done' and t.archived_at is null)`,
    [],
  )
  const gaps = await reader.all<{ email: string }>(
    `select a.email from ledgers l join accounts a on a.id = l.account_id join
       (select account_id, count(*) as kept, min(sequence) as first, max(sequence) as last from events group by account_id) e
         on e.account_id = l.account_id
     where e.last <> l.last_sequence or e.kept <> e.last - e.first + 1`,
    [],
  )
  return [
    {
      what: 'active tasks',
      ok: miscounted.length === 0,
      detail:
        miscounted.length === 0
          ? 'every account counts right'
          : `${miscounted.map((row) => `${row.email} says ${row.active_tasks} and has ${row.counted}`).join('; ')}. Was the database changed by hand? Restore a backup, and report this.`,
    },
    {
      what: 'event logs',
      ok: gaps.length === 0,
      detail:
        gaps.length === 0
          ? 'no sequence has a gap'
          : `gaps in the logs of ${gaps.map((row) => row.email).join(', ')}. Was the database changed by hand? Restore a backup, and report this.`,
    },
  ]
}

/** The latest time that was written anywhere, in ms since the epoch; 0 when nothing was. */
export async function latestStamp(reader: Reader): Promise<number> {
  const row = await reader.one<{ latest: number | null }>('select max(last_stamp) as latest from ledgers', [])
  return row?.latest ?? 0
}
