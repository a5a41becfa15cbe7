import type { StatusDisposition } from '@fivetab/domain/disposition.ts'
import { positionAfter } from '@fivetab/domain/position.ts'
import { newStatus, type Status } from '@fivetab/domain/status.ts'
import { leaveWorkflow, withSteps } from '@fivetab/domain/task.ts'
import { type Precondition, requireVersion } from '@fivetab/domain/version.ts'
import {
  type CreateWorkflow,
  newWorkflow,
  patchWorkflow,
  type UpdateWorkflow,
  type Workflow,
  workflowWithStatusesToWire,
} from '@fivetab/domain/workflow.ts'
import type { PageRequest } from '../store/pages.ts'
import { statusesOf } from '../store/statuses.ts'
import { checklistOf } from '../store/steps.ts'
import type { Reader } from '../store/store.ts'
import type { Turn } from '../store/turn.ts'
import { lastWorkflowPosition, workflowById, workflowPage } from '../store/workflows.ts'
import { type Actor, cascading, requireScope, write } from './actor.ts'
import { changeTasks } from './cascade.ts'
import { found } from './found.ts'
import { type Made, type OnceKey, once } from './once.ts'
import { addStatus, addWorkflow, removeStatus, removeWorkflow, saveWorkflow } from './record.ts'

export interface WorkflowWithStatuses {
  workflow: Workflow
  statuses: Status[]
}

/** Up to `limit` + 1 Workflows of a page. */
export async function listWorkflows(by: Actor, page: PageRequest): Promise<Workflow[]> {
  requireScope(by, 'workflows:read')
  return workflowPage(by.store, by.accountId, page)
}

/** @throws Failure `not_found` */
export function getWorkflow(by: Actor, id: string): Promise<WorkflowWithStatuses> {
  requireScope(by, 'workflows:read')
  return by.store.snapshot((reader) => workflowWithStatuses(reader, by.accountId, id))
}

async function workflowWithStatuses(reader: Reader, accountId: string, id: string): Promise<WorkflowWithStatuses> {
  const workflow = found('Workflow', await workflowById(reader, accountId, id))
  return { workflow, statuses: await statusesOf(reader, accountId, id) }
}

/** Adds a Workflow at the end of the list, with its Statuses. @throws Failure `key_reused`, `not_found` (a replay of one since deleted) */
export function createWorkflow(by: Actor, input: CreateWorkflow, key: OnceKey | null): Promise<Made<WorkflowWithStatuses>> {
  requireScope(by, 'workflows:write')
  return write(by, (tx) =>
    once(
      tx,
      key,
      (id) => workflowWithStatuses(tx, by.accountId, id),
      async () => {
        const position = positionAfter(await lastWorkflowPosition(tx, by.accountId))
        const workflow = await addWorkflow(tx, by, newWorkflow({ id: tx.newId(), position, now: tx.now }, input))
        const statuses = await addStatuses(tx, by, workflow.id, input.statuses ?? [])
        return { id: workflow.id, resource: { workflow, statuses } }
      },
    ),
  )
}

async function addStatuses(tx: Turn, by: Actor, workflowId: string, inputs: NonNullable<CreateWorkflow['statuses']>): Promise<Status[]> {
  const last = new Map<StatusDisposition, number>()
  const statuses: Status[] = []
  for (const input of inputs) {
    const position = positionAfter(last.get(input.disposition) ?? null)
    last.set(input.disposition, position)
    statuses.push(await addStatus(tx, by, newStatus({ id: tx.newId(), workflowId, position, now: tx.now }, input)))
  }
  return statuses
}

/** @throws Failure `not_found`, `precondition_failed` */
export function updateWorkflowById(by: Actor, id: string, input: UpdateWorkflow, expected: Precondition): Promise<WorkflowWithStatuses> {
  requireScope(by, 'workflows:write')
  return write(by, async (tx) => {
    const { workflow, statuses } = await expectedWorkflow(tx, by, id, expected)
    return { workflow: await saveWorkflow(tx, by, workflow, patchWorkflow(workflow, input)), statuses }
  })
}

/** Deletes a Workflow with its Statuses; its tasks stay in their Disposition, on no Workflow. @throws Failure `not_found`, `precondition_failed` */
export function deleteWorkflowById(by: Actor, id: string, expected: Precondition): Promise<void> {
  requireScope(by, 'workflows:write')
  return write(by, async (tx) => {
    const { workflow, statuses } = await expectedWorkflow(tx, by, id, expected)
    await changeTasks(tx, by, 'workflow_id', id, async (task) =>
      withSteps(leaveWorkflow(task), await checklistOf(tx, by.accountId, task.id)),
    )
    // What tasks have done of these Statuses goes with them.
    for (const status of statuses) await removeStatus(tx, cascading(by), status)
    await removeWorkflow(tx, by, workflow)
  })
}

async function expectedWorkflow(tx: Turn, by: Actor, id: string, expected: Precondition): Promise<WorkflowWithStatuses> {
  const both = await workflowWithStatuses(tx, by.accountId, id)
  requireVersion(both.workflow, expected, (workflow) => workflowWithStatusesToWire(workflow, both.statuses))
  return both
}
