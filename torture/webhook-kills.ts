import { setTimeout as pause } from 'node:timers/promises'
import { type Client, clientOf, type Reply } from '../test/client.ts'
import { openFakedClock } from './faked-clock.ts'
import { aPerson, type Person } from './instances.ts'
import { during, openSite, openTally, type Running, randomFrom, type Scenario, type Site } from './scenario.ts'
import { type Hook, openReceivers, REACHABLE, type Receivers, type Taking, untilAllIsTaken, verifyHooks } from './webhook-receivers.ts'

/** Services are killed again and again while they send to webhooks. Whatever they had begun is sent by those that come after them. */

const PEOPLE = 3
const WRITERS = 2
const REST_MS = 20
/** So long that there are always some who have not answered yet. */
const RECEIVERS_DELAY_MS = 5
const FAILS_EVERY = 7
/** A process that died keeps what it had begun for 20 s; a try that failed is made again after 5 s. */
const CLAIMS_PASS_MS = 40_000
const SENT_WITHIN_MS = 20_000

export const killedWhileSending: Scenario = {
  name: 'kill -9 of the service while it sends webhooks',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 90, full: 240 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    const [tally, random] = [openTally(), randomFrom(seed)]
    await using receivers = await openReceivers(tally, random, RECEIVERS_DELAY_MS)
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => aPerson(site)))
    const kills = isShort ? 2 : 10
    await using services = await openServices(site)
    let isSettling = false
    const failsNowAndThen: Taking = (sequence, time) => isSettling || time > 1 || sequence % FAILS_EVERY !== 0
    const hooks = (
      await Promise.all(people.map((person) => hooksOf(receivers, services.client(0, person), person, failsNowAndThen)))
    ).flat()
    await during(
      (isOver) => writeOn(services, people, random, isOver),
      async () => {
        for (let kill = 0; kill < kills; kill++) {
          await pause(500 + random() * 1_000)
          await services.killOne(random, random() * 300)
        }
        await pause(500)
      },
    )
    isSettling = true
    // In the short form the clock moves on instead.
    using clock = isShort ? openFakedClock() : null
    clock?.moveTo(CLAIMS_PASS_MS)
    if (clock !== null) await services.replace(clock.environment)
    await untilAllIsTaken(site, hooks, SENT_WITHIN_MS + (clock === null ? CLAIMS_PASS_MS : 0))
    const again = await verifyHooks(site, hooks, tally)
    const allowed = hooks.length * services.killed()
    if (again > allowed) tally.doubled += again - allowed
    tally.note(`${services.killed()} were killed; of what ${hooks.length} webhooks took, ${again} came again, of at most ${allowed}`)
    return tally
  },
}

/** Most take everything; one does not take every seventh event when it comes for the first time. */
function hooksOf(receivers: Receivers, api: Client, person: Person, failsNowAndThen: Taking): Promise<Hook[]> {
  return Promise.all([
    receivers.hook(api, person),
    receivers.hook(api, person, { takes: failsNowAndThen }),
    receivers.hook(api, person, { eventTypes: ['task.created'] }),
    receivers.hook(api, person, { eventTypes: ['task.updated', 'project.*'] }),
  ])
}

interface Services extends AsyncDisposable {
  count: number
  client(index: number, person: Person): Client
  /** Kills one of them, and starts another in its place after `downMs`. */
  killOne(random: () => number, downMs: number): Promise<void>
  /** Kills all of them, and starts others. */
  replace(environment: NodeJS.ProcessEnv): Promise<void>
  killed(): number
}

/** Two on PostgreSQL, and one on the embedded database. */
async function openServices(site: Site): Promise<Services> {
  const start = (environment: NodeJS.ProcessEnv = {}) => site.serve({ environment: { ...REACHABLE, ...environment } })
  const running: Running[] = await Promise.all(site.engine === 'sqlite' ? [start()] : [start(), start()])
  let killed = 0
  const kill = async (index: number) => {
    killed += 1
    await running[index]?.[Symbol.asyncDispose]()
  }
  return {
    count: running.length,
    client: (index, { token }) => {
      const { service, agent } = running[index] as Running
      return clientOf(service.url, token, agent)
    },
    killOne: async (random, downMs) => {
      const index = Math.floor(random() * running.length)
      await kill(index)
      await pause(downMs)
      running[index] = await start()
    },
    replace: async (environment) => {
      await Promise.all(running.map((_, index) => kill(index)))
      for (const index of running.keys()) running[index] = await start(environment)
    },
    killed: () => killed,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

/** Creates and changes tasks in all accounts until `isOver`. What is refused, or not answered, is another scenario's affair. */
async function writeOn(services: Services, people: readonly Person[], random: () => number, isOver: () => boolean): Promise<void> {
  const writers = people.flatMap((person) =>
    Array.from({ length: WRITERS }, async () => {
      for (let id: string | null = null; !isOver(); ) {
        const api = services.client(Math.floor(random() * services.count), person)
        const title = `Written ${random()}`
        const reply: Reply | null = await (id === null ? api.post('/tasks', { title }) : api.patch(`/tasks/${id}`, { title })).catch(
          () => null,
        )
        id = reply?.status === 201 ? reply.body.id : null
        await pause(random() * 2 * REST_MS)
      }
    }),
  )
  await Promise.all(writers)
}
