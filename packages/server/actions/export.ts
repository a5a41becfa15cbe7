import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { EVENT_TYPES } from '@fivetab/domain/event.ts'
import { todayStatuses } from '@fivetab/domain/status.ts'
import { type Step, statusSteps } from '@fivetab/domain/step.ts'
import type { Task } from '@fivetab/domain/task.ts'
import type { Webhook } from '@fivetab/domain/webhook.ts'
import { type LoggedEvent, reachOf, readLog } from '../store/events.ts'
import { statusesOfEach } from '../store/statuses.ts'
import { checklistsOf, progressOfEach } from '../store/steps.ts'
import { tasksAfter } from '../store/tasks.ts'
import { webhookPage } from '../store/webhooks.ts'
import type { Actor } from './actor.ts'
import { pagesBy } from './everything.ts'

/** What is in an account beside its projects and Workflows, all of it, for the person whose it is. */

const EVENTS_A_PAGE = 100

export interface TaskWithSteps {
  task: Task
  steps: Step[]
}

/** All tasks with their steps, oldest first, archived ones too. */
export async function* allTasks({ store, accountId }: Actor): AsyncGenerator<TaskWithSteps[]> {
  const pages = pagesBy<Task>(
    ({ id }) => [id],
    (after, limit) => tasksAfter(store, accountId, String(after?.[0] ?? ''), limit),
  )
  for await (const tasks of pages) {
    const ids = tasks.map(({ id }) => id)
    const workflowIds = new Set(tasks.flatMap(({ workflowId }) => workflowId ?? []))
    const statuses = Map.groupBy(await statusesOfEach(store, accountId, [...workflowIds]), ({ workflowId }) => workflowId)
    const [checklists, progress] = await Promise.all([checklistsOf(store, accountId, ids), progressOfEach(store, accountId, ids)])
    yield tasks.map((task) => ({
      task,
      steps:
        task.workflowId === null
          ? (checklists.get(task.id) ?? [])
          : statusSteps(task.id, todayStatuses(statuses.get(task.workflowId) ?? []), progress.get(task.id) ?? []),
    }))
  }
}

/** All webhooks, oldest first. */
export function allWebhooks({ store, accountId }: Actor): AsyncGenerator<Webhook[]> {
  return pagesBy(
    ({ id }) => [id],
    (after, limit) => webhookPage(store, accountId, { columns: ['id'], descending: false, after, limit: limit - 1 }),
  )
}

/** All of the log that is kept, in order. */
export async function* allEvents({ store, accountId }: Actor): AsyncGenerator<LoggedEvent[]> {
  for (let after = (await reachOf(store, accountId)).earliest - 1; ; ) {
    const page = await readLog(store, accountId, { after, types: EVENT_TYPES, limit: EVENTS_A_PAGE })
    if (page.events.length > 0) yield page.events
    if (!page.hasMore) return
    after = page.through
    await nextTurnOfTheLoop()
  }
}
