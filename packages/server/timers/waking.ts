import { timerIn } from '../actions/actor.ts'
import { wakeTasks } from '../actions/tasks.ts'
import { type DueTask, dueTasks } from '../store/tasks.ts'
import type { Store } from '../store/turn.ts'

/** Tasks whose time has come return to Today. */

const TASKS_AT_ONCE = 2_000
const TURNS_AT_ONCE = 32
const TASKS_A_TURN = 50

/** How often to look: well within the second that the contract allows, at the cost of one look into a short index. */
export const WAKING_PAUSE_MS = 250

/**
 * Wakes every task that is due at `clock()` (ms since the epoch) and returns how many woke here.
 *
 * What was due while no service ran is due still. Each is looked at again in its account's turn, so that one moved away meanwhile stays
 * where it is, and none wakes twice. Of several instances each passes over the accounts that another is busy with, and comes back to them at the
 * end, when most often nothing is left to do. `observe` is told how late each one is, in seconds.
 */
export async function wakeDueTasks(store: Store, clock: () => number, observe: (lagSeconds: number) => void): Promise<number> {
  let total = 0
  for (;;) {
    const due = await dueTasks(store, clock(), TASKS_AT_ONCE)
    const first = await wakeAll(store, turnsFor(due), 'unless held')
    const second = await wakeAll(store, first.held)
    const awake = [...first.awake, ...second.awake]
    for (const task of awake) observe((clock() - task.on_hold_until) / 1000)
    total += awake.length
    if (due.length < TASKS_AT_ONCE || awake.length === 0) return total
  }
}

/** Tasks of one account that are woken together. */
type TurnsTasks = readonly DueTask[]

function turnsFor(due: readonly DueTask[]): TurnsTasks[] {
  return [...Map.groupBy(due, (task) => task.account_id).values()].flatMap((tasks) => inParts(tasks, TASKS_A_TURN))
}

async function wakeAll(
  store: Store,
  turns: readonly TurnsTasks[],
  unlessHeld?: 'unless held',
): Promise<{ awake: DueTask[]; held: TurnsTasks[] }> {
  const awake: DueTask[] = []
  const held: TurnsTasks[] = []
  const wake = async (tasks: TurnsTasks) => {
    const [{ account_id }] = tasks as [DueTask]
    const ids = tasks.map(({ id }) => id)
    const woken = await wakeTasks(timerIn(store, account_id), ids, unlessHeld)
    if (woken === undefined) held.push(tasks)
    else awake.push(...tasks.filter(({ id }) => woken.has(id)))
  }
  for (const part of inParts(turns, TURNS_AT_ONCE)) await Promise.all(part.map(wake))
  return { awake, held }
}

function inParts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
}
