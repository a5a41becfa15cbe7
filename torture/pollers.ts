import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '@fivetab/domain/event.ts'
import { readSettings } from '../packages/server/settings.ts'
import { eventsAfter } from '../packages/server/store/events.ts'
import { withEngine } from '../packages/server/store/open.ts'
import type { Resource } from '../test/builders.ts'
import { pagesOf } from '../test/reading.ts'
import { anyOf, aPerson, type Clients, clientsOf, type Person, serveBoth, verifyAccounts, versionOf } from './instances.ts'
import { during, eventsOf, type OpenTally, openSite, openTally, randomFrom, type Scenario, type Site, sqlOn } from './scenario.ts'

/**
 * Some keep up while many write at both instances: one asks by `updated_since` as docs/api.md says, some ask for the log after what they have seen, and one
 * reads the log past the services.
 */

const WRITERS = 16
const FOLLOWERS = 3
const POLL_EVERY_MS = 5
const REST_MS = 20
const HELD_MS = 2_000
/** How much of the writing is behind before the first transaction is held open, and between two. */
const BEFORE_MS = 300

interface Scene {
  site: Site
  person: Person
  clients: Clients
  random: () => number
  tally: OpenTally
}

export const pollersMissNothing: Scenario = {
  name: 'pollers while many write and some take long',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 180 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await using instances = await serveBoth(site)
    const person = await aPerson(site)
    const scene: Scene = { site, person, clients: clientsOf(instances, person), random: randomFrom(seed), tally: openTally() }
    const writing: Writing = { isHolding: engine === 'postgres', left: isShort ? 200 : 1_000, ids: [] }
    const write = async () => {
      const holding = engine === 'postgres' ? holdNowAndThen(scene, writing, isShort ? 1 : 4) : null
      await Promise.all([holding, ...Array.from({ length: WRITERS }, () => writeOn(scene, writing))])
    }
    const poll = async (isOver: () => boolean) => {
      const followers = Array.from({ length: FOLLOWERS }, () => followLog(scene, isOver))
      await Promise.all([keepCopy(scene, isOver), readLog(scene, isOver), ...followers])
    }
    await during(poll, write)
    await verifyAccounts(site, instances, [person], scene.tally)
    return scene.tally
  },
}

interface Writing {
  /** How many writes are still to be made; they go on as long as transactions are held. */
  left: number
  isHolding: boolean
  ids: string[]
}

/** Creates tasks, and changes those there are: most of them once or never, so that a change that was missed stays missed. */
async function writeOn({ clients, random, tally }: Scene, writing: Writing): Promise<void> {
  while (writing.left > 0 || writing.isHolding) {
    writing.left -= 1
    tally.attempts += 1
    const api = anyOf(clients, random)
    const id = random() < 0.4 ? writing.ids[Math.floor(random() * writing.ids.length)] : undefined
    const reply = await (id === undefined
      ? api.post('/tasks', { title: 'New' })
      : api.patch(`/tasks/${id}`, { title: `Changed ${random()}` }))
    if (reply.status === 201) writing.ids.push(reply.body.id)
    else if (reply.status !== 200) tally.fault(`a write was answered ${reply.status}: ${reply.text}`)
    await pause(random() * 2 * REST_MS)
  }
}

/** Holds transactions open, in turn: the account itself, so that nobody writes, and a writer in the midst of its turn. */
async function holdNowAndThen({ site, person, clients, random, tally }: Scene, writing: Writing, rounds: number): Promise<void> {
  const hand = await sqlOn(site)
  try {
    for (let round = 0; round < rounds; round++) {
      await pause(BEFORE_MS)
      await hand.query('begin')
      await hand.query('select 1 from ledgers where account_id = $1 for update', [person.accountId])
      await pause(HELD_MS)
      await hand.query('commit')

      await pause(BEFORE_MS)
      const id = writing.ids[Math.floor(random() * writing.ids.length)] as string
      await hand.query('begin')
      await hand.query('select 1 from tasks where account_id = $1 and id = $2 for update', [person.accountId, id])
      const held = anyOf(clients, random).patch(`/tasks/${id}`, { title: 'Held' })
      await pause(HELD_MS)
      const { rows } = await hand.query('select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))')
      if (rows.length === 0) tally.fault('no writer was held in its turn')
      await hand.query('commit')
      const { status, text } = await held
      if (status !== 200) tally.fault(`a write that was held was answered ${status}: ${text}`)
    }
  } finally {
    writing.isHolding = false
    await hand.end()
  }
}

