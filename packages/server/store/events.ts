import type { Event } from '@fivetab/domain/event.ts'
import type { Reader, Writer } from './store.ts'

interface EventRow {
  sequence: number
  id: string
  type: Event['type']
  occurred_at: number
  cause: Event['cause']
  token_id: string | null
  request_id: string | null
  data: string
  previous: string
}

export async function insertEvent(writer: Writer, accountId: string, event: Event): Promise<void> {
  await writer.put(
    `insert into events (account_id, sequence, id, type, occurred_at, cause, token_id, request_id, data, previous)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      accountId,
      event.sequence,
      event.id,
      event.type,
      event.occurredAt,
      event.cause,
      event.tokenId,
      event.requestId,
      JSON.stringify(event.data),
      JSON.stringify(event.previous),
    ],
  )
}

/** The account's events with a sequence greater than `after`, in order. */
export async function eventsAfter(reader: Reader, accountId: string, after: number, limit: number): Promise<Event[]> {
  const rows = await reader.all<EventRow>('select * from events where account_id = $1 and sequence > $2 order by sequence limit $3', [
    accountId,
    after,
    limit,
  ])
  return rows.map((row) => ({
    sequence: row.sequence,
    id: row.id,
    type: row.type,
    occurredAt: row.occurred_at,
    cause: row.cause,
    tokenId: row.token_id,
    requestId: row.request_id,
    data: JSON.parse(row.data),
    previous: JSON.parse(row.previous),
  }))
}

/** Ids of up to `limit` accounts, in order, after `after` (`''` for the first), whose log begins before `time` (ms since the epoch). */
export async function accountsWithEventsBefore(reader: Reader, time: number, after: string, limit: number): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    `select a.id from accounts a
     where a.id > $1 and (select e.occurred_at from events e where e.account_id = a.id order by e.sequence limit 1) < $2
     order by a.id limit $3`,
    [after, time, limit],
  )
  return rows.map(({ id }) => id)
}

/** Forgets up to `limit` of the account's events from before `time` (ms since the epoch), the oldest first; returns how many. `holding` is the dialect's. */
export function deleteEventsBefore(writer: Writer, accountId: string, time: number, limit: number, holding: string): Promise<number> {
  // Within an account a later event is never stamped earlier: the old ones are those before the first that is not old.
  return writer.run(
    `delete from events where account_id = $1 and sequence in
       (select o.sequence from events o where o.account_id = $1 and o.sequence <
          coalesce((select e.sequence from events e where e.account_id = $1 and e.occurred_at >= $2 order by e.sequence limit 1), ${Number.MAX_SAFE_INTEGER})
        order by o.sequence limit $3${holding})`,
    [accountId, time, limit],
  )
}
