import { refuse } from '@fivetab/domain/failure.ts'
import { positionAfter } from '@fivetab/domain/position.ts'
import {
  type CreateStatus,
  inTabOrder,
  MAX_STATUSES,
  newStatus,
  patchStatus,
  type Status,
  statusToWire,
  type UpdateStatus,
} from '@fivetab/domain/status.ts'
import { followStatus, leaveStatus } from '@fivetab/domain/task.ts'
import { type Precondition, requireVersion } from '@fivetab/domain/version.ts'
import { statusById, statusesOf } from '../store/statuses.ts'
import type { Reader } from '../store/store.ts'
import type { Turn } from '../store/turn.ts'
import { workflowById } from '../store/workflows.ts'
import { type Actor, cascading, requireScope, write } from './actor.ts'
import { changeTasks, recounted } from './cascade.ts'
import { found } from './found.ts'
import { type Made, type OnceKey, once } from './once.ts'
import { addStatus, removeStatus, saveStatus, saveWorkflow } from './record.ts'

/** The Statuses of a Workflow in tab order, then by position. @throws Failure `not_found` */
export function listStatuses(by: Actor, workflowId: string): Promise<Status[]> {
  requireScope(by, 'workflows:read')
  return by.store.snapshot(async (reader) => {
    found('Workflow', await workflowById(reader, by.accountId, workflowId))
    return inTabOrder(await statusesOf(reader, by.accountId, workflowId))
  })
}

/** @throws Failure `not_found`, also for a Status of another Workflow */
export async function getStatus(by: Actor, workflowId: string, id: string): Promise<Status> {
  requireScope(by, 'workflows:read')
  return statusIn(by.store, by.accountId, workflowId, id)
}

async function statusIn(reader: Reader, accountId: string, workflowId: string, id: string): Promise<Status> {
  const status = await statusById(reader, accountId, id)
  return found('Status of this Workflow', status?.workflowId === workflowId ? status : undefined)
}

/** Adds a Status at the end of its Disposition in the Workflow. @throws Failure `not_found`, `invalid_request` for a full Workflow, `key_reused` */
export function createStatus(by: Actor, workflowId: string, input: CreateStatus, key: OnceKey | null): Promise<Made<Status>> {
  requireScope(by, 'workflows:write')
  return write(by, async (tx) => {
    found('Workflow', await workflowById(tx, by.accountId, workflowId))
    return once(
      tx,
      key,
      (id) => statusIn(tx, by.accountId, workflowId, id),
      async () => {
        const others = await statusesOf(tx, by.accountId, workflowId)
        if (others.length >= MAX_STATUSES) {
          refuse([{ field: '', code: 'out_of_range', detail: `A Workflow holds at most ${MAX_STATUSES} Statuses, and this one has them.` }])
        }
        const made = { id: tx.newId(), workflowId, position: endPosition(others, input.disposition), now: tx.now }
        const status = await addStatus(tx, by, newStatus(made, input))
        await touchWorkflow(tx, by, workflowId)
        if (status.disposition === 'in_progress') await recountTasks(tx, by, workflowId)
        return { id: status.id, resource: status }
      },
    )
  })
}

function endPosition(statuses: readonly Status[], disposition: Status['disposition']): number {
  const positions = statuses.filter((status) => status.disposition === disposition).map((status) => status.position)
  return positionAfter(positions.length === 0 ? null : Math.max(...positions))
}

/**
 * Renames or moves a Status. A new Disposition takes its tasks along, each as if it had been patched.
 * @throws Failure `not_found`, `precondition_failed`
 */
export function updateStatusById(by: Actor, workflowId: string, id: string, input: UpdateStatus, expected: Precondition): Promise<Status> {
  requireScope(by, 'workflows:write')
  return write(by, async (tx) => {
    const before = await statusIn(tx, by.accountId, workflowId, id)
    requireVersion(before, expected, statusToWire)
    const others = await statusesOf(tx, by.accountId, workflowId)
    const after = await saveStatus(tx, by, before, patchStatus(before, input, endPosition(others, input.disposition ?? before.disposition)))
    if (after === before) return before
    await touchWorkflow(tx, by, workflowId)
    if (after.disposition !== before.disposition) await moveTasksAlong(tx, by, before, after)
    return after
  })
}

async function moveTasksAlong(tx: Turn, by: Actor, before: Status, after: Status): Promise<void> {
  if (before.disposition !== 'in_progress' && after.disposition !== 'in_progress') {
    await changeTasks(tx, by, 'status_id', after.id, (task) => followStatus(task, after, tx.now))
    return
  }
  // A Today Status more or less is a step more or less for every task of the Workflow.
  const statuses = await statusesOf(tx, by.accountId, after.workflowId)
  await changeTasks(tx, by, 'workflow_id', after.workflowId, (task) => recounted(tx, followStatus(task, after, tx.now), statuses))
}

/** Deletes a Status; its tasks stay in their Workflow and Disposition, on no Status. @throws Failure `not_found`, `precondition_failed` */
export function deleteStatusById(by: Actor, workflowId: string, id: string, expected: Precondition): Promise<void> {
  requireScope(by, 'workflows:write')
  return write(by, async (tx) => {
    const status = await statusIn(tx, by.accountId, workflowId, id)
    requireVersion(status, expected, statusToWire)
    if (status.disposition === 'in_progress') {
      const rest = (await statusesOf(tx, by.accountId, workflowId)).filter((other) => other.id !== id)
      await changeTasks(tx, by, 'workflow_id', workflowId, (task) => recounted(tx, task.statusId === id ? leaveStatus(task) : task, rest))
    } else {
      await changeTasks(tx, by, 'status_id', id, leaveStatus)
    }
    await removeStatus(tx, by, status)
    await touchWorkflow(tx, by, workflowId)
  })
}

async function recountTasks(tx: Turn, by: Actor, workflowId: string): Promise<void> {
  const statuses = await statusesOf(tx, by.accountId, workflowId)
  await changeTasks(tx, by, 'workflow_id', workflowId, (task) => recounted(tx, task, statuses))
}

/** A change of a Status is a change of its Workflow. */
async function touchWorkflow(tx: Turn, by: Actor, workflowId: string): Promise<void> {
  const workflow = found('Workflow', await workflowById(tx, by.accountId, workflowId))
  await saveWorkflow(tx, cascading(by), workflow, workflow, { touched: true })
}
