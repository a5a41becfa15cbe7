import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Reply } from '../test/client.ts'
import { aPerson, type Clients, clientsOf, type Person, serveBoth, verifyAccounts } from './instances.ts'
import { type OpenTally, openSite, openTally, randomFrom, type Scenario } from './scenario.ts'

/**
 * 200 streams of one account are open at one instance while it is written to at the other; half of them are broken off at some moment, and resumed.
 * All of them, the writer too, are in this process and have one clock, so that it can be told how long after the answer to a write each had its event.
 */

const STREAMS = 200
const WRITES_A_SECOND = 50
/** The part of the writes that makes a task; the others change one. */
const CREATIONS = 0.6
/** How long a stream that was broken off stays away at most, in ms. */
const AWAY_MS = 500
/** How long the streams may take to come to the end of the log once all is written, in ms. */
const PATIENCE_MS = 15_000
/** The median of the time from an answer to its event, in ms, has to be less. */
const MEDIAN_LIMIT_MS = 100

interface Scene {
  url: string
  person: Person
  clients: Clients
  agent: Agent
  random: () => number
  tally: OpenTally
  writes: number
  /** When each write was answered, by what it made; and what the event of each sequence shows. Times are those of `performance.now`. */
  answeredAt: Map<string, number>
  shown: Map<number, string>
  followers: Follower[]
}

/** One who follows the log, over as many connections as it takes. */
interface Follower {
  /** The last sequence that it has. */
  last: number
  connection: ClientRequest | null
  /** When its connection began to stream; null while it is away. */
  since: number | null
  arrivals: { sequence: number; at: number; since: number }[]
}

export const manyStreams: Scenario = {
  name: '200 streams open while others write',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 120 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await using instances = await serveBoth(site)
    const person = await aPerson(site)
    const scene: Scene = {
      url: instances.both[0].service.url,
      person,
      clients: clientsOf(instances, person),
      agent: new Agent({ maxSockets: Number.POSITIVE_INFINITY }),
      random: randomFrom(seed),
      tally: openTally(),
      writes: isShort ? 150 : 1_000,
      answeredAt: new Map(),
      shown: new Map(),
      followers: Array.from({ length: STREAMS }, () => ({ last: 0, connection: null, since: null, arrivals: [] })),
    }
    await Promise.all(scene.followers.map((follower) => follow(scene, follower)))
    await Promise.all([write(scene), breakOff(scene)])
    await untilAllHave(scene)
    for (const { connection } of scene.followers) connection?.destroy()
    scene.agent.destroy()
    noteLatencies(scene)
    await verifyAccounts(site, instances, [person], scene.tally)
    return scene.tally
  },
}

/** Opens a stream behind what the follower has, and answers once it has begun. */
async function follow(scene: Scene, follower: Follower): Promise<void> {
  const { hostname, port } = new URL(scene.url)
  const headers = { authorization: `Bearer ${scene.person.token}`, 'last-event-id': String(follower.last) }
  const connection = request({ hostname, port, path: '/v1/events/stream', headers, agent: scene.agent })
  follower.connection = connection
  const begun = Promise.withResolvers<void>()
  connection.on('error', begun.reject)
  connection.on('response', (incoming) => {
    begun.promise.catch(() => {})
    if (incoming.statusCode !== 200) begun.reject(new Error(`a stream was answered ${incoming.statusCode}`))
    readBlocks(incoming, (block) => {
      follower.since ??= performance.now()
      begun.resolve()
      take(scene, follower, block)
    })
  })
  connection.end()
  await begun.promise
}

function readBlocks(incoming: IncomingMessage, onBlock: (block: string) => void): void {
  let left = ''
  incoming.on('error', () => {})
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (left + chunk).split('\n\n')
    left = blocks.pop() ?? ''
    blocks.forEach(onBlock)
  })
}

function take({ tally, shown }: Scene, follower: Follower, block: string): void {
  const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? []
  if (id === undefined || data === undefined) return
  const sequence = Number(id)
  if (sequence <= follower.last) tally.doubled += 1
  else tally.lost += sequence - follower.last - 1
  if (sequence !== follower.last + 1) tally.note(`a stream had ${sequence} after ${follower.last}`)
  follower.last = sequence
  follower.arrivals.push({ sequence, at: performance.now(), since: follower.since ?? 0 })
  if (!shown.has(sequence)) shown.set(sequence, keyOf(JSON.parse(data).data))
}

const keyOf = ({ id, version }: { id: string; version: string }) => `${id} ${version}`

/** Writes at an even pace at the other instance, whether what came before was answered or not. */
async function write({ writes, clients: [, api], random, tally, answeredAt }: Scene): Promise<void> {
  const ids: string[] = []
  const underWay: Promise<void>[] = []
  const answered = ({ status, body, text }: Reply) => {
    const at = performance.now()
    if (status !== 200 && status !== 201) return tally.fault(`a write was answered ${status}: ${text}`)
    if (status === 201) ids.push(body.id)
    answeredAt.set(keyOf(body), at)
  }
  const began = performance.now()
  for (let count = 0; count < writes; count++) {
    tally.attempts += 1
    const id = random() < CREATIONS ? undefined : ids[Math.floor(random() * ids.length)]
    const asked =
      id === undefined ? api.post('/tasks', { title: `Task ${count}` }) : api.patch(`/tasks/${id}`, { title: `Changed ${count}` })
    underWay.push(asked.then(answered))
    await pause(Math.max(0, began + (count + 1) * (1000 / WRITES_A_SECOND) - performance.now()))
  }
  await Promise.all(underWay)
}

/** Breaks half of the streams off, each at some moment of the writing, and resumes them a little later. */
async function breakOff(scene: Scene): Promise<void> {
  const { followers, random, writes } = scene
  const lengthMs = (writes / WRITES_A_SECOND) * 1000
  const broken = followers.filter((_, index) => index % 2 === 0)
  await Promise.all(
    broken.map(async (follower) => {
      await pause(random() * lengthMs)
      follower.connection?.destroy()
      follower.since = null
      await pause(random() * AWAY_MS)
      await follow(scene, follower)
    }),
  )
  scene.tally.note(`${broken.length} streams were broken off and resumed`)
}

async function untilAllHave({ followers, answeredAt, tally }: Scene): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  const missing = () => followers.reduce((sum, { last }) => sum + (answeredAt.size - last), 0)
  while (missing() > 0 && performance.now() < deadline) await pause(10)
  tally.lost += missing()
}

/** What came while its stream was away is not held against it. */
function noteLatencies({ followers, answeredAt, shown, tally }: Scene): void {
  const latencies = followers
    .flatMap(({ arrivals }) => arrivals)
    .flatMap(({ sequence, at, since }) => {
      const answered = answeredAt.get(shown.get(sequence) ?? '')
      return answered === undefined || answered < since ? [] : [at - answered]
    })
    .sort((a, b) => a - b)
  const at = (part: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? Number.NaN
  const [median, ...more] = [0.5, 0.95, 0.99, 1].map((part) => at(part).toFixed(1))
  tally.note(`from the answer to the event, of ${latencies.length}: median ${median} ms, 95 % ${more[0]}, 99 % ${more[1]}, most ${more[2]}`)
  if (!(at(0.5) < MEDIAN_LIMIT_MS)) tally.fault(`the median is ${median} ms, which is not less than ${MEDIAN_LIMIT_MS}`)
}
