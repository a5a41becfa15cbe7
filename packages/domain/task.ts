import type { Disposition } from './disposition.ts'
import { type FieldProblem, invalid, refuse } from './failure.ts'
import { byPosition } from './position.ts'
import type { Status } from './status.ts'
import { nextOpenStep, type Step, type StepTotals, totalsOf } from './step.ts'

/**
 * A task, and the rules of what may happen to it. Every rule is a pure function that returns the task as it is afterwards; one that changes
 * nothing returns an equal task. `version` and `updatedAt` are stamped where a task is stored, not here.
 *
 * Times are ms since the epoch, `dueDate` is a calendar day.
 */
export interface Task extends StepTotals {
  id: string
  title: string
  notes: string | null
  disposition: Disposition
  statusId: string | null
  workflowId: string | null
  projectId: string | null
  dueDate: string | null
  onHoldUntil: number | null
  completedAt: number | null
  /** The whole-task estimate; it shows only while the task has no steps. */
  ownEstimateMinutes: number | null
  /** The Today Status that the task left for `on_hold`, and goes back to when it wakes. */
  leftStatusId: string | null
  archivedAt: number | null
  createdAt: number
  updatedAt: number
  version: number
}

/** The fields of a task that a person may set. In a change, a field that is absent stays as it is. */
export interface TaskInput {
  title?: string
  notes?: string | null
  disposition?: Disposition
  statusId?: string | null
  workflowId?: string | null
  projectId?: string | null
  dueDate?: string | null
  onHoldUntil?: number | null
  estimateMinutes?: number | null
}

/** What the ids in a `TaskInput` stand for: null for an id that is none of the account's, undefined where no id was given. */
export interface TaskReferences {
  status?: Status | null
  workflow?: { id: string; statuses: readonly Status[] } | null
  project?: { id: string } | null
}

/** The minutes that a task is estimated at: the sum over its steps once it has any. */
export function estimateMinutes(task: Task): number | null {
  return task.stepsTotal > 0 ? task.stepsMinutes : task.ownEstimateMinutes
}

/** True for a task that counts against the plan's limit of active tasks. */
export function isActive(task: Pick<Task, 'disposition' | 'archivedAt'>): boolean {
  return task.disposition !== 'done' && task.archivedAt === null
}

/**
 * The task at another place: in `to.disposition`, on that Workflow and that Status, with all that follows.
 *
 * Entering `done` stamps `completedAt`, leaving it clears the stamp. Leaving `on_hold` forgets the time to wake and the Status to go back
 * to; entering it from Today remembers the Status that was left.
 */
function placed(task: Task, to: Pick<Task, 'disposition' | 'workflowId' | 'statusId'>, now: number): Task {
  const stays = task.disposition === to.disposition
  return {
    ...task,
    disposition: to.disposition,
    workflowId: to.workflowId,
    statusId: to.statusId,
    completedAt: to.disposition === 'done' ? (stays ? task.completedAt : now) : null,
    onHoldUntil: stays ? task.onHoldUntil : null,
    leftStatusId: stays ? task.leftStatusId : to.disposition === 'on_hold' && task.disposition === 'in_progress' ? task.statusId : null,
  }
}

/** The task with its Disposition set to `to`; its Status is cleared, its Workflow stays. The one it already has changes nothing. */
export function moveTo(task: Task, to: Disposition, now: number): Task {
  return task.disposition === to ? task : placed(task, { disposition: to, workflowId: task.workflowId, statusId: null }, now)
}

/** The task on `status`, whose Workflow and Disposition become its own. */
export function placeOn(task: Task, status: Status, now: number): Task {
  return placed(task, { disposition: status.disposition, workflowId: status.workflowId, statusId: status.id }, now)
}

/** The task after `status`, on which it stands, was itself changed or moved: as if the task had been put on it anew. */
export function followStatus(task: Task, status: Status, now: number): Task {
  return task.statusId === status.id ? placeOn(task, status, now) : task
}

/** The task off its Status; Workflow and Disposition stay. */
export function leaveStatus(task: Task): Task {
  return { ...task, statusId: null }
}

/** The task on no Workflow and no Status, in the same Disposition. */
export function leaveWorkflow(task: Task): Task {
  return { ...task, workflowId: null, statusId: null }
}

/** The task out of its project. */
export function leaveProject(task: Task): Task {
  return { ...task, projectId: null }
}

/**
 * The task put off (Later) until `until`, or with no time to wake when that is null.
 *
 * @throws Failure `invalid_request` for a time that is not in the future of `clock`
 */
