import { type Positioned, positionAfter } from '@fivetab/domain/position.ts'
import {
  type CreateStatus,
  newStatus,
  patchStatus,
  type StatusWire,
  statusOnWire,
  statusToWire,
  type UpdateStatus,
} from '@fivetab/domain/status.ts'
import { followStatus, leaveStatus, leaveWorkflow, type Task, withSteps } from '@fivetab/domain/task.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import {
  type CreateWorkflow,
  newWorkflow,
  patchWorkflow,
  type UpdateWorkflow,
  type WorkflowWithStatusesWire,
  workflowOnWire,
  workflowToWire,
  workflowWithStatusesToWire,
} from '@fivetab/domain/workflow.ts'
import { ask } from '../client/http.ts'
import { type Board, inOrder, showingStatus, showingWorkflow, withoutStatus, withoutWorkflow, withStatus, withWorkflow } from './board.ts'
import { cascade } from './cascade.ts'
import type { Change } from './changes.ts'
import { remove } from './deleting.ts'
import { type Editable, edit } from './editing.ts'
import { NOT_YET } from './task-changes.ts'

/**
 * What a person can do to a Workflow and its Statuses. A change of a Status is a new version of its Workflow: an edit of that which is based on the one
 * before is refused, learns of it and is sent again.
 */

export const WORKFLOW: Editable<WorkflowWithStatusesWire> = {
  lane: (id) => `workflow:${id}`,
  path: ({ id }) => `/workflows/${id}`,
  of: (board, { id }) => board.workflows.get(id),
  with: withWorkflow,
  showing: showingWorkflow,
}

export const STATUS: Editable<StatusWire> = {
  lane: (id) => `status:${id}`,
  path: ({ workflow_id, id }) => `/workflows/${workflow_id}/statuses/${id}`,
  of: (board, { workflow_id, id }) => board.workflows.get(workflow_id)?.statuses.find((status) => status.id === id),
  with: withStatus,
  showing: showingStatus,
}

/** The Statuses of a Workflow in a Disposition, in order. */
export function statusesIn(workflow: WorkflowWithStatusesWire, disposition: StatusWire['disposition']): StatusWire[] {
  return inOrder(workflow.statuses.filter((status) => status.disposition === disposition))
}

function endOf(siblings: readonly Positioned[]): number {
  return positionAfter(siblings.at(-1)?.position ?? null)
}

/** Adds a Workflow at the end. `key` makes it one however often it is sent: a UUID. */
export function createWorkflow(input: CreateWorkflow, key: string): Change {
  const id = `${NOT_YET}${key}`
  return {
    lane: WORKFLOW.lane(id),
    apply: (board, now) => {
      const workflow = newWorkflow({ id, position: endOf(inOrder(board.workflows.values())), now }, input)
      const statuses = (input.statuses ?? []).map((status, index) =>
        newStatus({ id: `${id}:${index}`, workflowId: id, position: index + 1, now }, status),
      )
      return showingWorkflow(board, workflowWithStatusesToWire(workflow, statuses))
    },
    send: async () => {
      const made = await ask<WorkflowWithStatusesWire>('POST', '/workflows', { body: input, onceKey: key })
      return (board) => withWorkflow(board, made)
    },
  }
}

/** Changes name, emoji or description. `shown` is what the person saw on beginning. */
export function editWorkflow(shown: WorkflowWithStatusesWire, fields: Omit<UpdateWorkflow, 'position'>): Change {
  return edit(WORKFLOW, shown, fields, (now) => patchedWorkflow(now, fields))
}

/** Puts a Workflow somewhere else in the list: the last one who does has the say. */
export function placeWorkflow({ id }: WorkflowWithStatusesWire, position: number): Change {
  return {
    lane: WORKFLOW.lane(id),
    apply: (board) => {
      const now = board.workflows.get(id)
      return now === undefined ? board : showingWorkflow(board, patchedWorkflow(now, { position }))
    },
    send: async () => {
      const stored = await ask<WorkflowWithStatusesWire>('PATCH', `/workflows/${id}`, { body: { position } })
      return (board) => withWorkflow(board, stored)
    },
  }
}

