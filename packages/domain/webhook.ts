import { type Static, Type } from 'typebox'
import { EVENT_PATTERNS, EVENT_TYPES, type EventType, typesOf } from './event.ts'
import { invalid } from './failure.ts'
import { CreatedAt, dateTime, id, nullable, oneOf, shape, text, UpdatedAt, Version, versionToWire } from './shape.ts'
import { DAY_MS, formatTime, formatTimeOrNull } from './time.ts'

/** A webhook: an address that is told of events, signed with its secret. */

/** Why a webhook is told nothing: a request or the operator turned it off, its receiver answered 410, or it failed for too long. */
const DISABLED_REASONS = ['request', 'operator', 'gone', 'failing'] as const

export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** Times are ms since the epoch. */
export interface Webhook {
  id: string
  url: string
  /** Patterns of types (`EVENT_PATTERNS`). */
  eventTypes: readonly string[]
  description: string | null
  /** Null while it is enabled. */
  disabledReason: DisabledReason | null
  disabledAt: number | null
  /** `whsec_…`; what is sent is signed with it. */
  secret: string
  /** The one before, which signs as well until `previousSecretUntil`. */
  previousSecret: string | null
  previousSecretUntil: number | null
  createdAt: number
  updatedAt: number
  version: number
}

/** How long the secret before goes on signing after a rotation. */
const ROTATION_MS = DAY_MS

const url = Type.String({
  'x-tidy': 'line',
  minLength: 1,
  maxLength: 2_048,
  description:
    'Where events are sent: an http or https address that is public, without user name, password and fragment; up to 2,048 characters.',
  examples: ['https://example.org/hooks/fivetab'],
})

const eventTypes = Type.Array(oneOf(EVENT_PATTERNS, 'One type, all types of a kind (`task.*`), or all there are (`*`).'), {
  minItems: 1,
  maxItems: 50,
  description: 'Of which events it is told: types, all types of a kind (`task.*`), or all there are (`*`); at least one.',
  examples: [['task.*', 'project.deleted']],
})

const description = nullable(text('lines', 0, 2_000, 'What it is for; up to 2,000 characters, or null.'))
const enabled = Type.Boolean({ description: 'Whether events are sent. Turned on, it begins with what happens from then on.' })

const example = {
  object: 'webhook',
  id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a50',
  url: 'https://example.org/hooks/fivetab',
  event_types: ['task.*'],
  description: 'Mirror to the warehouse',
  enabled: true,
  disabled_reason: null,
  disabled_at: null,
  previous_secret_expires_at: null,
  created_at: '2026-11-21T07:00:00.000Z',
  updated_at: '2026-11-21T07:00:00.000Z',
  version: '"1"',
}

const fields = {
  object: Type.Literal('webhook'),
  id: id('The id of the webhook.'),
  url,
  event_types: eventTypes,
  description,
  enabled,
  disabled_reason: nullable(
    oneOf(
      DISABLED_REASONS,
      'Why it is not enabled: `request` (turned off by a request), `operator`, `gone` (its receiver answered 410) or `failing` (nothing was taken for 5 days); null while it is.',
    ),
  ),
  disabled_at: nullable(dateTime('Since when it is not enabled.')),
  previous_secret_expires_at: nullable(dateTime('Until when the secret before a rotation goes on signing, beside the new one.')),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  version: Version,
}

export const WebhookShape = shape('Webhook', 'An address that is told of events.', fields, example)

