import { setTimeout as pause } from 'node:timers/promises'
import { type Attempt, type Delivery, newDelivery, type Result, type Verdict, verdictOn } from '@fivetab/domain/delivery.ts'
import { eventToJson, type KeptEvent } from '@fivetab/domain/event.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import { formatTime } from '@fivetab/domain/time.ts'
import { type DisabledReason, isEnabled, signingSecrets, typesFor, type Webhook } from '@fivetab/domain/webhook.ts'
import type { Outcome, Sender } from '../outgoing/sender.ts'
import { signatureHeaders } from '../outgoing/signature.ts'
import { dueDeliveries, hasPending, insertDelivery, updateDelivery } from '../store/deliveries.ts'
import { readLog } from '../store/events.ts'
import { nextId, type RandomBytes } from '../store/ids.ts'
import type { Writer } from '../store/store.ts'
import type { Store } from '../store/turn.ts'
import { type Claim, claimedWebhook, claimWebhook, saveStanding, type WebhookPlace, type WebhookStanding } from '../store/webhooks.ts'
import { timerIn } from './actor.ts'
import { disableWebhook, withEvents } from './webhooks.ts'

/**
 * Sending to one webhook: what its account's log has for it, one event after another, and what is to be tried again. Whoever sends has claimed the
 * webhook, so no other process does; what came of an attempt is stored together with how far the webhook has come, so whoever goes on after a crash
 * sends again at most the one event whose outcome was not stored.
 */

/** Longer than an attempt and the storing of its outcome take. A process that died keeps a webhook for so long. */
const CLAIM_MS = 20_000
/** So many of the log and so many tries again, then it is others' turn. */
const EVENTS_A_RUN = 50
const RETRIES_A_RUN = 10
/** So long, and it is looked at anew whether the webhook is to be sent to at all. */
const RUN_MS = 1_000
/** An outcome that cannot be stored is tried to be until the claim ends. */
const STORING_PAUSE_MS = 250
/** The writes of all sending stand in so many lines: they share commits, and take no more connections than that. */
const LINES = 4

const USER_AGENT = 'Fivetab-Webhooks/1.0'

interface SendingOptions {
  store: Store
  sender: Sender
  /** Ms since the epoch. */
  clock: () => number
  random: RandomBytes
  /** The name of this process among those that share the database. */
  name: string
  watch: SendingWatch
}

/** What is told of the sending. */
export interface SendingWatch {
  /** An attempt was made; `retried` is one that failed and is not the last. */
  attempted(outcome: 'succeeded' | 'retried' | 'failed'): void
  /** A webhook was disabled for what its receiver answered, or did not. */
  disabled(place: WebhookPlace, reason: DisabledReason): void
}

/** What a run came to: whether there is more to send at once, and whether the receiver failed. */
export interface Run {
  hasMore: boolean
  /** Since when its receiver has failed, in ms since the epoch; null when it does not. */
  failingSince: number | null
}

export interface Sending {
  /** Sends what there is for the webhook, as long as its receiver takes it; does nothing when another process sends to it. */
  run(place: WebhookPlace, isFailing: boolean): Promise<Run>
  /** Breaks off what is under way. Nothing is stored of it, since it says nothing of its receiver; others can send it at once. */
  stop(): Promise<void>
}

/** Something to send: out of the log, or once more. */
interface Item {
  event: KeptEvent | null
  delivery: Delivery
  isNew: boolean
  /** How far the log was sent once this is. */
  sentThrough: number
}

/** What was stored of an attempt, and what is to be sent after it. */
interface Stored {
  standing: WebhookStanding
  verdict: Verdict
  left: readonly Item[]
}

type Transact = <T>(job: (writer: Writer) => Promise<T>) => Promise<T>

