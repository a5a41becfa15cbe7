import type { Request, Tag } from './requests.ts'
import { type Fields, isEqual, type Model, stepsOf } from './things.ts'

/** Random commands for a model and a service: each is what a client might send next, seen from what the model holds, and some are mistakes. */

/** A request, with times in its body that count from the moment at which it is sent: `now+60000`, also `now+60000 as +05:30`. */
export interface Sending extends Request {
  /** How long after the one before, in ms. */
  afterMs: number
}

/** Nothing is sent for a time, and what is due wakes at its end. */
export interface Passing {
  number: number
  passMs: number
}

export type Command = Sending | Passing

export const isPassing = (command: Command): command is Passing => 'passMs' in command

/** Things of another account have the names that the request 0 would give. */
export const FOREIGN = { task: 'task0', project: 'project0', workflow: 'workflow0', status: 'status0.1', step: 'step0' } as const

type Kind = keyof typeof FOREIGN

const KEPT_MS = 24 * 3_600_000
/** About so many of each there are, once there have been many commands: in a small account more happens to the same few. */
export const ROOMS = [
  { task: 24, project: 5, workflow: 4, statuses: 18 },
  { task: 4, project: 2, workflow: 2, statuses: 9 },
] as const

const TITLES = ['Write it', '  Read it aloud ', 'Buy boxes', 'Call the printer', '🎈 balloons', 'write, then READ']
const NOTES = [null, '', 'At length\r\nand on', 'boxes\tand balloons', ' ']
const NAMES = ['Draft', ' Review', 'Publish', 'Feedback', 'Article ', 'Ärger']
const DATES = [null, '2026-12-01', '2026-12-02', '2027-02-28', '2028-02-29']
const DISPOSITIONS = ['not_started', 'in_progress', 'in_progress', 'waiting', 'on_hold', 'on_hold', 'done']
const FOR_STATUSES = ['in_progress', 'in_progress', 'in_progress', 'waiting', 'on_hold', 'done']
const TIMES = [null, 'now+1', 'now+60000', 'now+60000 as +05:30', 'now+3600000', 'now+3600000', 'now+90000000 as -11:00', 'now+0', 'now+-1']
const POSITIONS = [0, 1, 1.5, 2, -3.25, 7, 1_000_000, 1e-9]
const TAGS: readonly Tag[] = ['right', 'right', 'bare', 'any', 'listed', 'wrong', 'weak', 'malformed']
const PASSING_MS = [1, 999, 60_000, 60_000, 3_600_000, 3_600_000, 5 * 3_600_000, 30 * 3_600_000]

/** What no body may hold, by field. */
const FAULTS: Fields = {
  title: '  ',
  name: 'x'.repeat(501),
  notes: 7,
  disposition: 'today',
  status_id: 'no-uuid',
  workflow_id: 12,
  project_id: true,
  due_date: '2026-02-30',
  on_hold_until: 'tomorrow',
  estimate_minutes: 525_601,
  minutes: 1.5,
  completed: 'true',
  emoji: 'ab',
  description: 'a\u0007b',
  archived: 'true',
  until: '2026-12-01',
  titel: 'Write it',
  __proto___: null,
}

/** Where a generator is: what is there, what chance says, and what was sent before. */
export interface Scene {
  model: Model
  room: (typeof ROOMS)[number]
  random: () => number
  now: number
  /** The list that is being filled beyond what it may hold, and how many more are added to it. */
  filling: { path: string; body: Fields; left: number } | null
  /** Those sent so far that had a key, with the times at which their keys were first sent. */
  keyed: { command: Sending; at: number }[]
}

export function nextCommand(scene: Scene, number: number): Command {
  const { random } = scene
  if (random() < 0.05) return { number, passMs: anyOf(scene, PASSING_MS) }
  const afterMs = random() < 0.5 ? 0 : Math.floor(random() * 50)
  const repeated = random() < 0.04 ? repetition(scene) : undefined
  const command = repeated ?? filling(scene) ?? withMistakes(scene, anyWeighted(scene, kindsNow(scene))(scene, number))
  if (command.key !== undefined) {
    // A retry does not make a key live longer.
    const first = scene.keyed.find((earlier) => earlier.command.key === command.key)
    scene.keyed.push({ command: { ...command, number, afterMs }, at: first?.at ?? scene.now + afterMs })
  }
  return { ...command, number, afterMs }
}

