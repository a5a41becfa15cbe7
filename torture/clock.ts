import { AssertionError } from 'node:assert'
import { setTimeout as pause } from 'node:timers/promises'
import type { Resource } from '../test/builders.ts'
import type { Client } from '../test/client.ts'
import { allTasks, pagesOf } from '../test/reading.ts'
import { type FakedClock, openFakedClock } from './faked-clock.ts'
import { type Attempts, createOnce } from './keyed-writes.ts'
import {
  during,
  eventsOf,
  faultsOf,
  type OpenTally,
  openSite,
  openTally,
  type Running,
  randomFrom,
  type Scenario,
  type Site,
} from './scenario.ts'

/**
 * The machine's clock is moved by days, ahead and back, while the service runs and while it does not. Tasks wait for an hour and for 25 hours,
 * writers write, and somebody asks all the time what has changed.
 */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Each kind, before each move. Moves are by whole days, so what is due and what is not are always an hour apart. */
const TASKS_HELD = 5
const HOLDS_MS = [HOUR_MS, 25 * HOUR_MS]
const WRITERS = 4
const REST_MS = 30
const AWAKE_WITHIN_MS = 5_000
/** The timer looks four times a second: long enough to see what it does that it should not. */
const WATCHED_MS = 600

interface Move {
  /** How many days beside the real time. */
  toDays: number
  whileStopped: boolean
}

const MOVES: readonly Move[] = [
  { toDays: 1, whileStopped: false },
  { toDays: 0, whileStopped: false },
  { toDays: -1, whileStopped: true },
  { toDays: 2, whileStopped: true },
]
const MORE_MOVES = 12

export const clockMoved: Scenario = {
  name: 'the clock a day ahead, and a day back',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 240 },
  run: async ({ engine, isShort, seed }) => {
    const tally = openTally()
    using clock = openFakedClock()
    if (clock === null) {
      tally.note('there is no faketime here')
      if (process.env.CI) tally.wrong += 1
      return tally
    }
    await using site = await openSite(engine)
    const random = randomFrom(seed)
    const more = Array.from({ length: MORE_MOVES }, () => ({ toDays: Math.floor(random() * 7) - 2, whileStopped: random() < 0.5 }))
    const trial: Moved = { site, clock, tally, attempts: new Map(), held: [], known: new Map(), since: null, slowestMs: 0, latest: 0 }
    await using service = await openService(site, clock)
    await during(
      (isOver) => Promise.all([write(service, trial, isOver), follow(service, trial, isOver)]),
      async () => {
        for (const move of isShort ? MOVES : [...MOVES, ...more]) await carryOut(move, service, trial)
      },
    )
    await compare(service.running.api, trial)
    return tally
  },
}

/** A task that waits, until `until` in ms since the epoch. */
interface Held {
  id: string
  until: number
  /** Whether the clock has come to that time since. */
  isDue: boolean
}

interface Moved {
  site: Site
  clock: FakedClock
  tally: OpenTally
  attempts: Attempts
  held: Held[]
  /** What the follower knows: the version of each task by its id, and the latest change that it has seen. */
  known: Map<string, string>
  since: string | null
  slowestMs: number
  /** The latest that the clock was, in ms since the epoch. */
  latest: number
}

/** The one service, which comes and goes. */
interface OneService extends AsyncDisposable {
  running: Running
  stop(): Promise<number | null>
  start(): Promise<void>
}

async function openService(site: Site, { environment }: FakedClock): Promise<OneService> {
  const serve = () => site.serve({ environment })
  const service: OneService = {
    running: await serve(),
    stop: async () => {
      const [code] = await service.running.service.end('SIGTERM')
      await service.running[Symbol.asyncDispose]()
      return code
    },
    start: async () => {
      service.running = await serve()
    },
    [Symbol.asyncDispose]: () => service.running[Symbol.asyncDispose](),
  }
  return service
}

async function carryOut({ toDays, whileStopped }: Move, service: OneService, trial: Moved): Promise<void> {
  const { clock, tally } = trial
  await holdTasks(service.running.api, trial)
  if (whileStopped) {
    const code = await service.stop()
    if (code !== 0) tally.fault(`the service ended with ${code}`)
  }
  clock.moveTo(toDays * DAY_MS)
  if (whileStopped) await service.start()
  trial.latest = Math.max(trial.latest, clock.now())
  for (const task of trial.held) task.isDue ||= task.until <= clock.now()
  await watchThemWake(service.running.api, trial)
}

async function holdTasks(api: Client, { clock, held, attempts, tally }: Moved): Promise<void> {
  for (const ms of HOLDS_MS) {
    for (let index = 0; index < TASKS_HELD; index++) {
      const until = clock.now() + ms
      const title = `held ${held.length}`
      const reply = await api.post('/tasks', { title, disposition: 'on_hold', on_hold_until: new Date(until).toISOString() })
      if (reply.status !== 201) {
        tally.fault(`a task was not put on hold: ${reply.text}`)
        continue
      }
      attempts.set(title, reply.body.id)
      held.push({ id: reply.body.id, until, isDue: false })
    }
  }
}

