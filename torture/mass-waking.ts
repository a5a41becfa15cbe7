import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '@fivetab/domain/event.ts'
import type { Resource } from '../test/builders.ts'
import type { Client } from '../test/client.ts'
import { allTasks, pageOf } from '../test/reading.ts'
import { anyOf, aPerson, clientsOf, type Instances, type Person, serveBoth, verifyAccounts, versionOf } from './instances.ts'
import { inTurns } from './keyed-writes.ts'
import { eventsOf, type OpenTally, openSite, openTally, type Running, randomFrom, type Scenario, type Site, sqlOn } from './scenario.ts'

/** Very many tasks are due at the same time, with both instances there to wake them, and with one that is killed meanwhile. */

/** How many are due in each of the accounts: 500 in all. */
const DUE = [260, 60, 60, 60, 60]
const AT_ONCE = 32
const AWAKE_WITHIN_MS = 1_000
const GIVE_UP_AFTER_MS = 15_000
const LOOK_EVERY_MS = 5

interface Sleeper {
  person: Person
  api: Client
  tasks: Resource[]
}

interface Scene {
  site: Site
  random: () => number
  tally: OpenTally
  /** What the rounds measured, one figure each. */
  figures: Record<string, number[]>
}

function openScene(site: Site, seed: number): Scene {
  return { site, random: randomFrom(seed), tally: openTally(), figures: {} }
}

function measured({ figures }: Scene, what: string, figure: number): void {
  figures[what] = [...(figures[what] ?? []), figure]
}

function summedUp({ tally, figures }: Scene): OpenTally {
  for (const [what, of] of Object.entries(figures)) tally.note(`${what}: ${of.join(', ')}`)
  return tally
}

export const manyDue: Scenario = {
  name: '500 tasks due at once',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 180 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    const scene = openScene(site, seed)
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      await using instances = await serveBoth(site)
      const { sleepers, due } = await putToSleep(scene, instances)
      await pause(Math.max(0, due - Date.now()))
      const lateMs = await untilAwake(sleepers, due)
      if (lateMs > AWAKE_WITHIN_MS) scene.tally.fault(`all were awake only ${lateMs} ms after the time`)
      measured(scene, 'all were awake so many ms after the time', lateMs)
      await verify(scene, instances, sleepers)
    }
    return summedUp(scene)
  },
}

export const manyDueAndKilled: Scenario = {
  name: '500 tasks due at once, kill -9 in the midst',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 240 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    const scene = openScene(site, seed)
    for (let round = 0; round < (isShort ? 1 : 10); round++) await killAtAnyTime(scene)
    for (let round = 0; engine === 'postgres' && round < (isShort ? 1 : 5); round++) await killInTurn(scene)
    return summedUp(scene)
  },
}

/** About when they wake, if nothing happens: the services look every 250 ms, and that they have just been busy makes it a late look most often. */
const [EARLIEST_MS, LATEST_MS] = [130, 290]

/** Kills one while they wake, or shortly before or after. The other, or a new one where there is none, wakes the rest. */
async function killAtAnyTime(scene: Scene): Promise<void> {
  const { site, random } = scene
  await using instances = await serveBoth(site)
  const { sleepers, due } = await putToSleep(scene, instances)
  const victim = anyOf(instances.both, random)
  await pause(due - Date.now() + EARLIEST_MS + random() * (LATEST_MS - EARLIEST_MS))
  await victim.service.end('SIGKILL')
  measured(scene, 'so many were awake when one was killed', (await wokenOf(site, sleepers)).length)
  await theOthersWake(scene, instances, victim, sleepers, due)
}

/** Kills one that is in the midst of waking tasks: it waits for a row that is locked by hand, and holds the account meanwhile. */
async function killInTurn(scene: Scene): Promise<void> {
  const { site, random } = scene
  const url = site.environment.DATABASE_URL ?? assert.fail()
  const named = (name: string) => ({ environment: { DATABASE_URL: `${url}?application_name=${name}` } })
  await using instances = await serveBoth(site, [named('fivetab one'), named('fivetab other')])
  const { sleepers, due } = await putToSleep(scene, instances)
  const [{ tasks }] = sleepers as [Sleeper]
  const hand = await sqlOn(site)
  try {
    await hand.query('begin')
    await hand.query('select 1 from tasks where id = $1 for update', [tasks[Math.floor(random() * tasks.length)].id])
    const waiting = `select application_name as name from pg_stat_activity where pid in
      (select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid)))`
    let names: string[] = []
    while (names.length === 0) {
      assert.ok(Date.now() < due + GIVE_UP_AFTER_MS, 'nobody woke them')
      // Within a transaction what it once showed of the others' activity stays.
      await hand.query('select pg_stat_clear_snapshot()')
      names = (await hand.query(waiting)).rows.map(({ name }) => name)
    }
    const victim = instances.both[names[0] === 'fivetab one' ? 0 : 1]
    await victim.service.end('SIGKILL')
    await pause(random() * 200)
    await hand.query('commit')
    await theOthersWake(scene, instances, victim, sleepers, Date.now())
  } finally {
    await hand.end()
  }
}

