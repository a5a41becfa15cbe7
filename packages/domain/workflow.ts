import { type Static, Type } from 'typebox'
import { CreatedAt, id, nullable, Position, ref, shape, text, UpdatedAt, Version, versionOnWire, versionToWire } from './shape.ts'
import { CreateStatusShape, inTabOrder, MAX_STATUSES, STATUS_EXAMPLE, type Status, StatusShape, statusToWire } from './status.ts'
import { formatTime } from './time.ts'

/** A user's own way of working: a name and Statuses. Its Today Statuses are the steps of the tasks on it. Times are ms since the epoch. */
export interface Workflow {
  id: string
  name: string
  emoji: string | null
  description: string | null
  position: number
  createdAt: number
  updatedAt: number
  version: number
}

const name = text('line', 1, 200, 'What the Workflow is called; 1 to 200 characters.')
const emoji = nullable(Type.String({ format: 'emoji', 'x-tidy': 'line', description: 'One emoji, or null.' }))
const description = nullable(text('lines', 0, 2_000, 'What it is for; up to 2,000 characters, or null.'))

const fields = {
  object: Type.Literal('workflow'),
  id: id('The id of the Workflow.'),
  name,
  emoji,
  description,
  position: Position,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  version: Version,
}

const example = {
  object: 'workflow',
  id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a10',
  name: 'Article',
  emoji: '✍️',
  description: null,
  position: 1,
  created_at: '2026-11-21T07:00:00.000Z',
  updated_at: '2026-11-21T07:00:00.000Z',
  version: '"1"',
}

export const WorkflowShape = shape(
  'Workflow',
  'A user-defined Workflow, as lists show it. A change of one of its Statuses is a change of its `version`.',
  fields,
  example,
)

export const WorkflowWithStatusesShape = shape(
  'WorkflowWithStatuses',
  'A Workflow with its Statuses in tab order, then by position.',
  { ...fields, statuses: Type.Array(ref(StatusShape), { description: 'Its Statuses in tab order, then by position.' }) },
  { ...example, statuses: [STATUS_EXAMPLE] },
)

export const CreateWorkflowShape = shape(
  'CreateWorkflow',
  'A new Workflow, with its Statuses in the same call if wanted: all of it is made or nothing.',
  {
    name,
    emoji: Type.Optional(emoji),
    description: Type.Optional(description),
    statuses: Type.Optional(
      Type.Array(ref(CreateStatusShape), {
        maxItems: MAX_STATUSES,
        description: 'Up to 100 Statuses; each is put after the last one of its Disposition.',
      }),
    ),
  },
  {
    name: 'Article',
    emoji: '✍️',
    statuses: [
      { name: 'Draft', disposition: 'in_progress' },
      { name: 'Review', disposition: 'in_progress' },
    ],
  },
)

export const UpdateWorkflowShape = shape(
  'UpdateWorkflow',
  'Only the fields that are sent change; null clears one.',
  { name: Type.Optional(name), emoji: Type.Optional(emoji), description: Type.Optional(description), position: Type.Optional(Position) },
  { name: 'Long article' },
)

export type WorkflowWire = Static<typeof WorkflowShape>
export type WorkflowWithStatusesWire = Static<typeof WorkflowWithStatusesShape>
export type CreateWorkflow = Static<typeof CreateWorkflowShape>
export type UpdateWorkflow = Static<typeof UpdateWorkflowShape>

export function workflowToWire(workflow: Workflow): WorkflowWire {
  return {
    object: 'workflow',
    id: workflow.id,
    name: workflow.name,
    emoji: workflow.emoji,
    description: workflow.description,
    position: workflow.position,
    created_at: formatTime(workflow.createdAt),
    updated_at: formatTime(workflow.updatedAt),
    version: versionToWire(workflow.version),
  }
}

/** The Workflow that a client sees, without its Statuses. */
export function workflowOnWire(wire: WorkflowWire): Workflow {
  return {
    id: wire.id,
    name: wire.name,
    emoji: wire.emoji,
    description: wire.description,
    position: wire.position,
    createdAt: Date.parse(wire.created_at),
    updatedAt: Date.parse(wire.updated_at),
    version: versionOnWire(wire.version),
  }
}

export function workflowWithStatusesToWire(workflow: Workflow, statuses: readonly Status[]): WorkflowWithStatusesWire {
  return { ...workflowToWire(workflow), statuses: inTabOrder(statuses).map(statusToWire) }
}

export function newWorkflow(made: { id: string; position: number; now: number }, input: CreateWorkflow): Workflow {
  return {
    id: made.id,
    name: input.name,
    emoji: input.emoji ?? null,
    description: input.description ?? null,
    position: made.position,
    createdAt: made.now,
    updatedAt: made.now,
    version: 1,
  }
}

export function patchWorkflow(workflow: Workflow, input: UpdateWorkflow): Workflow {
  return {
    ...workflow,
    name: input.name ?? workflow.name,
    emoji: input.emoji === undefined ? workflow.emoji : input.emoji,
    description: input.description === undefined ? workflow.description : input.description,
    position: input.position ?? workflow.position,
  }
}
