import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import type { Project } from '@fivetab/domain/project.ts'
import type { Workflow } from '@fivetab/domain/workflow.ts'
import { projectPage } from '../store/projects.ts'
import { statusesOfEach } from '../store/statuses.ts'
import type { Value } from '../store/store.ts'
import { workflowPage } from '../store/workflows.ts'
import type { Actor } from './actor.ts'
import type { WorkflowWithStatuses } from './workflows.ts'

/**
 * Everything of a kind, page by page: each is read when the one before was taken, so that no more than one is in memory, however slowly they are taken.
 * What changes meanwhile is in what follows or is not.
 */

const ROWS_A_PAGE = 100

/** Reads pages one after another: each begins after the key of the last row of the one before. */
export async function* pagesBy<T>(
  keyOf: (row: T) => Value[],
  read: (after: Value[] | null, limit: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  for (let after: Value[] | null = null; ; ) {
    const page: T[] = await read(after, ROWS_A_PAGE)
    const last = page.at(-1)
    if (last !== undefined) yield page
    if (last === undefined || page.length < ROWS_A_PAGE) return
    after = keyOf(last)
    // The embedded database answers within this turn: others come in between.
    await nextTurnOfTheLoop()
  }
}

const BY_POSITION = { columns: ['position', 'id'], descending: false }

const placeOf = ({ position, id }: Project | Workflow) => [position, id]

/** All projects by position, archived ones too. */
export function allProjects({ store, accountId }: Actor): AsyncGenerator<Project[]> {
  // A page is asked for with one row less than it may hold: it comes with one more, which tells of others.
  return pagesBy(placeOf, (after, limit) => projectPage(store, accountId, true, { ...BY_POSITION, after, limit: limit - 1 }))
}

/** All Workflows by position, with their Statuses. */
export async function* allWorkflows({ store, accountId }: Actor): AsyncGenerator<WorkflowWithStatuses[]> {
  const pages = pagesBy<Workflow>(placeOf, (after, limit) => workflowPage(store, accountId, { ...BY_POSITION, after, limit: limit - 1 }))
  for await (const workflows of pages) {
    const statuses = await statusesOfEach(
      store,
      accountId,
      workflows.map(({ id }) => id),
    )
    const byWorkflow = Map.groupBy(statuses, ({ workflowId }) => workflowId)
    yield workflows.map((workflow) => ({ workflow, statuses: byWorkflow.get(workflow.id) ?? [] }))
  }
}