export function openSending({ store, sender, clock, random, name, watch }: SendingOptions): Sending {
  let stopped = false
  let lastId = ''

  async function run(place: WebhookPlace, isFailing: boolean): Promise<Run> {
    const transact = transactIn(place, isFailing)
    const claimed = await transact((writer) => claimWebhook(writer, place, claimFor(CLAIM_MS), store.dialect.holding('w', 'unless held')))
    if (claimed === undefined) return { hasMore: false, failingSince: null }
    const { items, through, hasMore } = await itemsFor(claimed)
    if (items.length === 0) {
      await transact((writer) => saveStanding(writer, { ...claimed, sentThrough: through }, claimFor(0)))
      return { hasMore, failingSince: claimed.failingSince }
    }
    return sendAll(claimed, items, hasMore, transact)
  }

  /** What there is to send to a webhook now: of the log, up to `through`, and then what is to be tried again. */
  async function itemsFor(standing: WebhookStanding): Promise<{ items: Item[]; through: number; hasMore: boolean }> {
    const { webhook, accountId, sentThrough } = standing
    const retries = await dueDeliveries(store, standing, clock(), RETRIES_A_RUN)
    const old = (await withEvents(store, accountId, retries)).map((both) => ({ ...both, isNew: false, sentThrough }))
    if (!isEnabled(webhook)) return { items: old, through: sentThrough, hasMore: retries.length === RETRIES_A_RUN }
    const page = await readLog(store, accountId, {
      after: sentThrough,
      types: typesFor(webhook),
      limit: standing.failingSince === null ? EVENTS_A_RUN : 1,
    })
    const now = clock()
    const fresh = page.events.map((event, index) => ({
      event,
      // It gets its id when it is stored.
      delivery: newDelivery({ id: '', webhookId: webhook.id, dueAt: now, now }, event),
      isNew: true,
      sentThrough: index === page.events.length - 1 ? page.through : event.sequence,
    }))
    return { items: [...fresh, ...old], through: page.through, hasMore: page.hasMore || retries.length === RETRIES_A_RUN }
  }

  /** Sends the items in turn. Where the receiver fails with one of the log, the rest of the log waits; where it fails with an old one, the other old ones do. */
  async function sendAll(claimed: WebhookStanding, items: readonly Item[], hasMoreThen: boolean, transact: Transact): Promise<Run> {
    const end = performance.now() + RUN_MS
    let standing = claimed
    let hasMore = hasMoreThen
    for (let left = items; left[0] !== undefined; ) {
      const [item, ...rest] = left
      const result = await attempt(standing.webhook, item)
      if (stopped) {
        await transact((writer) => saveStanding(writer, standing, claimFor(0)))
        break
      }
      const stored = await storePatiently(standing, item, result, performance.now() > end ? [] : rest, transact)
      if (stored === undefined) break
      tell(stored.verdict)
      left = stored.left
      hasMore ||= left.length < rest.length
      standing = await afterVerdict(stored.standing, stored.verdict)
    }
    return { hasMore, failingSince: standing.failingSince }
  }

  /** What of `rest` is to be sent after `item`, with the webhook as it is `now`. What is left out is looked for anew by the next run. */
  function leftOf(rest: readonly Item[], item: Item, verdict: Verdict, before: WebhookStanding, now: WebhookStanding): readonly Item[] {
    if (verdict.disable !== null || (isEnabled(before.webhook) && !isEnabled(now.webhook))) return []
    const wanted: readonly string[] = typesFor(now.webhook)
    return rest.filter(({ isNew, delivery: { eventType, sequence } }) => {
      if (verdict.delivery.state !== 'succeeded' && isNew === item.isNew) return false
      return !isNew || (wanted.includes(eventType) && sequence !== null && sequence > now.sentThrough)
    })
  }

  async function attempt(webhook: Webhook, { event }: Item): Promise<Result> {
    const now = clock()
    const none: Attempt = {
      attempted_at: formatTime(now),
      duration_ms: 0,
      request: { url: webhook.url, headers: {} },
      response: null,
      error: 'The event is no longer in the log.',
    }
    if (event === null) return { attempt: none, retryAfterMs: null, isHopeless: true }
    const body = eventToJson(event)
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...signatureHeaders({
        id: event.id,
        timestampSeconds: Math.floor(now / 1000),
        body,
        secrets: signingSecrets(webhook, now),
      }),
    }
    const outcome = await sender.post(webhook.url, headers, body)
    return {
      attempt: {
        ...none,
        duration_ms: outcome.durationMs,
        request: { url: webhook.url, headers },
        response: responseOf(outcome),
        error: outcome.error,
      },
      retryAfterMs: outcome.retryAfterMs,
      isHopeless: false,
    }
  }

  /** Stores what came of an attempt; undefined when the webhook is gone, or another's by now. An outcome is too dear to be lost to a passing trouble. */
  async function storePatiently(
    standing: WebhookStanding,
    item: Item,
    result: Result,
    rest: readonly Item[],
    transact: Transact,
  ): Promise<Stored | undefined> {
    const deadline = clock() + CLAIM_MS
    const luck = chance()
    // Only now, so that whoever pages the deliveries by their ids finds none in a place that was read already.
    const named = item.isNew ? { ...item, delivery: { ...item.delivery, id: newDeliveryId() } } : item
    for (;;) {
      try {
        return await transact((writer) => storeIn(writer, standing, named, result, rest, luck))
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'unavailable' || stopped || clock() >= deadline) throw error
      }
      await pause(STORING_PAUSE_MS)
    }
  }

  /** The webhook may have been changed while the attempt was under way: what follows from it follows for the webhook as it is now. */
  async function storeIn(
    writer: Writer,
    before: WebhookStanding,
    item: Item,
    result: Result,
    rest: readonly Item[],
    luck: number,
  ): Promise<Stored | undefined> {
    const now = await claimedWebhook(writer, before, name, store.dialect.holding('w'))
    if (now === undefined) return undefined
    const verdict = verdictOn(now.webhook, now.failingSince, item.delivery, result, clock(), luck)
    await (item.isNew ? insertDelivery : updateDelivery)(writer, before.accountId, verdict.delivery)
    // Once all is given up, what fails next may be weeks away, and fails for the first time.
    const isOver = verdict.delivery.state === 'failed' && !(await hasPending(writer, before))
    const failingSince = isOver ? null : verdict.failingSince
    const standing = { ...now, sentThrough: Math.max(now.sentThrough, item.sentThrough), failingSince }
    const left = leftOf(rest, item, verdict, before, now)
    await saveStanding(writer, standing, claimFor(left.length === 0 ? 0 : CLAIM_MS))
    return { standing, verdict, left }
  }

  function tell({ delivery: { state } }: Verdict): void {
    watch.attempted(state === 'pending' ? 'retried' : state)
  }

  async function afterVerdict(standing: WebhookStanding, { disable }: Verdict): Promise<WebhookStanding> {
    if (disable === null) return standing
    const webhook = await disableWebhook(timerIn(store, standing.accountId), standing.webhookId, disable)
    watch.disabled(standing, disable)
    return { ...standing, webhook }
  }

  /** What is sent to those that fail waits in a line of its own. */
  function transactIn({ accountId }: WebhookPlace, isFailing: boolean): Transact {
    const line = isFailing ? 'sending to those that fail' : `sending ${Number.parseInt(accountId.slice(-2), 16) % LINES}`
    return (job) => store.transact(job, line)
  }

  function claimFor(ms: number): Claim {
    const now = clock()
    return { by: name, now, until: now + ms }
  }

  function newDeliveryId(): string {
    lastId = nextId(clock(), lastId, random)
    return lastId
  }

  function chance(): number {
    return (random(1)[0] ?? 0) / 255
  }

  return {
    run,
    stop: () => {
      stopped = true
      return sender.close()
    },
  }
}

function responseOf({ status, body }: Outcome): Attempt['response'] {
  return status === null ? null : { status, body: body ?? '' }
}
