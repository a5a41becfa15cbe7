import type { Scope } from './scope.ts'
import type { Task } from './task.ts'
import { formatTime } from './time.ts'

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
  'disposition.updated',
  'webhook.disabled',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** What a webhook is sent when somebody tries it out. It is in no log. */
export const TEST_EVENT = 'webhook.test'

/** The kinds of resources that events are about, each with the scope that shows them. */
const KINDS = {
  task: 'tasks:read',
  project: 'projects:read',
  workflow: 'workflows:read',
  status: 'workflows:read',
  disposition: 'tasks:read',
  webhook: 'webhooks:manage',
} as const satisfies Record<string, Scope>

export type EventKind = keyof typeof KINDS

export const EVENT_KINDS = Object.keys(KINDS) as EventKind[]

/** Every scope that shows events. */
export const EVENT_SCOPES: readonly Scope[] = [...new Set(Object.values(KINDS))]

export function kindOf(type: EventType): EventKind {
  return type.split('.')[0] as EventKind
}

/** The scope that shows events of this type. */
export function scopeFor(type: EventType): Scope {
  return KINDS[kindOf(type)]
}

/** Everything that can be asked for: one type, all types of a kind (`task.*`), or all there are (`*`). */
export const EVENT_PATTERNS: readonly string[] = ['*', ...EVENT_KINDS.map((kind) => `${kind}.*`), ...EVENT_TYPES]

/** The types that a pattern stands for; none for one that is not among `EVENT_PATTERNS`. */
export function typesOf(pattern: string): readonly EventType[] {
  if (pattern === '*') return EVENT_TYPES
  return EVENT_TYPES.filter((type) => type === pattern || `${kindOf(type)}.*` === pattern)
}

/** What made the change: a request, the app, a timer, another resource's change in the same request, or the operator. */
export const CAUSES = ['api', 'app', 'timer', 'cascade', 'operator'] as const

export type Cause = (typeof CAUSES)[number]

/** One change in an account's log. `sequence` counts 1, 2, 3 without gaps within the account; `occurredAt` is ms since the epoch. */
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

/** An event as it is kept: `data` and `previous` are JSON texts. One that is sent as a test has no place in the log. */
export interface KeptEvent extends Omit<Event, 'sequence' | 'type' | 'data' | 'previous'> {
  sequence: number | null
  type: EventType | typeof TEST_EVENT
  data: string
  previous: string
}

/** The event in its wire form, as JSON: the feed, the stream and webhooks show the same bytes, and what is kept is not read and written anew. */
export function eventToJson(event: KeptEvent): string {
  const head = JSON.stringify({
    object: 'event',
    id: event.id,
    sequence: event.sequence,
    type: event.type,
    occurred_at: formatTime(event.occurredAt),
    cause: event.cause,
    actor: event.tokenId === null ? null : { token_id: event.tokenId },
    request_id: event.requestId,
  })
  return `${head.slice(0, -1)},"data":${event.data},"previous":${event.previous}}`
}

/** From where to where a log reaches that is kept for a time only: the sequences of its first event that is kept, and of its last. */
export interface Reach {
  /** One more than `latest` when none is kept. */
  earliest: number
  /** 0 before the first event. */
  latest: number
}

/** Whether all that came after the event of sequence `after` is still there, so that whoever has read up to it misses nothing. */
export function holdsAllAfter({ earliest, latest }: Reach, after: number): boolean {
  return after >= earliest - 1 && after <= latest
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
  return Object.fromEntries(Object.entries(before).filter(([name, value]) => !isSame(now.get(name), value)))
}

/** Two lists are the same when what they hold is. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || (Array.isArray(a) && Array.isArray(b) && JSON.stringify(a) === JSON.stringify(b))
}
