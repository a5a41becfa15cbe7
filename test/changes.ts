import assert from 'node:assert/strict'
import type { Event } from '@fivetab/domain/event.ts'
import type { Resource } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { pagesOf } from './reading.ts'
import { HOUR, type World } from './world.ts'

/** Changes of every kind, many at once and in no order, for whoever keeps a copy of an account; and what such a copy has to be. */

/** How many are under way at once. */
const AT_ONCE = 16

export interface Changer {
  /** Makes so many changes through the API, each of which may change other resources too. `made` is told of each: how many there were so far. */
  make(count: number, made?: (soFar: number) => void): Promise<void>
}

/** Whole numbers from 0 to below what is asked, the same ones for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const DISPOSITIONS = ['not_started', 'in_progress', 'waiting', 'on_hold', 'done']
const PLACES = DISPOSITIONS.slice(1)

type Kind = 'tasks' | 'projects' | 'workflows' | 'statuses'

/** A changer of the world's first account, which takes the clients in turn. Nobody else should change it meanwhile. */
export function aChanger(world: World, apis: readonly Client[]): Changer {
  const below = numbersFrom(7)
  /** The paths of what there is, as far as it is known. */
  const paths: Record<Kind, string[]> = { tasks: [], projects: [], workflows: [], statuses: [] }
  let count = 0

  const oneOf = <T>(list: readonly T[]): T | undefined => list[below(list.length)]
  const one = (kind: Kind) => oneOf(paths[kind])
  const idOrNull = (kind: Kind) => (below(3) === 0 ? null : (one(kind)?.split('/').at(-1) ?? null))
  const text = () => `${['Draft', 'Écrire “ça”', 'Kisten\nkaufen', '📦 Pack'][below(4)]} ${count}`
  const line = () => text().replace('\n', ' ')
  const api = () => apis[count % apis.length] as Client

  async function making(list: string, body: object): Promise<Reply> {
    const reply = await api().post(list, body)
    if (reply.status !== 201) return reply
    const path = `${list}/${reply.body.id}`
    paths[list.split('/').at(-1) as Kind].push(path)
    paths.statuses.push(...(reply.body.statuses ?? []).map(({ id }: Resource) => `${path}/statuses/${id}`))
    return reply
  }

  async function removing(kind: Kind): Promise<Reply | boolean> {
    const path = one(kind)
    // A few are left, for others to change.
    if (path === undefined || paths[kind].length <= 3) return false
    for (const [kind, some] of Object.entries(paths)) paths[kind as Kind] = some.filter((one) => !one.startsWith(path))
    return api().delete(path)
  }

  async function stepping(): Promise<Reply | boolean> {
    const path = `${one('tasks')}/steps`
    const step = oneOf<Resource>((await api().get(path)).body.data ?? [])
    return step === undefined ? false : api().patch(`${path}/${step.id}`, { completed: !step.completed, minutes: below(90) })
  }

  async function waking(): Promise<boolean> {
    world.advance(HOUR)
    return (await world.service.timers.wake()) > 0
  }

  const patching = (kind: Kind, fields: () => object) => () => api().patch(String(one(kind)), fields())
  const acting = (action: () => string, body?: () => object) => () => api().post(`${one('tasks')}/${action()}`, body?.())

  const newTask = () =>
    making('/tasks', { title: line(), notes: text(), project_id: idOrNull('projects'), status_id: idOrNull('statuses') })
  const newProject = () => making('/projects', { name: line() })
  const newWorkflow = () => making('/workflows', { name: line(), statuses: PLACES.map((disposition) => ({ name: line(), disposition })) })

  /** What can be done, and how often it is, one among another. */
  const CHANGES: readonly [often: number, change: () => Promise<Reply | boolean>][] = [
    [12, newTask],
    [12, patching('tasks', () => ({ title: line(), due_date: oneOf([null, '2026-12-24']) }))],
    [6, patching('tasks', () => ({ disposition: oneOf(DISPOSITIONS), project_id: idOrNull('projects') }))],
    [6, patching('tasks', () => ({ status_id: idOrNull('statuses') }))],
    [
      6,
      acting(
        () => 'steps',
        () => ({ name: line(), minutes: below(90) }),
      ),
    ],
    [6, stepping],
    [5, acting(() => 'complete')],
    [
      5,
      acting(
        () => 'later',
        () => ({ until: world.later(HOUR) }),
      ),
    ],
    [6, acting(() => oneOf(['archive', 'unarchive']) ?? '')],
    [8, () => removing('tasks')],
    [3, newProject],
    [3, patching('projects', () => ({ name: line(), archived: below(2) === 0 }))],
    [2, () => removing('projects')],
    [2, newWorkflow],
    [2, patching('workflows', () => ({ name: line() }))],
    [2, () => removing('workflows')],
    [1, () => making(`${one('workflows')}/statuses`, { name: line(), disposition: oneOf(PLACES) })],
    [2, patching('statuses', () => ({ name: line() }))],
    [1, patching('statuses', () => ({ disposition: oneOf(PLACES) }))],
    [1, () => removing('statuses')],
    [1, waking],
  ]
  const DECK = CHANGES.flatMap(([often, change]) => Array<typeof change>(often).fill(change))

  /** Whether anything came of it: what it was about may have gone, or may not be done to it as it is. */
  async function change(): Promise<boolean> {
    count += 1
    const isEmpty = Object.values(paths).some((some) => some.length === 0)
    const outcome = await oneOf(isEmpty ? [newTask, newProject, newWorkflow] : DECK)?.()
    if (outcome === undefined || typeof outcome === 'boolean') return outcome === true
    assert.ok(outcome.status < 300 || outcome.status === 400 || outcome.status === 404, outcome.text)
    return outcome.status < 300
  }

  return {
    make: async (wanted, made) => {
      let [begun, done] = [0, 0]
      const changers = Array.from({ length: AT_ONCE }, async () => {
        while (begun < wanted) {
          begun += 1
          if (await change()) {
            done += 1
            made?.(done)
          } else begun -= 1
        }
      })
      await Promise.all(changers)
    },
  }
}

/** All that the account has, by its id, as the lists of the API show it. */
export async function everythingIn(api: Client): Promise<Record<string, Resource>> {
  const [tasks = [], projects = [], workflows = []] = await Promise.all(
    ['/tasks?include_archived=true&limit=100', '/projects?include_archived=true&limit=100', '/workflows?limit=100'].map(async (path) =>
      (await pagesOf(api, path)).flat(),
    ),
  )
  const statuses = await Promise.all(workflows.map(async ({ id }) => (await pagesOf(api, `/workflows/${id}/statuses?`)).flat()))
  return Object.fromEntries([tasks, projects, workflows, ...statuses].flat().map((resource) => [resource.id, resource]))
}

/** All that the account had after the event of this sequence, by its id, as its log tells it from the first event on. */
export function everythingAfter(log: readonly Event[], sequence: number): Record<string, Resource> {
  const resources = new Map<string, Resource>()
  for (const { type, data } of log.slice(0, sequence)) {
    const { id } = data as Resource
    if (type.endsWith('.deleted')) resources.delete(id)
    else resources.set(id, data)
  }
  return Object.fromEntries(resources)
}
