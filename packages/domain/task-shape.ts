import { type Static, Type } from 'typebox'
import { DISPOSITIONS } from './disposition.ts'
import {
  CreatedAt,
  date,
  dateTime,
  id,
  MAX_ESTIMATE_MINUTES,
  nullable,
  oneOf,
  shape,
  text,
  UpdatedAt,
  Version,
  versionOnWire,
  versionToWire,
} from './shape.ts'
import { estimateMinutes, type Task, type TaskInput } from './task.ts'
import { formatTime, formatTimeOrNull, parseDateTime } from './time.ts'

/** How a task looks on the wire, and the one place where its wire names and its own names meet. */

const title = text('line', 1, 500, 'What is to be done; 1 to 500 characters.')
const notes = nullable(text('lines', 0, 20_000, 'Notes; up to 20,000 characters, or null.'))
const disposition = oneOf(DISPOSITIONS, 'The state of the task. It always has exactly one.')
const statusId = nullable(id('The Status the task is on.'))
const workflowId = nullable(id('The Workflow the task is on.'))
const projectId = nullable(id('The project the task is in.'))
const dueDate = nullable(date('The calendar day it is due, `YYYY-MM-DD`; never shifted by a time zone.'))
const onHoldUntil = nullable(
  dateTime('When it wakes and returns to Today. Only with the Disposition `on_hold`; must lie in the future when sent.'),
)
const estimateSent = nullable(
  Type.Integer({
    minimum: 0,
    maximum: MAX_ESTIMATE_MINUTES,
    description: 'Minutes, 0 to 525,600. Once the task has steps it is the sum of their minutes and cannot be sent.',
  }),
)
/** A sum goes beyond what may be sent. */
const estimate = nullable(Type.Integer({ minimum: 0, description: 'Minutes. Once the task has steps it is the sum of theirs.' }))

export const TaskShape = shape(
  'Task',
  'A task. It always has exactly one Disposition; a Status implies its Workflow and Disposition.',
  {
    object: Type.Literal('task'),
    id: id('The id of the task.'),
    title,
    notes,
    disposition,
    status_id: statusId,
    workflow_id: workflowId,
    project_id: projectId,
    due_date: dueDate,
    on_hold_until: onHoldUntil,
    completed_at: nullable(dateTime('When it was completed; null unless its Disposition is `done`.')),
    estimate_minutes: estimate,
    steps_total: Type.Integer({ minimum: 0, description: 'How many steps it has.' }),
    steps_completed: Type.Integer({ minimum: 0, description: 'How many of its steps are ticked.' }),
    archived: Type.Boolean({ description: 'An archived task is hidden from its tab. Changed by the actions archive and unarchive.' }),
    archived_at: nullable(dateTime('When it was archived.')),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    version: Version,
  },
  {
    object: 'task',
    id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20',
    title: 'Write the announcement',
    notes: null,
    disposition: 'in_progress',
    status_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a11',
    workflow_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a10',
    project_id: null,
    due_date: '2026-12-01',
    on_hold_until: null,
    completed_at: null,
    estimate_minutes: 90,
    steps_total: 2,
    steps_completed: 0,
    archived: false,
    archived_at: null,
    created_at: '2026-11-21T07:00:00.000Z',
    updated_at: '2026-11-21T07:00:00.000Z',
    version: '"1"',
  },
)

const settable = {
  notes: Type.Optional(notes),
  disposition: Type.Optional(disposition),
  status_id: Type.Optional(statusId),
  workflow_id: Type.Optional(workflowId),
  project_id: Type.Optional(projectId),
  due_date: Type.Optional(dueDate),
  on_hold_until: Type.Optional(onHoldUntil),
  estimate_minutes: Type.Optional(estimateSent),
}

