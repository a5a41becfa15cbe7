import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { readSettings } from '../packages/server/settings.ts'
import { withEngine } from '../packages/server/store/open.ts'
import { type Client, clientOf } from '../test/client.ts'
import { aPerson, type Person } from './instances.ts'
import { inTurns } from './keyed-writes.ts'
import { during, type OpenTally, openSite, openTally, type Running, randomFrom, type Scenario, type Site } from './scenario.ts'
import {
  aWebhook,
  type Hook,
  inWords,
  listening,
  openAcknowledged,
  openReceivers,
  quantile,
  REACHABLE,
  type Receivers,
  type Taking,
  untilAllIsTaken,
  verifyHooks,
} from './webhook-receivers.ts'

/**
 * Very many receivers are dead: nobody listens, or nobody answers, or the answer is 500. Those that are well are told as soon as ever, and the API
 * answers as soon as ever.
 */

const DEAD = 1_000
const HEALTHY = 50
const AT_ONCE = 32
const WRITE_EVERY_MS = 250
const ASK_EVERY_MS = 20
const RECEIVERS_DELAY_MS = 1
const TRIED_WITHIN_MS = 30_000
const SENT_WITHIN_MS = 15_000
const TOLD_WITHIN_MS = 5_000
const DAY_MS = 86_400_000
/** Every fifth of the healthy does not take every tenth event when it comes for the first time, so that it has tries that are due. */
const FAILING_EVERY = 5
const FAILS_EVERY = 10

export const deadReceivers: Scenario = {
  name: '1,000 dead receivers beside healthy ones',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 90, full: 240 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    const [tally, random] = [openTally(), randomFrom(seed)]
    await using dead = await openDead()
    await using receivers = await openReceivers(tally, random, RECEIVERS_DELAY_MS)
    await using running = await site.serve({ environment: REACHABLE })
    // One account has only dead ones, one has only healthy ones, and one has both.
    const [ill, mixed, sound] = [await memberOf(site, running), await memberOf(site, running), await memberOf(site, running)]
    const hooks = await healthyHooks(receivers, [mixed, sound])
    await inTurns([...Array(DEAD).keys()], AT_ONCE, async (index) => {
      await aWebhook((index % 2 === 0 ? ill : mixed).api, dead.urls[index % dead.urls.length] as string)
    })

    const [acknowledged, asked, wrote] = [openAcknowledged(), openStopwatch(), openStopwatch()]
    const ask = () => asked.take(() => sound.api.get('/tasks?limit=10'))
    const write = async () => {
      for (const { api } of [ill, mixed, sound])
        acknowledged.take(await wrote.take(() => api.post('/tasks', { title: `Written ${random()}` })))
    }
    const load = (isOver: () => boolean) => Promise.all([every(ASK_EVERY_MS, ask, isOver), every(WRITE_EVERY_MS, write, isOver)])
    await during(load, async () => {
      await allAreTried(dead, tally)
      await pause(isShort ? 2_000 : 10_000)
      await haveBeenDead(site)
      await pause(isShort ? 5_000 : 30_000)
    })
    const all = Object.values(hooks).flat()
    await untilAllIsTaken(site, all, SENT_WITHIN_MS)
    tally.doubled += await verifyHooks(site, all, tally)
    if (tally.lost > 0) tally.note(`what is lost did not come within ${SENT_WITHIN_MS / 1_000} s; it may come later`)
    for (const [who, its] of Object.entries(hooks)) {
      const latencies = acknowledged.latencies(its)
      tally.note(`from a write's answer to its arrival at a receiver ${who}: ${inWords(latencies)}`)
      if (quantile(latencies, 0.99) >= TOLD_WITHIN_MS) tally.fault(`a receiver ${who} waits for dead ones`)
    }
    tally.note(`answers meanwhile: to a GET ${inWords(asked.sorted())}; to a POST ${inWords(wrote.sorted())}`)
    tally.note(await idleUsageOf(running, isShort ? 2_000 : 5_000))
    return tally
  },
}

interface Member {
  person: Person
  api: Client
}

