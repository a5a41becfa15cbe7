import { timerIn } from '../actions/actor.ts'
import { wakeTasks } from '../actions/tasks.ts'
import { type DueTask, dueTasks } from '../store/tasks.ts'
import type { Store } from '../store/turn.ts'

/** Tasks whose time has come return to Today. */

const TASKS_AT_ONCE = 2_000
const ACCOUNTS_AT_ONCE = 32
const TASKS_A_TURN = 50

/** How often to look: well within the second that the contract allows, at the cost of one look into a short index. */
export const WAKING_PAUSE_MS = 250

/** What is told of the waking. */
interface Watch {
  /** A task woke so late, in seconds. */
  woke(lagSeconds: number): void
  /** The tasks of an account could not be woken; they are tried again. */
  failed(error: unknown): void
}

export interface Waking {
  /**
   * Wakes every task that is due now and answers with how many woke, without waiting for accounts that another process holds.
   *
   * What was due while no service ran is due still. Each is looked at again in its account's turn, so that one moved away meanwhile stays
   * where it is, and none wakes twice. Of several instances each passes over the accounts that another is busy with.
   */
  wake(): Promise<number>
}

/** `clock` gives ms since the epoch. */
export function openWaking(store: Store, clock: () => number, watch: Watch): Waking {
  /** The accounts that were held when it was their turn: each is waited for by itself, so that it keeps nobody else's tasks asleep. */
  const waitedFor = new Set<string>()

  async function wake(): Promise<number> {
    let total = 0
    for (let after: DueTask | null = null; ; ) {
      const due: DueTask[] = await dueTasks(store, clock(), after, TASKS_AT_ONCE)
      const accounts = [...Map.groupBy(due, (task) => task.account_id).values()]
      for (const some of inParts(accounts, ACCOUNTS_AT_ONCE)) {
        const counts = await Promise.all(some.map(wakeUnlessHeld))
        total += counts.reduce((sum, count) => sum + count, 0)
      }
      if (due.length < TASKS_AT_ONCE) return total
      after = due.at(-1) as DueTask
    }
  }

  /** Wakes tasks of one account, as far as nobody holds it. */
  async function wakeUnlessHeld(tasks: readonly DueTask[]): Promise<number> {
    const [{ account_id }] = tasks as [DueTask]
    if (waitedFor.has(account_id)) return 0
    let total = 0
    for (const part of inParts(tasks, TASKS_A_TURN)) {
      const woken = await wakePart(account_id, part, 'unless held')
      if (woken === undefined) {
        waitFor(account_id, part)
        return total
      }
      total += woken
    }
    return total
  }

  /** Wakes them as soon as the account is free; the next look finds whatever else is due there. */
  function waitFor(accountId: string, tasks: readonly DueTask[]): void {
    waitedFor.add(accountId)
    wakePart(accountId, tasks)
      .catch(watch.failed)
      .finally(() => waitedFor.delete(accountId))
  }

  async function wakePart(accountId: string, tasks: readonly DueTask[], unlessHeld?: 'unless held'): Promise<number | undefined> {
    const ids = tasks.map(({ id }) => id)
    const woken = await wakeTasks(timerIn(store, accountId), ids, unlessHeld)
    for (const task of tasks) if (woken?.has(task.id)) watch.woke((clock() - task.on_hold_until) / 1000)
    return woken?.size
  }

  return { wake }
}

function inParts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
}
