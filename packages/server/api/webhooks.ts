import { DELIVERY_STATES } from '@fivetab/domain/delivery.ts'
import { DeliveryShape } from '@fivetab/domain/delivery-shape.ts'
import { oneOf, ref } from '@fivetab/domain/shape.ts'
import { CreateWebhookShape, UpdateWebhookShape, WebhookShape, WebhookWithSecretShape, webhookToWire } from '@fivetab/domain/webhook.ts'
import { Type } from 'typebox'
import {
  createWebhook,
  type DeliveryWithEvent,
  deleteWebhookById,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  rotateSecret,
  testWebhook,
  updateWebhookById,
  type WebhookMaking,
} from '../actions/webhooks.ts'
import type { SortOrder } from '../store/pages.ts'
import type { Api } from './api.ts'
import { actorOf } from './caller.ts'
import { deliveryPath, NOTHING, operation, webhookPath } from './operation.ts'
import { cursorParameter, DEFAULT_LIMIT, limitParameter, listOf, pageOf, readCursor } from './pages.ts'
import {
  deliveryWithEventToWire,
  sendDelivery,
  sendGone,
  sendMadeWebhook,
  sendNewDelivery,
  sendReadWebhook,
  sendWebhook,
  sendWebhookWithSecret,
  sendWhole,
} from './reply.ts'
import { conditionsOf } from './request.ts'

const tag = 'Webhooks'
const scope = 'webhooks:manage'

export const WebhookList = listOf(WebhookShape)
export const DeliveryList = listOf(DeliveryShape)

const WebhookQuery = Type.Object({ limit: limitParameter, cursor: cursorParameter }, { additionalProperties: false })

const DeliveryQuery = Type.Object(
  {
    limit: limitParameter,
    cursor: cursorParameter,
    sort: Type.Optional(oneOf(['created_at', '-created_at'], 'The order: oldest first (`created_at`, if not sent) or newest first.')),
    state: Type.Optional(oneOf(DELIVERY_STATES, 'Only deliveries of this state.')),
  },
  { additionalProperties: false },
)

const BY_ID: SortOrder<{ id: string }> = { columns: ['id'], types: ['string'], keyOf: ({ id }) => [id] }
const BY_DELIVERY: SortOrder<DeliveryWithEvent> = { ...BY_ID, keyOf: ({ delivery }) => [delivery.id] }

const oneWebhook = { description: 'The webhook as it is now.', shape: WebhookShape }
const newDelivery = { description: 'The delivery, about to be sent.', shape: DeliveryShape }

