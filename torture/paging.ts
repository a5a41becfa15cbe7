import { setTimeout as pause } from 'node:timers/promises'
import { aTask } from '../test/builders.ts'
import { allTasks, pagesOf } from '../test/reading.ts'
import { anyOf, aPerson, type Clients, clientsOf, serveBoth, verifyAccounts } from './instances.ts'
import { inTurns } from './keyed-writes.ts'
import { during, type OpenTally, openSite, openTally, randomFrom, type Scenario } from './scenario.ts'

/** Clients go from page to page, by every sort, while others among the tasks come, change and go. */

const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at', 'due_date']
const AT_ONCE = 8
const PAGE = 10
const DUE_DATES = [null, '2026-12-01', '2026-12-02', '2026-12-03']

interface Scene {
  clients: Clients
  random: () => number
  tally: OpenTally
  /** Those that stay as they are. */
  staying: ReadonlySet<string>
}

export const paging: Scenario = {
  name: 'paging while tasks come and go',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 180 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await using instances = await serveBoth(site)
    const random = randomFrom(seed)
    const tally = openTally()
    const person = await aPerson(site)
    const clients = clientsOf(instances, person)
    const [staying, moving]: [Set<string>, string[]] = [new Set(), []]
    await inTurns([...Array(isShort ? 120 : 400).keys()], AT_ONCE, async (index) => {
      const { id } = await aTask({ due_date: anyDueDate(random) })(anyOf(clients, random))
      if (index % 2 === 0) staying.add(id)
      else moving.push(id)
    })
    const scene: Scene = { clients, random, tally, staying }
    const before = new Map((await allTasks(clients[0])).map((task) => [task.id, task.version]))
    await during(
      (isOver) => Promise.all(SORTS.map((sort) => readPages(scene, sort, isOver))),
      () => comeAndGo(scene, moving, isShort ? 200 : 1_000),
    )
    for (const { id, version } of await allTasks(clients[0]))
      if (staying.has(id) && before.get(id) !== version) tally.fault('a task that stayed has changed')
    await verifyAccounts(site, instances, [person], tally)
    return tally
  },
}

function anyDueDate(random: () => number): string | null {
  return DUE_DATES[Math.floor(random() * DUE_DATES.length)] ?? null
}

/** Reads the whole list again and again, each page at any instance: all that stay are in it, once. */
async function readPages({ clients, random, tally, staying }: Scene, sort: string, isOver: () => boolean): Promise<void> {
  let [lists, pages] = [0, 0]
  for (let isLast = false; !isLast; lists++) {
    isLast = isOver()
    const api = { ...clients[0], get: (path: string) => anyOf(clients, random).get(path) }
    const read = await pagesOf(api, `/tasks?sort=${sort}&limit=${PAGE}`)
    const ids = read.flat().map(({ id }) => id as string)
    const seen = new Set(ids)
    const stayed = ids.filter((id) => staying.has(id))
    const missed = [...staying].filter((id) => !seen.has(id))
    tally.lost += missed.length
    tally.doubled += stayed.length - (staying.size - missed.length)
    pages += read.length
  }
  tally.note(`${lists} lists by ${sort} in ${pages} pages`)
}

/** So many tasks come, change or go, about as many of each. */
async function comeAndGo({ clients, random, tally }: Scene, moving: string[], count: number): Promise<void> {
  await inTurns([...Array(count).keys()], AT_ONCE, async () => {
    tally.attempts += 1
    const api = anyOf(clients, random)
    const [id] = moving.splice(Math.floor(random() * moving.length), 1)
    const chance = random()
    const due_date = anyDueDate(random)
    if (id === undefined || chance < 0.4) moving.push((await aTask({ due_date })(api)).id, ...(id === undefined ? [] : [id]))
    else if (chance < 0.6) await api.delete(`/tasks/${id}`)
    else if (chance < 0.7) await api.post(`/tasks/${id}/archive`)
    else if ((await api.patch(`/tasks/${id}`, { due_date, title: `Changed ${chance}` })).status === 200) moving.push(id)
    else tally.fault('a change was refused')
    await pause(random() * 20)
  })
}
