import { ref } from '@fivetab/domain/shape.ts'
import { CreateStatusShape, StatusShape, statusToWire, UpdateStatusShape } from '@fivetab/domain/status.ts'
import { createStatus, deleteStatusById, getStatus, listStatuses, updateStatusById } from '../actions/statuses.ts'
import type { Api } from './api.ts'
import { actorOf } from './caller.ts'
import { operation, statusPath, workflowPath } from './operation.ts'
import { listOf, wholeList } from './pages.ts'
import { sendGone, sendMadeStatus, sendReadStatus, sendStatus } from './reply.ts'
import { conditionsOf } from './request.ts'

const tag = 'Statuses'

export const StatusList = listOf(StatusShape)

const oneStatus = { description: 'The Status as it is now.', shape: StatusShape }

export function statusRoutes(api: Api): void {
  api.get(
    '/workflows/:id/statuses',
    operation({
      id: 'listStatuses',
      summary: 'List the Statuses of a Workflow',
      description: 'Whole, grouped by Disposition in tab order, then by position.',
      tag,
      scope: 'workflows:read',
      params: workflowPath,
      replies: { 200: { description: 'All Statuses of the Workflow.', shape: StatusList } },
      problems: ['not_found'],
    }),
    async (request) => wholeList((await listStatuses(actorOf(request), request.params.id)).map(statusToWire)),
  )

  api.post(
    '/workflows/:id/statuses',
    operation({
      id: 'createStatus',
      summary: 'Add a Status to a Workflow',
      description: 'At the end of its Disposition in the Workflow. A Today Status is a new step for every task on the Workflow.',
      tag,
      scope: 'workflows:write',
      params: workflowPath,
      body: ref(CreateStatusShape),
      headers: ['Idempotency-Key'],
      replies: {
        201: { description: 'The new Status.', shape: StatusShape },
        200: { description: 'The Status that an earlier request with this key created.', shape: StatusShape },
      },
      problems: ['not_found'],
    }),
    async (request, reply) =>
      sendMadeStatus(reply, await createStatus(actorOf(request), request.params.id, request.body, conditionsOf(request).onceKey)),
  )

  api.get(
    '/workflows/:id/statuses/:status_id',
    operation({
      id: 'getStatus',
      summary: 'Read a Status',
      description: 'One Status of the Workflow.',
      tag,
      scope: 'workflows:read',
      params: statusPath,
      headers: ['If-None-Match'],
      replies: { 200: oneStatus, 304: { description: 'The client has the current version.', shape: null } },
      problems: ['not_found'],
    }),
    async (request, reply) => sendReadStatus(reply, await getStatus(actorOf(request), request.params.id, request.params.status_id)),
  )

  api.patch(
    '/workflows/:id/statuses/:status_id',
    operation({
      id: 'updateStatus',
      summary: 'Rename or move a Status',
      description: 'A new `disposition` puts the Status last there and moves its tasks with it, each as if it had been changed itself.',
      tag,
      scope: 'workflows:write',
      params: statusPath,
      body: ref(UpdateStatusShape),
      headers: ['If-Match'],
      replies: { 200: oneStatus },
      problems: ['not_found', 'precondition_failed'],
      current: StatusShape,
    }),
    async (request, reply) => {
      const { id, status_id } = request.params
      return sendStatus(reply, await updateStatusById(actorOf(request), id, status_id, request.body, conditionsOf(request).match))
    },
  )

  api.delete(
    '/workflows/:id/statuses/:status_id',
    operation({
      id: 'deleteStatus',
      summary: 'Delete a Status',
      description: 'Its tasks stay in their Workflow and Disposition, on no Status.',
      tag,
      scope: 'workflows:write',
      params: statusPath,
      headers: ['If-Match'],
      replies: { 204: { description: 'It is gone.', shape: null } },
      problems: ['not_found', 'precondition_failed'],
      current: StatusShape,
    }),
    async (request, reply) => {
      const { id, status_id } = request.params
      await deleteStatusById(actorOf(request), id, status_id, conditionsOf(request).match)
      return sendGone(reply)
    },
  )
}
