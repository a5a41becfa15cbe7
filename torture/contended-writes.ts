import { DAY_MS } from '@fivetab/domain/time.ts'
import type { Reply } from '../test/client.ts'
import { fivetabJson } from '../test/fivetab.ts'
import { aPerson, atOnce, type Clients, clientsOf, type Instances, type Person, serveBoth, verifyAccounts, withinOne } from './instances.ts'
import { eventsOf, type OpenTally, openSite, openTally, randomFrom, type Scenario, type Site, uniqueName } from './scenario.ts'

/** Many at once want what only some may have: a version, a key, the last of a limit, the next position. */

const MANY = 32
const LIMIT = 10

interface Scene {
  site: Site
  instances: Instances
  tally: OpenTally
  random: () => number
  /** Whose accounts were written to. */
  people: Person[]
}

export const contendedWrites: Scenario = {
  name: 'one version, key, limit or position for many',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 240 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await fivetabJson(site, `plan set few-tasks --active-tasks ${LIMIT}`)
    await fivetabJson(site, `plan set few-writes --writes-per-day ${LIMIT}`)
    await using instances = await serveBoth(site)
    const scene: Scene = { site, instances, tally: openTally(), random: randomFrom(seed), people: [] }
    for (let round = 0; round < (isShort ? 3 : 25); round++) {
      for (const wanted of [oneVersion, noVersion, oneKey, activeTasks, writesOfADay, positions]) await wanted(scene)
    }
    await verifyAccounts(site, instances, scene.people, scene.tally)
    return scene.tally
  },
}

/** One change passes by each version that was read, and it is the one that stays. */
async function oneVersion(scene: Scene): Promise<void> {
  const { clients } = await aNewPerson(scene)
  const [api] = clients
  const { id, version } = (await api.post('/tasks', { title: 'One' })).body
  const replies = await many(scene, clients, MANY, (api, index) =>
    api.patch(`/tasks/${id}`, { title: `By ${index}` }, { 'if-match': version }),
  )
  const [winner] = winners(scene, 'PATCHes with one If-Match', replies, [200, 1], 412)
  const now = (await api.get(`/tasks/${id}`)).body
  if (now.title !== winner?.body.title || now.version !== '"2"') scene.tally.lost += 1
  const misled = replies.filter(
    ({ status, body, headers }) => status === 412 && (body.version !== now.version || headers.etag !== now.version),
  )
  if (misled.length > 0) scene.tally.fault(`${misled.length} refusals name another version than the one there is`)
}

/** Without a version all pass, one after another, and none undoes another's field. */
async function noVersion(scene: Scene): Promise<void> {
  const { clients } = await aNewPerson(scene)
  const [api] = clients
  const { id } = (await api.post('/tasks', { title: 'One' })).body
  const replies = await many(scene, clients, MANY, (api, index) =>
    api.patch(`/tasks/${id}`, { [index % 2 === 0 ? 'title' : 'notes']: `By ${index}` }),
  )
  winners(scene, 'PATCHes of one task', replies, [200, MANY])
  const versions = new Set(replies.map(({ body }) => body.version))
  const now = (await api.get(`/tasks/${id}`)).body
  if (versions.size !== MANY || now.version !== `"${MANY + 1}"`) scene.tally.fault(`${MANY} changes left the version ${now.version}`)
}

const WITH_ONE_KEY = 64

async function oneKey(scene: Scene): Promise<void> {
  const { clients, person } = await aNewPerson(scene)
  const key = { 'idempotency-key': uniqueName() }
  const replies = await many(scene, clients, WITH_ONE_KEY, (api) => api.post('/tasks', { title: 'One' }, key))
  const [created] = winners(scene, 'creations with one key', replies, [201, 1], 200)
  if (replies.some(({ body }) => body.id !== created?.body.id)) scene.tally.fault('one key named several tasks')
  const events = await eventsOf(scene.site, person.accountId)
  scene.tally.doubled += Math.max(0, events.length - 1)
}

/** Exactly as many as the plan allows, and exactly as many more as make room. */
async function activeTasks(scene: Scene): Promise<void> {
  const { clients } = await aNewPerson(scene, 'few-tasks')
  const [api] = clients
  const create = () => many(scene, clients, MANY, (api, index) => api.post('/tasks', { title: `Task ${index}` }))
  const made = winners(scene, 'creations at a limit of tasks', await create(), [201, LIMIT], 403)
  const freed = Math.min(3, made.length)
  for (const { body } of made.slice(0, freed)) await api.post(`/tasks/${body.id}/complete`)
  winners(scene, 'creations where there was room again', await create(), [201, freed], 403)
  const { active_tasks } = (await api.get('/me')).body.plan
  if (active_tasks !== LIMIT) scene.tally.fault(`${active_tasks} tasks are active, of ${LIMIT}`)
}

async function writesOfADay(scene: Scene): Promise<void> {
  const [replies, person] = await withinOne(DAY_MS, async () => {
    const { clients, person } = await aNewPerson(scene, 'few-writes')
    return [await many(scene, clients, MANY, (api, index) => api.post('/tasks', { title: `Task ${index}` })), person] as const
  })
  winners(scene, 'writes at the limit of a day', replies, [201, LIMIT], 429)
  const events = await eventsOf(scene.site, person.accountId)
  if (events.length !== LIMIT) scene.tally.fault(`${events.length} events were made by ${LIMIT} writes`)
}

/** Whatever is added at the end has a place of its own there, the one after the last. */
async function positions(scene: Scene): Promise<void> {
  const { clients } = await aNewPerson(scene)
  const [api] = clients
  const { id } = (await api.post('/workflows', { name: 'Article' })).body
  const replies = await many(scene, clients, MANY, (api, index) =>
    index % 2 === 0
      ? api.post('/projects', { name: `Project ${index}` })
      : api.post(`/workflows/${id}/statuses`, { name: `Status ${index}`, disposition: 'waiting' }),
  )
  winners(scene, 'projects and Statuses', replies, [201, MANY])
  for (const object of ['project', 'status']) {
    const made = replies.map(({ body }) => body).filter((body) => body.object === object)
    const places = made.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ position }) => position)
    if (places.some((place, index) => place !== index + (places[0] as number)) || new Set(places).size !== MANY / 2)
      scene.tally.fault(`${object}: positions in the order of creation: ${places}`)
  }
  const { version } = (await api.get(`/workflows/${id}`)).body
  if (version !== `"${1 + MANY / 2}"`) scene.tally.fault(`a Workflow with ${MANY / 2} Statuses more has the version ${version}`)
}

async function aNewPerson({ site, instances, people }: Scene, plan?: string): Promise<{ person: Person; clients: Clients }> {
  const person = await aPerson(site, plan)
  people.push(person)
  return { person, clients: clientsOf(instances, person) }
}

function many({ tally, random }: Scene, clients: Clients, count: number, ask: Parameters<typeof atOnce>[3]): Promise<Reply[]> {
  tally.attempts += count
  return atOnce(clients, count, random, ask)
}

/** The answers with the status `won`, of which there must be `count`; all others must be `refused`. */
function winners({ tally }: Scene, what: string, replies: readonly Reply[], [won, count]: [number, number], refused?: number): Reply[] {
  const passed = replies.filter(({ status }) => status === won)
  if (passed.length !== count) tally.note(`${passed.length} of ${replies.length} ${what} passed, instead of ${count}`)
  tally.doubled += Math.max(0, passed.length - count)
  tally.lost += Math.max(0, count - passed.length)
  for (const { status, text } of replies) if (status !== won && status !== refused) tally.fault(`${what}: ${status} ${text}`)
  return passed
}
