import { CreateProjectShape, ProjectShape, projectToWire, UpdateProjectShape } from '@fivetab/domain/project.ts'
import { ref } from '@fivetab/domain/shape.ts'
import { Type } from 'typebox'
import { createProject, deleteProjectById, getProject, listProjects, updateProjectById } from '../actions/projects.ts'
import type { Api } from './api.ts'
import { actorOf } from './caller.ts'
import { operation, projectPath } from './operation.ts'
import {
  cursorParameter,
  DEFAULT_LIMIT,
  includeArchivedParameter,
  limitParameter,
  listOf,
  POSITION_ORDERS,
  pageOf,
  readCursor,
  sortParameter,
} from './pages.ts'
import { sendGone, sendMadeProject, sendProject, sendReadProject } from './reply.ts'
import { conditionsOf } from './request.ts'

const tag = 'Projects'

export const ProjectList = listOf(ProjectShape)

const ProjectQuery = Type.Object(
  {
    limit: limitParameter,
    cursor: cursorParameter,
    sort: sortParameter,
    include_archived: includeArchivedParameter,
  },
  { additionalProperties: false },
)

const oneProject = { description: 'The project as it is now.', shape: ProjectShape }

export function projectRoutes(api: Api): void {
  api.get(
    '/projects',
    operation({
      id: 'listProjects',
      summary: 'List projects',
      description: 'Oldest first, or by position. Archived projects are left out unless `include_archived=true`.',
      tag,
      scope: 'projects:read',
      querystring: ProjectQuery,
      replies: { 200: { description: 'One page of projects.', shape: ProjectList } },
    }),
    async (request) => {
      const { limit = DEFAULT_LIMIT, cursor, sort = 'created_at', include_archived = 'false' } = request.query
      const by = actorOf(request)
      const list = [by.accountId, 'projects', { sort, include_archived }] as const
      const order = POSITION_ORDERS[sort]
      const page = { columns: order.columns, descending: false, after: readCursor(cursor, list, order), limit }
      return pageOf(await listProjects(by, include_archived === 'true', page), limit, list, projectToWire, order)
    },
  )

  api.post(
    '/projects',
    operation({
      id: 'createProject',
      summary: 'Create a project',
      description: 'At the end of the list.',
      tag,
      scope: 'projects:write',
      body: ref(CreateProjectShape),
      headers: ['Idempotency-Key'],
      replies: {
        201: { description: 'The new project.', shape: ProjectShape },
        200: { description: 'The project that an earlier request with this key created.', shape: ProjectShape },
      },
      problems: ['not_found'],
    }),
    async (request, reply) => sendMadeProject(reply, await createProject(actorOf(request), request.body, conditionsOf(request).onceKey)),
  )

  api.get(
    '/projects/:id',
    operation({
      id: 'getProject',
      summary: 'Read a project',
      description: 'One project, whether archived or not.',
      tag,
      scope: 'projects:read',
      params: projectPath,
      headers: ['If-None-Match'],
      replies: { 200: oneProject, 304: { description: 'The client has the current version.', shape: null } },
      problems: ['not_found'],
    }),
    async (request, reply) => sendReadProject(reply, await getProject(actorOf(request), request.params.id)),
  )

  api.patch(
    '/projects/:id',
    operation({
      id: 'updateProject',
      summary: 'Change a project',
      description: 'Only the fields that are sent change. `archived: true` hides the project; its tasks are as they were.',
      tag,
      scope: 'projects:write',
      params: projectPath,
      body: ref(UpdateProjectShape),
      headers: ['If-Match'],
      replies: { 200: oneProject },
      problems: ['not_found', 'precondition_failed'],
      current: ProjectShape,
    }),
    async (request, reply) =>
      sendProject(reply, await updateProjectById(actorOf(request), request.params.id, request.body, conditionsOf(request).match)),
  )

  api.delete(
    '/projects/:id',
    operation({
      id: 'deleteProject',
      summary: 'Delete a project',
      description: 'Its tasks stay and lose it.',
      tag,
      scope: 'projects:write',
      params: projectPath,
      headers: ['If-Match'],
      replies: { 204: { description: 'It is gone.', shape: null } },
      problems: ['not_found', 'precondition_failed'],
      current: ProjectShape,
    }),
    async (request, reply) => {
      await deleteProjectById(actorOf(request), request.params.id, conditionsOf(request).match)
      return sendGone(reply)
    },
  )
}
