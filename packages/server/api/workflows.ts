import { ref } from '@fivetab/domain/shape.ts'
import {
  CreateWorkflowShape,
  UpdateWorkflowShape,
  WorkflowShape,
  WorkflowWithStatusesShape,
  workflowToWire,
} from '@fivetab/domain/workflow.ts'
import { Type } from 'typebox'
import { createWorkflow, deleteWorkflowById, getWorkflow, listWorkflows, updateWorkflowById } from '../actions/workflows.ts'
import type { Api } from './api.ts'
import { actorOf } from './caller.ts'
import { operation, workflowPath } from './operation.ts'
import { cursorParameter, DEFAULT_LIMIT, limitParameter, listOf, POSITION_ORDERS, pageOf, readCursor, sortParameter } from './pages.ts'
import { sendGone, sendMadeWorkflow, sendReadWorkflow, sendWorkflow } from './reply.ts'
import { conditionsOf } from './request.ts'

const tag = 'Workflows'

export const WorkflowList = listOf(WorkflowShape)

const WorkflowQuery = Type.Object({ limit: limitParameter, cursor: cursorParameter, sort: sortParameter }, { additionalProperties: false })

const oneWorkflow = { description: 'The Workflow as it is now, with its Statuses.', shape: WorkflowWithStatusesShape }

export function workflowRoutes(api: Api): void {
  api.get(
    '/workflows',
    operation({
      id: 'listWorkflows',
      summary: 'List Workflows',
      description: 'Oldest first, or by position; without their Statuses.',
      tag,
      scope: 'workflows:read',
      querystring: WorkflowQuery,
      replies: { 200: { description: 'One page of Workflows.', shape: WorkflowList } },
    }),
    async (request) => {
      const { limit = DEFAULT_LIMIT, cursor, sort = 'created_at' } = request.query
      const by = actorOf(request)
      const list = [by.accountId, 'workflows', { sort }] as const
      const order = POSITION_ORDERS[sort]
      const page = { columns: order.columns, descending: false, after: readCursor(cursor, list, order), limit }
      return pageOf(await listWorkflows(by, page), limit, list, workflowToWire, order)
    },
  )

  api.post(
    '/workflows',
    operation({
      id: 'createWorkflow',
      summary: 'Create a Workflow',
      description: 'At the end of the list, with its Statuses in the same call if wanted: all of it is made or nothing.',
      tag,
      scope: 'workflows:write',
      body: ref(CreateWorkflowShape),
      headers: ['Idempotency-Key'],
      replies: {
        201: { description: 'The new Workflow with its Statuses.', shape: WorkflowWithStatusesShape },
        200: { description: 'The Workflow that an earlier request with this key created.', shape: WorkflowWithStatusesShape },
      },
      problems: ['not_found'],
    }),
    async (request, reply) => sendMadeWorkflow(reply, await createWorkflow(actorOf(request), request.body, conditionsOf(request).onceKey)),
  )

  api.get(
    '/workflows/:id',
    operation({
      id: 'getWorkflow',
      summary: 'Read a Workflow',
      description: 'With its Statuses in tab order, then by position.',
      tag,
      scope: 'workflows:read',
      params: workflowPath,
      headers: ['If-None-Match'],
      replies: { 200: oneWorkflow, 304: { description: 'The client has the current version.', shape: null } },
      problems: ['not_found'],
    }),
    async (request, reply) => sendReadWorkflow(reply, await getWorkflow(actorOf(request), request.params.id)),
  )

  api.patch(
    '/workflows/:id',
    operation({
      id: 'updateWorkflow',
      summary: 'Change a Workflow',
      description: 'Only the fields that are sent change; null clears one.',
      tag,
      scope: 'workflows:write',
      params: workflowPath,
      body: ref(UpdateWorkflowShape),
      headers: ['If-Match'],
      replies: { 200: oneWorkflow },
      problems: ['not_found', 'precondition_failed'],
      current: WorkflowWithStatusesShape,
    }),
    async (request, reply) =>
      sendWorkflow(reply, await updateWorkflowById(actorOf(request), request.params.id, request.body, conditionsOf(request).match)),
  )

  api.delete(
    '/workflows/:id',
    operation({
      id: 'deleteWorkflow',
      summary: 'Delete a Workflow',
      description: 'With its Statuses. Its tasks stay in their Disposition, on no Workflow and no Status.',
      tag,
      scope: 'workflows:write',
      params: workflowPath,
      headers: ['If-Match'],
      replies: { 204: { description: 'It is gone.', shape: null } },
      problems: ['not_found', 'precondition_failed'],
      current: WorkflowWithStatusesShape,
    }),
    async (request, reply) => {
      await deleteWorkflowById(actorOf(request), request.params.id, conditionsOf(request).match)
      return sendGone(reply)
    },
  )
}
