import type { Task } from './task.ts'

/** The closed list of what an account's log can tell. */
export const EVENT_TYPES = [
  'task.created',
  'task.updated',
  'task.completed',
  'task.woke',
  'task.archived',
  'task.unarchived',
  'task.deleted',
  'project.created',
  'project.updated',
  'project.deleted',
  'workflow.created',
  'workflow.updated',
  'workflow.deleted',
  'status.created',
  'status.updated',
  'status.deleted',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** What made the change: a request, the app, a timer, another resource's change in the same request, or the operator. */
export type Cause = 'api' | 'app' | 'timer' | 'cascade' | 'operator'

/** One change in an account's log, as it is kept. `sequence` counts 1, 2, 3 without gaps within the account; `occurredAt` is ms since the epoch. */
export interface Event {
  sequence: number
  id: string
  type: EventType
  occurredAt: number
  cause: Cause
  tokenId: string | null
  requestId: string | null
  /** The resource as the API shows it; for a deletion, its last state. */
  data: object
  /** The former values of the fields of `data` that changed. */
  previous: object
}

/** What happened to a task that was `before` and is `after`. Completion outranks archiving, which outranks any other change. */
export function taskEventType(before: Task, after: Task): EventType {
  if (after.disposition === 'done' && before.disposition !== 'done') return 'task.completed'
  if (after.archivedAt !== null && before.archivedAt === null) return 'task.archived'
  if (after.archivedAt === null && before.archivedAt !== null) return 'task.unarchived'
  return 'task.updated'
}

/** The fields of `before` that `after` has otherwise, with the values they had. */
export function formerValues(before: object, after: object): object {
  const now = new Map(Object.entries(after))
  return Object.fromEntries(Object.entries(before).filter(([name, value]) => now.get(name) !== value))
}
