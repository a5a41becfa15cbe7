import { positionAfter } from '@fivetab/domain/position.ts'
import { type CreateProject, newProject, type Project, patchProject, projectToWire, type UpdateProject } from '@fivetab/domain/project.ts'
import { leaveProject } from '@fivetab/domain/task.ts'
import { type Precondition, requireVersion } from '@fivetab/domain/version.ts'
import type { PageRequest } from '../store/pages.ts'
import { lastProjectPosition, projectById, projectPage } from '../store/projects.ts'
import { type Actor, requireScope, write } from './actor.ts'
import { changeTasks } from './cascade.ts'
import { found } from './found.ts'
import { type Made, type OnceKey, once } from './once.ts'
import { addProject, removeProject, saveProject } from './record.ts'

/** Up to `limit` + 1 projects of a page. */
export async function listProjects(by: Actor, includeArchived: boolean, page: PageRequest): Promise<Project[]> {
  requireScope(by, 'projects:read')
  return projectPage(by.store, by.accountId, includeArchived, page)
}

/** @throws Failure `not_found` */
export async function getProject(by: Actor, id: string): Promise<Project> {
  requireScope(by, 'projects:read')
  return found('project', await projectById(by.store, by.accountId, id))
}

/** Adds a project at the end of the list. @throws Failure `key_reused`, `not_found` (a replay of a project since deleted) */
export function createProject(by: Actor, input: CreateProject, key: OnceKey | null): Promise<Made<Project>> {
  requireScope(by, 'projects:write')
  return write(by, (tx) =>
    once(
      tx,
      key,
      async (id) => found('project', await projectById(tx, by.accountId, id)),
      async () => {
        const position = positionAfter(await lastProjectPosition(tx, by.accountId))
        const project = newProject({ id: tx.newId(), position, now: tx.now }, input)
        return { id: project.id, resource: await addProject(tx, by, project) }
      },
    ),
  )
}

/** @throws Failure `not_found`, `precondition_failed` */
export function updateProjectById(by: Actor, id: string, input: UpdateProject, expected: Precondition): Promise<Project> {
  requireScope(by, 'projects:write')
  return write(by, async (tx) => {
    const before = found('project', await projectById(tx, by.accountId, id))
    requireVersion(before, expected, projectToWire)
    return saveProject(tx, by, before, patchProject(before, input))
  })
}

/** Deletes a project; its tasks stay and lose it. @throws Failure `not_found`, `precondition_failed` */
export function deleteProjectById(by: Actor, id: string, expected: Precondition): Promise<void> {
  requireScope(by, 'projects:write')
  return write(by, async (tx) => {
    const project = found('project', await projectById(tx, by.accountId, id))
    requireVersion(project, expected, projectToWire)
    await changeTasks(tx, by, 'project_id', id, leaveProject)
    await removeProject(tx, by, project)
  })
}