/** Seldom, a list is filled in one go until it takes no more. */
function filling(scene: Scene): Bare | undefined {
  const { model, random } = scene
  if (scene.filling === null && random() < 0.0005) {
    const [task, workflow] = [
      [...model.tasks.values()].findLast(({ workflowId }) => workflowId === null),
      [...model.workflows.keys()].at(-1),
    ]
    if (task !== undefined)
      scene.filling = { path: `/tasks/${task.id}/steps`, body: { name: 'One more' }, left: 103 - task.checklist.length }
    if (workflow !== undefined && random() < 0.5)
      scene.filling = { path: `/workflows/${workflow}/statuses`, body: { name: 'One more', disposition: 'done' }, left: 103 }
  }
  if (scene.filling === null) return undefined
  const { path, body, left } = scene.filling
  scene.filling = left > 1 ? { path, body, left: left - 1 } : null
  return { method: 'POST', path, body }
}

type Bare = Omit<Sending, 'number' | 'afterMs'>
type Maker = (scene: Scene, number: number) => Bare

function anyOf<T>({ random }: Pick<Scene, 'random'>, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}

function anyWeighted<T>({ random }: Scene, all: readonly (readonly [weight: number, one: T])[]): T {
  let rest = random() * all.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, one] of all) {
    rest -= weight
    if (rest < 0) return one
  }
  return (all[0] as readonly [number, T])[1]
}

/** What a client may do, more or less likely as there are few or many of a thing. */
function kindsNow({ model: { tasks, projects, workflows, statuses }, room }: Scene): (readonly [number, Maker])[] {
  const coming = (count: number, full: number) => (count < full / 2 ? 12 : count < full ? 5 : 1)
  const going = (count: number, full: number) => (count < full / 2 ? 0.3 : count < full ? 2 : 6)
  return [
    [1.5 * coming(tasks.size, room.task), createTask],
    [going(tasks.size, room.task), onTask('DELETE')],
    [18, changeTask],
    [4, moveTask],
    [3, action('complete')],
    [7, holdTask],
    [2.5, action('archive')],
    [2.5, action('unarchive')],
    [7, createStep],
    [14, changeStep],
    [2, onStep('DELETE')],
    [0.4 * coming(projects.size, room.project), createProject],
    [0.4 * going(projects.size, room.project), onProject('DELETE')],
    [3, changeProject],
    [0.5 * coming(workflows.size, room.workflow), createWorkflow],
    [0.4 * going(workflows.size, room.workflow), onWorkflow('DELETE')],
    [2, changeWorkflow],
    [0.5 * coming(statuses.size, room.statuses), createStatus],
    [0.5 * going(statuses.size, room.statuses), onStatus('DELETE')],
    [7, changeStatus],
    [1, onTask('GET')],
    [1, onStep('GET')],
    [1, onProject('GET')],
    [1, onWorkflow('GET')],
    [1, onStatus('GET')],
    [3, (scene) => ({ method: 'GET', path: anyTaskList(scene) })],
  ]
}

function mapOf({ tasks, projects, workflows, statuses }: Model, kind: Exclude<Kind, 'step'>): ReadonlyMap<string, unknown> {
  return { task: tasks, project: projects, workflow: workflows, status: statuses }[kind]
}

/** Most often one that is there. */
function anyId(scene: Scene, kind: Exclude<Kind, 'step'>): string {
  return anyNewish(scene, [...mapOf(scene.model, kind).keys()]) ?? noId(scene, kind)
}

/** The newer ones more often, so that much happens to the same few; sometimes none. */
function anyNewish<T>({ random }: Scene, there: readonly T[]): T | undefined {
  return random() < 0.95 ? there.at(-1 - Math.floor(random() ** 3 * there.length)) : undefined
}

/** One that was never there, one of another account, or one that may have been there once. */
function noId(scene: Scene, kind: Kind): string {
  return anyOf(scene, ['nothing', FOREIGN[kind], `${kind}${Math.ceil(scene.random() * 300)}`])
}

