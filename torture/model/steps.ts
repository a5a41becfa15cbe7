import { inBody, position, STEP, shapeProblems, tidy } from './bodies.ts'
import { get, type Handler, invalid, list, notFound, once, refuseFor } from './requests.ts'
import { atTheEnd, born, type Model, type Step, stepsOf, stepToWire, type Task } from './things.ts'

/** What a request does to the steps of a task, as the contract has it. */

export const listSteps: Handler = ({ model }, { id, problems }) => {
  refuseFor(problems)
  const task = get(model.tasks, id)
  return { answer: () => list(stepsOf(model, task).map((step) => stepToWire(id, step))) }
}

function stepIn(model: Model, task: Task, id: string): Step {
  const step = stepsOf(model, task).find((one) => one.id === id)
  if (step === undefined) throw notFound()
  return step
}

export const getStep: Handler = ({ model }, { id, inner, problems }) => {
  refuseFor(problems)
  const step = stepIn(model, get(model.tasks, id), inner)
  return { answer: () => ({ status: 200, body: stepToWire(id, step) }) }
}

const MAX_STEPS = 100

export const createStep: Handler = (asked, { id, problems }) => {
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

export const updateStep: Handler = (asked, { id, inner, problems }) => {
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

export const deleteStep: Handler = (asked, { id, inner, problems }) => {
  refuseFor([...problems])
  const task = get(asked.model.tasks, id)
  if (stepIn(asked.model, task, inner).kind === 'status') throw invalid([inBody('')])
  task.checklist = task.checklist.filter((one) => one.id !== inner)
  return { target: id, touched: [id], answer: () => ({ status: 204 }) }
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
