import { type Delivery, type DeliveryState, newDelivery } from '@fivetab/domain/delivery.ts'
import { formerValues, type KeptEvent, TEST_EVENT } from '@fivetab/domain/event.ts'
import { Failure, invalid } from '@fivetab/domain/failure.ts'
import { type Precondition, requireVersion } from '@fivetab/domain/version.ts'
import {
  type CreateWebhook,
  type DisabledReason,
  disabled,
  enabledAgain,
  isEnabled,
  newWebhook,
  patchWebhook,
  type UpdateWebhook,
  type Webhook,
  webhookToWire,
  withNewSecret,
} from '@fivetab/domain/webhook.ts'
import type { Destinations } from '../outgoing/destinations.ts'
import { newSecret } from '../outgoing/signature.ts'
import { deliveryById, deliveryPage, giveUpDeliveries, insertDelivery, insertTestEvent, testEventOf } from '../store/deliveries.ts'
import { eventsAt } from '../store/events.ts'
import { usedKey } from '../store/idempotency.ts'
import type { RandomBytes } from '../store/ids.ts'
import type { PageRequest } from '../store/pages.ts'
import type { Reader } from '../store/store.ts'
import type { Turn } from '../store/turn.ts'
import {
  accountOfWebhook,
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  restartWebhook,
  standingsOf,
  updateWebhook,
  type WebhookStanding,
  webhookById,
  webhookPage,
} from '../store/webhooks.ts'
import { getAccount } from './accounts.ts'
import { type Actor, operatorIn, requireScope, write } from './actor.ts'
import { found } from './found.ts'
import { type Made, type OnceKey, once } from './once.ts'
import type { Operator } from './operator.ts'
import { record } from './record.ts'

const MAX_WEBHOOKS = 2_000

/** What making a webhook takes from the world. */
export interface WebhookMaking {
  destinations: Destinations
  random: RandomBytes
}

/** Up to `limit` + 1 webhooks of a page. */
export async function listWebhooks(by: Actor, page: PageRequest): Promise<Webhook[]> {
  requireScope(by, 'webhooks:manage')
  return webhookPage(by.store, by.accountId, page)
}

/** @throws Failure `not_found` */
export async function getWebhook(by: Actor, id: string): Promise<Webhook> {
  requireScope(by, 'webhooks:manage')
  return found('webhook', await webhookById(by.store, by.accountId, id))
}

/**
 * Adds a webhook, which is told of what happens from now on. A replay shows its secret too: whoever repeats a creation may never have seen it.
 * @throws Failure `invalid_request` for an address that may not be reached, or one webhook too many; `key_reused`, `not_found`
 */
export async function createWebhook(by: Actor, input: CreateWebhook, key: OnceKey | null, making: WebhookMaking): Promise<Made<Webhook>> {
  requireScope(by, 'webhooks:manage')
  // A replay makes nothing, so an address that was allowed then is good enough for it.
  const isReplay = key !== null && (await usedKey(by.store, by.accountId, key.route, key.key)) !== undefined
  if (!isReplay) await requireAllowed(making.destinations, input.url)
  return write(by, (tx) =>
    once(
      tx,
      key,
      async (id) => found('webhook', await webhookById(tx, by.accountId, id)),
      async () => {
        if ((await countWebhooks(tx, by.accountId)) >= MAX_WEBHOOKS)
          throw invalid([{ field: '', code: 'out_of_range', detail: `An account has at most ${MAX_WEBHOOKS} webhooks.` }])
        const webhook = newWebhook({ id: tx.newId(), secret: newSecret(making.random), now: tx.now }, input)
        await insertWebhook(tx, by.accountId, webhook, tx.ledger.lastSequence)
        tx.hasNews = true
        return { id: webhook.id, resource: webhook }
      },
    ),
  )
}

/** @throws Failure `invalid_request` for an address that is wrong by its text alone */
function requireSound(destinations: Destinations, url: string): void {
  const fault = destinations.faultOf(url)
  if (fault !== null) throw invalid([{ field: 'url', ...fault }])
}

/** @throws Failure `invalid_request` for an address that may not be reached */
async function requireAllowed(destinations: Destinations, url: string): Promise<void> {
  const refusal = await destinations.refusal(url)
  if (refusal !== null) throw invalid([{ field: 'url', ...refusal }])
}

