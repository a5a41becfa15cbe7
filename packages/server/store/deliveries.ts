import type { Delivery, DeliveryState } from '@fivetab/domain/delivery.ts'
import type { KeptEvent } from '@fivetab/domain/event.ts'
import { isLetIn } from './accounts.ts'
import { type Filter, filterBy, type PageRequest, pageStatement } from './pages.ts'
import { rowStatements } from './rows.ts'
import type { Reader, Value, Writer } from './store.ts'
import type { WebhookPlace } from './webhooks.ts'

interface DeliveryRow {
  id: string
  webhook_id: string
  event_id: string
  event_type: KeptEvent['type']
  sequence: number | null
  state: DeliveryState
  next_attempt_at: number | null
  attempts: string
  created_at: number
}

const SQL = rowStatements('deliveries', [
  'id',
  'webhook_id',
  'event_id',
  'event_type',
  'sequence',
  'state',
  'next_attempt_at',
  'attempts',
  'created_at',
] satisfies (keyof DeliveryRow)[])

function deliveryFromRow(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    sequence: row.sequence,
    state: row.state,
    nextAttemptAt: row.next_attempt_at,
    attempts: JSON.parse(row.attempts),
    createdAt: row.created_at,
  }
}

function deliveryToValues(delivery: Delivery): Value[] {
  return [
    delivery.id,
    delivery.webhookId,
    delivery.eventId,
    delivery.eventType,
    delivery.sequence,
    delivery.state,
    delivery.nextAttemptAt,
    JSON.stringify(delivery.attempts),
    delivery.createdAt,
  ]
}

export async function deliveryById(reader: Reader, accountId: string, webhookId: string, id: string): Promise<Delivery | undefined> {
  const row = await reader.one<DeliveryRow>(`${SQL.select} where account_id = $1 and webhook_id = $2 and id = $3`, [
    accountId,
    webhookId,
    id,
  ])
  return row && deliveryFromRow(row)
}

/** Up to `limit` + 1 deliveries of a page; of one state only, unless that is null. */
export async function deliveryPage(
  reader: Reader,
  { accountId, webhookId }: WebhookPlace,
  state: DeliveryState | null,
  page: PageRequest,
): Promise<Delivery[]> {
  const filter: Filter = { conditions: [], values: [] }
  filterBy(filter, 'account_id = ?', accountId)
  filterBy(filter, 'webhook_id = ?', webhookId)
  if (state !== null) filterBy(filter, 'state = ?', state)
  const { sql, values } = pageStatement(SQL.select, filter, page)
  return (await reader.all<DeliveryRow>(sql, values)).map(deliveryFromRow)
}

/** Adds a delivery; one that is there already stays, since whoever did not hear of a commit stores once more. */
export async function insertDelivery(writer: Writer, accountId: string, delivery: Delivery): Promise<void> {
  await writer.put(`${SQL.insert} on conflict do nothing`, [accountId, ...deliveryToValues(delivery)])
}

export async function updateDelivery(writer: Writer, accountId: string, delivery: Delivery): Promise<void> {
  await writer.put(`${SQL.update} and webhook_id = $3`, [accountId, ...deliveryToValues(delivery)])
}

/** Keeps the event of a test beside its delivery, as no log has it. */
export async function insertTestEvent(writer: Writer, { accountId, webhookId }: WebhookPlace, id: string, event: KeptEvent): Promise<void> {
  await writer.put('update deliveries set test_event = $4 where account_id = $1 and webhook_id = $2 and id = $3', [
    accountId,
    webhookId,
    id,
    JSON.stringify(event),
  ])
}

export async function testEventOf(reader: Reader, accountId: string, { webhookId, id }: Delivery): Promise<KeptEvent | undefined> {
  const row = await reader.one<{ test_event: string | null }>(
    'select test_event from deliveries where account_id = $1 and webhook_id = $2 and id = $3',
    [accountId, webhookId, id],
  )
  return row?.test_event == null ? undefined : JSON.parse(row.test_event)
}

/** Has nothing more of the webhook be tried. */
export async function giveUpDeliveries(writer: Writer, accountId: string, webhookId: string): Promise<void> {
  await writer.put(
    `update deliveries set state = 'failed', next_attempt_at = null where account_id = $1 and webhook_id = $2 and next_attempt_at is not null`,
    [accountId, webhookId],
  )
}

/** A webhook that has something to be tried; since when it has failed in ms since the epoch, null when it does not. */
export interface DueWebhook extends WebhookPlace {
  failingSince: number | null
}

/** Up to `limit` webhooks that have deliveries to be tried at `now` (ms since the epoch): of these accounts, or of all for null. */
export async function webhooksWithDue(
  reader: Reader,
  now: number,
  accountIds: readonly string[] | null,
  limit: number,
): Promise<DueWebhook[]> {
  const owned = accountIds === null ? '' : `and d.account_id in (${accountIds.map((_, index) => `$${index + 3}`).join(', ')})`
  const rows = await reader.all<{ account_id: string; webhook_id: string; failing_since: number | null }>(
    `select d.account_id, d.webhook_id, w.failing_since
     from deliveries d join webhooks w on w.account_id = d.account_id and w.id = d.webhook_id
     where d.next_attempt_at <= $1 ${owned} and ${isLetIn('d.account_id')}
     group by d.account_id, d.webhook_id, w.failing_since
     order by case when w.failing_since is null then 0 else 1 end, min(d.next_attempt_at) limit $2`,
    [now, limit, ...(accountIds ?? [])],
  )
  return rows.map((row) => ({ accountId: row.account_id, webhookId: row.webhook_id, failingSince: row.failing_since }))
}

/** Up to `limit` deliveries of the webhook whose time has come at `now` (ms since the epoch), the longest due first. */
export async function dueDeliveries(
  reader: Reader,
  { accountId, webhookId }: WebhookPlace,
  now: number,
  limit: number,
): Promise<Delivery[]> {
  const rows = await reader.all<DeliveryRow>(
    `${SQL.select} where account_id = $1 and webhook_id = $2 and next_attempt_at <= $3 order by next_attempt_at, id limit $4`,
    [accountId, webhookId, now, limit],
  )
  return rows.map(deliveryFromRow)
}

/** Whether anything of the webhook is still to be tried. */
export async function hasPending(reader: Reader, { accountId, webhookId }: WebhookPlace): Promise<boolean> {
  const row = await reader.one(
    'select 1 as found from deliveries where account_id = $1 and webhook_id = $2 and next_attempt_at is not null limit 1',
    [accountId, webhookId],
  )
  return row !== undefined
}

/** When the oldest delivery that is still to come was made, in ms since the epoch; null when there is none. */
export async function oldestPending(reader: Reader): Promise<number | null> {
  const row = await reader.one<{ oldest: number | null }>(
    'select min(created_at) as oldest from deliveries where next_attempt_at is not null',
    [],
  )
  return row?.oldest ?? null
}

/** Forgets up to `limit` deliveries of which nothing more is tried, and that were made before `time` (ms since the epoch), in whatever account; returns how many. `holding` is the dialect's. */
export function deleteDeliveriesBefore(writer: Writer, time: number, limit: number, holding: string): Promise<number> {
  return writer.run(
    `delete from deliveries where (account_id, webhook_id, id) in
       (select o.account_id, o.webhook_id, o.id from deliveries o where o.created_at < $1 and o.next_attempt_at is null order by o.created_at limit $2${holding})`,
    [time, limit],
  )
}
