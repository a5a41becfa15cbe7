/**
 * What the model of the contract holds, how it is ordered, how it looks on the wire, and which events a change of it makes. Ids are names such as `task7`
 * here, versions are numbers that count the changes, and times inside are ms since the epoch.
 */

export type Fields = Record<string, unknown>

/** One change, as the log has to tell of it. */
export interface Change {
  type: string
  /** Null where the contract does not say. */
  cause: 'api' | 'timer' | 'cascade' | null
  data: Fields
  previous: Fields
}

export interface Resource {
  id: string
  /** Grows from one to the next: the order of their ids. */
  born: number
  createdAt: number
  updatedAt: number
  version: number
}

export interface Project extends Resource {
  name: string
  description: string | null
  archived: boolean
  position: number
}

export interface Workflow extends Resource {
  name: string
  emoji: string | null
  description: string | null
  position: number
}

export interface Status extends Resource {
  workflowId: string
  name: string
  disposition: string
  position: number
}

/** What a task has done of one step. */
interface Progress {
  completedAt: number | null
  minutes: number
}

interface Subtask extends Progress {
  id: string
  born: number
  name: string
  position: number
}

export interface Task extends Resource {
  title: string
  notes: string | null
  disposition: string
  statusId: string | null
  workflowId: string | null
  projectId: string | null
  dueDate: string | null
  onHoldUntil: number | null
  completedAt: number | null
  archivedAt: number | null
  /** Of the whole task; it shows while there are no steps. */
  estimate: number | null
  checklist: Subtask[]
  /** By Status, of the Workflow that it is on. */
  progress: Map<string, Progress>
  /** Where it goes back to when it wakes. */
  leftStatusId: string | null
}

export interface Model {
  activeTaskLimit: number
  tasks: Map<string, Task>
  projects: Map<string, Project>
  workflows: Map<string, Workflow>
  statuses: Map<string, Status>
  /** What each Idempotency-Key made, by key and path. */
  keys: Map<string, { body: unknown; id: string }>
  /** What the last request changed. */
  log: Change[]
  births: number
}

export function openModel(activeTaskLimit: number): Model {
  return {
    activeTaskLimit,
    tasks: new Map(),
    projects: new Map(),
    workflows: new Map(),
    statuses: new Map(),
    keys: new Map(),
    log: [],
    births: 0,
  }
}

/** Equal as JSON. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Array.isArray(one) === Array.isArray(other) && [...names].every((name) => isEqual((one as Fields)[name], (other as Fields)[name]))
}

export function born(model: Model, id: string, now: number): Resource {
  model.births += 1
  return { id, born: model.births, createdAt: now, updatedAt: now, version: 0 }
}

export function wiresOf(model: Model): Map<string, Fields> {
  const wires = new Map<string, Fields>()
  for (const task of model.tasks.values()) wires.set(task.id, taskToWire(model, task))
  for (const project of model.projects.values()) wires.set(project.id, projectToWire(project))
  for (const workflow of model.workflows.values()) wires.set(workflow.id, workflowToWire(workflow))
  for (const status of model.statuses.values()) wires.set(status.id, statusToWire(status))
  return wires
}

/** Raises the version of everything that is not as it was `before`, and of what was `touched`, and logs each once. */
export function settle(
  model: Model,
  before: ReadonlyMap<string, Fields>,
  touched: ReadonlySet<string>,
  now: number,
  causeOf: (id: string) => Change['cause'],
): void {
  const after = wiresOf(model)
  for (const [id, was] of before) {
    if (!after.has(id)) model.log.push({ type: `${was.object}.deleted`, cause: causeOf(id), data: was, previous: {} })
  }
  for (const [id, is] of after) {
    const was = before.get(id)
    if (was !== undefined && !touched.has(id) && !isChanged(was, is)) continue
    const resource = resourceOf(model, id) as Resource
    resource.version += 1
    resource.updatedAt = now
    const data = { ...is, version: resource.version, updated_at: timeToWire(now) }
    const type = was === undefined ? `${is.object}.created` : typeOf(was, is, causeOf(id))
    model.log.push({ type, cause: causeOf(id), data, previous: was === undefined ? {} : formerly(was, data) })
  }
}

export function isChanged(was: Fields, is: Fields): boolean {
  return Object.keys(was).some((name) => was[name] !== is[name])
}

function formerly(was: Fields, is: Fields): Fields {
  return Object.fromEntries(Object.entries(was).filter(([name, value]) => value !== is[name]))
}

