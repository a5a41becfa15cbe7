import { deliveryToWire } from '@fivetab/domain/delivery-shape.ts'
import { type Project, projectToWire } from '@fivetab/domain/project.ts'
import { versionToWire } from '@fivetab/domain/shape.ts'
import { type Status, statusToWire } from '@fivetab/domain/status.ts'
import { type Step, stepToWire } from '@fivetab/domain/step.ts'
import type { Task } from '@fivetab/domain/task.ts'
import { taskToWire } from '@fivetab/domain/task-shape.ts'
import { type Webhook, webhookToWire, webhookWithSecretToWire } from '@fivetab/domain/webhook.ts'
import { workflowWithStatusesToWire } from '@fivetab/domain/workflow.ts'
import type { FastifyReply } from 'fastify'
import type { Made } from '../actions/once.ts'
import type { DeliveryWithEvent } from '../actions/webhooks.ts'
import type { WorkflowWithStatuses } from '../actions/workflows.ts'
import type { WrittenTask } from '../store/tasks.ts'
import { isKnown } from './conditional.ts'
import { conditionsOf } from './request.ts'

/** Replies with one resource: its ETag, 304 where the client has it already, and what a creation adds. */

declare module 'fastify' {
  interface FastifyInstance {
    /** What Location begins with: the service's address, and its major version or `/app`. */
    apiUrl: () => string
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

interface Versioned {
  version: string
}

function send(reply: FastifyReply, resource: Versioned): FastifyReply {
  return reply.header('ETag', resource.version).send(resource)
}

/** The answer to a GET of one resource: `whole`, unless the client has this version. */
function sendUnlessKnown(reply: FastifyReply, version: number, whole: () => FastifyReply): FastifyReply {
  reply.header('ETag', versionToWire(version))
  return isKnown(conditionsOf(reply.request).noneMatch, version) ? reply.status(304).send() : whole()
}

const sendRead = (reply: FastifyReply, version: number, resource: Versioned) => sendUnlessKnown(reply, version, () => reply.send(resource))

function announceMade(reply: FastifyReply, replayed: boolean, path: string): FastifyReply {
  reply.status(replayed ? 200 : 201).header('Location', `${reply.server.apiUrl()}${path}`)
  return replayed ? reply.header('Idempotent-Replayed', 'true') : reply
}

export const sendTask = (reply: FastifyReply, task: Task) => send(reply, taskToWire(task))
export const sendReadTask = (reply: FastifyReply, { version, json }: WrittenTask) =>
  sendUnlessKnown(reply, version, () => sendJson(reply, json))
export const sendMadeTask = (reply: FastifyReply, { resource, replayed }: Made<Task>) =>
  send(announceMade(reply, replayed, `/tasks/${resource.id}`), taskToWire(resource))

export const sendMadeStep = (reply: FastifyReply, { resource, replayed }: Made<Step>) =>
  announceMade(reply, replayed, `/tasks/${resource.taskId}/steps/${resource.id}`).send(stepToWire(resource))

export const sendProject = (reply: FastifyReply, project: Project) => send(reply, projectToWire(project))
export const sendReadProject = (reply: FastifyReply, project: Project) => sendRead(reply, project.version, projectToWire(project))
export const sendMadeProject = (reply: FastifyReply, { resource, replayed }: Made<Project>) =>
  send(announceMade(reply, replayed, `/projects/${resource.id}`), projectToWire(resource))

const workflowToWire = ({ workflow, statuses }: WorkflowWithStatuses) => workflowWithStatusesToWire(workflow, statuses)

export const sendWorkflow = (reply: FastifyReply, both: WorkflowWithStatuses) => send(reply, workflowToWire(both))
export const sendReadWorkflow = (reply: FastifyReply, both: WorkflowWithStatuses) =>
  sendRead(reply, both.workflow.version, workflowToWire(both))
export const sendMadeWorkflow = (reply: FastifyReply, { resource, replayed }: Made<WorkflowWithStatuses>) =>
  send(announceMade(reply, replayed, `/workflows/${resource.workflow.id}`), workflowToWire(resource))

export const sendStatus = (reply: FastifyReply, status: Status) => send(reply, statusToWire(status))
export const sendReadStatus = (reply: FastifyReply, status: Status) => sendRead(reply, status.version, statusToWire(status))
export const sendMadeStatus = (reply: FastifyReply, { resource, replayed }: Made<Status>) =>
  send(announceMade(reply, replayed, `/workflows/${resource.workflowId}/statuses/${resource.id}`), statusToWire(resource))

export const sendWebhook = (reply: FastifyReply, webhook: Webhook) => send(reply, webhookToWire(webhook))
export const sendWebhookWithSecret = (reply: FastifyReply, webhook: Webhook) => send(reply, webhookWithSecretToWire(webhook))
export const sendReadWebhook = (reply: FastifyReply, webhook: Webhook) => sendRead(reply, webhook.version, webhookToWire(webhook))
export const sendMadeWebhook = (reply: FastifyReply, { resource, replayed }: Made<Webhook>) =>
  send(announceMade(reply, replayed, `/webhooks/${resource.id}`), webhookWithSecretToWire(resource))

export const deliveryWithEventToWire = ({ delivery, event }: DeliveryWithEvent) => deliveryToWire(delivery, event)

/** Sends what is JSON already. */
export const sendJson = (reply: FastifyReply, json: string) => reply.type(JSON_TYPE).send(json)

/** Sends what the route's serialiser would cut to the shapes of today. */
export const sendWhole = (reply: FastifyReply, body: object) => reply.type(JSON_TYPE).serializer(JSON.stringify).send(body)

export const sendDelivery = (reply: FastifyReply, delivery: DeliveryWithEvent) => sendWhole(reply, deliveryWithEventToWire(delivery))

/** The answer to what is about to be sent. */
export function sendNewDelivery(reply: FastifyReply, made: DeliveryWithEvent): FastifyReply {
  const { webhookId, id } = made.delivery
  reply.status(202).header('Location', `${reply.server.apiUrl()}/webhooks/${webhookId}/deliveries/${id}`)
  return sendDelivery(reply, made)
}

/** The answer to a DELETE. */
export function sendGone(reply: FastifyReply): FastifyReply {
  return reply.status(204).send()
}
