import { setTimeout as pause } from 'node:timers/promises'
import type { Reply } from '../test/client.ts'
import { anyOf, aPerson, type Clients, clientsOf, serveBoth } from './instances.ts'
import { during, openSite, openTally, randomFrom, type Scenario, type Site, sqlOn } from './scenario.ts'
import {
  type Acknowledged,
  inWords,
  openAcknowledged,
  openReceivers,
  quantile,
  REACHABLE,
  untilAllIsTaken,
  verifyHooks,
} from './webhook-receivers.ts'

/** Two instances are written to at once, and send to the same webhooks. Nothing is killed, so nothing is to come twice. */

const PEOPLE = 4
const WRITERS = 2
const REST_MS = 100
const RECEIVERS_DELAY_MS = 2
const SENT_WITHIN_MS = 15_000
const TOLD_WITHIN_MS = 5_000

export const bothSend: Scenario = {
  name: 'two instances send to webhooks',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 120 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    const [tally, random, acknowledged] = [openTally(), randomFrom(seed), openAcknowledged()]
    await using receivers = await openReceivers(tally, random, RECEIVERS_DELAY_MS)
    await using instances = await serveBoth(site, [{ environment: REACHABLE }, { environment: REACHABLE }])
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => aPerson(site)))
    const places = people.flatMap((person) => Array.from({ length: isShort ? 5 : 8 }, () => person))
    const hooks = await Promise.all(places.map((person) => receivers.hook(anyOf(clientsOf(instances, person), random), person)))
    const write = async (isOver: () => boolean) => {
      const writers = people.flatMap((person) => Array.from({ length: WRITERS }, () => clientsOf(instances, person)))
      await Promise.all(writers.map((clients) => writeOn(clients, acknowledged, random, isOver)))
    }
    await during(write, () => pause(isShort ? 3_000 : 20_000))
    await untilAllIsTaken(site, hooks, SENT_WITHIN_MS)
    tally.doubled += await verifyHooks(site, hooks, tally)
    const latencies = acknowledged.latencies(hooks)
    tally.note(`from a write's answer to its arrival at one of ${hooks.length} webhooks: ${inWords(latencies)}`)
    if (quantile(latencies, 0.99) >= TOLD_WITHIN_MS) tally.fault('what is new comes late')
    if (engine === 'postgres') {
      const deadlocks = await deadlocksOn(site)
      if (deadlocks > 0) tally.fault(`the instances stood in each other's way ${deadlocks} times, for a second each`)
    }
    return tally
  },
}

/** How often PostgreSQL had to take a transaction back so that others could go on; it looks after a second. */
async function deadlocksOn(site: Site): Promise<number> {
  const hand = await sqlOn(site)
  try {
    const { rows } = await hand.query('select deadlocks::int from pg_stat_database where datname = current_database()')
    return rows[0].deadlocks
  } finally {
    await hand.end()
  }
}

/** Creates tasks, and changes each at the other instance perhaps. */
async function writeOn(clients: Clients, acknowledged: Acknowledged, random: () => number, isOver: () => boolean): Promise<void> {
  for (let id: string | null = null; !isOver(); ) {
    const [api, title] = [anyOf(clients, random), `Written ${random()}`]
    const reply: Reply = await (id === null ? api.post('/tasks', { title }) : api.patch(`/tasks/${id}`, { title }))
    acknowledged.take(reply)
    id = reply.status === 201 ? reply.body.id : null
    await pause(random() * 2 * REST_MS)
  }
}