async function theOthersWake(scene: Scene, { both }: Instances, victim: Running, sleepers: Sleeper[], since: number): Promise<void> {
  const { site, tally } = scene
  const another = both.find((one) => one !== victim)
  await using fresh = another === undefined ? await site.serve() : null
  const left = fresh ?? another ?? assert.fail()
  const instances = { both: [left, left] as const, [Symbol.asyncDispose]: async () => {} }
  for (const sleeper of sleepers) sleeper.api = clientsOf(instances, sleeper.person)[0]
  const started = fresh === null ? since : Date.now()
  const lateMs = await untilAwake(sleepers, started)
  if (lateMs > AWAKE_WITHIN_MS) tally.fault(`what one left was awake only ${lateMs} ms later`)
  measured(scene, 'what one left was awake so many ms later', lateMs)
  await verify(scene, instances, sleepers)
}

/** Puts tasks of several accounts to sleep until one time, early enough that all sleep before it. */
async function putToSleep({ site, random, tally }: Scene, instances: Instances): Promise<{ sleepers: Sleeper[]; due: number }> {
  for (let leadMs = 1_500; ; leadMs *= 2) {
    const people = await Promise.all(DUE.map(() => aPerson(site)))
    const due = Date.now() + leadMs
    const sleepers = people.map((person) => ({ person, api: clientsOf(instances, person)[0], tasks: [] as Resource[] }))
    const places = sleepers.flatMap((sleeper, index) => Array.from({ length: DUE[index] as number }, () => sleeper))
    await inTurns(places, AT_ONCE, async ({ person, tasks }) => {
      const api = anyOf(clientsOf(instances, person), random)
      const reply = await api.post('/tasks', { title: 'Sleep', disposition: 'on_hold', on_hold_until: new Date(due).toISOString() })
      if (reply.status === 201) tasks.push(reply.body)
      else if (Date.now() < due) tally.fault(`a creation was answered ${reply.status}: ${reply.text}`)
    })
    if (Date.now() >= due) continue
    tally.attempts += places.length
    return { sleepers, due }
  }
}

/** How long after `since` (ms since the epoch) nobody sleeps any more. */
async function untilAwake(sleepers: readonly Sleeper[], since: number): Promise<number> {
  for (;;) {
    const asleep = await Promise.all(sleepers.map(({ api }) => pageOf(api, '/tasks?disposition=on_hold&limit=1')))
    const ms = Date.now() - since
    if (ms > GIVE_UP_AFTER_MS || asleep.every(({ data }) => data.length === 0)) return ms
    await pause(LOOK_EVERY_MS)
  }
}

async function wokenOf(site: Site, sleepers: readonly Sleeper[]): Promise<Event[]> {
  const logs = await Promise.all(sleepers.map(({ person }) => eventsOf(site, person.accountId)))
  return logs.flat().filter(({ type }) => type === 'task.woke')
}

/** Each task woke once, by one event and to the next version, and sleeps no more. */
async function verify(scene: Scene, instances: Instances, sleepers: readonly Sleeper[]): Promise<void> {
  const { site, tally } = scene
  const woken = await wokenOf(site, sleepers)
  const times = Map.groupBy(woken, ({ data }) => (data as Resource).id)
  for (const { api, tasks } of sleepers) {
    const now = new Map((await allTasks(api)).map((task) => [task.id, task]))
    for (const { id, version } of tasks) {
      const task = now.get(id)
      const count = times.get(id)?.length ?? 0
      if (count > 1) tally.doubled += 1
      if (count === 0 || task === undefined) tally.lost += 1
      else if (task.disposition !== 'in_progress' || task.on_hold_until !== null || versionOf(task) !== versionOf({ version }) + 1)
        tally.fault(`a task that woke is ${JSON.stringify(task)}`)
    }
  }
  const lags = woken.map(({ occurredAt, previous }) => occurredAt - Date.parse((previous as Resource).on_hold_until))
  measured(scene, 'the last was stamped so many ms after the time', Math.max(...lags))
  await verifyAccounts(
    site,
    instances,
    sleepers.map(({ person }) => person),
    tally,
  )
}