function inPath(scene: Scene, id: string): string {
  return scene.random() < 0.005 ? 'no-uuid' : id
}

const maybe = (scene: Scene, likelihood: number, fields: () => Fields): Fields => (scene.random() < likelihood ? fields() : {})

function placeFields(scene: Scene, likelihood: number): Fields {
  const status = scene.random() < likelihood ? anyId(scene, 'status') : undefined
  const own = scene.model.statuses.get(status ?? '')
  const agreeing = own !== undefined && scene.random() < 0.8
  return {
    ...(status !== undefined && { status_id: scene.random() < 0.15 ? null : status }),
    ...maybe(scene, status === undefined ? likelihood : 0.2, () => ({
      workflow_id: agreeing ? own.workflowId : scene.random() < 0.2 ? null : anyId(scene, 'workflow'),
    })),
    ...maybe(scene, status === undefined ? 2 * likelihood : 0.2, () => ({
      disposition: agreeing ? own.disposition : anyOf(scene, DISPOSITIONS),
    })),
  }
}

function taskFields(scene: Scene, likelihood: number): Fields {
  const place = placeFields(scene, likelihood)
  const isHeld = place.disposition === 'on_hold' || scene.model.statuses.get(String(place.status_id))?.disposition === 'on_hold'
  return {
    ...maybe(scene, likelihood, () => ({ notes: anyOf(scene, NOTES) })),
    ...place,
    ...maybe(scene, likelihood, () => ({ project_id: scene.random() < 0.2 ? null : anyId(scene, 'project') })),
    ...maybe(scene, likelihood, () => ({ due_date: anyOf(scene, DATES) })),
    ...maybe(scene, isHeld ? 0.7 : likelihood / 4, () => ({ on_hold_until: anyOf(scene, TIMES) })),
    ...maybe(scene, likelihood / 2, () => ({ estimate_minutes: anyOf(scene, [null, 0, 30, 525_600]) })),
  }
}

const createTask: Maker = (scene) => ({
  method: 'POST',
  path: '/tasks',
  body: { title: anyOf(scene, TITLES), ...taskFields(scene, 0.3) },
  ...someKey(scene),
})

const onTask =
  (method: Request['method']): Maker =>
  (scene) => ({ method, path: `/tasks/${inPath(scene, anyId(scene, 'task'))}` })

const changeTask: Maker = (scene) => ({
  ...onTask('PATCH')(scene, 0),
  method: 'PATCH',
  body: { ...maybe(scene, 0.1, () => ({ title: anyOf(scene, TITLES) })), ...taskFields(scene, 0.2) },
})

/** To a Workflow or off it, and at another time back. */
const moveTask: Maker = (scene) => ({
  ...onTask('PATCH')(scene, 0),
  body: { workflow_id: scene.random() < 0.4 ? null : anyId(scene, 'workflow') },
})

const action =
  (verb: string): Maker =>
  (scene) => ({ method: 'POST', path: `/tasks/${inPath(scene, anyId(scene, 'task'))}/${verb}`, ...maybe(scene, 0.2, () => ({ body: {} })) })

const holdTask: Maker = (scene) => ({
  ...action('later')(scene, 0),
  ...maybe(scene, 0.8, () => ({ body: { until: anyOf(scene, TIMES) } })),
})

const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at', 'due_date']
const WORDS = ['write', 'BOXES', 'it', 'balloons', '🎈', 'and on', 'aloud it', 'nowhere']

/** The path of a list of tasks, by any of the parameters. */
export function anyTaskList(scene: Scene): string {
  const { random } = scene
  const parameters: Fields = {
    ...maybe(scene, 0.3, () => ({ disposition: anyOf(scene, DISPOSITIONS) })),
    ...maybe(scene, 0.2, () => ({ project_id: anyId(scene, 'project') })),
    ...maybe(scene, 0.2, () => ({ workflow_id: anyId(scene, 'workflow') })),
    ...maybe(scene, 0.15, () => ({ status_id: anyId(scene, 'status') })),
    ...maybe(scene, 0.2, () => ({ updated_since: new Date(scene.now - Math.floor(random() * 200_000)).toISOString() })),
    ...maybe(scene, 0.15, () => ({ due_after: '2026-12-02' })),
    ...maybe(scene, 0.15, () => ({ due_before: anyOf(scene, ['2026-12-01', '2027-12-31']) })),
    ...maybe(scene, 0.2, () => ({ q: anyOf(scene, WORDS) })),
    ...maybe(scene, 0.6, () => ({ include_archived: anyOf(scene, ['true', 'true', 'false']) })),
    ...maybe(scene, 0.6, () => ({ sort: anyOf(scene, SORTS) })),
    ...maybe(scene, 0.5, () => ({ limit: anyOf(scene, [1, 3, 10, 100]) })),
  }
  return `/tasks?${new URLSearchParams(parameters as Record<string, string>)}`
}