/** @throws Failure `not_found`, `precondition_failed`, `invalid_request` for an address that may not be reached */
export async function updateWebhookById(
  by: Actor,
  id: string,
  input: UpdateWebhook,
  expected: Precondition,
  destinations: Destinations,
): Promise<Webhook> {
  requireScope(by, 'webhooks:manage')
  if (input.url !== undefined) {
    requireSound(destinations, input.url)
    // To resolve a name takes time, which nobody else's turn has to wait for.
    requireVersion(await getWebhook(by, id), expected, webhookToWire)
    await requireAllowed(destinations, input.url)
  }
  return changeWebhook(by, id, expected, (webhook, tx) => patchWebhook(webhook, input, tx.now))
}

/** Gives the webhook a new secret; the one before signs as well for a day. @throws Failure `not_found`, `precondition_failed` */
export function rotateSecret(by: Actor, id: string, expected: Precondition, random: RandomBytes): Promise<Webhook> {
  requireScope(by, 'webhooks:manage')
  return changeWebhook(by, id, expected, (webhook, tx) => withNewSecret(webhook, newSecret(random), tx.now))
}

/** Deletes a webhook; its deliveries can be seen no more. @throws Failure `not_found`, `precondition_failed` */
export function deleteWebhookById(by: Actor, id: string, expected: Precondition): Promise<void> {
  requireScope(by, 'webhooks:manage')
  return write(by, async (tx) => {
    const webhook = found('webhook', await webhookById(tx, by.accountId, id))
    requireVersion(webhook, expected, webhookToWire)
    await giveUpDeliveries(tx, by.accountId, id)
    await deleteWebhook(tx, by.accountId, id)
    tx.hasNews = true
  })
}

function changeWebhook(by: Actor, id: string, expected: Precondition, rule: (webhook: Webhook, tx: Turn) => Webhook): Promise<Webhook> {
  return write(by, async (tx) => {
    const before = found('webhook', await webhookById(tx, by.accountId, id))
    requireVersion(before, expected, webhookToWire)
    return saveWebhook(tx, before, rule(before, tx))
  })
}

/** Stores what became of a webhook. One that is enabled again begins with what happens from then on; nothing more is tried for one that no longer is. */
async function saveWebhook(tx: Turn, before: Webhook, after: Webhook): Promise<Webhook> {
  const isSame = after.secret === before.secret && JSON.stringify(webhookToWire(after)) === JSON.stringify(webhookToWire(before))
  if (isSame) return before
  const saved = { ...after, version: before.version + 1, updatedAt: tx.now }
  await updateWebhook(tx, tx.accountId, saved)
  if (isEnabled(after) && !isEnabled(before)) await restartWebhook(tx, tx.accountId, after.id, tx.ledger.lastSequence)
  if (!isEnabled(after) && isEnabled(before)) await giveUpDeliveries(tx, tx.accountId, after.id)
  tx.hasNews = true
  return saved
}

/** Turns a webhook off, and says so in the account's log. One that is off already stays as it is. @throws Failure `not_found` */
export function disableWebhook(by: Actor, id: string, reason: DisabledReason): Promise<Webhook> {
  return write(by, async (tx) => {
    const before = found('webhook', await webhookById(tx, by.accountId, id))
    if (!isEnabled(before)) return before
    const saved = await saveWebhook(tx, before, disabled(before, reason, tx.now))
    const data = webhookToWire(saved)
    await record(tx, by, 'webhook.disabled', JSON.stringify(data), formerValues(webhookToWire(before), data))
    return saved
  })
}

/** @throws Failure `not_found` */
export function enableWebhook(by: Actor, id: string): Promise<Webhook> {
  return changeWebhook(by, id, null, enabledAgain)
}

/** All webhooks of the account with this address, with how they fare, the oldest first. @throws Failure `not_found` */
export async function webhooksOf(by: Operator, email: string): Promise<WebhookStanding[]> {
  return standingsOf(by.store, (await getAccount(by, email)).id)
}

/** The operator as an actor in the account of the webhook with this id. @throws Failure `not_found` */
export async function operatorAt(by: Operator, id: string): Promise<Actor> {
  const accountId = await accountOfWebhook(by.store, id)
  if (accountId === undefined)
    throw new Failure('not_found', `There is no webhook with the id ${id}. "fivetab webhook list" shows those of an account.`)
  return operatorIn(by.store, accountId)
}