/** Those that are due wake, and the others do not. */
async function watchThemWake(api: Client, trial: Moved): Promise<void> {
  const { tally, held } = trial
  const moved = performance.now()
  const late = async () => {
    const waiting = await onHold(api)
    return held.filter(({ id, isDue }) => isDue && waiting.has(id)).length
  }
  while ((await late()) > 0 && performance.now() - moved < AWAKE_WITHIN_MS) await pause(50)
  trial.slowestMs = Math.max(trial.slowestMs, performance.now() - moved)
  await pause(WATCHED_MS)
  const waiting = await onHold(api)
  const asleep = held.filter(({ id, isDue }) => isDue && waiting.has(id)).length
  const early = held.filter(({ id, isDue }) => !isDue && !waiting.has(id)).length
  if (asleep > 0) tally.fault(`${asleep} tasks were due and did not wake within ${AWAKE_WITHIN_MS} ms`)
  if (early > 0) tally.fault(`${early} tasks woke early`)
}

async function onHold(api: Client): Promise<Set<string>> {
  const pages = await pagesOf(api, '/tasks?disposition=on_hold&limit=100')
  return new Set(pages.flat().map(({ id }) => id))
}

/** Creates tasks and changes them, without a pause but for that in which no service runs. */
async function write(service: OneService, { attempts, tally }: Moved, isOver: () => boolean): Promise<void> {
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let turn = 0; !isOver(); turn++) {
      const { api } = service.running
      const created = await createOnce(api, `${writer}-${turn}`, attempts)
      if (created !== null && created.status !== 201) tally.fault(`a creation was answered ${created.status}: ${created.text}`)
      if (created?.status === 201) {
        const changed = await api.patch(`/tasks/${created.body.id}`, { notes: 'changed' }).catch(() => null)
        if (changed !== null && changed.status !== 200) tally.fault(`a change was answered ${changed.status}: ${changed.text}`)
      }
      await pause(REST_MS)
    }
  })
  await Promise.all(writers)
}

/** Asks again and again what has changed since the last time. */
async function follow(service: OneService, trial: Moved, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      await catchUp(service.running.api, trial)
    } catch (error) {
      // There is no connection while no service runs.
      if (error instanceof AssertionError) trial.tally.fault(`asking what has changed: ${error.message}`)
    }
    await pause(REST_MS)
  }
}

/** As docs/api.md tells a client to. */
async function catchUp(api: Client, trial: Moved): Promise<void> {
  const since = trial.since === null ? '' : `&updated_since=${trial.since}`
  for (const task of (await pagesOf(api, `/tasks?sort=updated_at&include_archived=true&limit=100${since}`)).flat()) {
    trial.known.set(task.id, task.version)
    if (trial.since === null || task.updated_at > trial.since) trial.since = task.updated_at
  }
}

/** Holds what is stored, what the log tells and what the follower knows against what was done. */
async function compare(api: Client, trial: Moved): Promise<void> {
  const { site, tally, attempts, held, known } = trial
  await catchUp(api, trial)
  const tasks = await allTasks(api)
  const ids = new Set(tasks.map(({ id }) => id))
  tally.attempts = attempts.size
  tally.lost += [...attempts.values()].filter((id) => id !== null && !ids.has(id)).length
  tally.doubled += tasks.length - new Set(tasks.map(({ title }) => title)).size
  const missed = tasks.filter(({ id, version }) => known.get(id) !== version).length
  if (missed > 0) tally.fault(`whoever asks for what has changed since has missed ${missed} tasks`)

  const events = await eventsOf(site)
  const wokeOf = Map.groupBy(
    events.filter(({ type }) => type === 'task.woke'),
    ({ data }) => (data as Resource).id as string,
  )
  for (const { id, isDue } of held) {
    const times = wokeOf.get(id)?.length ?? 0
    if (times > 1) tally.doubled += times - 1
    if (times > 0 !== isDue) tally.fault(`a task that ${isDue ? 'was' : 'was not'} due woke ${times} times`)
  }
  const gaps = events.filter(({ sequence }, index) => sequence !== index + 1).length
  if (gaps > 0) tally.fault(`${gaps} events are out of sequence`)
  const stamps = events.map(({ occurredAt, id, data }) => ({ occurredAt, id, updatedAt: (data as Resource).updated_at as string }))
  const backwards = stamps.filter((stamp, index) => {
    const before = stamps[index - 1]
    return before !== undefined && (stamp.occurredAt < before.occurredAt || stamp.updatedAt < before.updatedAt || stamp.id <= before.id)
  }).length
  if (backwards > 0) tally.fault(`time runs backwards at ${backwards} of ${events.length} events`)
  for (const fault of await faultsOf(site, () => trial.latest)) tally.fault(fault)
  tally.note(
    `${held.length} tasks were put on hold, ${wokeOf.size} woke, the last ${Math.round(trial.slowestMs)} ms after a move at most; ${events.length} events`,
  )
}
