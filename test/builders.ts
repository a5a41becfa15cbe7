import assert from 'node:assert/strict'
import type { Client, Reply } from './client.ts'

/** Builders of valid things: a test names only what it is about. Each makes its thing through the API. */

// biome-ignore lint/suspicious/noExplicitAny: a test looks into a resource by the names the contract gives
export type Resource = any

export type Given = (api: Client) => Promise<Resource>

/** An id of the right form that nothing has. */
export const UNKNOWN_ID = '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20'

async function made(reply: Promise<Reply>): Promise<Resource> {
  const { status, body } = await reply
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** The Statuses that `aWorkflow` has if nothing else is said: three in Today, and one in each Disposition after it. */
export const STATUSES = [
  { name: 'Draft', disposition: 'in_progress' },
  { name: 'Review', disposition: 'in_progress' },
  { name: 'Publish', disposition: 'in_progress' },
  { name: 'Feedback', disposition: 'waiting' },
  { name: 'Shelved', disposition: 'on_hold' },
  { name: 'Published', disposition: 'done' },
]

export function aWorkflow(fields: Record<string, unknown> = {}): Given {
  return (api) => made(api.post('/workflows', { name: 'Article', statuses: STATUSES, ...fields }))
}

/** The Status of this name in a Workflow that lists its Statuses. */
export function statusOf(workflow: Resource, name: string): Resource {
  const status = workflow.statuses.find((one: Resource) => one.name === name)
  assert.ok(status, `no Status ${name}`)
  return status
}

/** The path of the Status of this name in a Workflow that lists its Statuses. */
export function statusPath(workflow: Resource, name: string): string {
  return `/workflows/${workflow.id}/statuses/${statusOf(workflow, name).id}`
}

export function aProject(fields: Record<string, unknown> = {}): Given {
  return (api) => made(api.post('/projects', { name: 'House move', ...fields }))
}

/** A task. `onStatus` makes it a Workflow of its own and starts it on the Status of that name. */
export function aTask({ onStatus, ...fields }: { onStatus?: string; [field: string]: unknown } = {}): Given {
  return async (api) => {
    const place = onStatus === undefined ? {} : { status_id: statusOf(await aWorkflow()(api), onStatus).id }
    return made(api.post('/tasks', { title: 'Write it', ...place, ...fields }))
  }
}

/** A step of the task's own checklist. */
export function aStep(task: Resource, fields: Record<string, unknown> = {}): Given {
  return (api) => made(api.post(`/tasks/${task.id}/steps`, { name: 'Buy boxes', ...fields }))
}
