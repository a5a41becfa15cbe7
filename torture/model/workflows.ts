import { inBody, position, STATUS, shapeProblems, tidy, WORKFLOW } from './bodies.ts'
import { type Found, get, type Handler, invalid, list, notFound, once, page, reading, refuseFor, requireVersion } from './requests.ts'
import { place } from './tasks.ts'
import {
  atTheEnd,
  born,
  type Fields,
  isChanged,
  type Model,
  type Status,
  statusesFor,
  statusesOf,
  statusToWire,
  type Workflow,
  wholeWorkflow,
  workflowToWire,
} from './things.ts'

/** What a request does to a Workflow, its Statuses and the tasks on them, as the contract has it. */

const MAX_STATUSES = 100

export const createWorkflow: Handler = (asked, { problems }) => {
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

export const updateWorkflow: Handler = (asked, { id, problems }) => {
  const { model } = asked
  refuseFor([...problems, ...shapeProblems(asked.body, { ...WORKFLOW, position })])
  const workflow = get(model.workflows, id)
  requireVersion(asked, workflow, () => wholeWorkflow(model, workflow))
  Object.assign(workflow, tidy(asked.body))
  return { target: id, answer: () => ({ status: 200, body: wholeWorkflow(model, workflow) }) }
}

export const getWorkflow: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const workflow = get(asked.model.workflows, id)
  return { answer: reading(asked, () => wholeWorkflow(asked.model, workflow)) }
}

export const deleteWorkflow: Handler = (asked, { id, problems }) => {
  const { model } = asked
  refuseFor(problems)
  const workflow = get(model.workflows, id)
  requireVersion(asked, workflow, () => wholeWorkflow(model, workflow))
  for (const task of model.tasks.values()) if (task.workflowId === id) place(task, task.disposition, null, null, asked.now)
  for (const status of statusesOf(model, id)) model.statuses.delete(status.id)
  model.workflows.delete(id)
  return { target: id, answer: () => ({ status: 204 }) }
}

export const listWorkflows: Handler = ({ model }, { parameters }) => page(model.workflows.values(), parameters, workflowToWire)

export const listStatuses: Handler = ({ model }, { id, problems }) => {
  refuseFor(problems)
  get(model.workflows, id)
  return { answer: () => list(statusesOf(model, id).map(statusToWire)) }
}

function statusIn(model: Model, { id, inner }: Found): Status {
  const status = get(model.statuses, inner)
  if (status.workflowId !== id) throw notFound()
  return status
}

export const getStatus: Handler = (asked, found) => {
  refuseFor(found.problems)
  const status = statusIn(asked.model, found)
  return { answer: reading(asked, () => statusToWire(status)) }
}

export const createStatus: Handler = (asked, { id, problems }) => {
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

export const updateStatus: Handler = (asked, found) => {
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

export const deleteStatus: Handler = (asked, found) => {
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
