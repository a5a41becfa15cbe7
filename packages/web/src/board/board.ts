import type { BoardWire } from '@fivetab/domain/board.ts'
import type { DispositionWire } from '@fivetab/domain/disposition.ts'
import type { EventType } from '@fivetab/domain/event.ts'
import { byPosition } from '@fivetab/domain/position.ts'
import type { ProjectWire } from '@fivetab/domain/project.ts'
import { versionOnWire } from '@fivetab/domain/shape.ts'
import type { StatusWire } from '@fivetab/domain/status.ts'
import type { StepWire } from '@fivetab/domain/step.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { WorkflowWire, WorkflowWithStatusesWire } from '@fivetab/domain/workflow.ts'

/**
 * What the app knows of an account: pure values, and how they follow the log. Nothing here asks the service or knows of the page.
 *
 * A resource is replaced only by a newer version of it, so it does not matter in which order answers and events arrive.
 */
export interface Board {
  /** The sequence up to which the log is followed. */
  sequence: number
  dispositions: readonly DispositionWire[]
  projects: ReadonlyMap<string, ProjectWire>
  workflows: ReadonlyMap<string, WorkflowWithStatusesWire>
  /** All open tasks, and as many of those that are done or archived as were looked at. */
  tasks: ReadonlyMap<string, TaskWire>
  /** The steps of those tasks that were looked into, by the task's id. */
  steps: ReadonlyMap<string, KnownSteps>
  /** How many tasks are done and not archived, whether they are among `tasks` or not. */
  doneTotal: number
  /** There are more open tasks than the service hands out at once. */
  hasMore: boolean
  /** Ids of what was deleted, lest a late answer brings it back. */
  gone: ReadonlySet<string>
}

/** Steps have no version of their own: these are at least as new as this version of their task. */
export interface KnownSteps {
  version: string
  list: readonly StepWire[]
}

/** An event of the log, as far as the app looks at it. */
export interface EventWire {
  sequence: number
  type: EventType
  cause: string
  data: unknown
  previous: { disposition?: string; archived?: boolean }
}

export function boardOnWire(wire: BoardWire): Board {
  return {
    sequence: wire.latest_sequence,
    dispositions: wire.dispositions,
    projects: byId(wire.projects),
    workflows: byId(wire.workflows),
    tasks: byId(wire.tasks),
    steps: new Map(),
    doneTotal: wire.done_total,
    hasMore: wire.has_more,
    gone: new Set(),
  }
}

function byId<T extends { id: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map((one) => [one.id, one]))
}

export function isDone(task: Pick<TaskWire, 'disposition' | 'archived'>): boolean {
  return task.disposition === 'done' && !task.archived
}

/** Whether what is known is as new as `other`. */
function isKnown<T extends { version: string }>(known: T | undefined, other: T): boolean {
  return known !== undefined && versionOnWire(known.version) >= versionOnWire(other.version)
}

function put<T extends { id: string }>(map: ReadonlyMap<string, T>, one: T): Map<string, T> {
  return new Map(map).set(one.id, one)
}

function without<T>(map: ReadonlyMap<string, T>, id: string): Map<string, T> {
  const rest = new Map(map)
  rest.delete(id)
  return rest
}

/** The board with this state of a task, unless it knows a newer one. `wasDone` says what it was before, where the board does not know. */
export function withTask(board: Board, task: TaskWire, wasDone = false): Board {
  if (board.gone.has(task.id) || isKnown(board.tasks.get(task.id), task)) return board
  return showingTask(board, task, wasDone)
}

/** The board with a task like this, whichever version of it is known. */
export function showingTask(board: Board, task: TaskWire, wasDone = false): Board {
  const known = board.tasks.get(task.id)
  const more = Number(isDone(task)) - Number(known === undefined ? wasDone : isDone(known))
  return { ...board, tasks: put(board.tasks, task), doneTotal: board.doneTotal + more }
}

/** The board with tasks that were there before, and are looked at only now. */
export function withOlderTasks(board: Board, tasks: readonly TaskWire[]): Board {
  const fresh = tasks.filter((task) => !board.gone.has(task.id) && !isKnown(board.tasks.get(task.id), task))
  return { ...board, tasks: new Map([...board.tasks, ...fresh.map((task) => [task.id, task] as const)]) }
}

export function withoutTask(board: Board, id: string, wasDone = false): Board {
  // The answer and the event both say that it is gone, and it is counted once.
  if (board.gone.has(id)) return board
  const known = board.tasks.get(id)
  const fewer = Number(known === undefined ? wasDone : isDone(known))
  return { ...board, tasks: without(board.tasks, id), gone: new Set(board.gone).add(id), doneTotal: board.doneTotal - fewer }
}

/** The board with the steps of a task as they were read, unless it knows newer ones. */
export function withSteps(board: Board, taskId: string, steps: KnownSteps): Board {
  const known = board.steps.get(taskId)
  const isNewer = known !== undefined && versionOnWire(known.version) > versionOnWire(steps.version)
  return isNewer ? board : { ...board, steps: new Map(board.steps).set(taskId, steps) }
}

