import assert from 'node:assert/strict'
import { newStatus, type Status } from '@fivetab/domain/status.ts'
import { newTask, type Task } from '@fivetab/domain/task.ts'

/** Things for the rules to be tried on, all of them made at `EARLIER`, and three instants a day apart. */

export const EARLIER = Date.parse('2026-11-20T12:00:00Z')
export const NOW = Date.parse('2026-11-21T12:00:00Z')
export const LATER = Date.parse('2026-11-22T12:00:00Z')

export function aTask(fields: Partial<Task> = {}): Task {
  return { ...newTask({ id: 'task', now: EARLIER }, { title: 'Write it' }, {}, 0, EARLIER), ...fields }
}

export function aStatus(id: string, disposition: Status['disposition'], position = 1, workflowId = 'article'): Status {
  return newStatus({ id, workflowId, position, now: EARLIER }, { name: id, disposition })
}

/** Its Statuses are listed out of order, so that "first" can only mean the lowest position, then the lowest id. */
export const ARTICLE = {
  id: 'article',
  statuses: [
    aStatus('review', 'in_progress', 2),
    aStatus('feedback', 'waiting'),
    aStatus('draft', 'in_progress'),
    aStatus('published', 'done'),
    aStatus('announced', 'done'),
    aStatus('shelved', 'on_hold'),
  ],
}

/** A Workflow without Statuses. */
export const EMPTY = { id: 'empty', statuses: [] }

export function statusOfArticle(id: string): Status {
  const status = ARTICLE.statuses.find((one) => one.id === id)
  assert.ok(status)
  return status
}
