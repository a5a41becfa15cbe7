import { type Static, Type } from 'typebox'
import { DISPOSITIONS, STATUS_DISPOSITIONS, type StatusDisposition } from './disposition.ts'
import { byPosition } from './position.ts'
import { CreatedAt, id, oneOf, Position, shape, text, UpdatedAt, Version, versionOnWire, versionToWire } from './shape.ts'
import { formatTime } from './time.ts'

/** A named stage of a Workflow inside one Disposition. Times are ms since the epoch. */
export interface Status {
  id: string
  workflowId: string
  name: string
  disposition: StatusDisposition
  position: number
  createdAt: number
  updatedAt: number
  version: number
}

export const MAX_STATUSES = 100

const name = text('line', 1, 200, 'What the Status is called; 1 to 200 characters.')
const disposition = oneOf(STATUS_DISPOSITIONS, 'The Disposition of the tasks on it. `not_started` has no Statuses.')

export const STATUS_EXAMPLE = {
  object: 'status',
  id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a11',
  workflow_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a10',
  name: 'Draft',
  disposition: 'in_progress',
  position: 1,
  created_at: '2026-11-21T07:00:00.000Z',
  updated_at: '2026-11-21T07:00:00.000Z',
  version: '"1"',
}

export const StatusShape = shape(
  'Status',
  'A stage of a Workflow. It belongs to one Workflow and one Disposition.',
  {
    object: Type.Literal('status'),
    id: id('The id of the Status.'),
    workflow_id: id('The Workflow it belongs to.'),
    name,
    disposition,
    position: Position,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    version: Version,
  },
  STATUS_EXAMPLE,
)

export const CreateStatusShape = shape(
  'CreateStatus',
  'A new Status, put after the last one of its Disposition. A Workflow holds at most 100 Statuses.',
  { name, disposition },
  { name: 'Draft', disposition: 'in_progress' },
)

export const UpdateStatusShape = shape(
  'UpdateStatus',
  'Only the fields that are sent change. A new `disposition` puts the Status last there, and its tasks move with it.',
  { name: Type.Optional(name), disposition: Type.Optional(disposition), position: Type.Optional(Position) },
  { position: 1.5 },
)

export type StatusWire = Static<typeof StatusShape>
export type CreateStatus = Static<typeof CreateStatusShape>
export type UpdateStatus = Static<typeof UpdateStatusShape>

export function statusToWire(status: Status): StatusWire {
  return {
    object: 'status',
    id: status.id,
    workflow_id: status.workflowId,
    name: status.name,
    disposition: status.disposition,
    position: status.position,
    created_at: formatTime(status.createdAt),
    updated_at: formatTime(status.updatedAt),
    version: versionToWire(status.version),
  }
}

/** The Status that a client sees. */
export function statusOnWire(wire: StatusWire): Status {
  return {
    id: wire.id,
    workflowId: wire.workflow_id,
    name: wire.name,
    disposition: wire.disposition,
    position: wire.position,
    createdAt: Date.parse(wire.created_at),
    updatedAt: Date.parse(wire.updated_at),
    version: versionOnWire(wire.version),
  }
}

export function newStatus(made: { id: string; workflowId: string; position: number; now: number }, input: CreateStatus): Status {
  return {
    id: made.id,
    workflowId: made.workflowId,
    name: input.name,
    disposition: input.disposition,
    position: made.position,
    createdAt: made.now,
    updatedAt: made.now,
    version: 1,
  }
}

/** `endPosition` is where a Status comes to stand that changes to another Disposition without saying where. */
export function patchStatus(status: Status, input: UpdateStatus, endPosition: number): Status {
  const to = input.disposition ?? status.disposition
  return {
    ...status,
    name: input.name ?? status.name,
    disposition: to,
    position: input.position ?? (to === status.disposition ? status.position : endPosition),
  }
}

/** The Statuses in tab order, then by position. */
export function inTabOrder(statuses: readonly Status[]): Status[] {
  return statuses.toSorted((a, b) => DISPOSITIONS.indexOf(a.disposition) - DISPOSITIONS.indexOf(b.disposition) || byPosition(a, b))
}

/** The Today Statuses in order: the progressive steps of the tasks on their Workflow. */
export function todayStatuses(statuses: readonly Status[]): Status[] {
  return statuses.filter((status) => status.disposition === 'in_progress').sort(byPosition)
}