export const CreateTaskShape = shape(
  'CreateTask',
  'A new task. `disposition` is `not_started` if it is not sent; `status_id` starts it on that Status, `workflow_id` on that Workflow’s first Status for the Disposition.',
  { title, ...settable },
  { title: 'Write the announcement', workflow_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a10', disposition: 'in_progress' },
)

export const UpdateTaskShape = shape(
  'UpdateTask',
  'Only the fields that are sent change; null clears one. `archived` is changed by the actions archive and unarchive.',
  { title: Type.Optional(title), ...settable },
  { due_date: '2026-12-01' },
)

export const LaterShape = shape(
  'Later',
  'When the task is to return to Today. Without `until` it stays in Later until somebody moves it.',
  { until: Type.Optional(nullable(dateTime('When it wakes; must lie in the future.'))) },
  { until: '2026-11-23T08:00:00+01:00' },
)

export type TaskWire = Static<typeof TaskShape>
export type CreateTask = Static<typeof CreateTaskShape>
export type UpdateTask = Static<typeof UpdateTaskShape>
export type Later = Static<typeof LaterShape>

/** The number of the form that `taskToWire` makes. It is raised with every change to that, since the store keeps tasks in this form. */
export const TASK_WIRE_FORM = 1

export function taskToWire(task: Task): TaskWire {
  return {
    object: 'task',
    id: task.id,
    title: task.title,
    notes: task.notes,
    disposition: task.disposition,
    status_id: task.statusId,
    workflow_id: task.workflowId,
    project_id: task.projectId,
    due_date: task.dueDate,
    on_hold_until: formatTimeOrNull(task.onHoldUntil),
    completed_at: formatTimeOrNull(task.completedAt),
    estimate_minutes: estimateMinutes(task),
    steps_total: task.stepsTotal,
    steps_completed: task.stepsCompleted,
    archived: task.archivedAt !== null,
    archived_at: formatTimeOrNull(task.archivedAt),
    created_at: formatTime(task.createdAt),
    updated_at: formatTime(task.updatedAt),
    version: versionToWire(task.version),
  }
}

/**
 * The task that a client sees, for whoever asks the rules what a change would make of it before the service has answered. What is not shown is missing:
 * the Status that it goes back to on waking, and a whole-task estimate under that of its steps.
 */
export function taskOnWire(wire: TaskWire): Task {
  const hasSteps = wire.steps_total > 0
  return {
    id: wire.id,
    title: wire.title,
    notes: wire.notes,
    disposition: wire.disposition,
    statusId: wire.status_id,
    workflowId: wire.workflow_id,
    projectId: wire.project_id,
    dueDate: wire.due_date,
    onHoldUntil: readTime(wire.on_hold_until),
    completedAt: readTime(wire.completed_at),
    ownEstimateMinutes: hasSteps ? null : wire.estimate_minutes,
    stepsTotal: wire.steps_total,
    stepsCompleted: wire.steps_completed,
    stepsMinutes: hasSteps ? (wire.estimate_minutes ?? 0) : 0,
    leftStatusId: null,
    archivedAt: readTime(wire.archived_at),
    createdAt: Date.parse(wire.created_at),
    updatedAt: Date.parse(wire.updated_at),
    version: versionOnWire(wire.version),
  }
}

function readTime(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}

const NAMES = {
  title: 'title',
  notes: 'notes',
  disposition: 'disposition',
  status_id: 'statusId',
  workflow_id: 'workflowId',
  project_id: 'projectId',
  due_date: 'dueDate',
  estimate_minutes: 'estimateMinutes',
} as const satisfies Partial<Record<keyof UpdateTask, keyof TaskInput>>

const FIELDS = Object.entries(NAMES) as [keyof typeof NAMES, (typeof NAMES)[keyof typeof NAMES]][]

/** The input that a valid body stands for; fields that were not sent stay absent. */
export function taskFromWire(body: UpdateTask): TaskInput {
  const input: Record<string, unknown> = {}
  for (const [wireName, name] of FIELDS) if (body[wireName] !== undefined) input[name] = body[wireName]
  if (body.on_hold_until !== undefined) input.onHoldUntil = body.on_hold_until === null ? null : parseDateTime(body.on_hold_until)
  return input as TaskInput
}
