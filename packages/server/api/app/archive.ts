import { Type } from 'typebox'
import { listTasks } from '../../actions/tasks.ts'
import { TASK_ORDERS } from '../../store/tasks.ts'
import type { Api } from '../api.ts'
import { actorOf } from '../caller.ts'
import { operation } from '../operation.ts'
import { cursorParameter, DEFAULT_LIMIT, jsonPageOf, limitParameter, readCursor } from '../pages.ts'
import { sendJson } from '../reply.ts'
import { TaskList } from '../tasks.ts'

const ArchiveQuery = Type.Object({ limit: limitParameter, cursor: cursorParameter }, { additionalProperties: false })

export function archiveRoutes(app: Api): void {
  app.get(
    '/archive',
    operation({
      id: 'listArchive',
      summary: 'Archived tasks, newest first',
      tag: 'App',
      scope: 'tasks:read',
      querystring: ArchiveQuery,
      replies: { 200: { description: 'One page of archived tasks.', shape: TaskList } },
    }),
    async (request, reply) => {
      const { limit = DEFAULT_LIMIT, cursor } = request.query
      const by = actorOf(request)
      const list = [by.accountId, 'archive', {}] as const
      const order = TASK_ORDERS.created_at
      const page = { columns: order.columns, descending: true, after: readCursor(cursor, list, order), limit }
      return sendJson(reply, jsonPageOf(await listTasks(by, { includeArchived: true, isArchived: true }, page), limit, list))
    },
  )
}