const createStep: Maker = (scene) => ({
  method: 'POST',
  path: `/tasks/${inPath(scene, anyTaskWith(scene, false))}/steps`,
  body: {
    name: anyOf(scene, TITLES),
    ...maybe(scene, 0.5, () => ({ minutes: anyOf(scene, [0, 5, 90]) })),
    ...maybe(scene, 0.3, () => ({ completed: scene.random() < 0.5 })),
  },
  ...someKey(scene),
})

/** Most often one that is on a Workflow, or that is not. */
function anyTaskWith(scene: Scene, workflow: boolean): string {
  const fitting = [...scene.model.tasks.values()].filter(({ workflowId }) => (workflowId !== null) === workflow)
  return anyNewish(scene, fitting)?.id ?? anyId(scene, 'task')
}

const onStep =
  (method: Request['method']): Maker =>
  (scene) => {
    const { model, random } = scene
    const there = [...model.tasks.values()].flatMap((task) => stepsOf(model, task).map(({ id, kind }) => ({ task: task.id, id, kind })))
    // Those of Workflows are many, and cannot be removed.
    const kind = random() < (method === 'DELETE' ? 0.1 : 0.6) ? 'status' : 'subtask'
    const { task, id } = anyNewish(
      scene,
      there.filter((step) => step.kind === kind),
    ) ?? { task: anyId(scene, 'task'), id: noId(scene, 'step') }
    return { method, path: `/tasks/${task}/steps/${inPath(scene, id)}` }
  }

const changeStep: Maker = (scene) => ({
  ...onStep('PATCH')(scene, 0),
  body: {
    ...maybe(scene, 0.7, () => ({ completed: scene.random() < 0.7 })),
    ...maybe(scene, 0.2, () => ({ minutes: anyOf(scene, [0, 5, 90]) })),
    ...maybe(scene, 0.08, () => ({ name: anyOf(scene, TITLES) })),
    ...maybe(scene, 0.08, () => ({ position: anyOf(scene, POSITIONS) })),
  },
})

const someDescription = (scene: Scene) => maybe(scene, 0.3, () => ({ description: anyOf(scene, NOTES) }))

const createProject: Maker = (scene) => ({
  method: 'POST',
  path: '/projects',
  body: { name: anyOf(scene, NAMES), ...someDescription(scene) },
  ...someKey(scene),
})

const onProject =
  (method: Request['method']): Maker =>
  (scene) => ({ method, path: `/projects/${inPath(scene, anyId(scene, 'project'))}` })

const somePosition = (scene: Scene) => maybe(scene, 0.3, () => ({ position: anyOf(scene, POSITIONS) }))
const someName = (scene: Scene) => maybe(scene, 0.3, () => ({ name: anyOf(scene, NAMES) }))

const changeProject: Maker = (scene) => ({
  ...onProject('PATCH')(scene, 0),
  body: {
    ...someName(scene),
    ...someDescription(scene),
    ...somePosition(scene),
    ...maybe(scene, 0.4, () => ({ archived: scene.random() < 0.5 })),
  },
})

const aStatus = (scene: Scene): Fields => ({ name: anyOf(scene, NAMES), disposition: anyOf(scene, FOR_STATUSES) })

const createWorkflow: Maker = (scene) => ({
  method: 'POST',
  path: '/workflows',
  body: {
    name: anyOf(scene, NAMES),
    ...maybe(scene, 0.3, () => ({ emoji: anyOf(scene, [null, '🎈', '✍️']) })),
    ...someDescription(scene),
    ...maybe(scene, 0.85, () => ({
      statuses: Array.from({ length: scene.random() < 0.01 ? 100 : Math.floor(scene.random() * 7) }, () => aStatus(scene)),
    })),
  },
  ...someKey(scene),
})