function typeOf(was: Fields, is: Fields, cause: Change['cause']): string {
  if (is.object !== 'task') return `${is.object}.updated`
  if (cause === 'timer') return 'task.woke'
  if (is.disposition === 'done' && was.disposition !== 'done') return 'task.completed'
  if (is.archived !== was.archived) return is.archived ? 'task.archived' : 'task.unarchived'
  return 'task.updated'
}

export function resourceOf(model: Model, id: string): Resource | undefined {
  return model.tasks.get(id) ?? model.projects.get(id) ?? model.workflows.get(id) ?? model.statuses.get(id)
}

function timeToWire(time: number): string {
  return new Date(time).toISOString()
}

const timeOrNull = (time: number | null) => (time === null ? null : timeToWire(time))

function commonOf({ id, createdAt, updatedAt, version }: Resource): Fields {
  return { id, created_at: timeToWire(createdAt), updated_at: timeToWire(updatedAt), version }
}

export function taskToWire(model: Model, task: Task): Fields {
  const steps = stepsOf(model, task)
  return {
    object: 'task',
    ...commonOf(task),
    title: task.title,
    notes: task.notes,
    disposition: task.disposition,
    status_id: task.statusId,
    workflow_id: task.workflowId,
    project_id: task.projectId,
    due_date: task.dueDate,
    on_hold_until: timeOrNull(task.onHoldUntil),
    completed_at: timeOrNull(task.completedAt),
    estimate_minutes: steps.length > 0 ? steps.reduce((sum, { minutes }) => sum + minutes, 0) : task.estimate,
    steps_total: steps.length,
    steps_completed: steps.filter(({ completedAt }) => completedAt !== null).length,
    archived: task.archivedAt !== null,
    archived_at: timeOrNull(task.archivedAt),
  }
}

export function projectToWire(project: Project): Fields {
  const { name, description, archived, position } = project
  return { object: 'project', ...commonOf(project), name, description, archived, position }
}

export function workflowToWire(workflow: Workflow): Fields {
  const { name, emoji, description, position } = workflow
  return { object: 'workflow', ...commonOf(workflow), name, emoji, description, position }
}

export function statusToWire(status: Status): Fields {
  const { workflowId, name, disposition, position } = status
  return { object: 'status', ...commonOf(status), workflow_id: workflowId, name, disposition, position }
}

export function wholeWorkflow(model: Model, workflow: Workflow): Fields {
  return { ...workflowToWire(workflow), statuses: statusesOf(model, workflow.id).map(statusToWire) }
}

export interface Step extends Progress {
  id: string
  kind: 'status' | 'subtask'
  name: string
  position: number
}

export function stepToWire(taskId: string, step: Step): Fields {
  const { id, kind, name, completedAt, minutes, position } = step
  const own = { object: 'step', id, task_id: taskId, kind, name, minutes, position }
  return { ...own, status_id: kind === 'status' ? id : null, completed: completedAt !== null, completed_at: timeOrNull(completedAt) }
}

export const DISPOSITIONS = ['not_started', 'in_progress', 'waiting', 'on_hold', 'done']
export const HAVING_STATUSES = DISPOSITIONS.slice(1)

export interface Sibling {
  position: number
  born: number
}

export const byBirth = (a: { born: number }, b: { born: number }) => a.born - b.born
export const byPosition = (a: Sibling, b: Sibling) => a.position - b.position || byBirth(a, b)

/** The position of one more after all these. */
export const atTheEnd = (siblings: readonly Sibling[]) =>
  siblings.length === 0 ? 1 : Math.max(...siblings.map(({ position }) => position)) + 1

export function statusesOf(model: Model, workflowId: string): Status[] {
  const tab = ({ disposition }: Status) => DISPOSITIONS.indexOf(disposition)
  return [...model.statuses.values()].filter((one) => one.workflowId === workflowId).sort((a, b) => tab(a) - tab(b) || byPosition(a, b))
}

export function statusesFor(model: Model, workflowId: string, disposition: string): Status[] {
  return statusesOf(model, workflowId).filter((status) => status.disposition === disposition)
}

export function stepsOf(model: Model, task: Task): Step[] {
  if (task.workflowId === null) return task.checklist.toSorted(byPosition).map((step) => ({ ...step, kind: 'subtask' }))
  return statusesFor(model, task.workflowId, 'in_progress').map(({ id, name, position }) => {
    const { completedAt, minutes } = task.progress.get(id) ?? { completedAt: null, minutes: 0 }
    return { id, kind: 'status', name, position, completedAt, minutes }
  })
}

export function activeTasks(model: Model): number {
  return [...model.tasks.values()].filter(({ disposition, archivedAt }) => disposition !== 'done' && archivedAt === null).length
}