export function webhookRoutes(api: Api, making: WebhookMaking): void {
  api.get(
    '/webhooks',
    operation({
      id: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Oldest first; without their secrets.',
      tag,
      scope,
      querystring: WebhookQuery,
      replies: { 200: { description: 'One page of webhooks.', shape: WebhookList } },
    }),
    async (request) => {
      const { limit = DEFAULT_LIMIT, cursor } = request.query
      const by = actorOf(request)
      const list = [by.accountId, 'webhooks', {}] as const
      const page = { columns: BY_ID.columns, descending: false, after: readCursor(cursor, list, BY_ID), limit }
      return pageOf(await listWebhooks(by, page), limit, list, webhookToWire, BY_ID)
    },
  )

  api.post(
    '/webhooks',
    operation({
      id: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'It is told of what happens from now on. The answer shows its `secret`, as do a replay of this request and a rotation, and nothing else does.',
      tag,
      scope,
      body: ref(CreateWebhookShape),
      headers: ['Idempotency-Key'],
      replies: {
        201: { description: 'The new webhook, with its secret.', shape: WebhookWithSecretShape },
        200: { description: 'The webhook that an earlier request with this key created.', shape: WebhookWithSecretShape },
      },
      problems: ['not_found'],
    }),
    async (request, reply) =>
      sendMadeWebhook(reply, await createWebhook(actorOf(request), request.body, conditionsOf(request).onceKey, making)),
  )

  api.get(
    '/webhooks/:id',
    operation({
      id: 'getWebhook',
      summary: 'Read a webhook',
      description: 'Without its secret.',
      tag,
      scope,
      params: webhookPath,
      headers: ['If-None-Match'],
      replies: { 200: oneWebhook, 304: { description: 'The client has the current version.', shape: null } },
      problems: ['not_found'],
    }),
    async (request, reply) => sendReadWebhook(reply, await getWebhook(actorOf(request), request.params.id)),
  )

  api.patch(
    '/webhooks/:id',
    operation({
      id: 'updateWebhook',
      summary: 'Change a webhook',
      description:
        'Only the fields that are sent change. Turned on again, it begins with what happens from then on; turned off, nothing more is tried.',
      tag,
      scope,
      params: webhookPath,
      body: ref(UpdateWebhookShape),
      headers: ['If-Match'],
      replies: { 200: oneWebhook },
      problems: ['not_found', 'precondition_failed'],
      current: WebhookShape,
    }),
    async (request, reply) =>
      sendWebhook(
        reply,
        await updateWebhookById(actorOf(request), request.params.id, request.body, conditionsOf(request).match, making.destinations),
      ),
  )

  api.delete(
    '/webhooks/:id',
    operation({
      id: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'With its deliveries.',
      tag,
      scope,
      params: webhookPath,
      headers: ['If-Match'],
      replies: { 204: { description: 'It is gone.', shape: null } },
      problems: ['not_found', 'precondition_failed'],
      current: WebhookShape,
    }),
    async (request, reply) => {
      await deleteWebhookById(actorOf(request), request.params.id, conditionsOf(request).match)
      return sendGone(reply)
    },
  )

  api.post(
    '/webhooks/:id/rotate_secret',
    operation({
      id: 'rotateSecret',
      summary: 'Give a webhook a new secret',
      description: 'For 24 hours both the new one and the one before sign every delivery.',
      tag,
      scope,
      params: webhookPath,
      body: NOTHING,
      bodyOptional: true,
      headers: ['If-Match'],
      replies: { 200: { description: 'The webhook with its new secret.', shape: WebhookWithSecretShape } },
      problems: ['not_found', 'precondition_failed'],
      current: WebhookShape,
    }),
    async (request, reply) =>
      sendWebhookWithSecret(reply, await rotateSecret(actorOf(request), request.params.id, conditionsOf(request).match, making.random)),
  )

  api.post(
    '/webhooks/:id/test',
    operation({
      id: 'testWebhook',
      summary: 'Try a webhook out',
      description: 'Sends an event `webhook.test`, once, also to a webhook that is not enabled. Read the delivery to see what came of it.',
      tag,
      scope,
      params: webhookPath,
      body: NOTHING,
      bodyOptional: true,
      replies: { 202: newDelivery },
      problems: ['not_found'],
    }),
    async (request, reply) => sendNewDelivery(reply, await testWebhook(actorOf(request), request.params.id)),
  )

  api.get(
    '/webhooks/:id/deliveries',
    operation({
      id: 'listDeliveries',
      summary: 'List deliveries',
      description: 'What was sent and what came back, oldest first unless `sort` says otherwise; kept as long as the log.',
      tag,
      scope,
      params: webhookPath,
      querystring: DeliveryQuery,
      replies: { 200: { description: 'One page of deliveries.', shape: DeliveryList } },
      problems: ['not_found'],
    }),
    async (request, reply) => {
      const { limit = DEFAULT_LIMIT, cursor, sort = 'created_at', state = null } = request.query
      const by = actorOf(request)
      const list = [by.accountId, 'deliveries', { webhook: request.params.id, sort, state }] as const
      const after = readCursor(cursor, list, BY_DELIVERY)
      const page = { columns: BY_DELIVERY.columns, descending: sort.startsWith('-'), after, limit }
      const deliveries = await listDeliveries(by, request.params.id, state, page)
      return sendWhole(reply, pageOf(deliveries, limit, list, deliveryWithEventToWire, BY_DELIVERY))
    },
  )

  api.get(
    '/webhooks/:id/deliveries/:delivery_id',
    operation({
      id: 'getDelivery',
      summary: 'Read a delivery',
      description: 'With every attempt that was made.',
      tag,
      scope,
      params: deliveryPath,
      replies: { 200: { description: 'The delivery as it is now.', shape: DeliveryShape } },
      problems: ['not_found'],
    }),
    async (request, reply) => sendDelivery(reply, await getDelivery(actorOf(request), request.params.id, request.params.delivery_id)),
  )

  api.post(
    '/webhooks/:id/deliveries/:delivery_id/redeliver',
    operation({
      id: 'redeliver',
      summary: 'Send an event once more',
      description: 'As a new delivery with the same `webhook-id`, retried like any other; to a webhook that is not enabled, once.',
      tag,
      scope,
      params: deliveryPath,
      body: NOTHING,
      bodyOptional: true,
      replies: { 202: newDelivery },
      problems: ['not_found'],
    }),
    async (request, reply) => sendNewDelivery(reply, await redeliver(actorOf(request), request.params.id, request.params.delivery_id)),
  )
}
