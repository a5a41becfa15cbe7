import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Reply } from '../test/client.ts'
import { allTasks } from '../test/reading.ts'
import { eventsOf, faultsOf, type OpenTally, type Running, type Site } from './scenario.ts'

/** Creations with keys: many at once, whatever happens to them, and what must be true of them afterwards. */

const WRITERS = 64
/** After a refusal a writer rests, so that one that is refused at once does not turn in a circle. */
const REST_MS = 100

/** What was attempted, by its key: the id of the task whose creation was acknowledged, or null where none was. */
export type Attempts = Map<string, string | null>

/** Creates the task that belongs to the key, for the first time or again; null when no answer came. */
export async function createOnce(api: Client, key: string, attempts: Attempts, notes: string | null = null): Promise<Reply | null> {
  if (!attempts.has(key)) attempts.set(key, null)
  const reply = await create(api, key, notes).catch(() => null)
  if (reply?.status === 201) attempts.set(key, reply.body.id)
  return reply
}

const create = (api: Client, key: string, notes: string | null) => api.post('/tasks', { title: key, notes }, { 'idempotency-key': key })

/** Lets 64 writers create tasks until `isOver`, by keys that begin with `name`. What is not acknowledged is shown to `refused`. */
export async function writeFromAllSides(
  api: Client,
  name: string,
  attempts: Attempts,
  isOver: () => boolean,
  refused: (reply: Reply | null) => void = () => {},
): Promise<void> {
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let write = 0; !isOver(); write++) {
      const reply = await createOnce(api, `${name}-${writer}-${write}`, attempts)
      if (reply?.status === 201) continue
      refused(reply)
      await pause(REST_MS)
    }
  })
  await Promise.all(writers)
}

const LOOK_EVERY_MS = 50
const GIVE_UP_AFTER_MS = 30_000

/** Creates tasks, by keys that begin with `name`, until one is acknowledged, and answers with how long that took, in ms. */
export async function untilItStores({ api }: Running, name: string, attempts: Attempts, notes: string | null = null): Promise<number> {
  const started = performance.now()
  for (let look = 0; performance.now() - started < GIVE_UP_AFTER_MS; look++) {
    const reply = await createOnce(api, `${name}-${look}`, attempts, notes)
    if (reply?.status === 201) break
    await pause(LOOK_EVERY_MS)
  }
  return performance.now() - started
}

/**
 * Retries every attempt with its key, and looks whether all is there, once, and all else in order. Nothing but the attempts may have been
 * written. `notes` are those that all were made with.
 */
export async function verify(site: Site, attempts: Attempts, tally: OpenTally, notes: string | null = null): Promise<void> {
  await using running = await site.serve()
  tally.attempts += attempts.size
  const settled = new Map<string, string>()
  await inTurns([...attempts], WRITERS, async ([key, acknowledged]) => {
    const reply = await create(running.api, key, notes)
    const isReplay = reply.status === 200
    if (!isReplay && reply.status !== 201) tally.fault(`a retry was answered ${reply.status}: ${reply.text}`)
    else if (acknowledged !== null && (!isReplay || reply.body.id !== acknowledged)) tally.lost += 1
    settled.set(key, reply.body?.id)
  })
  const tasks = await allTasks(running.api)
  const ids = new Set(tasks.map(({ id }) => id))
  tally.doubled += tasks.length - new Set(tasks.map(({ title }) => title)).size
  tally.lost += [...settled.values()].filter((id) => !ids.has(id)).length
  const events = await eventsOf(site)
  const gaps = events.filter(({ sequence }, index) => sequence !== index + 1).length
  if (gaps > 0 || events.length !== tasks.length) tally.fault(`${tasks.length} tasks have ${events.length} events, ${gaps} out of sequence`)
  for (const fault of await faultsOf(site)) tally.fault(fault)
  const unanswered = [...attempts.values()].filter((id) => id === null).length
  tally.note(`${attempts.size - unanswered} acknowledged, ${unanswered} not, before they were retried`)
}

/** Does `work` for every item, `atOnce` at a time. */
export async function inTurns<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < items.length) await work(items[next++] as T)
    }),
  )
}
