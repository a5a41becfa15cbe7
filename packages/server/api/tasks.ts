import { DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { date, dateTime, id, oneOf, ref, text } from '@fivetab/domain/shape.ts'
import { changeProblems, contradictions, wakingProblems } from '@fivetab/domain/task.ts'
import {
  type CreateTask,
  CreateTaskShape,
  type Later,
  LaterShape,
  TaskShape,
  taskFromWire,
  type UpdateTask,
  UpdateTaskShape,
} from '@fivetab/domain/task-shape.ts'
import { folded } from '@fivetab/domain/text.ts'
import { parseDateTime } from '@fivetab/domain/time.ts'
import { type Static, Type } from 'typebox'
import {
  archiveTask,
  completeTask,
  createTask,
  deleteTaskById,
  getTask,
  holdTask,
  listTasks,
  unarchiveTask,
  updateTaskById,
} from '../actions/tasks.ts'
import { TASK_ORDERS, type TaskFilter, type TaskSort } from '../store/tasks.ts'
import type { Api } from './api.ts'
import { actorOf } from './caller.ts'
import { NOTHING, operation, taskPath } from './operation.ts'
import { cursorParameter, DEFAULT_LIMIT, includeArchivedParameter, jsonPageOf, limitParameter, listOf, readCursor } from './pages.ts'
import { sendGone, sendJson, sendMadeTask, sendReadTask, sendTask } from './reply.ts'
import { conditionsOf } from './request.ts'

const tag = 'Tasks'

export const TaskList = listOf(TaskShape)

const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at', 'due_date'] as const

const TaskQuery = Type.Object(
  {
    limit: limitParameter,
    cursor: cursorParameter,
    disposition: Type.Optional(oneOf(DISPOSITIONS, 'Only tasks in this Disposition.')),
    project_id: Type.Optional(id('Only tasks in this project.')),
    workflow_id: Type.Optional(id('Only tasks on this Workflow.')),
    status_id: Type.Optional(id('Only tasks on this Status.')),
    updated_since: Type.Optional(dateTime('Only tasks that changed at or after this time.')),
    due_after: Type.Optional(date('Only tasks due on this day or later.')),
    due_before: Type.Optional(date('Only tasks due on this day or earlier.')),
    q: Type.Optional(
      Type.Unsafe<string>({
        ...text('line', 1, 200, 'Words that must all occur in the title or the notes, in any order and in any case; 1 to 200 characters.'),
        examples: ['announcement'],
      }),
    ),
    sort: Type.Optional(
      oneOf(SORTS, 'The order; `created_at`, oldest first, if not sent. `-` is newest first. By `due_date`, those without come last.'),
    ),
    include_archived: includeArchivedParameter,
  },
  { additionalProperties: false },
)

const Body = {
  create: ref(CreateTaskShape),
  update: ref(UpdateTaskShape),
  later: ref(LaterShape),
  none: NOTHING,
}

const oneTask = { description: 'The task as it is now.', shape: TaskShape }

/** What all actions on a task have in common. */
const action = {
  tag,
  scope: 'tasks:write',
  params: taskPath,
  bodyOptional: true,
  headers: ['If-Match'],
  replies: { 200: oneTask },
  problems: ['not_found', 'precondition_failed'],
  current: TaskShape,
} as const

export function taskRoutes(api: Api): void {
  api.get(
    '/tasks',
    operation({
      id: 'listTasks',
      summary: 'List tasks',
      description:
        'Oldest first unless `sort` says otherwise. Archived tasks are left out unless `include_archived=true`. Unknown parameters are refused.',
      tag,
      scope: 'tasks:read',
      querystring: TaskQuery,
      replies: { 200: { description: 'One page of tasks.', shape: TaskList } },
    }),
    async (request, reply) => {
      const { limit = DEFAULT_LIMIT, cursor, sort = 'created_at', include_archived = 'false', ...others } = request.query
      const filters = { ...others, include_archived }
      const by = actorOf(request)
      const list = [by.accountId, 'tasks', { ...filters, sort }] as const
      const order = TASK_ORDERS[sort.replace('-', '') as TaskSort]
      const page = { columns: order.columns, descending: sort.startsWith('-'), after: readCursor(cursor, list, order), limit }
      return sendJson(reply, jsonPageOf(await listTasks(by, toFilter(filters), page), limit, list))
    },
  )

  api.post(
    '/tasks',
    operation({
      id: 'createTask',
      summary: 'Create a task',
      description: 'It counts against the plan’s limit of active tasks unless it is created as `done`.',
      tag,
      scope: 'tasks:write',
      body: Body.create,
      // A time to wake that has passed is not looked at here: a retry of what was in time has to find what that made.
      check: (body: CreateTask) => contradictions(taskFromWire(body), true),
      headers: ['Idempotency-Key'],
      replies: {
        201: { description: 'The new task.', shape: TaskShape },
        200: { description: 'The task that an earlier request with this key created.', shape: TaskShape },
      },
      problems: ['task_limit_reached', 'not_found'],
    }),
    async (request, reply) => {
      const input = { ...taskFromWire(request.body), title: request.body.title }
      return sendMadeTask(reply, await createTask(actorOf(request), input, conditionsOf(request).onceKey))
    },
  )

  api.get(
    '/tasks/:id',
    operation({
      id: 'getTask',
      summary: 'Read a task',
      description: 'One task, whether archived or not.',
      tag,
      scope: 'tasks:read',
      params: taskPath,
      headers: ['If-None-Match'],
      replies: { 200: oneTask, 304: { description: 'The client has the current version.', shape: null } },
      problems: ['not_found'],
    }),
    async (request, reply) => sendReadTask(reply, await getTask(actorOf(request), request.params.id)),
  )

  api.patch(
    '/tasks/:id',
    operation({
      id: 'updateTask',
      summary: 'Change a task',
      description:
        'Only the fields that are sent change; null clears one. A request that changes nothing keeps `version` and `updated_at`.',
      tag,
      scope: 'tasks:write',
      params: taskPath,
      body: Body.update,
      check: (body: UpdateTask, now) => changeProblems(taskFromWire(body), now),
      headers: ['If-Match'],
      replies: { 200: oneTask },
      problems: ['not_found', 'precondition_failed'],
      current: TaskShape,
    }),
    async (request, reply) =>
      sendTask(reply, await updateTaskById(actorOf(request), request.params.id, taskFromWire(request.body), conditionsOf(request).match)),
  )

  api.delete(
    '/tasks/:id',
    operation({
      id: 'deleteTask',
      summary: 'Delete a task',
      description: 'For good, with its checklist.',
      tag,
      scope: 'tasks:write',
      params: taskPath,
      headers: ['If-Match'],
      replies: { 204: { description: 'It is gone.', shape: null } },
      problems: ['not_found', 'precondition_failed'],
      current: TaskShape,
    }),
    async (request, reply) => {
      await deleteTaskById(actorOf(request), request.params.id, conditionsOf(request).match)
      return sendGone(reply)
    },
  )

  api.post(
    '/tasks/:id/complete',
    operation({
      ...action,
      body: Body.none,
      id: 'completeTask',
      summary: 'Complete a task',
      description:
        'Stamps `completed_at` and clears the Status, as a PATCH of the Disposition to `done` does. Completing a done task changes nothing.',
    }),
    async (request, reply) => sendTask(reply, await completeTask(actorOf(request), request.params.id, conditionsOf(request).match)),
  )

  api.post(
    '/tasks/:id/later',
    operation({
      ...action,
      id: 'holdTask',
      summary: 'Put a task off (Later)',
      description:
        'With `until`, it returns to Today at that time, on the Today Status it left. Without, it stays until somebody moves it.',
      body: Body.later,
      check: (body: Later, now) => wakingProblems('until', untilOf(body), now),
    }),
    async (request, reply) => {
      const until = untilOf(request.body)
      return sendTask(reply, await holdTask(actorOf(request), request.params.id, until, conditionsOf(request).match))
    },
  )

  api.post(
    '/tasks/:id/archive',
    operation({
      ...action,
      body: Body.none,
      id: 'archiveTask',
      summary: 'Archive a task',
      description: 'It stays in its Disposition and is listed only with `include_archived=true`.',
    }),
    async (request, reply) => sendTask(reply, await archiveTask(actorOf(request), request.params.id, conditionsOf(request).match)),
  )

  api.post(
    '/tasks/:id/unarchive',
    operation({ ...action, body: Body.none, id: 'unarchiveTask', summary: 'Unarchive a task', description: 'Back on its tab.' }),
    async (request, reply) => sendTask(reply, await unarchiveTask(actorOf(request), request.params.id, conditionsOf(request).match)),
  )
}

function untilOf({ until }: Later): number | null {
  return until === undefined || until === null ? null : parseDateTime(until)
}

function toFilter(query: Omit<Static<typeof TaskQuery>, 'limit' | 'cursor' | 'sort'>): TaskFilter {
  const filter: TaskFilter = { includeArchived: query.include_archived === 'true' }
  if (query.disposition !== undefined) filter.disposition = query.disposition
  if (query.project_id !== undefined) filter.projectId = query.project_id
  if (query.workflow_id !== undefined) filter.workflowId = query.workflow_id
  if (query.status_id !== undefined) filter.statusId = query.status_id
  if (query.due_after !== undefined) filter.dueAfter = query.due_after
  if (query.due_before !== undefined) filter.dueBefore = query.due_before
  if (query.updated_since !== undefined) filter.updatedSince = parseDateTime(query.updated_since) as number
  if (query.q !== undefined) filter.words = folded(query.q).split(/\s+/)
  return filter
}
