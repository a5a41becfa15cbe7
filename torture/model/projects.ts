import { flag, PROJECT, position, shapeProblems, tidy } from './bodies.ts'
import { get, type Handler, once, page, reading, refuseFor, requireVersion } from './requests.ts'
import { atTheEnd, born, type Project, projectToWire } from './things.ts'

/** What a request does to a project, as the contract has it. */

export const createProject: Handler = (asked, { problems }) => {
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

export const updateProject: Handler = (asked, { id, problems }) => {
  refuseFor([...problems, ...shapeProblems(asked.body, { ...PROJECT, archived: flag, position })])
  const project = get(asked.model.projects, id)
  requireVersion(asked, project, () => projectToWire(project))
  Object.assign(project, tidy(asked.body))
  return { target: id, answer: () => ({ status: 200, body: projectToWire(project) }) }
}

export const getProject: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const project = get(asked.model.projects, id)
  return { answer: reading(asked, () => projectToWire(project)) }
}

export const deleteProject: Handler = (asked, { id, problems }) => {
  refuseFor(problems)
  const project = get(asked.model.projects, id)
  requireVersion(asked, project, () => projectToWire(project))
  asked.model.projects.delete(id)
  for (const task of asked.model.tasks.values()) if (task.projectId === id) task.projectId = null
  return { target: id, answer: () => ({ status: 204 }) }
}

export const listProjects: Handler = ({ model }, { parameters }) => {
  const isShown = ({ archived }: Project) => parameters.get('include_archived') === 'true' || !archived
  return page([...model.projects.values()].filter(isShown), parameters, projectToWire)
}