function patchedWorkflow(now: WorkflowWithStatusesWire, fields: UpdateWorkflow): WorkflowWithStatusesWire {
  return { ...workflowToWire(patchWorkflow(workflowOnWire(now), fields)), statuses: now.statuses }
}

/** Deletes a Workflow with its Statuses; its tasks stay in their Disposition, on none. */
export function deleteWorkflow(shown: WorkflowWithStatusesWire): Change {
  return remove(WORKFLOW, shown, ['name'], (board) =>
    cascade(withoutWorkflow(board, shown.id), (task) => task.workflow_id === shown.id, withoutSteps),
  )
}

/** Its own checklist shows again, which is not known before the service has answered. */
function withoutSteps(task: Task): Task {
  return withSteps(leaveWorkflow(task), [])
}

/** Adds a Status at the end of its Disposition. Those of one Workflow are sent one after another, so that they keep their order. */
export function createStatus(workflowId: string, input: CreateStatus, key: string): Change {
  const id = `${NOT_YET}${key}`
  return {
    lane: STATUS.lane(`${NOT_YET}${workflowId}`),
    apply: (board, now) => {
      const position = endPosition(board, workflowId, input.disposition)
      return showingStatus(board, statusToWire(newStatus({ id, workflowId, position, now }, input)))
    },
    send: async () => {
      const made = await ask<StatusWire>('POST', `/workflows/${workflowId}/statuses`, { body: input, onceKey: key })
      return (board) => withStatus(board, made)
    },
  }
}

function endPosition(board: Board, workflowId: string, disposition: StatusWire['disposition']): number {
  const workflow = board.workflows.get(workflowId)
  return endOf(workflow === undefined ? [] : statusesIn(workflow, disposition))
}

/** `shown` is what the person saw on beginning. */
export function renameStatus(shown: StatusWire, name: string): Change {
  return edit(STATUS, shown, { name }, (now, board) => patchedStatus(now, { name }, board))
}

/** Where a Status can be put: somewhere else in its Disposition, or into another one, at its end where no position is said. */
export type StatusPlace = Pick<UpdateStatus, 'disposition' | 'position'>

/** Puts a Status somewhere else, and its tasks with it: the last one who does has the say. */
export function placeStatus(status: StatusWire, place: StatusPlace): Change {
  return {
    lane: STATUS.lane(status.id),
    apply: (board, at) => {
      const now = STATUS.of(board, status)
      return now === undefined ? board : followed(showingStatus(board, patchedStatus(now, place, board)), status, at)
    },
    send: async () => {
      const stored = await ask<StatusWire>('PATCH', STATUS.path(status), { body: place })
      return (board) => followed(withStatus(board, stored), status, Date.now())
    },
  }
}

function patchedStatus(now: StatusWire, fields: UpdateStatus, board: Board): StatusWire {
  const end = endPosition(board, now.workflow_id, fields.disposition ?? now.disposition)
  return statusToWire(patchStatus(statusOnWire(now), fields, end))
}

/** The board with the tasks of a Status where that is. */
function followed(board: Board, shown: StatusWire, at: number): Board {
  const now = STATUS.of(board, shown)
  if (now === undefined) return board
  const isLeftBehind = (task: TaskWire) => task.status_id === now.id && task.disposition !== now.disposition
  return cascade(board, isLeftBehind, (task) => followStatus(task, statusOnWire(now), at))
}

/** Deletes a Status; its tasks stay in their Workflow and Disposition, on none. */
export function deleteStatus(shown: StatusWire): Change {
  const { workflow_id, id } = shown
  return remove(STATUS, shown, ['name', 'disposition'], (board) =>
    cascade(withoutStatus(board, workflow_id, id), (task) => task.status_id === id, leaveStatus),
  )
}