export function holdTask(task: Task, until: number | null, now: number, clock: number): Task {
  refuse(wakingProblems('until', until, clock))
  return { ...moveTo(task, 'on_hold', now), onHoldUntil: until }
}

/** The task archived at `now`; one already archived is as it was. */
export function archiveTask(task: Task, now: number): Task {
  return { ...task, archivedAt: task.archivedAt ?? now }
}

/** The task back on its tab. */
export function unarchiveTask(task: Task): Task {
  return { ...task, archivedAt: null }
}

/** True when the task's time to wake has come. */
export function isDue(task: Task, clock: number): boolean {
  return task.onHoldUntil !== null && task.onHoldUntil <= clock
}

/**
 * The task woken: in Today, on the Status it left if that still is one of `today`, its Workflow's Today Statuses, else on none.
 */
export function wakeTask(task: Task, today: readonly Pick<Status, 'id'>[], now: number): Task {
  const back = today.some((status) => status.id === task.leftStatusId) ? task.leftStatusId : null
  return placed(task, { disposition: 'in_progress', workflowId: task.workflowId, statusId: back }, now)
}

/** The task with its steps counted anew. */
export function withSteps(task: Task, steps: readonly Pick<Step, 'completedAt' | 'minutes'>[]): Task {
  return { ...task, ...totalsOf(steps) }
}

/** The task after its first checklist step was added: that clears a whole-task estimate. */
export function startChecklist(task: Task): Task {
  return { ...task, ownEstimateMinutes: null }
}

/**
 * The task after `step`, one of its `steps` as they are now, was ticked.
 *
 * One in Today moves on to its next open step when the tick was that of the Status it stands on, or when it stands on none. A checklist
 * has no Statuses to move to.
 */
export function moveOn(task: Task, steps: readonly Step[], step: Step): Task {
  const progresses = task.disposition === 'in_progress' && step.kind === 'status' && (task.statusId === null || task.statusId === step.id)
  const next = progresses ? nextOpenStep(steps, step) : null
  return next === null ? task : { ...task, statusId: next.id }
}

/** The Workflow that the task is on once `input` is applied. */
export function workflowAfter(task: Pick<Task, 'workflowId'>, input: TaskInput, { status }: TaskReferences): string | null {
  if (status) return status.workflowId
  return input.workflowId === undefined ? task.workflowId : input.workflowId
}

/** True when a time to wake is given; the epoch, 0, is one too. */
function wantsToWake(input: TaskInput): input is TaskInput & { onHoldUntil: number } {
  return typeof input.onHoldUntil === 'number'
}

/** What contradicts itself in `input`, whatever is stored. */
export function contradictions(input: TaskInput, isNew: boolean): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (input.statusId && input.workflowId === null && !isNew)
    problems.push(conflict('workflow_id', 'A task on a Status is on its Workflow: leave one of the two out.'))
  const disposition = input.disposition ?? (isNew && !input.statusId ? 'not_started' : undefined)
  if (wantsToWake(input) && disposition !== undefined && disposition !== 'on_hold') problems.push(onlyOnHold())
  return problems
}

/** What is wrong with a change by itself at `clock`: what contradicts itself, and a time to wake that has passed. */
export function changeProblems(input: TaskInput, clock: number): FieldProblem[] {
  const problems = contradictions(input, false)
  const isAboutWaking = problems.some(({ field }) => field === 'on_hold_until')
  return isAboutWaking ? problems : [...problems, ...wakingProblems('on_hold_until', input.onHoldUntil, clock)]
}

/** A task before anything is said of it but its title. */
function blankTask(made: { id: string; now: number }, title: string): Task {
  return {
    id: made.id,
    title,
    notes: null,
    disposition: 'not_started',
    statusId: null,
    workflowId: null,
    projectId: null,
    dueDate: null,
    onHoldUntil: null,
    completedAt: null,
    ownEstimateMinutes: null,
    stepsTotal: 0,
    stepsCompleted: 0,
    stepsMinutes: 0,
    leftStatusId: null,
    archivedAt: null,
    createdAt: made.now,
    updatedAt: made.now,
    version: 1,
  }
}

/**
 * A new task. Where a change takes null for an instruction, a new task takes it for a field that was not sent.
 *
 * @throws Failure as `patchTask`
 */
export function newTask(
  made: { id: string; now: number },
  input: TaskInput & { title: string },
  references: TaskReferences,
  stepsAfter: number,
  clock: number,
): Task {
  const sent: TaskInput = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
  return patchTask(blankTask(made, input.title), sent, references, stepsAfter, made.now, clock)
}