export function withProject(board: Board, project: ProjectWire): Board {
  return board.gone.has(project.id) || isKnown(board.projects.get(project.id), project) ? board : showingProject(board, project)
}

export function showingProject(board: Board, project: ProjectWire): Board {
  return { ...board, projects: put(board.projects, project) }
}

export function withoutProject(board: Board, id: string): Board {
  return { ...board, projects: without(board.projects, id), gone: new Set(board.gone).add(id) }
}

/** A Workflow as events show it comes without its Statuses, which have events of their own. */
export function withWorkflow(board: Board, workflow: WorkflowWire | WorkflowWithStatusesWire): Board {
  const known = board.workflows.get(workflow.id)
  if (board.gone.has(workflow.id) || isKnown(known, workflow)) return board
  return showingWorkflow(board, { ...workflow, statuses: 'statuses' in workflow ? workflow.statuses : (known?.statuses ?? []) })
}

export function showingWorkflow(board: Board, workflow: WorkflowWithStatusesWire): Board {
  return { ...board, workflows: put(board.workflows, workflow) }
}

export function withoutWorkflow(board: Board, id: string): Board {
  return { ...board, workflows: without(board.workflows, id), gone: new Set(board.gone).add(id) }
}

export function withStatus(board: Board, status: StatusWire): Board {
  const workflow = board.workflows.get(status.workflow_id)
  if (workflow === undefined || board.gone.has(status.id)) return board
  const known = workflow.statuses.find(({ id }) => id === status.id)
  return isKnown(known, status) ? board : showingStatus(board, status)
}

export function showingStatus(board: Board, status: StatusWire): Board {
  const workflow = board.workflows.get(status.workflow_id)
  if (workflow === undefined) return board
  const statuses = [...workflow.statuses.filter(({ id }) => id !== status.id), status]
  return showingWorkflow(board, { ...workflow, statuses })
}

export function withoutStatus(board: Board, workflowId: string, id: string): Board {
  const workflow = board.workflows.get(workflowId)
  const gone = new Set(board.gone).add(id)
  if (workflow === undefined) return { ...board, gone }
  const statuses = workflow.statuses.filter((status) => status.id !== id)
  return showingWorkflow({ ...board, gone }, { ...workflow, statuses })
}

export function withDisposition(board: Board, disposition: DispositionWire): Board {
  return { ...board, dispositions: board.dispositions.map((one) => (one.key === disposition.key ? disposition : one)) }
}

/** The board after an event of the log. One that it has followed already changes nothing. */
export function withEvent(board: Board, event: EventWire): Board {
  if (event.sequence <= board.sequence) return board
  return { ...changedBy(board, event), sequence: event.sequence }
}

function changedBy(board: Board, { type, data, previous }: EventWire): Board {
  const [kind, what] = type.split('.')
  const isGone = what === 'deleted'
  if (kind === 'task') {
    const task = data as TaskWire
    if (isGone) return withoutTask(board, task.id, isDone(task))
    const isNew = what === 'created'
    return withTask(board, task, !isNew && isDone({ ...task, ...previous } as TaskWire))
  }
  if (kind === 'project') return isGone ? withoutProject(board, (data as ProjectWire).id) : withProject(board, data as ProjectWire)
  if (kind === 'workflow') return isGone ? withoutWorkflow(board, (data as WorkflowWire).id) : withWorkflow(board, data as WorkflowWire)
  if (kind === 'status') {
    const status = data as StatusWire
    return isGone ? withoutStatus(board, status.workflow_id, status.id) : withStatus(board, status)
  }
  if (kind === 'disposition') return withDisposition(board, data as DispositionWire)
  return board
}

/** So many events are taken together: a board of thousands of tasks is copied once for all of them, and not once for each. */
const EVENTS_AT_ONCE = 100

/** The board after these events of the log. */
export function withEvents(board: Board, events: readonly EventWire[]): Board {
  if (events.length === 0) return board
  return withEvents(withFew(board, events.slice(0, EVENTS_AT_ONCE)), events.slice(EVENTS_AT_ONCE))
}

/** They are followed upon a board of what they are about, which is then put back into the whole one. */
function withFew(board: Board, events: readonly EventWire[]): Board {
  const ids = [...new Set(events.map(({ data }) => (data as { id?: string }).id ?? ''))]
  const about = ids.flatMap((id) => board.tasks.get(id) ?? [])
  const followed = events.reduce(withEvent, { ...board, tasks: byId(about), gone: new Set(ids.filter((id) => board.gone.has(id))) })
  const tasks = new Map([...board.tasks, ...followed.tasks])
  for (const id of ids) if (!followed.tasks.has(id)) tasks.delete(id)
  return { ...followed, tasks, gone: new Set([...board.gone, ...followed.gone]) }
}

/** In the order in which people have put them. */
export function inOrder<T extends { id: string; position: number }>(things: Iterable<T>): T[] {
  return [...things].sort(byPosition)
}
