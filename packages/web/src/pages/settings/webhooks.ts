import type { deliveryToWire } from '@fivetab/domain/delivery-shape.ts'
import type { CreateWebhook, UpdateWebhook, WebhookWire } from '@fivetab/domain/webhook.ts'

/** Making and changing webhooks, and following their deliveries, as far as it needs no page. */

export type DeliveryWire = ReturnType<typeof deliveryToWire>

/** What is typed into the form. */
export interface WebhookDraft {
  url: string
  event_types: readonly string[]
  description: string
}

export const NEW_WEBHOOK: WebhookDraft = { url: '', event_types: ['*'], description: '' }

export function draftOf({ url, event_types, description }: WebhookWire): WebhookDraft {
  return { url, event_types, description: description ?? '' }
}

export function creationOf(draft: WebhookDraft): CreateWebhook {
  return { url: draft.url, event_types: [...draft.event_types], description: draft.description || null }
}

/** What the draft changes of the webhook, and nothing else. */
export function changesOf(webhook: WebhookWire, draft: WebhookDraft): UpdateWebhook {
  const wanted = creationOf(draft)
  return {
    ...(wanted.url !== webhook.url && { url: wanted.url }),
    ...(!isSameSet(draft.event_types, webhook.event_types) && { event_types: wanted.event_types }),
    ...((wanted.description ?? null) !== webhook.description && { description: wanted.description ?? null }),
  }
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((pattern) => b.includes(pattern))
}

const SOON_MS = 60_000
const OFTEN_MS = 2_000
const SELDOM_MS = 20_000

/** In how many ms it is worth looking again at these deliveries: soon while something is about to be sent. */
export function lookAgainIn(deliveries: readonly Pick<DeliveryWire, 'next_attempt_at'>[], now: number): number {
  const isSoon = deliveries.some(({ next_attempt_at }) => next_attempt_at !== null && Date.parse(next_attempt_at) - now <= SOON_MS)
  return isSoon ? OFTEN_MS : SELDOM_MS
}