async function memberOf(site: Site, { service, agent }: Running): Promise<Member> {
  const person = await aPerson(site)
  return { person, api: clientOf(service.url, person.token, agent) }
}

/** Webhooks of these members in turn, by what their receivers are like. */
async function healthyHooks(receivers: Receivers, members: readonly Member[]): Promise<Record<string, Hook[]>> {
  const [well, failing]: [Hook[], Hook[]] = [[], []]
  const failsNowAndThen: Taking = (sequence, time) => time > 1 || sequence % FAILS_EVERY !== 1
  await inTurns([...Array(HEALTHY).keys()], AT_ONCE, async (index) => {
    const { api, person } = members[index % members.length] as Member
    if (index % FAILING_EVERY === 0) failing.push(await receivers.hook(api, person, { takes: failsNowAndThen }))
    else well.push(await receivers.hook(api, person))
  })
  return { 'that is well': well, 'that fails now and then': failing }
}

async function allAreTried(dead: Dead, tally: OpenTally): Promise<void> {
  const silent = Math.floor(DEAD / dead.urls.length)
  const deadline = performance.now() + TRIED_WITHIN_MS
  while (dead.tried() < silent && performance.now() < deadline) await pause(100)
  if (dead.tried() < silent) tally.fault(`of ${silent} that say nothing ${dead.tried()} were tried within ${TRIED_WITHIN_MS / 1_000} s`)
}

/** Whoever fails now has failed since yesterday. */
async function haveBeenDead(site: Site): Promise<void> {
  const yesterday = Date.now() - DAY_MS
  await withEngine(readSettings(site.environment), (engine) =>
    engine.transact((writer) => writer.run('update webhooks set failing_since = $1 where failing_since is not null', [yesterday])),
  )
}

interface Dead extends AsyncDisposable {
  /** One of each kind. */
  urls: readonly string[]
  /** How many connections were made to the one that does not answer. */
  tried(): number
}

async function openDead(): Promise<Dead> {
  const open = new Set<{ destroy(): void }>()
  let tried = 0
  const silent = createServer((socket) => {
    tried += 1
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.resume()
  })
  const failing = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => socket.end('HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'))
  })
  return {
    // Nobody listens at the port of "discard".
    urls: ['http://127.0.0.1:9', await listening(silent), await listening(failing)],
    tried: () => tried,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      silent.close()
      failing.close()
    },
  }
}

/** How long things took, in ms. */
interface Stopwatch {
  take<T>(work: () => Promise<T>): Promise<T>
  sorted(): number[]
}

function openStopwatch(): Stopwatch {
  const taken: number[] = []
  return {
    take: async (work) => {
      const started = performance.now()
      const result = await work()
      taken.push(performance.now() - started)
      return result
    },
    sorted: () => taken.toSorted((a, b) => a - b),
  }
}

async function every(ms: number, work: () => Promise<unknown>, isOver: () => boolean): Promise<void> {
  for (; !isOver(); await pause(ms)) await work()
}

/** What the service takes while nothing is written, in words. */
async function idleUsageOf(running: Running, ms: number): Promise<string> {
  const before = usageOf(running)
  await pause(ms)
  const { cpuMs, residentMiB } = usageOf(running)
  const share = Math.round(((cpuMs - before.cpuMs) / ms) * 100)
  return `with nothing written the service took ${share} % of a processor, and ${residentMiB} MiB`
}

/** Ticks of the processor in which Linux counts, a second. */
const TICKS = 100

/** What the service has taken of the processor, in ms, and holds of memory. */
function usageOf({ service }: Running): { cpuMs: number; residentMiB: number } {
  const file = (name: string) => readFileSync(`/proc/${service.child.pid}/${name}`, 'utf8')
  // After the name in parentheses: user and system time are fields 14 and 15 of all.
  const fields = file('stat').split(') ')[1]?.split(' ') ?? []
  const resident = Number(/^VmRSS:\s+(\d+)/m.exec(file('status'))?.[1])
  return { cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS, residentMiB: Math.round(resident / 1_024) }
}
