import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { DAY_MS } from '@fivetab/domain/time.ts'
import { deleteDeliveriesBefore } from '../store/deliveries.ts'
import { accountsWithEventsBefore, deleteEventsBefore } from '../store/events.ts'
import { deleteKeysBefore } from '../store/idempotency.ts'
import type { Store } from '../store/turn.ts'

/**
 * What is kept for a time only is forgotten after it, a little at once, so that nobody waits for it. Of several instances each passes over the rows
 * that another is about to delete.
 */

const ROWS_AT_ONCE = 500
const ACCOUNTS_AT_ONCE = 500
const HOUR_MS = 3_600_000

/** The contract says at least 24 hours. */
const KEY_RETENTION_MS = DAY_MS

export const PRUNING_PAUSE_MS = HOUR_MS

/** How many of each were forgotten. */
export interface Pruned {
  keys: number
  deliveries: number
  events: number
}

/** Forgets idempotency keys, events and their deliveries that are past their time at `now` (ms since the epoch). */
export async function prune(store: Store, now: number, eventRetentionDays: number): Promise<Pruned> {
  const holding = store.dialect.holding('o', 'unless held')
  const keys = await repeatedly(() => store.transact((writer) => deleteKeysBefore(writer, now - KEY_RETENTION_MS, ROWS_AT_ONCE, holding)))
  const before = now - eventRetentionDays * DAY_MS
  const deliveries = await repeatedly(() => store.transact((writer) => deleteDeliveriesBefore(writer, before, ROWS_AT_ONCE, holding)))
  return { keys, deliveries, events: await pruneEvents(store, before) }
}

async function pruneEvents(store: Store, before: number): Promise<number> {
  let total = 0
  let last = ''
  for (;;) {
    const accountIds = await accountsWithEventsBefore(store, before, last, ACCOUNTS_AT_ONCE)
    for (const accountId of accountIds) {
      total += await repeatedly(() =>
        store.transact((writer) => deleteEventsBefore(writer, accountId, before, ROWS_AT_ONCE, store.dialect.holding('o', 'unless held'))),
      )
    }
    if (accountIds.length < ACCOUNTS_AT_ONCE) return total
    last = accountIds.at(-1) as string
  }
}

/** Carries out `deletion` until it finds less than it may delete at once. */
async function repeatedly(deletion: () => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const count = await deletion()
    total += count
    if (count < ROWS_AT_ONCE) return total
    await nextTurnOfTheLoop()
  }
}
