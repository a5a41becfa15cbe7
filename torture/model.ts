import { isId, type Problem } from './model/bodies.ts'
import { createProject, deleteProject, getProject, listProjects, updateProject } from './model/projects.ts'
import { type Answer, type Done, type Handler, Refusal, type Request } from './model/requests.ts'
import { createStep, deleteStep, getStep, listSteps, updateStep } from './model/steps.ts'
import {
  archiveTask,
  completeTask,
  createTask,
  deleteTask,
  getTask,
  holdTask,
  listTasks,
  place,
  unarchiveTask,
  updateTask,
} from './model/tasks.ts'
import { activeTasks, type Model, settle, wiresOf } from './model/things.ts'
import {
  createStatus,
  createWorkflow,
  deleteStatus,
  deleteWorkflow,
  getStatus,
  getWorkflow,
  listStatuses,
  listWorkflows,
  updateStatus,
  updateWorkflow,
} from './model/workflows.ts'

/**
 * What the API has to answer to a request, and what it has to hold afterwards: a plain model of the contract, in memory. It follows the
 * specification, and shares no rule with the service.
 */

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
