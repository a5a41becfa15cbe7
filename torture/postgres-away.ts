import { setTimeout as pause } from 'node:timers/promises'
import { readSettings } from '../packages/server/settings.ts'
import type { PostgresServer } from '../test/postgres.ts'
import { type Attempts, createOnce, untilItStores, verify } from './keyed-writes.ts'
import {
  during,
  notTheProblem,
  type OpenTally,
  openPostgresSite,
  openTally,
  type PostgresSite,
  type Running,
  randomFrom,
  type Scenario,
  sqlOn,
} from './scenario.ts'

/** PostgreSQL goes away for a while, again and again, while clients read and write: dead, so that it refuses, or frozen, so that it says nothing. */

const CLIENTS = 32
const REST_MS = 100
const AT_ONCE = 64

const ANSWER_WITHIN_MS = 10_000
const BACK_WITHIN_MS = 5_000
/** What a server that stood still has to notice first: that those it answers have gone, and that a lock comes no more. */
const CLOSED_WITHIN_MS = 10_000
/** Two of the limits that instances share, one of the hints. */
const CONNECTIONS_BESIDE_THE_POOL = 3

interface WayToGo {
  /** In the short form, how long at most, in ms: so that whoever waits for it is refused before it is back. */
  shortMs: number
  leave(postgres: PostgresServer): Promise<void>
  comeBack(postgres: PostgresServer): Promise<void>
}

const DEAD: WayToGo = {
  shortMs: 3_000,
  leave: (postgres) => postgres.kill(),
  comeBack: (postgres) => postgres.start(),
}
const FROZEN: WayToGo = {
  shortMs: 7_000,
  leave: async (postgres) => postgres.signal('SIGSTOP'),
  comeBack: async (postgres) => postgres.signal('SIGCONT'),
}

export const postgresDead = scenario('PostgreSQL away: dead, then started again', DEAD)
export const postgresFrozen = scenario('PostgreSQL away: frozen, then going on', FROZEN)

function scenario(name: string, way: WayToGo): Scenario {
  return {
    name,
    engines: ['postgres'],
    limitSeconds: { short: 60, full: 300 },
    run: async ({ isShort, seed }) => {
      await using site = await openPostgresSite()
      const random = randomFrom(seed)
      const attempts: Attempts = new Map()
      const watch = openWatch()
      const awaysMs = isShort ? [way.shortMs, 500] : [30_000, ...Array.from({ length: 19 }, () => 200 + random() * 2_500)]
      {
        await using running = await site.serve()
        await during(
          (isOver) => readAndWrite(running, attempts, watch, isOver),
          async () => {
            for (const [round, awayMs] of awaysMs.entries()) {
              await pause(300 + random() * 300)
              await goAway(site, way, awayMs, watch)
              watch.back(await untilItStores(running, `back-${round}`, attempts))
            }
          },
        )
        await lookAfterwards(site, running, attempts, watch.tally)
      }
      watch.sumUp()
      await verify(site, attempts, watch.tally)
      return watch.tally
    },
  }
}

async function goAway({ postgres }: PostgresSite, way: WayToGo, ms: number, watch: Watch): Promise<void> {
  await way.leave(postgres)
  try {
    watch.awaySince = performance.now()
    await pause(ms)
  } finally {
    watch.awaySince = null
    await way.comeBack(postgres)
  }
}

/** What the answers are held against. */
interface Watch {
  tally: OpenTally
  /** Since when the server is away (`performance.now`); null while it is there. */
  awaySince: number | null
  /** Carries out a request that is to be answered with `expected`, or refused while the server is away. */
  look(ask: () => Promise<Parameters<typeof notTheProblem>[0] | null>, expected: number): Promise<void>
  back(afterMs: number): void
  sumUp(): void
}

function openWatch(): Watch {
  const tally = openTally()
  let [answers, refusals, slowestMs, slowestBackMs] = [0, 0, 0, 0]
  const watch: Watch = {
    tally,
    awaySince: null,
    look: async (ask, expected) => {
      const asked = performance.now()
      const reply = await ask()
      const ms = performance.now() - asked
      answers += 1
      slowestMs = Math.max(slowestMs, ms)
      if (ms > ANSWER_WITHIN_MS) tally.fault(`an answer came after ${Math.round(ms)} ms`)
      const wasAwayAllAlong = watch.awaySince !== null && watch.awaySince < asked
      if (reply?.status === expected && !wasAwayAllAlong) return
      refusals += 1
      const fault = reply === null ? 'there was no answer' : notTheProblem(reply, [503])
      if (fault !== null) tally.fault(fault)
    },
    back: (afterMs) => {
      slowestBackMs = Math.max(slowestBackMs, afterMs)
      if (afterMs > BACK_WITHIN_MS) tally.fault(`it stored again only ${Math.round(afterMs)} ms after the server was back`)
    },
    sumUp: () =>
      tally.note(
        `${answers} answers, ${refusals} of them 503; the slowest after ${Math.round(slowestMs)} ms; stored again ${Math.round(slowestBackMs)} ms after the server's return at most`,
      ),
  }
  return watch
}

/** Clients that read and write in turn, steadily, until `isOver`. */
async function readAndWrite({ api }: Running, attempts: Attempts, watch: Watch, isOver: () => boolean): Promise<void> {
  const paths = ['/tasks?limit=10', '/me', '/projects', '/workflows']
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let turn = client; !isOver(); turn++) {
      const path = paths[Math.floor(turn / 2) % paths.length] as string
      if (turn % 2 === 0) await watch.look(() => createOnce(api, `${client}-${turn}`, attempts), 201)
      else await watch.look(() => api.get(path).catch(() => null), 200)
      await pause(REST_MS)
    }
  })
  await Promise.all(clients)
}

/** After it all no connection may be left over, and the service does as much at once as ever. */
async function lookAfterwards(site: PostgresSite, { api }: Running, attempts: Attempts, tally: OpenTally): Promise<void> {
  const most = readSettings(site.environment).databaseConnections + CONNECTIONS_BESIDE_THE_POOL
  const deadline = performance.now() + CLOSED_WITHIN_MS
  let open = await connectionsOn(site)
  for (; open > most && performance.now() < deadline; open = await connectionsOn(site)) await pause(200)
  if (open > most) tally.fault(`${open} connections are open, and ${most} would do`)
  tally.note(`${open} connections were open in the end, of at most ${most}`)
  const replies = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => createOnce(api, `end-${index}`, attempts)))
  const refused = replies.filter((reply) => reply?.status !== 201)
  if (refused.length > 0) tally.fault(`${refused.length} of ${AT_ONCE} writes at once were refused: ${refused[0]?.text}`)
}

async function connectionsOn(site: PostgresSite): Promise<number> {
  const client = await sqlOn(site)
  try {
    const { rows } = await client.query("select count(*)::int as open from pg_stat_activity where application_name like 'fivetab%'")
    return rows[0].open
  } finally {
    await client.end()
  }
}