/** Keeps a copy by `updated_since`, and holds it in the end against what there is. */
async function keepCopy({ clients, random, tally }: Scene, isOver: () => boolean): Promise<void> {
  const copy = new Map<string, Resource>()
  let since = '1970-01-01T00:00:00.000Z'
  let polls = 0
  for (let isLast = false; !isLast; polls++) {
    isLast = isOver()
    const pages = await pagesOf(anyOf(clients, random), `/tasks?updated_since=${since}&sort=updated_at&include_archived=true&limit=100`)
    let last = since
    for (const task of pages.flat()) {
      const known = copy.get(task.id)
      if (known !== undefined && versionOf(known) > versionOf(task)) tally.fault(`a poll showed ${task.version} after ${known.version}`)
      if (task.updated_at < last) tally.fault(`a poll since ${since} showed ${task.updated_at} after ${last}`)
      last = task.updated_at
      copy.set(task.id, task)
    }
    since = last
    await pause(POLL_EVERY_MS)
  }
  const tasks = (await pagesOf(clients[0], '/tasks?include_archived=true&limit=100')).flat()
  const missed = tasks.filter(({ id, version }) => copy.get(id)?.version !== version)
  tally.lost += missed.length
  tally.note(`${polls} polls by updated_since saw ${copy.size} tasks and missed ${missed.length} changes`)
}

/** Asks either instance for what came after the last event that was seen, and holds what it saw against the log in the end. */
async function followLog({ site, person, clients, random, tally }: Scene, isOver: () => boolean): Promise<void> {
  const seen: string[] = []
  let [after, polls] = [0, 0]
  for (let isLast = false; !isLast; polls++) {
    isLast = isOver()
    for (const { id, sequence } of (await pagesOf(anyOf(clients, random), `/events?after=${after}&limit=50`)).flat()) {
      if (sequence !== after + 1) tally.fault(`a poll of the feed showed ${sequence} after ${after}`)
      after = sequence
      seen.push(id)
    }
    await pause(POLL_EVERY_MS)
  }
  const all = await eventsOf(site, person.accountId)
  const known = new Set(seen)
  const missed = all.filter(({ id }) => !known.has(id))
  tally.lost += missed.length
  tally.doubled += seen.length - known.size
  tally.note(`${polls} polls of the feed saw ${known.size} of ${all.length} events`)
}

/** Reads the log as it grows: each time what comes after the last that was seen. */
function readLog({ site, person, tally }: Scene, isOver: () => boolean): Promise<void> {
  return withEngine(readSettings(site.environment), async (engine) => {
    const seen: Event[] = []
    let polls = 0
    for (let isLast = false; !isLast; polls++) {
      isLast = isOver()
      const more = await eventsAfter(engine, person.accountId, seen.at(-1)?.sequence ?? 0, 100_000)
      for (const event of more) {
        if (event.sequence !== (seen.at(-1)?.sequence ?? 0) + 1)
          tally.fault(`the log showed ${event.sequence} after ${seen.at(-1)?.sequence}`)
        seen.push(event)
      }
      await pause(POLL_EVERY_MS)
    }
    const all = await eventsOf(site, person.accountId)
    const known = new Set(seen.map(({ id }) => id))
    const missed = all.filter(({ id }) => !known.has(id))
    tally.lost += missed.length
    tally.note(`${polls} polls of the log saw ${seen.length} of ${all.length} events`)
  })
}
