import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { DAY_MS } from '@fivetab/domain/time.ts'
import { deleteDeliveriesBefore } from '../store/deliveries.ts'
import { accountsWithEventsBefore, deleteEventsBefore } from '../store/events.ts'
import { deleteKeysBefore } from '../store/idempotency.ts'
import { deleteLinksBefore } from '../store/links.ts'
import { deleteSessionsBefore } from '../store/sessions.ts'
import type { Writer } from '../store/store.ts'
import { deleteTriesBefore, TRIES_WINDOW_MS } from '../store/tries.ts'
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

/** Forgets up to `limit` rows from before `time` (ms since the epoch), in whatever account; tells how many. */
type Deletion = (writer: Writer, time: number, limit: number, holding: string) => Promise<number>

/** How many of each were forgotten. */
export interface Pruned {
  keys: number
  deliveries: number
  events: number
  sessions: number
  links: number
  tries: number
}

/** Forgets idempotency keys, events and their deliveries, sessions, links and tries that are past their time at `now` (ms since the epoch). */
export async function prune(store: Store, now: number, eventRetentionDays: number): Promise<Pruned> {
  const holding = store.dialect.holding('o', 'unless held')
  const forget = (deletion: Deletion, time: number) =>
    repeatedly(() => store.transact((writer) => deletion(writer, time, ROWS_AT_ONCE, holding)))
  const before = now - eventRetentionDays * DAY_MS
  return {
    keys: await forget(deleteKeysBefore, now - KEY_RETENTION_MS),
    sessions: await forget(deleteSessionsBefore, now),
    links: await forget(deleteLinksBefore, now),
    tries: await forget(deleteTriesBefore, now - TRIES_WINDOW_MS),
    deliveries: await forget(deleteDeliveriesBefore, before),
    events: await pruneEvents(store, before),
  }
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
