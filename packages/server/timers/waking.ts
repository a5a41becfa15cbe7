import { timerIn } from '../actions/actor.ts'
import { wakeTask } from '../actions/tasks.ts'
import { dueTasks } from '../store/tasks.ts'
import type { Store } from '../store/turn.ts'

/** Tasks whose time has come return to Today. */

const TASKS_AT_ONCE = 2_000

/** How often to look: well within the second that the contract allows, at the cost of one look into a short index. */
export const WAKING_PAUSE_MS = 250

/**
 * Wakes every task that is due at `clock()` (ms since the epoch) and returns how many woke.
 *
 * What was due while no service ran is due still. Each is looked at again in its account's turn, so that one moved away meanwhile stays
 * where it is, and none wakes twice. `observe` is told how late each one is, in seconds.
 */
export async function wakeDueTasks(store: Store, clock: () => number, observe: (lagSeconds: number) => void): Promise<number> {
  let total = 0
  for (;;) {
    const due = await dueTasks(store, clock(), TASKS_AT_ONCE)
    const woken = await Promise.all(due.map((task) => wakeTask(timerIn(store, task.account_id), task.id)))
    for (const [index, task] of due.entries()) if (woken[index]) observe((clock() - task.on_hold_until) / 1000)
    const count = woken.filter(Boolean).length
    total += count
    if (due.length < TASKS_AT_ONCE || count === 0) return total
  }
}
