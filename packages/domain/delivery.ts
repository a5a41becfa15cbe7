import { type KeptEvent, TEST_EVENT } from './event.ts'
import { DAY_MS } from './time.ts'
import { type DisabledReason, isEnabled, type Webhook } from './webhook.ts'

/** A delivery: one event on its way to one webhook, with every attempt that was made. */

export const DELIVERY_STATES = ['pending', 'succeeded', 'failed'] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** One request that was sent, and what came back, in its wire form. */
export interface Attempt {
  attempted_at: string
  duration_ms: number
  request: { url: string; headers: Record<string, string> }
  /** Null when no answer came. `body` is the beginning of it. */
  response: { status: number; body: string } | null
  /** Why there was no answer; null when there was one. */
  error: string | null
}

/** Times are ms since the epoch. */
export interface Delivery {
  id: string
  webhookId: string
  eventId: string
  eventType: KeptEvent['type']
  /** The event's place in the log; null for a test, which is in no log. */
  sequence: number | null
  state: DeliveryState
  /** Null once nothing more is tried. */
  nextAttemptAt: number | null
  attempts: readonly Attempt[]
  createdAt: number
}

/** A delivery of which nothing was tried yet; `dueAt` and `now` are ms since the epoch. */
export function newDelivery(made: { id: string; webhookId: string; dueAt: number; now: number }, event: KeptEvent): Delivery {
  return {
    id: made.id,
    webhookId: made.webhookId,
    eventId: event.id,
    eventType: event.type,
    sequence: event.sequence,
    state: 'pending',
    nextAttemptAt: made.dueAt,
    attempts: [],
    createdAt: made.now,
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** How long after each failed attempt the next one is made. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/** By how much of itself a delay is lengthened at most, by chance, so that what failed together is not tried again together. */
const JITTER = 0.1

/** No receiver can put an attempt off for longer. */
const LONGEST_DELAY_MS = DAY_MS

/** After so long without a success, a webhook that fails once more is disabled. */
const FAILING_LIMIT_MS = 5 * DAY_MS

const GONE = 410

/** What an attempt came to. */
export interface Result {
  attempt: Attempt
  /** How long the receiver asks to be left alone, in ms from the attempt's end; null when it does not. */
  retryAfterMs: number | null
  /** There was nothing to send, and never will be. */
  isHopeless: boolean
}

/** What follows from an attempt: for the delivery, and for the webhook. */
export interface Verdict {
  delivery: Delivery
  /** Since when the webhook has failed without a success between; null when it does not. */
  failingSince: number | null
  /** Why it is to be disabled; null when it is not. */
  disable: DisabledReason | null
}

/**
 * What follows from an attempt that ended at `now`. A test is tried once and says nothing of the webhook's health; what is sent on purpose to a
 * webhook that is disabled is tried once as well.
 *
 * @param chance a number from 0 to 1
 */
export function verdictOn(
  webhook: Webhook,
  failingSince: number | null,
  before: Delivery,
  { attempt, retryAfterMs, isHopeless }: Result,
  now: number,
  chance: number,
): Verdict {
  const attempts = [...before.attempts, attempt]
  if (isHopeless) return { delivery: { ...before, attempts, state: 'failed', nextAttemptAt: null }, failingSince, disable: null }
  const isTest = before.eventType === TEST_EVENT
  if (isSuccess(attempt)) {
    const delivery: Delivery = { ...before, attempts, state: 'succeeded', nextAttemptAt: null }
    return { delivery, failingSince: isTest ? failingSince : null, disable: null }
  }
  if (isTest || !isEnabled(webhook)) {
    return { delivery: { ...before, attempts, state: 'failed', nextAttemptAt: null }, failingSince, disable: null }
  }
  const since = failingSince ?? now
  const disable = isGone(webhook, attempt) ? 'gone' : now - since >= FAILING_LIMIT_MS ? 'failing' : null
  const delayMs = disable === null ? delayAfter(attempts.length, retryAfterMs, chance) : null
  const delivery: Delivery = {
    ...before,
    attempts,
    state: delayMs === null ? 'failed' : 'pending',
    nextAttemptAt: delayMs === null ? null : now + delayMs,
  }
  return { delivery, failingSince: since, disable }
}

function isSuccess({ response }: Attempt): boolean {
  return response !== null && response.status >= 200 && response.status <= 299
}

/** An address that the webhook had before may well be gone. */
function isGone({ url }: Webhook, { request, response }: Attempt): boolean {
  return response?.status === GONE && request.url === url
}

/** How long to wait after the failure of attempt number `count`, in ms; null when it was the last. */
function delayAfter(count: number, retryAfterMs: number | null, chance: number): number | null {
  const delayMs = RETRY_DELAYS_MS[count - 1]
  if (delayMs === undefined) return null
  return Math.round(Math.max(delayMs * (1 + JITTER * chance), Math.min(retryAfterMs ?? 0, LONGEST_DELAY_MS)))
}
