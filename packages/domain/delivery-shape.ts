import { Type } from 'typebox'
import { type Attempt, DELIVERY_STATES, type Delivery } from './delivery.ts'
import { EVENT_TYPES, eventToJson, type KeptEvent, TEST_EVENT } from './event.ts'
import { EventShape } from './event-shape.ts'
import { CreatedAt, dateTime, id, nullable, oneOf, ref, shape } from './shape.ts'
import { formatTime, formatTimeOrNull } from './time.ts'

/** A delivery in its wire form. */

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
