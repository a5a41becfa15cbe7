import type { RequestParts } from './connection.ts'
import { NOTES, stepId, taskId } from './seed.ts'

/** What each connection asks for, one request after another. */

export const PATHS = {
  task: `/v1/tasks/${taskId(1)}`,
  page: '/v1/tasks?limit=50',
  filtered: '/v1/tasks?limit=50&disposition=in_progress',
  nothingNew: '/v1/tasks?updated_since=2100-01-01T00:00:00Z&sort=updated_at&include_archived=true',
}

/** A connection's place in an account: the task that it alone changes, the version of that, and how many requests it has made there. */
export interface Own {
  token: string
  /** The numbers of the tasks that are read: so many, from the first. */
  first: number
  count: number
  /** The number of its own task. */
  task: number
  version: string
  turn: number
}

/** A request, and the status of the only answer that is right. */
export interface Call extends RequestParts {
  status: 200 | 201
}

/** Tells titles of one run from those of the run before, so that each PATCH is a change. */
const RUN = Date.now().toString(36)

const read = (path: string) => (): Call => ({ method: 'GET', path, status: 200 })

const firstTask = ({ first }: Own): Call => ({ method: 'GET', path: `/v1/tasks/${taskId(first)}`, status: 200 })

/** Steps that lead all over the tasks, or the accounts, so that what was just read is not read again. */
export const STRIDE = 7_919
const STRIDE_OF_CONNECTIONS = 104_729

const anyTask = ({ first, count, task, turn }: Own): Call => ({
  method: 'GET',
  path: `/v1/tasks/${taskId(first + ((turn * STRIDE + task * STRIDE_OF_CONNECTIONS) % count))}`,
  status: 200,
})

const ownPath = ({ task }: Own) => `/v1/tasks/${taskId(task)}`

const post = ({ turn }: Own): Call => ({ method: 'POST', path: '/v1/tasks', body: { title: `Task ${turn}`, notes: NOTES }, status: 201 })

const patch = (own: Own): Call => ({
  method: 'PATCH',
  path: ownPath(own),
  body: { title: `Title ${RUN} ${own.turn}` },
  match: own.version,
  status: 200,
})

const complete = (own: Own): Call =>
  own.turn % 2 === 0
    ? { method: 'POST', path: `${ownPath(own)}/complete`, status: 200 }
    : { method: 'PATCH', path: ownPath(own), body: { disposition: 'in_progress' }, status: 200 }

const tick = (own: Own): Call => ({
  method: 'PATCH',
  path: `${ownPath(own)}/steps/${stepId(own.task)}`,
  body: { completed: own.turn % 2 === 0 },
  status: 200,
})

/** Of ten requests eight read: five a task, two a page, one what is new. */
const MIX = [firstTask, read(PATHS.page), post, firstTask, firstTask, read(PATHS.nothingNew), firstTask, read(PATHS.page), patch, firstTask]

const mix = (own: Own): Call => (MIX[(own.turn + own.task) % MIX.length] as (own: Own) => Call)(own)

export const SCRIPTS = {
  task: firstTask,
  anyTask,
  page: read(PATHS.page),
  filtered: read(PATHS.filtered),
  nothingNew: read(PATHS.nothingNew),
  post,
  patch,
  complete,
  tick,
  mix,
} satisfies Record<string, (own: Own) => Call>

export type Script = keyof typeof SCRIPTS

const READS: ReadonlySet<Script> = new Set(['task', 'page', 'filtered', 'nothingNew'])

/** Whether all that a script does is to read the same thing again. */
export function isRead(script: Script): script is keyof typeof PATHS {
  return READS.has(script)
}

const CHANGES: ReadonlySet<Script> = new Set(['patch', 'complete', 'tick', 'mix'])

/** Whether a script changes the connection's own task, and so has to know how that stands. */
export function changesOwnTask(script: Script): boolean {
  return CHANGES.has(script)
}

/** The turn at which a script begins with a task as it is, so that its first request is a change. */
export function firstTurn(script: Script, task: { disposition: string; steps_completed: number }): number {
  if (script === 'complete') return Number(task.disposition === 'done')
  return script === 'tick' ? task.steps_completed : 0
}

/** Whether an answer to `call` shows the version of the connection's own task. */
export function showsOwnTask(call: Call, own: Own): boolean {
  return call.path.startsWith(ownPath(own))
}
