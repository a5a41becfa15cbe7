import {
  flag,
  inBody,
  isId,
  PROJECT,
  type Problem,
  position,
  STATUS,
  STEP,
  shapeProblems,
  TASK,
  tidy,
  time,
  WORKFLOW,
} from './model-bodies.ts'
import {
  activeTasks,
  atTheEnd,
  born,
  byBirth,
  byPosition,
  type Fields,
  isChanged,
  isEqual,
  type Model,
  type Project,
  projectToWire,
  type Resource,
  type Sibling,
  type Status,
  type Step,
  settle,
  statusesFor,
  statusesOf,
  statusToWire,
  stepsOf,
  stepToWire,
  type Task,
  taskToWire,
  type Workflow,
  wholeWorkflow,
  wiresOf,
  workflowToWire,
} from './model-things.ts'

/**
 * What the API has to answer to a request, and what it has to hold afterwards: a plain model of the contract, in memory. It is written from the
 * specification alone and shares no rule with the service.
 */

/** What a conditional header says of the resource that the request is for: its version in some spelling, or another one. */
export type Tag = 'right' | 'bare' | 'any' | 'listed' | 'wrong' | 'weak' | 'malformed'

export interface Request {
  /** Numbers what it makes: the request 7 makes `task7`, or `workflow7` with `status7.1` and so on. */
  number: number
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/v1`, with its query. */
  path: string
  body?: Fields
  ifMatch?: Tag
  ifNoneMatch?: Tag
  key?: string
}

export interface Answer {
  status: number
  /** As on the wire; of a problem document only what is not the same for each, and of what has more than the contract determines only that. */
  body?: Fields
  problems?: readonly Problem[]
  location?: string
  isReplay?: boolean
}

/** An answer that refuses. */
class Refusal extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`${answer.status}`)
    this.answer = answer
  }
}

const invalid = (problems: readonly Problem[]) => new Refusal({ status: 400, body: { code: 'invalid_request' }, problems })
const notFound = () => new Refusal({ status: 404, body: { code: 'not_found' } })

function refuseFor(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalid(problems)
}

/** What is to be answered once all that the request changes has its new version. */
type Later = () => Answer

/** Carries the request out at `now`, and tells what has to be answered; what it changes is in `model.log` then. */
export function ask(model: Model, request: Request, now: number): Answer {
  model.log = []
  try {
    const before = wiresOf(model)
    const { target, touched = [], answer } = routeOf(model, request, now)
    if (request.method === 'GET') return answer()
    settle(model, before, new Set(touched), now, (id) =>
      id === target ? 'api' : target?.startsWith('workflow') && !before.has(id) ? null : 'cascade',
    )
    return answer()
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

/** Wakes every task whose time has come at `now`; what that changes is in `model.log` then. */
export function wake(model: Model, now: number): void {
  const before = wiresOf(model)
  model.log = []
  for (const task of model.tasks.values()) {
    if (task.onHoldUntil === null || task.onHoldUntil > now) continue
    const left = model.statuses.get(task.leftStatusId ?? '')
    const isThere = left !== undefined && left.workflowId === task.workflowId && left.disposition === 'in_progress'
    place(task, 'in_progress', task.workflowId, isThere ? left.id : null, now)
  }
  settle(model, before, new Set(), now, () => 'timer')
}

// What a task does

/** Puts the task there, with all that follows. */
function place(task: Task, disposition: string, workflowId: string | null, statusId: string | null, now: number): void {
  if (workflowId !== task.workflowId) task.progress.clear()
  if (disposition !== task.disposition) {
    task.leftStatusId = disposition === 'on_hold' && task.disposition === 'in_progress' ? task.statusId : null
    task.completedAt = disposition === 'done' ? now : null
    task.onHoldUntil = null
  }
  Object.assign(task, { disposition, workflowId, statusId })
}

/** To the Disposition, off its Status; the one that it is in already changes nothing. */
function moveTo(task: Task, disposition: string, now: number): void {
  if (task.disposition !== disposition) place(task, disposition, task.workflowId, null, now)
}

function moveAsSent(model: Model, task: Task, fields: Fields, now: number): void {
  const { status_id: statusId, workflow_id: workflowId } = fields as { status_id?: string | null; workflow_id?: string | null }
  const disposition = (fields.disposition as string | undefined) ?? task.disposition
  if (typeof statusId === 'string') {
    const status = model.statuses.get(statusId) as Status
    place(task, status.disposition, status.workflowId, status.id, now)
    return
  }
  const isSame = workflowId === task.workflowId && disposition === task.disposition
  if (workflowId === null) place(task, disposition, null, null, now)
  else if (workflowId !== undefined && !isSame)
    place(task, disposition, workflowId, statusesFor(model, workflowId, disposition)[0]?.id ?? null, now)
  else moveTo(task, disposition, now)
  if (statusId === null) task.statusId = null
}

/** After the tick of `ticked`: one in Today goes on, if that was the step it stands on, or if it stands on none. */
function moveOn(model: Model, task: Task, ticked: Step): void {
  if (task.disposition !== 'in_progress' || task.workflowId === null) return
  if (task.statusId !== null && task.statusId !== ticked.id) return
  const steps = stepsOf(model, task)
  const from = steps.findIndex(({ id }) => id === ticked.id)
  const next = [...steps.slice(from), ...steps].find(({ completedAt }) => completedAt === null)
  if (next !== undefined) task.statusId = next.id
}

// Requests

/** What a request did: to which resource, what else it is a change of though nothing shows, and what is to be answered. */
interface Done {
  target?: string
  touched?: readonly string[]
  answer: Later
}

interface Asked {
  model: Model
  request: Request
  body: Fields
  now: number
}

function routeOf(model: Model, request: Request, now: number): Done {
  const [path = '', query = ''] = request.path.split('?')
  const [kind = '', id = '', second, inner = ''] = path.split('/').slice(1)
  const route = [kind, id && ':id', second, inner && ':id'].filter(Boolean).join('/')
  const handler = ROUTES[`${request.method} ${route}`]
  if (handler === undefined) throw new Error(`the model has no ${request.method} ${route}`)
  const problems = [...idProblem('id', id), ...idProblem(second === 'steps' ? 'step_id' : 'status_id', inner), ...tagProblem(request)]
  return handler({ model, request, body: request.body ?? {}, now }, { id, inner, problems, parameters: new URLSearchParams(query) })
}

function idProblem(name: string, id: string): Problem[] {
  return id === '' || isId(id) ? [] : [{ in: 'path', names: [name], code: 'invalid_format', isCertain: true }]
}

function tagProblem({ ifMatch, ifNoneMatch }: Request): Problem[] {
  if (ifMatch !== 'malformed' && ifNoneMatch !== 'malformed') return []
  return [{ in: 'header', names: [ifMatch ? 'If-Match' : 'If-None-Match'], code: 'invalid_format', isCertain: true }]
}

interface Found {
  id: string
  /** Of the step or the Status within. */
  inner: string
  /** What is wrong with the path and the headers. */
  problems: readonly Problem[]
  parameters: URLSearchParams
}

type Handler = (asked: Asked, found: Found) => Done

function requireVersion({ request }: Asked, resource: Resource, whole: () => Fields): void {
  const { ifMatch } = request
  if (ifMatch === 'wrong' || ifMatch === 'weak')
    throw new Refusal({ status: 412, body: { code: 'precondition_failed', version: resource.version, current: whole() } })
}

function reading({ request }: Asked, whole: () => Fields): Later {
  const { ifNoneMatch } = request
  return () => (ifNoneMatch === undefined || ifNoneMatch === 'wrong' ? { status: 200, body: whole() } : { status: 304 })
}

/** Makes a resource, or answers with the one that the same key made; `path` is that of the list it is made in. */
function once(asked: Asked, path: string, make: () => string, whole: (id: string) => Fields | undefined): Done {
  const { model, request } = asked
  const key = request.key === undefined ? undefined : `${request.key} ${request.path}`
  const used = key === undefined ? undefined : model.keys.get(key)
  if (used !== undefined) {
    if (!isEqual(used.body, request.body)) throw invalid([{ in: 'header', names: ['Idempotency-Key'], code: 'conflict', isCertain: true }])
    const body = whole(used.id)
    if (body === undefined) throw notFound()
    return { answer: () => ({ status: 200, body, location: `${path}/${used.id}`, isReplay: true }) }
  }
  const made = make()
  if (key !== undefined) model.keys.set(key, { body: request.body, id: made })
  return { target: made, answer: () => ({ status: 201, body: whole(made) as Fields, location: `${path}/${made}` }) }
}

function list(data: Fields[], limit = Number.POSITIVE_INFINITY): Answer {
  return { status: 200, body: { object: 'list', data: data.slice(0, limit), has_more: data.length > limit } }
}

function get<T>(all: ReadonlyMap<string, T>, id: string): T {
  const one = all.get(id)
  if (one === undefined) throw notFound()
  return one
}

// ---- Tasks

/** What is wrong with where the task is to go, as far as the request itself shows. */
function contradictions(body: Fields, isNew: boolean): Problem[] {
  const problems: Problem[] = []
  const disposition = body.disposition ?? (isNew && typeof body.status_id !== 'string' ? 'not_started' : undefined)
  if (typeof body.on_hold_until === 'string' && disposition !== undefined && disposition !== 'on_hold')
    problems.push(inBody('on_hold_until', 'conflict'))
  if (!isNew && typeof body.status_id === 'string' && body.workflow_id === null)
    problems.push(inBody(['status_id', 'workflow_id'], 'conflict'))
  return problems
}

/** As `contradictions`, of a change at `now`. A creation is not refused for its time before it is known that it is no retry. */
function changeProblems(body: Fields, now: number): Problem[] {
  const problems = contradictions(body, false)
  const isAboutTime = problems.some(({ names }) => names.includes('on_hold_until'))
  return isPast(body.on_hold_until, now) && !isAboutTime ? [...problems, inBody('on_hold_until', 'invalid_value')] : problems
}

const isPast = (time: unknown, now: number) => typeof time === 'string' && Date.parse(time) <= now

/** What is wrong with a change of `task` by `body`, by what is stored. */
function storedProblems(model: Model, task: Task, body: Fields, now: number): Problem[] {
  const problems: Problem[] = []
  for (const [name, all] of Object.entries({ status_id: model.statuses, workflow_id: model.workflows, project_id: model.projects })) {
    if (typeof body[name] === 'string' && !all.has(body[name])) problems.push(inBody(name, 'unknown_reference'))
  }
  const status = typeof body.status_id === 'string' ? model.statuses.get(body.status_id) : undefined
  if (status !== undefined) {
    if (typeof body.workflow_id === 'string' && body.workflow_id !== status.workflowId)
      problems.push(inBody(['workflow_id', 'status_id'], 'conflict'))
    if (body.disposition !== undefined && body.disposition !== status.disposition)
      problems.push(inBody(['disposition', 'status_id'], 'conflict'))
  }
  // Where it is unknown to which place the task would go, what follows from the place may be told or not.
  const isPlaceKnown = problems.every(({ names }) => names[0] === 'project_id')
  const disposition = status?.disposition ?? body.disposition ?? task.disposition
  if (isPlaceKnown && disposition !== 'on_hold' && typeof body.on_hold_until === 'string')
    problems.push(inBody('on_hold_until', 'conflict'))
  else if (isPast(body.on_hold_until, now)) problems.push(inBody('on_hold_until', 'invalid_value'))
  else if (!isPlaceKnown) problems.push(inBody('on_hold_until', 'conflict', false))
  if (body.estimate_minutes !== undefined) {
    const workflowId = status?.workflowId ?? (body.workflow_id === undefined ? task.workflowId : (body.workflow_id as string | null))
    const hasSteps = workflowId === null ? task.checklist.length > 0 : statusesFor(model, workflowId, 'in_progress').length > 0
    if (hasSteps || !isPlaceKnown) problems.push(inBody('estimate_minutes', 'conflict', isPlaceKnown))
  }
  return problems.some(({ isCertain }) => isCertain) ? problems : []
}

const OWN_FIELDS = { title: 'title', notes: 'notes', project_id: 'projectId', due_date: 'dueDate', estimate_minutes: 'estimate' } as const

function change(model: Model, task: Task, body: Fields, now: number): void {
  moveAsSent(model, task, body, now)
  for (const [name, own] of Object.entries(OWN_FIELDS)) if (body[name] !== undefined) Object.assign(task, { [own]: body[name] })
  if (body.on_hold_until !== undefined) task.onHoldUntil = body.on_hold_until === null ? null : Date.parse(body.on_hold_until as string)
}

function blankTask(model: Model, id: string, now: number): Task {
  const nothing = { notes: null, statusId: null, workflowId: null, projectId: null, dueDate: null, onHoldUntil: null, completedAt: null }
  const unseen = { archivedAt: null, estimate: null, checklist: [], progress: new Map(), leftStatusId: null }
  return { ...born(model, id, now), title: '', disposition: 'not_started', ...nothing, ...unseen }
}

const createTask: Handler = (asked, { problems }) => {
  const { model, request, now } = asked
  const sent = Object.fromEntries(Object.entries(tidy(asked.body)).filter(([, value]) => value !== null))
  const faults = shapeProblems(asked.body, TASK, ['title'])
  refuseFor([...problems, ...faults, ...contradictions(withoutFaults(sent, faults), true)])
  const make = () => {
    const task = blankTask(model, `task${request.number}`, now)
    refuseFor(storedProblems(model, task, sent, now))
    change(model, task, sent, now)
    if (task.disposition !== 'done' && activeTasks(model) >= model.activeTaskLimit)
      throw new Refusal({ status: 403, body: { code: 'task_limit_reached' } })
    model.tasks.set(task.id, task)
    return task.id
  }
  return once(asked, '/tasks', make, (id) => wireOfTask(model, id))
}

function withoutFaults(body: Fields, faults: readonly Problem[]): Fields {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !faults.some(({ names }) => names.includes(name))))
}

function wireOfTask(model: Model, id: string): Fields | undefined {
  const task = model.tasks.get(id)
  return task && taskToWire(model, task)
}

/** A change of one task, for which `refuse` looks for reasons against it. */
function changingTask(
  asked: Asked,
  { id, problems }: Found,
  faults: readonly Problem[],
  apply: (task: Task) => void,
  stored = noProblems,
): Done {
  const { model } = asked
  refuseFor([...problems, ...faults])
  const task = get(model.tasks, id)
  requireVersion(asked, task, () => taskToWire(model, task))
  refuseFor(stored(task))
  apply(task)
  return { target: id, answer: () => ({ status: 200, body: taskToWire(model, task) }) }
}

const noProblems = (_: Task): readonly Problem[] => []

const updateTask: Handler = (asked, found) => {
  const { model, now } = asked
  const body = tidy(asked.body)
  const faults = shapeProblems(asked.body, TASK)
  const all = [...faults, ...changeProblems(withoutFaults(body, faults), now)]
  return changingTask(
    asked,
    found,
    all,
    (task) => change(model, task, body, now),
    (task) => storedProblems(model, task, body, now),
  )
}

const completeTask: Handler = (asked, found) =>
  changingTask(asked, found, shapeProblems(asked.body, {}), (task) => moveTo(task, 'done', asked.now))

const archiveTask: Handler = (asked, found) =>
  changingTask(asked, found, shapeProblems(asked.body, {}), (task) => {
    task.archivedAt ??= asked.now
  })

const unarchiveTask: Handler = (asked, found) =>
  changingTask(asked, found, shapeProblems(asked.body, {}), (task) => {
    task.archivedAt = null
  })

const holdTask: Handler = (asked, found) => {
  const { body, now } = asked
  const shapeFaults = shapeProblems(body, { until: time })
  const { until } = withoutFaults(body, shapeFaults)
  const faults = isPast(until, now) ? [...shapeFaults, inBody('until', 'invalid_value')] : shapeFaults
  return changingTask(asked, found, faults, (task) => {
    moveTo(task, 'on_hold', now)
    task.onHoldUntil = typeof until === 'string' ? Date.parse(until) : null
  })
}

const getTask: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const task = get(asked.model.tasks, id)
  return { answer: reading(asked, () => taskToWire(asked.model, task)) }
}

const deleteTask: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const task = get(asked.model.tasks, id)
  requireVersion(asked, task, () => taskToWire(asked.model, task))
  asked.model.tasks.delete(id)
  return { target: id, answer: () => ({ status: 204 }) }
}

const listTasks: Handler = ({ model }, { parameters }) => {
  const get = (name: string) => parameters.get(name)
  const passes = (task: Task) =>
    (get('include_archived') === 'true' || task.archivedAt === null) &&
    [
      ['disposition', task.disposition],
      ['project_id', task.projectId],
      ['workflow_id', task.workflowId],
      ['status_id', task.statusId],
    ].every(([name, value]) => get(name as string) === null || get(name as string) === value) &&
    (get('updated_since') === null || task.updatedAt >= Date.parse(get('updated_since') as string)) &&
    (get('due_after') === null || (task.dueDate !== null && task.dueDate >= (get('due_after') as string))) &&
    (get('due_before') === null || (task.dueDate !== null && task.dueDate <= (get('due_before') as string))) &&
    (get('q') ?? '').split(' ').every((word) => `${task.title}\n${task.notes ?? ''}`.toLowerCase().includes(word.toLowerCase()))
  const sorted = [...model.tasks.values()].filter(passes).sort(ORDERS[get('sort') ?? 'created_at'])
  const answer = list(
    sorted.map((task) => taskToWire(model, task)),
    Number(get('limit') ?? 50),
  )
  return { answer: () => answer }
}

const byUpdate = (a: Task, b: Task) => a.updatedAt - b.updatedAt || byBirth(a, b)
/** Those without a day last. */
const dueOf = ({ dueDate }: Task) => dueDate ?? '~'

const ORDERS: Record<string, (a: Task, b: Task) => number> = {
  created_at: byBirth,
  '-created_at': (a, b) => byBirth(b, a),
  updated_at: byUpdate,
  '-updated_at': (a, b) => byUpdate(b, a),
  due_date: (a, b) => (dueOf(a) === dueOf(b) ? byBirth(a, b) : dueOf(a) < dueOf(b) ? -1 : 1),
}

// ---- Steps

const listSteps: Handler = ({ model }, { id, problems }) => {
  refuseFor(problems)
  const task = get(model.tasks, id)
  return { answer: () => list(stepsOf(model, task).map((step) => stepToWire(id, step))) }
}

function stepIn(model: Model, task: Task, id: string): Step {
  const step = stepsOf(model, task).find((one) => one.id === id)
  if (step === undefined) throw notFound()
  return step
}

const getStep: Handler = ({ model }, { id, inner, problems }) => {
  refuseFor(problems)
  const step = stepIn(model, get(model.tasks, id), inner)
  return { answer: () => ({ status: 200, body: stepToWire(id, step) }) }
}

const MAX_STEPS = 100
const MAX_STATUSES = 100

const createStep: Handler = (asked, { id, problems }) => {
  const { model, request, now } = asked
  refuseFor([...problems, ...shapeProblems(asked.body, STEP, ['name'])])
  const task = get(model.tasks, id)
  const { name, minutes = 0, completed = false } = tidy(asked.body) as { name: string; minutes?: number; completed?: boolean }
  const make = () => {
    if (task.workflowId !== null) throw invalid([inBody('')])
    if (task.checklist.length >= MAX_STEPS) throw invalid([inBody('', 'out_of_range')])
    if (task.checklist.length === 0) task.estimate = null
    const step = `step${request.number}`
    const completedAt = completed ? now : null
    task.checklist.push({ ...born(model, step, now), name, minutes, completedAt, position: atTheEnd(task.checklist) })
    return step
  }
  const whole = (step: string) => {
    const one = stepsOf(model, task).find((other) => other.id === step)
    return one && stepToWire(id, one)
  }
  const done = once(asked, `/tasks/${id}/steps`, make, whole)
  return done.target === undefined ? done : { ...done, target: id, touched: [id] }
}

const updateStep: Handler = (asked, { id, inner, problems }) => {
  const { model, now } = asked
  const body = tidy(asked.body) as { name?: string; minutes?: number; completed?: boolean; position?: number }
  refuseFor([...problems, ...shapeProblems(asked.body, { ...STEP, position })])
  const task = get(model.tasks, id)
  const step = stepIn(model, task, inner)
  if (step.kind === 'status') refuseFor(['name', 'position'].filter((name) => name in body).map((name) => inBody(name, 'conflict')))
  const completedAt = body.completed === undefined ? step.completedAt : body.completed ? (step.completedAt ?? now) : null
  const after: Step = { ...step, ...body, completedAt }
  const isChange = (['name', 'minutes', 'position', 'completedAt'] as const).some((name) => after[name] !== step[name])
  if (step.kind === 'status') task.progress.set(inner, { completedAt, minutes: after.minutes })
  else task.checklist = task.checklist.map((one) => (one.id === inner ? { ...one, ...after } : one))
  if (step.completedAt === null && completedAt !== null) moveOn(model, task, step)
  return { target: id, touched: isChange ? [id] : [], answer: () => ({ status: 200, body: stepToWire(id, after) }) }
}

const deleteStep: Handler = (asked, { id, inner, problems }) => {
  refuseFor([...problems])
  const task = get(asked.model.tasks, id)
  if (stepIn(asked.model, task, inner).kind === 'status') throw invalid([inBody('')])
  task.checklist = task.checklist.filter((one) => one.id !== inner)
  return { target: id, touched: [id], answer: () => ({ status: 204 }) }
}

// ---- Projects

const createProject: Handler = (asked, { problems }) => {
  const { model, request, now } = asked
  refuseFor([...problems, ...shapeProblems(asked.body, PROJECT, ['name'])])
  const { name, description = null } = tidy(asked.body) as { name: string; description?: string | null }
  const make = () => {
    const project = { ...born(model, `project${request.number}`, now), name, description, archived: false }
    model.projects.set(project.id, { ...project, position: atTheEnd([...model.projects.values()]) })
    return project.id
  }
  return once(asked, '/projects', make, (id) => {
    const project = model.projects.get(id)
    return project && projectToWire(project)
  })
}

const updateProject: Handler = (asked, { id, problems }) => {
  refuseFor([...problems, ...shapeProblems(asked.body, { ...PROJECT, archived: flag, position })])
  const project = get(asked.model.projects, id)
  requireVersion(asked, project, () => projectToWire(project))
  Object.assign(project, tidy(asked.body))
  return { target: id, answer: () => ({ status: 200, body: projectToWire(project) }) }
}

const getProject: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const project = get(asked.model.projects, id)
  return { answer: reading(asked, () => projectToWire(project)) }
}

const deleteProject: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const project = get(asked.model.projects, id)
  requireVersion(asked, project, () => projectToWire(project))
  asked.model.projects.delete(id)
  for (const task of asked.model.tasks.values()) if (task.projectId === id) task.projectId = null
  return { target: id, answer: () => ({ status: 204 }) }
}

/** Of `all`, what the parameters ask for, in their order. */
function page<T extends Resource & Sibling>(all: Iterable<T>, parameters: URLSearchParams, toWire: (one: T) => Fields): Done {
  const sorted = [...all].sort(parameters.get('sort') === 'position' ? byPosition : byBirth)
  return { answer: () => list(sorted.map(toWire), Number(parameters.get('limit') ?? 50)) }
}

const listProjects: Handler = ({ model }, { parameters }) => {
  const isShown = ({ archived }: Project) => parameters.get('include_archived') === 'true' || !archived
  return page([...model.projects.values()].filter(isShown), parameters, projectToWire)
}

// ---- Workflows and Statuses

const createWorkflow: Handler = (asked, { problems }) => {
  const { model, request, now } = asked
  refuseFor([...problems, ...shapeProblems(asked.body, { ...WORKFLOW, statuses: () => null }, ['name'])])
  const { name, emoji = null, description = null, statuses = [] } = tidy(asked.body) as unknown as Workflow & { statuses?: Fields[] }
  const make = () => {
    const workflow = { ...born(model, `workflow${request.number}`, now), name, emoji, description }
    model.workflows.set(workflow.id, { ...workflow, position: atTheEnd([...model.workflows.values()]) })
    for (const [index, status] of statuses.entries()) addStatus(model, workflow.id, `status${request.number}.${index + 1}`, status, now)
    return workflow.id
  }
  return once(asked, '/workflows', make, (id) => {
    const workflow = model.workflows.get(id)
    return workflow && wholeWorkflow(model, workflow)
  })
}

function addStatus(model: Model, workflowId: string, id: string, body: Fields, now: number): void {
  const { name, disposition } = tidy(body) as { name: string; disposition: string }
  const at = atTheEnd(statusesFor(model, workflowId, disposition))
  model.statuses.set(id, { ...born(model, id, now), workflowId, name, disposition, position: at })
}

const updateWorkflow: Handler = (asked, { id, problems }) => {
  const { model } = asked
  refuseFor([...problems, ...shapeProblems(asked.body, { ...WORKFLOW, position })])
  const workflow = get(model.workflows, id)
  requireVersion(asked, workflow, () => wholeWorkflow(model, workflow))
  Object.assign(workflow, tidy(asked.body))
  return { target: id, answer: () => ({ status: 200, body: wholeWorkflow(model, workflow) }) }
}

const getWorkflow: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const workflow = get(asked.model.workflows, id)
  return { answer: reading(asked, () => wholeWorkflow(asked.model, workflow)) }
}

const deleteWorkflow: Handler = (asked, { id, problems }) => {
  const { model } = asked
  refuseFor(problems)
  const workflow = get(model.workflows, id)
  requireVersion(asked, workflow, () => wholeWorkflow(model, workflow))
  for (const task of model.tasks.values()) if (task.workflowId === id) place(task, task.disposition, null, null, asked.now)
  for (const status of statusesOf(model, id)) model.statuses.delete(status.id)
  model.workflows.delete(id)
  return { target: id, answer: () => ({ status: 204 }) }
}

const listWorkflows: Handler = ({ model }, { parameters }) => page(model.workflows.values(), parameters, workflowToWire)

const listStatuses: Handler = ({ model }, { id, problems }) => {
  refuseFor(problems)
  get(model.workflows, id)
  return { answer: () => list(statusesOf(model, id).map(statusToWire)) }
}

function statusIn(model: Model, { id, inner }: Found): Status {
  const status = get(model.statuses, inner)
  if (status.workflowId !== id) throw notFound()
  return status
}

const getStatus: Handler = (asked, found) => {
  refuseFor(found.problems)
  const status = statusIn(asked.model, found)
  return { answer: reading(asked, () => statusToWire(status)) }
}

const createStatus: Handler = (asked, { id, problems }) => {
  const { model, request, now } = asked
  refuseFor([...problems, ...shapeProblems(asked.body, STATUS, ['name', 'disposition'])])
  get(model.workflows, id)
  const make = () => {
    if (statusesOf(model, id).length >= MAX_STATUSES) throw invalid([inBody('', 'out_of_range')])
    addStatus(model, id, `status${request.number}`, asked.body, now)
    return `status${request.number}`
  }
  const done = once(asked, `/workflows/${id}/statuses`, make, (status) => {
    const one = model.statuses.get(status)
    return one && statusToWire(one)
  })
  return done.target === undefined ? done : { ...done, touched: [id] }
}

const updateStatus: Handler = (asked, found) => {
  const { model, now } = asked
  refuseFor([...found.problems, ...shapeProblems(asked.body, { ...STATUS, position })])
  const status = statusIn(model, found)
  requireVersion(asked, status, () => statusToWire(status))
  const was = statusToWire(status)
  const { disposition = status.disposition } = asked.body as { disposition?: string }
  if (disposition !== status.disposition) status.position = atTheEnd(statusesFor(model, found.id, disposition))
  Object.assign(status, tidy(asked.body))
  for (const task of model.tasks.values()) if (task.statusId === status.id) place(task, disposition, task.workflowId, status.id, now)
  const touched = isChanged(was, statusToWire(status)) ? [found.id] : []
  return { target: status.id, touched, answer: () => ({ status: 200, body: statusToWire(status) }) }
}

const deleteStatus: Handler = (asked, found) => {
  const { model } = asked
  refuseFor(found.problems)
  const status = statusIn(model, found)
  requireVersion(asked, status, () => statusToWire(status))
  model.statuses.delete(status.id)
  for (const task of model.tasks.values()) {
    if (task.statusId === status.id) task.statusId = null
    task.progress.delete(status.id)
  }
  return { target: status.id, touched: [found.id], answer: () => ({ status: 204 }) }
}

const getMe: Handler = ({ model }) => ({
  answer: () => ({ status: 200, body: { plan: { active_task_limit: model.activeTaskLimit, active_tasks: activeTasks(model) } } }),
})

const ROUTES: Record<string, Handler> = {
  'GET me': getMe,
  'GET tasks': listTasks,
  'POST tasks': createTask,
  'GET tasks/:id': getTask,
  'PATCH tasks/:id': updateTask,
  'DELETE tasks/:id': deleteTask,
  'POST tasks/:id/complete': completeTask,
  'POST tasks/:id/later': holdTask,
  'POST tasks/:id/archive': archiveTask,
  'POST tasks/:id/unarchive': unarchiveTask,
  'GET tasks/:id/steps': listSteps,
  'POST tasks/:id/steps': createStep,
  'GET tasks/:id/steps/:id': getStep,
  'PATCH tasks/:id/steps/:id': updateStep,
  'DELETE tasks/:id/steps/:id': deleteStep,
  'GET projects': listProjects,
  'POST projects': createProject,
  'GET projects/:id': getProject,
  'PATCH projects/:id': updateProject,
  'DELETE projects/:id': deleteProject,
  'GET workflows': listWorkflows,
  'POST workflows': createWorkflow,
  'GET workflows/:id': getWorkflow,
  'PATCH workflows/:id': updateWorkflow,
  'DELETE workflows/:id': deleteWorkflow,
  'GET workflows/:id/statuses': listStatuses,
  'POST workflows/:id/statuses': createStatus,
  'GET workflows/:id/statuses/:id': getStatus,
  'PATCH workflows/:id/statuses/:id': updateStatus,
  'DELETE workflows/:id/statuses/:id': deleteStatus,
}
