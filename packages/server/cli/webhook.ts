import { DELIVERY_STATES, type DeliveryState } from '@fivetab/domain/delivery.ts'
import { deliveryToWire } from '@fivetab/domain/delivery-shape.ts'
import { formatTime, formatTimeOrNull } from '@fivetab/domain/time.ts'
import { isEnabled, webhookToWire } from '@fivetab/domain/webhook.ts'
import { type Command, Option } from 'commander'
import type { Actor } from '../actions/actor.ts'
import type { Operator } from '../actions/operator.ts'
import { type DeliveryWithEvent, disableWebhook, enableWebhook, listDeliveries, operatorAt, webhooksOf } from '../actions/webhooks.ts'
import type { WebhookStanding } from '../store/webhooks.ts'
import { answer, asOperator, type Context, someCount, table, withJson } from './context.ts'

const DELIVERIES_A_READ = 100

interface DeliveriesOptions {
  state?: DeliveryState
  limit: number
  json?: true
}

export function webhookCommand(program: Command, context: Context): void {
  const webhook = program.command('webhook').description('list webhooks and what was sent to them, turn them off and on')

  /** Has a verb be carried out where the webhook is, in whatever account. */
  const atWebhook = <T>(id: string, verb: (by: Actor) => Promise<T>): Promise<T> =>
    asOperator(context, async (by: Operator) => verb(await operatorAt(by, id)))

  withJson(webhook.command('list'))
    .description('list the webhooks of an account, without their secrets')
    .requiredOption('--account <email>', 'the account')
    .action(async (options: { account: string; json?: true }) => {
      const standings = await asOperator(context, (by) => webhooksOf(by, options.account))
      answer(context, options, standings.map(standingToJson), webhookTable(standings))
    })

  withJson(webhook.command('disable'))
    .description("turn a webhook off: nothing more is sent to it, and the account's log says so")
    .argument('<id>', 'the id of the webhook', inLowerCase)
    .action(async (id: string, options: { json?: true }) => {
      const after = await atWebhook(id, (by) => disableWebhook(by, id, 'operator'))
      const text = `The webhook ${id} to ${after.url} is off since ${formatTimeOrNull(after.disabledAt)} (${after.disabledReason}).`
      answer(context, options, webhookToWire(after), text)
    })

  withJson(webhook.command('enable'))
    .description('turn a webhook on again: it is sent what happens from then on')
    .argument('<id>', 'the id of the webhook', inLowerCase)
    .action(async (id: string, options: { json?: true }) => {
      const after = await atWebhook(id, (by) => enableWebhook(by, id))
      answer(context, options, webhookToWire(after), `The webhook ${id} to ${after.url} is on. What happened while it was off is not sent.`)
    })

  withJson(webhook.command('deliveries'))
    .description('list what was sent to a webhook, the newest first')
    .argument('<id>', 'the id of the webhook', inLowerCase)
    .addOption(new Option('--state <state>', 'only those of this state').choices(DELIVERY_STATES))
    .option('--limit <number>', 'no more than so many', someCount, 20)
    .addHelpText('after', '\n--json prints an array of deliveries as the API shows them, with their events and every attempt.')
    .action(async (id: string, options: DeliveriesOptions) => {
      const { deliveries, hasMore } = await atWebhook(id, (by) => newestDeliveries(by, id, options))
      answer(
        context,
        options,
        deliveries.map(({ delivery, event }) => deliveryToWire(delivery, event)),
        deliveryTable(deliveries),
      )
      if (hasMore) context.printError('There are older ones: a higher --limit shows them.')
    })
}

const inLowerCase = (text: string) => text.toLowerCase()

/** Up to `limit` deliveries, read a page at a time. */
async function newestDeliveries(by: Actor, id: string, { state = null, limit }: { state?: DeliveryState | null; limit: number }) {
  const deliveries: DeliveryWithEvent[] = []
  for (;;) {
    const wanted = Math.min(limit - deliveries.length, DELIVERIES_A_READ)
    const last = deliveries.at(-1)
    const after = last === undefined ? null : [last.delivery.id]
    const found = await listDeliveries(by, id, state, { columns: ['id'], descending: true, after, limit: wanted })
    deliveries.push(...found.slice(0, wanted))
    const hasMore = found.length > wanted
    if (!hasMore || deliveries.length === limit) return { deliveries, hasMore }
  }
}

function standingToJson({ webhook, failingSince }: WebhookStanding) {
  return { ...webhookToWire(webhook), failing_since: formatTimeOrNull(failingSince) }
}

function webhookTable(standings: readonly WebhookStanding[]): string {
  const rows = standings.map((standing) => [
    standing.webhookId,
    ...stateOf(standing),
    standing.webhook.eventTypes.join(','),
    standing.webhook.url,
  ])
  return table(['ID', 'STATE', 'SINCE', 'EVENTS', 'URL'], rows)
}

/** In what state a webhook is, and since when if it is not well. */
function stateOf({ webhook, failingSince }: WebhookStanding): [state: string, since: string] {
  if (!isEnabled(webhook)) return [`disabled (${webhook.disabledReason})`, formatTimeOrNull(webhook.disabledAt) ?? '']
  return failingSince === null ? ['enabled', ''] : ['failing', formatTime(failingSince)]
}

function deliveryTable(deliveries: readonly DeliveryWithEvent[]): string {
  const rows = deliveries.map(({ delivery }) => [
    delivery.id,
    formatTime(delivery.createdAt),
    String(delivery.sequence ?? ''),
    delivery.eventType,
    delivery.state,
    String(delivery.attempts.length),
    formatTimeOrNull(delivery.nextAttemptAt) ?? '',
    answerOf(delivery),
  ])
  return table(['ID', 'CREATED', 'SEQUENCE', 'EVENT', 'STATE', 'ATTEMPTS', 'NEXT', 'LAST ANSWER'], rows)
}

/** What came back the last time. */
function answerOf({ attempts }: DeliveryWithEvent['delivery']): string {
  const last = attempts.at(-1)
  return last === undefined ? '' : String(last.response?.status ?? last.error)
}