/** A delivery and its event; the event is null once the log no longer has it. */
export interface DeliveryWithEvent {
  delivery: Delivery
  event: KeptEvent | null
}

/** Up to `limit` + 1 deliveries of a page, of one state only unless that is null. @throws Failure `not_found` */
export async function listDeliveries(
  by: Actor,
  webhookId: string,
  state: DeliveryState | null,
  page: PageRequest,
): Promise<DeliveryWithEvent[]> {
  requireScope(by, 'webhooks:manage')
  const [webhook, deliveries] = await Promise.all([
    webhookById(by.store, by.accountId, webhookId),
    deliveryPage(by.store, { accountId: by.accountId, webhookId }, state, page),
  ])
  found('webhook', webhook)
  return withEvents(by.store, by.accountId, deliveries)
}

/** @throws Failure `not_found` */
export async function getDelivery(by: Actor, webhookId: string, id: string): Promise<DeliveryWithEvent> {
  requireScope(by, 'webhooks:manage')
  // Those of a webhook that was deleted are still there for a time.
  found('webhook', await webhookById(by.store, by.accountId, webhookId))
  const delivery = found('delivery', await deliveryById(by.store, by.accountId, webhookId, id))
  const [both] = await withEvents(by.store, by.accountId, [delivery])
  return both as DeliveryWithEvent
}

/** The deliveries with what they deliver. */
export async function withEvents(reader: Reader, accountId: string, deliveries: readonly Delivery[]): Promise<DeliveryWithEvent[]> {
  const sequences = deliveries.flatMap(({ sequence }) => sequence ?? [])
  const logged = await eventsAt(reader, accountId, [...new Set(sequences)])
  return Promise.all(
    deliveries.map(async (delivery) => {
      const { sequence } = delivery
      const event = sequence === null ? await testEventOf(reader, accountId, delivery) : logged.get(sequence)
      return { delivery, event: event ?? null }
    }),
  )
}

/** Has an event that never happened be sent, also to a webhook that is disabled. It is tried once. @throws Failure `not_found` */
export function testWebhook(by: Actor, id: string): Promise<DeliveryWithEvent> {
  requireScope(by, 'webhooks:manage')
  return write(by, async (tx) => {
    const webhook = found('webhook', await webhookById(tx, by.accountId, id))
    const event: KeptEvent = {
      sequence: null,
      id: tx.newId(),
      type: TEST_EVENT,
      occurredAt: tx.now,
      cause: by.cause,
      tokenId: by.tokenId,
      requestId: by.requestId,
      data: JSON.stringify(webhookToWire(webhook)),
      previous: '{}',
    }
    const delivery = await addDelivery(tx, webhook, event)
    await insertTestEvent(tx, { accountId: by.accountId, webhookId: id }, delivery.id, event)
    return { delivery, event }
  })
}

/** Has an event be sent once more, with all the tries of a new delivery. @throws Failure `not_found`, also when the log no longer has the event */
export function redeliver(by: Actor, webhookId: string, id: string): Promise<DeliveryWithEvent> {
  requireScope(by, 'webhooks:manage')
  return write(by, async (tx) => {
    const webhook = found('webhook', await webhookById(tx, by.accountId, webhookId))
    const before = found('delivery', await deliveryById(tx, by.accountId, webhookId, id))
    const [{ event }] = (await withEvents(tx, by.accountId, [before])) as [DeliveryWithEvent]
    if (event === null) throw new Failure('not_found', 'The event of this delivery is no longer in the log, so it cannot be sent again.')
    const delivery = await addDelivery(tx, webhook, event)
    if (event.sequence === null) await insertTestEvent(tx, { accountId: by.accountId, webhookId }, delivery.id, event)
    return { delivery, event }
  })
}

/** Adds a delivery that is due at once. */
async function addDelivery(tx: Turn, webhook: Webhook, event: KeptEvent): Promise<Delivery> {
  const delivery = newDelivery({ id: tx.newId(), webhookId: webhook.id, dueAt: tx.clock, now: tx.now }, event)
  await insertDelivery(tx, tx.accountId, delivery)
  tx.hasNews = true
  return delivery
}
