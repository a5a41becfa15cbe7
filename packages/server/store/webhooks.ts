import type { DisabledReason, Webhook } from '@fivetab/domain/webhook.ts'
import { isLetIn } from './accounts.ts'
import { type Filter, filterBy, type PageRequest, pageStatement } from './pages.ts'
import { rowStatements } from './rows.ts'
import type { Reader, Value, Writer } from './store.ts'

interface WebhookRow {
  id: string
  url: string
  event_types: string
  description: string | null
  disabled_reason: DisabledReason | null
  disabled_at: number | null
  secret: string
  previous_secret: string | null
  previous_secret_until: number | null
  created_at: number
  updated_at: number
  version: number
}

const COLUMNS = [
  'id',
  'url',
  'event_types',
  'description',
  'disabled_reason',
  'disabled_at',
  'secret',
  'previous_secret',
  'previous_secret_until',
  'created_at',
  'updated_at',
  'version',
] satisfies (keyof WebhookRow)[]

// How far it has come is the sending's affair, and no update of a webhook touches it.
const SQL = rowStatements('webhooks', COLUMNS)
const INSERT = `insert into webhooks (account_id, ${COLUMNS.join(', ')}, sent_through, claimed_until)
  values ($1, ${COLUMNS.map((_, index) => `$${index + 2}`).join(', ')}, $${COLUMNS.length + 2}, 0)`

