import { Type } from 'typebox'
import { EVENT_TYPES, eventToJson, type KeptEvent, TEST_EVENT } from './event.ts'
import { EventShape } from './event-shape.ts'
import { CreatedAt, dateTime, id, nullable, oneOf, ref, shape } from './shape.ts'
import { DAY_MS, formatTime, formatTimeOrNull } from './time.ts'
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

const attemptShape = Type.Object(
  {
    attempted_at: dateTime('When it began.'),
    duration_ms: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }),
    request: Type.Object(
      {
        url: Type.String({ description: 'Where it went.' }),
        headers: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
      },
      { additionalProperties: false, description: 'What was sent, besides the event as its body.' },
    ),
    response: Type.Unsafe<Attempt['response']>({
      anyOf: [
        Type.Object(
          {
            status: Type.Integer({ minimum: 100, maximum: 999, description: 'The HTTP status.' }),
            body: Type.String({ description: 'The first 4 KiB of the body, as text.' }),
          },
          { additionalProperties: false },
        ),
        { type: 'null' },
      ],
      description: 'What came back; null when no answer came.',
    }),
    error: nullable(Type.String({ description: 'Why no answer came; null when one did.' })),
  },
  { additionalProperties: false },
)

export const DeliveryShape = shape(
  'Delivery',
  'One event on its way to one webhook, with every attempt that was made.',
  {
    object: Type.Literal('delivery'),
    id: id('The id of the delivery.'),
    webhook_id: id('The webhook.'),
    event_id: id('The event; it is sent as `webhook-id`, with every attempt and redelivery.'),
    event_type: oneOf([...EVENT_TYPES, TEST_EVENT], 'What happened.'),
    sequence: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      description: "The event's place in the log; null for a test.",
    }),
    state: oneOf(DELIVERY_STATES, '`pending` while another attempt is to come, `succeeded`, or `failed` for good.'),
    next_attempt_at: nullable(dateTime('When the next attempt is due; null when there is none.')),
    attempts: Type.Array(attemptShape, { description: 'Every attempt, the first one first.' }),
    event: Type.Unsafe<object | null>({
      anyOf: [ref(EventShape), { type: 'null' }],
      description: 'The event, which is the body of the request; null once it is no longer in the log.',
    }),
    created_at: CreatedAt,
  },
  {
    object: 'delivery',
    id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a70',
    webhook_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a50',
    event_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a60',
    event_type: 'project.updated',
    sequence: 42,
    state: 'pending',
    next_attempt_at: '2026-11-21T07:05:00.000Z',
    attempts: [
      {
        attempted_at: '2026-11-21T07:00:00.000Z',
        duration_ms: 82,
        request: { url: 'https://example.org/hooks/fivetab', headers: { 'webhook-id': '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a60' } },
        response: { status: 500, body: 'Internal Server Error' },
        error: null,
      },
    ],
    event: null,
    created_at: '2026-11-21T07:00:00.000Z',
  },
)

/** `event` is what is delivered; null once the log no longer has it. Its shape is that of the day on which it happened. */
export function deliveryToWire(delivery: Delivery, event: KeptEvent | null) {
  return {
    object: 'delivery',
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    sequence: delivery.sequence,
    state: delivery.state,
    next_attempt_at: formatTimeOrNull(delivery.nextAttemptAt),
    attempts: delivery.attempts,
    event: event && (JSON.parse(eventToJson(event)) as object),
    created_at: formatTime(delivery.createdAt),
  }
}
