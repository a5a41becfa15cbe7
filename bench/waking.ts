import { setTimeout as pause } from 'node:timers/promises'
import type { Contestant } from './contestants.ts'
import { type Database, openDatabase } from './database.ts'
import { type Figures, figuresOf } from './figures.ts'
import { startDetailedLoad } from './load.ts'
import { holdAll } from './seed.ts'
import type { Sample } from './write-load.ts'

/**
 * Very many tasks that wake at once, while others read: how late the last of them is, and what the readers feel of it.
 *
 * The same paced load of reads goes on before, during and after, so that only the waking is new. Its rate is low: it is there to feel how long the
 * waking keeps a request waiting, not to contend with it for the processor, and what queues at a high rate would tell of the rate.
 */

/** A tenth or less of what Fivetab can do, and enough for a p99 of a second. */
export const READS_A_SECOND = 500
const CONNECTIONS = 32
const LOAD_START_MS = 800
/** For what went before to be over, and the tasks to be put on hold. */
const SETTLE_MS = 600
/** For what was asked meanwhile to be answered, before the load is told to end. */
const AFTER_MS = 300
const LOOK_EVERY_MS = 10
/** They are then not waited for any longer. */
const GIVE_UP_MS = 15_000
const USUAL_WAKING_MS = 2_000

/** A round. `awakeMs` is from the instant for which all were put off until the last was awake. */
export interface Woken {
  awakeMs: number
  before: Figures
  meanwhile: Figures
}

/** How long it takes, roughly. */
export function costOfWakingMs(rounds: number, beforeMs: number): number {
  return LOAD_START_MS + rounds * (SETTLE_MS + beforeMs + USUAL_WAKING_MS) + AFTER_MS
}

/** Lets all tasks wake at the same instant, `rounds` times over. @throws when one has woken twice or not at all */
export async function measureWaking(fivetab: Contestant, rounds: number, beforeMs: number): Promise<Woken[]> {
  const database = await openDatabase(fivetab.seed.place)
  const reading = startReading(fivetab, LOAD_START_MS + rounds * (SETTLE_MS + beforeMs + GIVE_UP_MS) + AFTER_MS)
  try {
    const [times, samples] = await Promise.all([wakeAgainAndAgain(database, rounds, beforeMs).finally(reading.stop), reading.samples])
    const { count } = await database.one<{ count: number | string }>(`select count(*) as count from events where type = 'task.woke'`)
    if (Number(count) !== rounds * fivetab.seed.tasks) throw new Error(`${count} tasks woke, and not ${rounds * fivetab.seed.tasks}`)
    return times.map(({ dueAt, awakeAt }) => ({
      awakeMs: awakeAt - dueAt,
      before: within(samples, dueAt - beforeMs, dueAt),
      meanwhile: within(samples, dueAt, awakeAt),
    }))
  } finally {
    await database.close()
  }
}

function startReading({ urls, seed: { token, accounts, tasks } }: Contestant, measureMs: number) {
  const what = { urls, token, accounts, tasks, script: 'anyTask', connections: CONNECTIONS } as const
  return startDetailedLoad({ ...what, rate: READS_A_SECOND, warmUpMs: 0, measureMs })
}

/** When all tasks fell due and when the last of them was awake, round by round, in ms since the epoch. */
async function wakeAgainAndAgain(database: Database, rounds: number, beforeMs: number): Promise<{ dueAt: number; awakeAt: number }[]> {
  const times: { dueAt: number; awakeAt: number }[] = []
  await pause(LOAD_START_MS)
  for (let round = 0; round < rounds; round++) {
    const dueAt = Date.now() + SETTLE_MS + beforeMs
    await holdAll(database, dueAt)
    times.push({ dueAt, awakeAt: await allAwake(database, dueAt) })
  }
  await pause(AFTER_MS)
  return times
}

/** When the last of them was awake, in ms since the epoch. */
async function allAwake(database: Database, dueAt: number): Promise<number> {
  await pause(dueAt - Date.now())
  while (Date.now() < dueAt + GIVE_UP_MS) {
    const { left } = await database.one<{ left: number }>(
      'select count(*) as left from (select 1 from tasks where on_hold_until is not null limit 1) as held',
    )
    if (Number(left) === 0) return Date.now()
    await pause(LOOK_EVERY_MS)
  }
  throw new Error(`Some tasks were still asleep ${GIVE_UP_MS} ms after their time.`)
}

/** The figures of what fell due between two times. */
function within(samples: readonly Sample[], from: number, until: number): Figures {
  const latenciesMs = samples.filter(([dueAt]) => dueAt >= from && dueAt < until).map(([, latencyMs]) => latencyMs)
  return figuresOf(latenciesMs, until - from)
}