const onWorkflow =
  (method: Request['method']): Maker =>
  (scene) => ({ method, path: `/workflows/${inPath(scene, anyId(scene, 'workflow'))}` })

const changeWorkflow: Maker = (scene) => ({
  ...onWorkflow('PATCH')(scene, 0),
  body: {
    ...someName(scene),
    ...someDescription(scene),
    ...somePosition(scene),
    ...maybe(scene, 0.3, () => ({ emoji: anyOf(scene, [null, '🎈']) })),
  },
})

const createStatus: Maker = (scene) => ({
  method: 'POST',
  path: `/workflows/${inPath(scene, anyId(scene, 'workflow'))}/statuses`,
  body: aStatus(scene),
  ...someKey(scene),
})

const onStatus =
  (method: Request['method']): Maker =>
  (scene) => {
    const status = anyId(scene, 'status')
    const own = scene.model.statuses.get(status)?.workflowId
    const workflow = own !== undefined && scene.random() < 0.96 ? own : anyId(scene, 'workflow')
    return { method, path: `/workflows/${workflow}/statuses/${inPath(scene, status)}` }
  }

const changeStatus: Maker = (scene) => ({
  ...onStatus('PATCH')(scene, 0),
  body: { ...someName(scene), ...somePosition(scene), ...maybe(scene, 0.5, () => ({ disposition: anyOf(scene, FOR_STATUSES) })) },
})

function someKey(scene: Scene): { key?: string } {
  return scene.random() < 0.3 ? { key: `key ${Math.floor(scene.random() * 1e9)}` } : {}
}

/** One that had a key, again, as it was or with another body. */
function repetition(scene: Scene): Bare | undefined {
  const recent = scene.keyed.filter(({ at }) => scene.now - at < KEPT_MS)
  if (recent.length === 0) return undefined
  const { number: _, afterMs: __, ...command } = anyOf(scene, recent.slice(-12)).command
  if (scene.random() < 0.7) return command
  const body = { ...command.body, ...(command.path === '/tasks' ? { title: 'Another' } : { name: 'Another' }) }
  return isEqual(body, command.body) ? undefined : { ...command, body }
}

/** Whether a path is that of one thing with a version of its own, or of an action on it. */
const HAS_VERSION = /^\/(tasks|projects|workflows)\/[^/]+$|^\/tasks\/[^/]+\/(complete|later|archive|unarchive)$|\/statuses\/[^/]+$/

function withMistakes(scene: Scene, command: Bare): Bare {
  const hasVersion = HAS_VERSION.test(command.path)
  const tag = hasVersion && scene.random() < 0.25 ? { [command.method === 'GET' ? 'ifNoneMatch' : 'ifMatch']: anyOf(scene, TAGS) } : {}
  const isWrong = command.body !== undefined && scene.random() < 0.03
  const [field, value] = anyOf(scene, Object.entries(FAULTS))
  return { ...command, ...tag, ...(isWrong && { body: { ...command.body, [field]: value } }) }
}

/** The body with its times, which count from `now` on, as a client would send them. */
export function atTime(body: Fields, now: number): Fields {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? timeIn(value, now) : value]))
}

function timeIn(text: string, now: number): string {
  const [, ms, offset = '+00:00'] = /^now\+(-?\d+)(?: as (\S+))?$/.exec(text) ?? []
  if (ms === undefined) return text
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  const aheadMs = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
  return new Date(now + Number(ms) + aheadMs).toISOString().replace('Z', offset)
}

export function lineOf(command: Command | Request): string {
  if ('passMs' in command) return `(${command.passMs} ms pass)`
  const { number, method, path, body, ifMatch, ifNoneMatch, key } = command
  const headers = [ifMatch && `If-Match: ${ifMatch}`, ifNoneMatch && `If-None-Match: ${ifNoneMatch}`, key && `Idempotency-Key: ${key}`]
  return [`${number}: ${method} ${path}`, body && JSON.stringify(body), ...headers].filter(Boolean).join(' ')
}
