import { inBody, type Problem, shapeProblems, TASK, tidy, time } from './bodies.ts'
import {
  type Asked,
  type Done,
  type Found,
  get,
  type Handler,
  list,
  once,
  Refusal,
  reading,
  refuseFor,
  requireVersion,
} from './requests.ts'
import { activeTasks, born, byBirth, type Fields, type Model, type Status, statusesFor, type Task, taskToWire } from './things.ts'

/** What a request does to a task, as the contract has it. */

/** Puts the task there, with all that follows. */
export function place(task: Task, disposition: string, workflowId: string | null, statusId: string | null, now: number): void {
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

export const createTask: Handler = (asked, { problems }) => {
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

export const updateTask: Handler = (asked, found) => {
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

export const completeTask: Handler = (asked, found) =>
  changingTask(asked, found, shapeProblems(asked.body, {}), (task) => moveTo(task, 'done', asked.now))

export const archiveTask: Handler = (asked, found) =>
  changingTask(asked, found, shapeProblems(asked.body, {}), (task) => {
    task.archivedAt ??= asked.now
  })

export const unarchiveTask: Handler = (asked, found) =>
  changingTask(asked, found, shapeProblems(asked.body, {}), (task) => {
    task.archivedAt = null
  })

export const holdTask: Handler = (asked, found) => {
  const { body, now } = asked
  const shapeFaults = shapeProblems(body, { until: time })
  const { until } = withoutFaults(body, shapeFaults)
  const faults = isPast(until, now) ? [...shapeFaults, inBody('until', 'invalid_value')] : shapeFaults
  return changingTask(asked, found, faults, (task) => {
    moveTo(task, 'on_hold', now)
    task.onHoldUntil = typeof until === 'string' ? Date.parse(until) : null
  })
}

export const getTask: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const task = get(asked.model.tasks, id)
  return { answer: reading(asked, () => taskToWire(asked.model, task)) }
}

export const deleteTask: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const task = get(asked.model.tasks, id)
  requireVersion(asked, task, () => taskToWire(asked.model, task))
  asked.model.tasks.delete(id)
  return { target: id, answer: () => ({ status: 204 }) }
}

export const listTasks: Handler = ({ model }, { parameters }) => {
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
