import type { Event, EventType, KeptEvent, Reach } from '@fivetab/domain/event.ts'
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

export async function insertEvent(writer: Writer, accountId: string, event: LoggedEvent): Promise<void> {
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
      event.data,
      event.previous,
    ],
  )
}

function eventFromRow(row: EventRow): KeptEvent & Pick<Event, 'sequence' | 'type'> {
  return {
    sequence: row.sequence,
    id: row.id,
    type: row.type,
    occurredAt: row.occurred_at,
    cause: row.cause,
    tokenId: row.token_id,
    requestId: row.request_id,
    data: row.data,
    previous: row.previous,
  }
}

/** An event out of the log. */
export type LoggedEvent = ReturnType<typeof eventFromRow>

/** The account's events with a sequence greater than `after`, in order. */
export async function eventsAfter(reader: Reader, accountId: string, after: number, limit: number): Promise<Event[]> {
  const rows = await reader.all<EventRow>('select * from events where account_id = $1 and sequence > $2 order by sequence limit $3', [
    accountId,
    after,
    limit,
  ])
  return rows.map((row) => ({ ...eventFromRow(row), data: JSON.parse(row.data), previous: JSON.parse(row.previous) }))
}

/** What was found in a part of an account's log. */
export interface LogPage extends Reach {
  events: LoggedEvent[]
  /** All events of the wanted types up to this sequence are in `events`, or came before. */
  through: number
  /** Whether there is more to read after `through`, as far as the log was looked at. */
  hasMore: boolean
}

/** What is wanted of a log: up to `limit` events of these types after the sequence `after`. */
export interface LogRequest {
  after: number
  types: readonly EventType[]
  limit: number
}

/** A page of few types looks at so much of the log at most, lest one that wants what hardly ever happens reads all of it. */
const LOOKED_AT = 5_000

/**
 * A page of an account's log, with how far the log reaches at that same instant: what a page shows is all that there was. Without regard to `Reach`
 * the caller could take a gap for silence.
 */
export async function readLog(reader: Reader, accountId: string, { after, types, limit }: LogRequest): Promise<LogPage> {
  const wanted = types.map((_, index) => `$${index + 5}`).join(', ')
  const rows = await reader.all<Reach & (EventRow | { id: null })>(
    `select l.last_sequence as latest, ${EARLIEST} as earliest, found.*
     from ledgers l left join
       (select * from events where account_id = $1 and sequence > $2 and sequence <= $3 and type in (${wanted}) order by sequence limit $4) found
       on found.account_id = l.account_id
     where l.account_id = $1 order by found.sequence`,
    [accountId, after, after + LOOKED_AT, limit + 1, ...types],
  )
  const { earliest = 1, latest = 0 } = rows[0] ?? {}
  const found = rows.flatMap((row) => (row.id === null ? [] : [eventFromRow(row)]))
  const events = found.slice(0, limit)
  const last = events.at(-1)
  if (found.length > limit && last !== undefined) return { earliest, latest, events, through: last.sequence, hasMore: true }
  const through = Math.min(after + LOOKED_AT, Math.max(latest, after))
  return { earliest, latest, events, through, hasMore: through < latest }
}

const EARLIEST = `coalesce((select f.sequence from events f where f.account_id = l.account_id order by f.sequence limit 1), l.last_sequence + 1)`

/** How far the account's log reaches. */
export async function reachOf(reader: Reader, accountId: string): Promise<Reach> {
  const reach = await reader.one<Reach>(
    `select l.last_sequence as latest, ${EARLIEST} as earliest from ledgers l where l.account_id = $1`,
    [accountId],
  )
  return reach ?? { earliest: 1, latest: 0 }
}

/** The sequence of the last event in the log of each of these accounts. */
export async function latestOf(reader: Reader, accountIds: readonly string[]): Promise<Map<string, number>> {
  const places = accountIds.map((_, index) => `$${index + 1}`).join(', ')
  const rows = await reader.all<{ account_id: string; last_sequence: number }>(
    `select account_id, last_sequence from ledgers where account_id in (${places})`,
    accountIds,
  )
  return new Map(rows.map((row) => [row.account_id, row.last_sequence]))
}

/** The account's events of these sequences, as far as they are not forgotten. */
export async function eventsAt(reader: Reader, accountId: string, sequences: readonly number[]): Promise<Map<number, LoggedEvent>> {
  if (sequences.length === 0) return new Map()
  const places = sequences.map((_, index) => `$${index + 2}`).join(', ')
  const rows = await reader.all<EventRow>(`select * from events where account_id = $1 and sequence in (${places})`, [
    accountId,
    ...sequences,
  ])
  return new Map(rows.map((row) => [row.sequence, eventFromRow(row)]))
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
