import { type Static, Type } from 'typebox'
import { type FieldProblem, refuse } from './failure.ts'
import { byPosition } from './position.ts'
import { dateTime, id, MAX_ESTIMATE_MINUTES, nullable, oneOf, Position, shape, text } from './shape.ts'
import type { Status } from './status.ts'
import { formatTimeOrNull } from './time.ts'

/**
 * A step of a task: of kind `status`, one for each Today Status of the task's Workflow, or of kind `subtask`, an entry of its own checklist.
 *
 * A `status` step's id is its Status's id. Times are ms since the epoch.
 */
export interface Step {
  id: string
  taskId: string
  kind: 'status' | 'subtask'
  name: string
  completedAt: number | null
  minutes: number
  position: number
}

/** What a task has done of one Today Status: its tick and its minutes. */
export interface StatusProgress {
  statusId: string
  completedAt: number | null
  minutes: number
}

/** What the steps of a task come to. */
export interface StepTotals {
  stepsTotal: number
  stepsCompleted: number
  stepsMinutes: number
}

export const MAX_STEPS = 100

const name = text('line', 1, 500, 'What is to be done; 1 to 500 characters. A Workflow step has the name of its Status.')
const completed = Type.Boolean({ description: 'Ticked or not.' })
const minutes = Type.Integer({ minimum: 0, maximum: MAX_ESTIMATE_MINUTES, description: "The step's time in minutes, 0 to 525,600." })

export const StepShape = shape(
  'Step',
  'A step of a task. It has no version of its own: a change of a step is a change of its task.',
  {
    object: Type.Literal('step'),
    id: id('The id of the step; of a `status` step, that of its Status.'),
    task_id: id('The task it belongs to.'),
    kind: oneOf(['status', 'subtask'], "`status` comes from the task's Workflow, `subtask` from the task's own checklist."),
    name,
    status_id: nullable(id('The Today Status that a `status` step stands for.')),
    completed,
    completed_at: nullable(dateTime('When it was ticked.')),
    minutes,
    position: Position,
  },
  {
    object: 'step',
    id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a21',
    task_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20',
    kind: 'subtask',
    name: 'Buy boxes',
    status_id: null,
    completed: false,
    completed_at: null,
    minutes: 30,
    position: 1,
  },
)

export const CreateStepShape = shape(
  'CreateStep',
  "A new entry at the end of a task's own checklist. A task holds at most 100; one on a Workflow has that Workflow's steps instead.",
  { name, minutes: Type.Optional(minutes), completed: Type.Optional(completed) },
  { name: 'Buy boxes', minutes: 30 },
)

export const UpdateStepShape = shape(
  'UpdateStep',
  'Only the fields that are sent change. `name` and `position` are for checklist steps only.',
  { name: Type.Optional(name), completed: Type.Optional(completed), minutes: Type.Optional(minutes), position: Type.Optional(Position) },
  { completed: true },
)

export type StepWire = Static<typeof StepShape>
export type CreateStep = Static<typeof CreateStepShape>
export type UpdateStep = Static<typeof UpdateStepShape>

export function stepToWire(step: Step): StepWire {
  return {
    object: 'step',
    id: step.id,
    task_id: step.taskId,
    kind: step.kind,
    name: step.name,
    status_id: step.kind === 'status' ? step.id : null,
    completed: step.completedAt !== null,
    completed_at: formatTimeOrNull(step.completedAt),
    minutes: step.minutes,
    position: step.position,
  }
}

/** The step that a client sees. */
export function stepOnWire(wire: StepWire): Step {
  return {
    id: wire.id,
    taskId: wire.task_id,
    kind: wire.kind,
    name: wire.name,
    completedAt: wire.completed_at === null ? null : Date.parse(wire.completed_at),
    minutes: wire.minutes,
    position: wire.position,
  }
}

/** The steps of a task on a Workflow, in order: its Today Statuses with what the task has done of each. */
export function statusSteps(taskId: string, today: readonly Status[], progress: readonly StatusProgress[]): Step[] {
  return today.map((status) => {
    const own = progress.find((one) => one.statusId === status.id)
    return {
      id: status.id,
      taskId,
      kind: 'status',
      name: status.name,
      completedAt: own?.completedAt ?? null,
      minutes: own?.minutes ?? 0,
      position: status.position,
    }
  })
}

export function totalsOf(steps: readonly Pick<Step, 'completedAt' | 'minutes'>[]): StepTotals {
  return {
    stepsTotal: steps.length,
    stepsCompleted: steps.filter((step) => step.completedAt !== null).length,
    stepsMinutes: steps.reduce((sum, step) => sum + step.minutes, 0),
  }
}

export function newStep(made: { id: string; taskId: string; position: number; now: number }, input: CreateStep): Step {
  return {
    id: made.id,
    taskId: made.taskId,
    kind: 'subtask',
    name: input.name,
    completedAt: input.completed ? made.now : null,
    minutes: input.minutes ?? 0,
    position: made.position,
  }
}

/** @throws Failure `invalid_request` for a new name or position of a `status` step: those are its Status's */
export function patchStep(step: Step, input: UpdateStep, now: number): Step {
  if (step.kind === 'status') refuse(fixedFields(input))
  return {
    ...step,
    name: input.name ?? step.name,
    position: input.position ?? step.position,
    minutes: input.minutes ?? step.minutes,
    completedAt: tickOf(step, input.completed, now),
  }
}

function tickOf(step: Step, completed: boolean | undefined, now: number): number | null {
  if (completed === undefined) return step.completedAt
  return completed ? (step.completedAt ?? now) : null
}

function fixedFields(input: UpdateStep): FieldProblem[] {
  return (['name', 'position'] as const)
    .filter((field) => input[field] !== undefined)
    .map((field) => ({ field, code: 'conflict', detail: `The ${field} of a Workflow step is its Status's: change it there.` }))
}

/** The next open step after `from` in order, else the first open one; null when none is open. */
export function nextOpenStep(steps: readonly Step[], from: Step): Step | null {
  const open = steps.filter((step) => step.completedAt === null && step.id !== from.id).sort(byPosition)
  return open.find((step) => byPosition(step, from) > 0) ?? open[0] ?? null
}