export const WebhookWithSecretShape = shape(
  'WebhookWithSecret',
  'A webhook as it is shown when its secret is made, and never else.',
  { ...fields, secret: Type.String({ description: 'What its deliveries are signed with (Standard Webhooks): `whsec_` and base64.' }) },
  { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
)

export const CreateWebhookShape = shape(
  'CreateWebhook',
  'A new webhook.',
  { url, event_types: eventTypes, description: Type.Optional(description), enabled: Type.Optional(enabled) },
  { url: 'https://example.org/hooks/fivetab', event_types: ['task.*'] },
)

export const UpdateWebhookShape = shape(
  'UpdateWebhook',
  'Only the fields that are sent change; null clears one.',
  {
    url: Type.Optional(url),
    event_types: Type.Optional(eventTypes),
    description: Type.Optional(description),
    enabled: Type.Optional(enabled),
  },
  { event_types: ['task.completed'] },
)

export type WebhookWire = Static<typeof WebhookShape>
export type WebhookWithSecretWire = Static<typeof WebhookWithSecretShape>
export type CreateWebhook = Static<typeof CreateWebhookShape>
export type UpdateWebhook = Static<typeof UpdateWebhookShape>

export function webhookToWire(webhook: Webhook): WebhookWire {
  return {
    object: 'webhook',
    id: webhook.id,
    url: webhook.url,
    event_types: [...webhook.eventTypes],
    description: webhook.description,
    enabled: isEnabled(webhook),
    disabled_reason: webhook.disabledReason,
    disabled_at: formatTimeOrNull(webhook.disabledAt),
    previous_secret_expires_at: formatTimeOrNull(webhook.previousSecretUntil),
    created_at: formatTime(webhook.createdAt),
    updated_at: formatTime(webhook.updatedAt),
    version: versionToWire(webhook.version),
  }
}

export function webhookWithSecretToWire(webhook: Webhook): WebhookWithSecretWire {
  return { ...webhookToWire(webhook), secret: webhook.secret }
}

export function isEnabled({ disabledReason }: Pick<Webhook, 'disabledReason'>): boolean {
  return disabledReason === null
}

export function newWebhook(made: { id: string; secret: string; now: number }, input: CreateWebhook): Webhook {
  const webhook: Webhook = {
    id: made.id,
    url: input.url,
    eventTypes: [...new Set(input.event_types)],
    description: input.description ?? null,
    disabledReason: null,
    disabledAt: null,
    secret: made.secret,
    previousSecret: null,
    previousSecretUntil: null,
    createdAt: made.now,
    updatedAt: made.now,
    version: 1,
  }
  return input.enabled === false ? disabled(webhook, 'request', made.now) : webhook
}

/** @throws Failure `invalid_request` for one that the operator has disabled, and is to be enabled */
export function patchWebhook(webhook: Webhook, input: UpdateWebhook, now: number): Webhook {
  if (input.enabled && webhook.disabledReason === 'operator')
    throw invalid([{ field: 'enabled', code: 'conflict', detail: 'The operator has disabled this webhook, and can enable it again.' }])
  const patched = {
    ...webhook,
    url: input.url ?? webhook.url,
    eventTypes: input.event_types === undefined ? webhook.eventTypes : [...new Set(input.event_types)],
    description: input.description === undefined ? webhook.description : input.description,
  }
  if (input.enabled === undefined) return patched
  return input.enabled ? enabledAgain(patched) : disabled(patched, 'request', now)
}

/** One that is disabled already keeps its reason. */
export function disabled(webhook: Webhook, reason: DisabledReason, now: number): Webhook {
  return isEnabled(webhook) ? { ...webhook, disabledReason: reason, disabledAt: now } : webhook
}

export function enabledAgain(webhook: Webhook): Webhook {
  return { ...webhook, disabledReason: null, disabledAt: null }
}

/** With a new secret; the one it had goes on signing for a day, and one before that no longer. */
export function withNewSecret(webhook: Webhook, secret: string, now: number): Webhook {
  return { ...webhook, secret, previousSecret: webhook.secret, previousSecretUntil: now + ROTATION_MS }
}

/** The secrets that sign at `now`, the newest first. */
export function signingSecrets({ secret, previousSecret, previousSecretUntil }: Webhook, now: number): string[] {
  return previousSecret !== null && previousSecretUntil !== null && now < previousSecretUntil ? [secret, previousSecret] : [secret]
}

/** The types of events that it is told of. */
export function typesFor({ eventTypes }: Pick<Webhook, 'eventTypes'>): readonly EventType[] {
  const wanted = new Set(eventTypes.flatMap(typesOf))
  return EVENT_TYPES.filter((type) => wanted.has(type))
}
