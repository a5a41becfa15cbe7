import type { Disposition } from '@fivetab/domain/disposition.ts'
import type { StatusWire } from '@fivetab/domain/status.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { folded } from '@fivetab/domain/text.ts'
import type { WorkflowWithStatusesWire } from '@fivetab/domain/workflow.ts'
import { type Board, inOrder, isDone } from './board.ts'

/** What of a board is seen on one tab, and in which order. */

/** The tasks of one Status, or those of the tab that are on none. */
export interface Group {
  /** The id of the Status, or `WITHOUT`. */
  key: string
  on: { status: StatusWire; workflow: WorkflowWithStatusesWire } | null
  tasks: readonly TaskWire[]
}

export const WITHOUT = 'without'

/** What is chosen of projects, or of Workflows: all, those tasks that have none, or one by its id. */
export const ALL = 'all'
export const NONE = 'none'

export interface Filter {
  project: string
  workflow: string
  /** All of them must occur, in any order; empty for no search. */
  words: string
}

export const NO_FILTER: Filter = { project: ALL, workflow: ALL, words: '' }

export const SORTS = ['newest', 'oldest', 'due'] as const
export type Sort = (typeof SORTS)[number]

export function isFiltering({ project, workflow, words }: Filter): boolean {
  return project !== ALL || workflow !== ALL || wordsOf(words).length > 0
}

/** The filter, without what was chosen and is there no more. */
export function knownFilter(board: Board, filter: Filter): Filter {
  const isKnown = (choice: string, things: ReadonlyMap<string, unknown>) => choice === ALL || choice === NONE || things.has(choice)
  return {
    ...filter,
    project: isKnown(filter.project, board.projects) ? filter.project : ALL,
    workflow: isKnown(filter.workflow, board.workflows) ? filter.workflow : ALL,
  }
}

/** The groups of a tab: tasks without a Status, then each Status, by Workflow. Those that hold nothing are among them. */
export function groupsOf(board: Board, disposition: Disposition, filter: Filter, sort: Sort): Group[] {
  const places = inOrder(board.workflows.values())
    .filter(({ id }) => filter.workflow === ALL || filter.workflow === id)
    .flatMap((workflow) => statusesOf(workflow, disposition).map((status) => ({ status, workflow })))
  const tasksOn = new Map<string, TaskWire[]>([[WITHOUT, []], ...places.map(({ status }) => [status.id, []] as [string, TaskWire[]])])
  for (const task of tasksIn(board, disposition, filter)) {
    const group = tasksOn.get(task.status_id ?? WITHOUT) ?? tasksOn.get(WITHOUT)
    group?.push(task)
  }
  const order = disposition === 'done' ? byCompletion : ORDERS[sort]
  const groupOf = (key: string, on: Group['on']): Group => ({ key, on, tasks: (tasksOn.get(key) ?? []).sort(order) })
  return [groupOf(WITHOUT, null), ...places.map((place) => groupOf(place.status.id, place))]
}

function statusesOf(workflow: WorkflowWithStatusesWire, disposition: Disposition): StatusWire[] {
  return inOrder(workflow.statuses.filter((status) => status.disposition === disposition))
}

function tasksIn(board: Board, disposition: Disposition, filter: Filter): TaskWire[] {
  const words = wordsOf(filter.words)
  return [...board.tasks.values()].filter(
    (task) =>
      task.disposition === disposition &&
      !task.archived &&
      isChosen(filter.project, task.project_id) &&
      isChosen(filter.workflow, task.workflow_id) &&
      (words.length === 0 || holds(task, words)),
  )
}

function isChosen(choice: string, id: string | null): boolean {
  if (choice === ALL) return true
  return choice === NONE ? id === null : id === choice
}

/** The words of a search, as the service compares them. */
export function wordsOf(search: string): string[] {
  return folded(search).split(/\s+/).filter(Boolean)
}

/** Whether all words occur in the task's title or notes. */
export function holds(task: Pick<TaskWire, 'title' | 'notes'>, words: readonly string[]): boolean {
  const text = foldedText(task)
  return words.every((word) => text.includes(word))
}

/** A board may hold thousands of long notes, and is searched with each letter that is typed. */
const foldedTexts = new WeakMap<object, string>()

function foldedText(task: Pick<TaskWire, 'title' | 'notes'>): string {
  const known = foldedTexts.get(task)
  if (known !== undefined) return known
  const text = folded(`${task.title}\n${task.notes ?? ''}`)
  foldedTexts.set(task, text)
  return text
}

type Order = (a: TaskWire, b: TaskWire) => number

const ORDERS: Record<Sort, Order> = {
  newest: (a, b) => byCreation(b, a),
  oldest: byCreation,
  due: (a, b) => compared(a.due_date ?? NEVER, b.due_date ?? NEVER) || byCreation(a, b),
}

/** After every day there is. */
const NEVER = '~'

function byCreation(a: TaskWire, b: TaskWire): number {
  return compared(a.created_at, b.created_at) || compared(a.id, b.id)
}

function byCompletion(a: TaskWire, b: TaskWire): number {
  return compared(b.completed_at ?? '', a.completed_at ?? '') || compared(b.id, a.id)
}

function compared(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** How many tasks each tab holds, whatever the filter. */
export function countsOf(board: Board): Record<Disposition, number> {
  const counts: Record<Disposition, number> = { not_started: 0, in_progress: 0, waiting: 0, on_hold: 0, done: board.doneTotal }
  for (const task of board.tasks.values()) if (!task.archived && !isDone(task)) counts[task.disposition] += 1
  return counts
}