/**
 * The task with `input` applied, its own fields alone: when `workflowId` changed, its steps are yet to be counted by `withSteps`.
 *
 * `stepsAfter` is how many steps the task has where it then stands (`workflowAfter`), since an estimate is refused where there are steps.
 *
 * @throws Failure `invalid_request` that lists every unknown reference, every conflict and a time to wake that is not in the future
 */
export function patchTask(task: Task, input: TaskInput, references: TaskReferences, stepsAfter: number, now: number, clock: number): Task {
  const contradicting = disagreements(input, references)
  const problems = [...unknownReferences(references), ...contradicting]
  const isPlaceKnown = references.status !== null && references.workflow !== null && contradicting.length === 0
  const moved = isPlaceKnown ? relocated(task, input, references, now) : null
  if (wantsToWake(input) && moved !== null && moved.disposition !== 'on_hold') problems.push(onlyOnHold())
  else problems.push(...wakingProblems('on_hold_until', input.onHoldUntil, clock))
  if (input.estimateMinutes !== undefined && moved !== null && stepsAfter > 0) {
    problems.push(conflict('estimate_minutes', 'The estimate of a task with steps is the sum of their minutes: set those instead.'))
  }
  if (moved === null || problems.length > 0) throw invalid(problems)

  return {
    ...moved,
    title: input.title ?? task.title,
    notes: input.notes === undefined ? task.notes : input.notes,
    projectId: input.projectId === undefined ? task.projectId : input.projectId,
    dueDate: input.dueDate === undefined ? task.dueDate : input.dueDate,
    onHoldUntil: input.onHoldUntil === undefined ? moved.onHoldUntil : input.onHoldUntil,
    ownEstimateMinutes: input.estimateMinutes === undefined ? task.ownEstimateMinutes : input.estimateMinutes,
  }
}

/** Where `input` puts the task. A Status says everything; a new Workflow lands on its first Status for the Disposition; a Disposition alone leaves the Status. */
function relocated(task: Task, input: TaskInput, { status, workflow }: TaskReferences, now: number): Task {
  const disposition = input.disposition ?? task.disposition
  if (status) return placeOn(task, status, now)
  if (input.workflowId === null) return placed(task, { disposition, workflowId: null, statusId: null }, now)
  if (workflow && (workflow.id !== task.workflowId || disposition !== task.disposition)) {
    const statusId = input.statusId === null ? null : firstStatusFor(workflow.statuses, disposition)
    return placed(task, { disposition, workflowId: workflow.id, statusId }, now)
  }
  const moved = moveTo(task, disposition, now)
  return input.statusId === null ? leaveStatus(moved) : moved
}

function firstStatusFor(statuses: readonly Status[], disposition: Disposition): string | null {
  const [first] = statuses.filter((status) => status.disposition === disposition).sort(byPosition)
  return first?.id ?? null
}

function unknownReferences(references: TaskReferences): FieldProblem[] {
  return (['status', 'workflow', 'project'] as const)
    .filter((kind) => references[kind] === null)
    .map((kind) => ({ field: `${kind}_id`, code: 'unknown_reference', detail: `There is no ${NAMES[kind]} with this id in the account.` }))
}

const NAMES = { status: 'Status', workflow: 'Workflow', project: 'project' }

function disagreements(input: TaskInput, { status }: TaskReferences): FieldProblem[] {
  if (!status) return []
  const problems: FieldProblem[] = []
  if (input.workflowId && input.workflowId !== status.workflowId)
    problems.push(conflict('workflow_id', 'The Status belongs to another Workflow.'))
  if (input.disposition !== undefined && input.disposition !== status.disposition) {
    problems.push(conflict('disposition', `The Status belongs to the Disposition ${status.disposition}.`))
  }
  return problems
}

function conflict(field: string, detail: string): FieldProblem {
  return { field, code: 'conflict', detail }
}

function onlyOnHold(): FieldProblem {
  return conflict('on_hold_until', 'A time to wake goes only with the Disposition on_hold: send that too, or leave this out.')
}

/** What is wrong with a time to wake, given in `field`, at `clock`: it must lie in the future. */
export function wakingProblems(field: 'on_hold_until' | 'until', time: number | null | undefined, clock: number): FieldProblem[] {
  return typeof time === 'number' && time <= clock ? [notInFuture(field)] : []
}

function notInFuture(field: string): FieldProblem {
  return { field, code: 'invalid_value', detail: `${field} must lie in the future.` }
}
