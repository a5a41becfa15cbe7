import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../test/client.ts'
import { allTasks } from '../test/reading.ts'
import { eventsOf, faultsOf, openSite, openTally, type Running, randomFrom, type Scenario, type Site, type Tally } from './scenario.ts'

/** The service is killed again and again while 64 writers write with keys; then everything is retried with its key. */

const WRITERS = 64
const ENGINES = ['sqlite', 'postgres'] as const

/** What was attempted, by its key: the id of the task whose creation was acknowledged, or null where no answer came. */
type Attempts = Map<string, string | null>

export const servicesKilled: Scenario = {
  name: 'kill -9 of the service during 64 keyed writes',
  engines: ENGINES,
  limitSeconds: { short: 60, full: 240 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    const random = randomFrom(seed)
    const attempts: Attempts = new Map()
    for (let round = 0; round < (isShort ? 3 : 20); round++) {
      await using running = await site.serve()
      await writeUntilKilled(running, `${round}`, 20 + random() * 250, attempts)
    }
    return await verified(site, attempts)
  },
}

const create = (api: Client, key: string) => api.post('/tasks', { title: key }, { 'idempotency-key': key })

/** Writes from all sides, and kills the service after `ms`. */
async function writeUntilKilled(running: Running, round: string, ms: number, attempts: Attempts): Promise<void> {
  let isKilled = false
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let write = 0; !isKilled; write++) {
      const key = `${round}-${writer}-${write}`
      attempts.set(key, null)
      const reply = await create(running.api, key).catch(() => null)
      if (reply?.status === 201) attempts.set(key, reply.body.id)
    }
  })
  await pause(ms)
  isKilled = true
  await running.service.end('SIGKILL')
  running.agent.destroy()
  await Promise.all(writers)
}

/** Retries every attempt with its key, and looks whether all is there, once, and all else in order. */
export async function verified(site: Site, attempts: Attempts): Promise<Tally> {
  await using running = await site.serve()
  const tally = openTally()
  tally.attempts = attempts.size
  const settled = new Map<string, string>()
  await inTurns([...attempts], WRITERS, async ([key, acknowledged]) => {
    const reply = await create(running.api, key)
    const isReplay = reply.status === 200
    if (!isReplay && reply.status !== 201) {
      tally.wrong += 1
      tally.note(`a retry was answered ${reply.status}: ${reply.text}`)
    } else if (acknowledged !== null && (!isReplay || reply.body.id !== acknowledged)) tally.lost += 1
    settled.set(key, reply.body?.id)
  })
  const tasks = await allTasks(running.api)
  tally.doubled += tasks.length - new Set(tasks.map(({ title }) => title)).size
  tally.lost += [...settled.values()].filter((id) => !tasks.some((task) => task.id === id)).length
  const events = await eventsOf(site)
  const gaps = events.filter(({ sequence }, index) => sequence !== index + 1).length
  if (gaps > 0 || events.length !== tasks.length) {
    tally.wrong += 1
    tally.note(`${tasks.length} tasks have ${events.length} events, ${gaps} out of sequence`)
  }
  const faults = await faultsOf(site)
  tally.wrong += faults.length
  for (const fault of faults) tally.note(fault)
  const unanswered = [...attempts.values()].filter((id) => id === null).length
  tally.note(`${attempts.size - unanswered} acknowledged, ${unanswered} without an answer`)
  return tally
}

/** Does `work` for every item, `atOnce` at a time. */
async function inTurns<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < items.length) await work(items[next++] as T)
    }),
  )
}