function webhookFromRow(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    eventTypes: row.event_types.split(' '),
    description: row.description,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at,
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousSecretUntil: row.previous_secret_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

function webhookToValues(webhook: Webhook): Value[] {
  return [
    webhook.id,
    webhook.url,
    webhook.eventTypes.join(' '),
    webhook.description,
    webhook.disabledReason,
    webhook.disabledAt,
    webhook.secret,
    webhook.previousSecret,
    webhook.previousSecretUntil,
    webhook.createdAt,
    webhook.updatedAt,
    webhook.version,
  ]
}

export async function webhookById(reader: Reader, accountId: string, id: string): Promise<Webhook | undefined> {
  const row = await reader.one<WebhookRow>(`${SQL.select} where account_id = $1 and id = $2`, [accountId, id])
  return row && webhookFromRow(row)
}

/** The account of the webhook with this id, whichever that is: for the operator alone. */
export async function accountOfWebhook(reader: Reader, id: string): Promise<string | undefined> {
  const row = await reader.one<{ account_id: string }>('select account_id from webhooks where id = $1', [id])
  return row?.account_id
}

/** Up to `limit` + 1 webhooks of a page. */
export async function webhookPage(reader: Reader, accountId: string, page: PageRequest): Promise<Webhook[]> {
  const filter: Filter = { conditions: [], values: [] }
  filterBy(filter, 'account_id = ?', accountId)
  const { sql, values } = pageStatement(SQL.select, filter, page)
  return (await reader.all<WebhookRow>(sql, values)).map(webhookFromRow)
}

export async function countWebhooks(reader: Reader, accountId: string): Promise<number> {
  const row = await reader.one<{ count: number }>('select count(*) as count from webhooks where account_id = $1', [accountId])
  return row?.count ?? 0
}

/** Adds a webhook that is sent what comes after the sequence `after` of the account's log. */
export async function insertWebhook(writer: Writer, accountId: string, webhook: Webhook, after: number): Promise<void> {
  await writer.put(INSERT, [accountId, ...webhookToValues(webhook), after])
}

export async function updateWebhook(writer: Writer, accountId: string, webhook: Webhook): Promise<void> {
  await writer.put(SQL.update, [accountId, ...webhookToValues(webhook)])
}

/** Has the webhook begin anew: in good health, with what comes after the sequence `after`. */
export async function restartWebhook(writer: Writer, accountId: string, id: string, after: number): Promise<void> {
  await writer.put('update webhooks set sent_through = $3, failing_since = null where account_id = $1 and id = $2', [accountId, id, after])
}

/** Deletes a webhook; its deliveries can be seen no more. */
export async function deleteWebhook(writer: Writer, accountId: string, id: string): Promise<void> {
  await writer.put(SQL.delete, [accountId, id])
}

/** Which webhook, of which account. */
export interface WebhookPlace {
  accountId: string
  webhookId: string
}

/** A webhook with how far it has come. */
export interface WebhookStanding extends WebhookPlace {
  webhook: Webhook
  /** The sequence of the last event that was sent, or needed no sending. */
  sentThrough: number
  /** Since when nothing was taken, in ms since the epoch; null while all is well. */
  failingSince: number | null
}

type StandingRow = WebhookRow & { account_id: string; sent_through: number; failing_since: number | null }

function standingFromRow(row: StandingRow): WebhookStanding {
  return {
    accountId: row.account_id,
    webhookId: row.id,
    webhook: webhookFromRow(row),
    sentThrough: row.sent_through,
    failingSince: row.failing_since,
  }
}

const STANDING = ['account_id', ...COLUMNS, 'sent_through', 'failing_since']
const BEHIND = `select ${STANDING.map((column) => `w.${column}`).join(', ')}, l.last_sequence
  from webhooks w join ledgers l on l.account_id = w.account_id`

/** All webhooks of the account, with how far each has come, the oldest first. */
export async function standingsOf(reader: Reader, accountId: string): Promise<WebhookStanding[]> {
  const rows = await reader.all<StandingRow>(`select ${STANDING.join(', ')} from webhooks where account_id = $1 order by id`, [accountId])
  return rows.map(standingFromRow)
}

/** Those of these accounts' webhooks that are enabled and have not come to the end of the log; none of an account that may not use the API. */
export async function webhooksBehind(reader: Reader, accountIds: readonly string[]): Promise<WebhookStanding[]> {
  const places = accountIds.map((_, index) => `$${index + 1}`).join(', ')
  const rows = await reader.all<StandingRow>(
    `${BEHIND} where w.account_id in (${places}) and w.disabled_reason is null and w.sent_through < l.last_sequence
       and ${isLetIn('w.account_id')}`,
    accountIds,
  )
  return rows.map(standingFromRow)
}

/** The next up to `limit` webhooks after `after` (null for the first), in the order of their keys, with those of them that are behind. */
export async function sweepWebhooks(
  reader: Reader,
  after: WebhookPlace | null,
  limit: number,
): Promise<{ behind: WebhookStanding[]; last: WebhookPlace | null }> {
  const rows = await reader.all<StandingRow & { last_sequence: number }>(
    `${BEHIND} where (w.account_id, w.id) > ($1, $2) and ${isLetIn('w.account_id')} order by w.account_id, w.id limit $3`,
    [after?.accountId ?? '', after?.webhookId ?? '', limit],
  )
  const last = rows.length < limit ? undefined : rows.at(-1)
  return {
    behind: rows.filter((row) => row.disabled_reason === null && row.sent_through < row.last_sequence).map(standingFromRow),
    last: last === undefined ? null : { accountId: last.account_id, webhookId: last.id },
  }
}

/** Who sends to a webhook, and until when nobody else does; times are ms since the epoch. */
export interface Claim {
  by: string
  now: number
  /** `now` gives it up. */
  until: number
}

/** How far from now a claim may end that was not made by a clock that is set wrong. */
const LONGEST_CLAIM_MS = 120_000

/** Takes the webhook for a time, and answers with how far it has come; undefined when it is gone, another process has it, or its account may not use the API. */
export async function claimWebhook(
  writer: Writer,
  { accountId, webhookId }: WebhookPlace,
  claim: Claim,
  holding: string,
): Promise<WebhookStanding | undefined> {
  const [row] = await writer.all<StandingRow>(
    `update webhooks set claimed_by = $3, claimed_until = $4
     where (account_id, id) in
       (select w.account_id, w.id from webhooks w
        where w.account_id = $1 and w.id = $2 and (w.claimed_by = $3 or w.claimed_until <= $5 or w.claimed_until > $6)
          and ${isLetIn('w.account_id')}${holding})
     returning ${STANDING.join(', ')}`,
    [accountId, webhookId, claim.by, claim.until, claim.now, claim.now + LONGEST_CLAIM_MS],
  )
  return row && standingFromRow(row)
}

/**
 * A claimed webhook as it is now, which stays so until the transaction ends; undefined when another process has it by now, or it is gone. `holding`
 * is the dialect's.
 */
export async function claimedWebhook(
  writer: Writer,
  { accountId, webhookId }: WebhookPlace,
  by: string,
  holding: string,
): Promise<WebhookStanding | undefined> {
  const row = await writer.one<StandingRow>(
    `select ${STANDING.join(', ')} from webhooks w where account_id = $1 and id = $2 and claimed_by = $3${holding}`,
    [accountId, webhookId, by],
  )
  return row && standingFromRow(row)
}

/** Stores how far a claimed webhook has come, and prolongs the claim or gives it up; stores nothing when another process has it by now. */
export async function saveStanding(writer: Writer, standing: WebhookStanding, claim: Claim): Promise<void> {
  await writer.put(
    `update webhooks set sent_through = case when sent_through > $4 then sent_through else $4 end, failing_since = $5, claimed_until = $6
     where account_id = $1 and id = $2 and claimed_by = $3`,
    [standing.accountId, standing.webhookId, claim.by, standing.sentThrough, standing.failingSince, claim.until],
  )
}

/** Gives up the claims of processes that are no more, where there is none beside this one. */
export async function voidClaims(writer: Writer): Promise<void> {
  await writer.put('update webhooks set claimed_until = 0 where claimed_until > 0', [])
}

/** Moves on a webhook that nobody sends to: all up to the sequence `through` is nothing that it wants. */
export async function skipThrough(writer: Writer, { accountId, webhookId }: WebhookPlace, from: number, through: number): Promise<void> {
  await writer.put('update webhooks set sent_through = $4 where account_id = $1 and id = $2 and sent_through = $3', [
    accountId,
    webhookId,
    from,
    through,
  ])
}
