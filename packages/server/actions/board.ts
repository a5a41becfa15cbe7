import { MAX_BOARD_TASKS } from '@fivetab/domain/board.ts'
import type { Tabs } from '@fivetab/domain/disposition.ts'
import { reachOf } from '../store/events.ts'
import { tabsOf } from '../store/tabs.ts'
import { countDone, type ListedTask, openTasks } from '../store/tasks.ts'
import { type Actor, requireScope } from './actor.ts'
import { pagesBy } from './everything.ts'

/** What the app's five tabs are made of. */

export interface BoardHead {
  /** How far the log had come before anything else was read. */
  latestSequence: number
  tabs: Tabs
  doneTotal: number
}

/** To be read before all else of the board: what happens from here on is told by the events after `latestSequence`. */
export async function boardHead({ store, accountId, scopes }: Actor): Promise<BoardHead> {
  requireScope({ scopes }, 'tasks:read')
  // Of one state: whoever counts on by the events counts each task once.
  return store.snapshot(async (reader) => {
    const { latest } = await reachOf(reader, accountId)
    return { latestSequence: latest, tabs: await tabsOf(reader, accountId), doneTotal: await countDone(reader, accountId) }
  })
}

/** The open tasks in their wire form, oldest first, page by page; at most `MAX_BOARD_TASKS` and one, which tells that there are more. */
export async function* boardTasks({ store, accountId }: Actor): AsyncGenerator<string[]> {
  let left = MAX_BOARD_TASKS + 1
  const pages = pagesBy<ListedTask>(
    ({ key }) => key,
    (after, limit) => openTasks(store, accountId, String(after?.[0] ?? ''), limit),
  )
  for await (const page of pages) {
    yield page.slice(0, left).map(({ json }) => json)
    left -= page.length
    if (left <= 0) return
  }
}
