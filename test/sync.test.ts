import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { describe, it } from 'node:test'
import { aTask, aWorkflow, type Resource } from './builders.ts'
import { aChanger, everythingAfter, everythingIn } from './changes.ts'
import { type Client, clientOf } from './client.ts'
import { limit } from './limits.ts'
import { assertInvalid, DAY, ENGINES, type EngineName, openWorld, type World } from './world.ts'

/** The recipe of docs/sync.md, step by step, against an account that others change meanwhile. */

interface Copy {
  sequence: number
  resources: Record<string, Resource>
}

const TYPES = 'types=task.*,project.*,workflow.*,status.*'

function apply({ resources }: Copy, { type, data }: Resource): void {
  if (type.endsWith('.deleted')) delete resources[data.id]
  else resources[data.id] = data
}

/** Reads a list page by page; one that is gone is empty. `between` is done after each answer. */
async function* pages(api: Client, path: string, between: () => Promise<void>) {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body, text } = await api.get(`${path}${cursor && `&cursor=${cursor}`}`)
    await between()
    if (status === 404) return
    assert.equal(status, 200, text)
    yield body
    cursor = body.next_cursor
  }
}

/** Reads everything, and all that happened meanwhile. */
async function begin(api: Client, between: () => Promise<void> = async () => {}): Promise<Copy> {
  const copy: Copy = { sequence: (await api.get('/events?limit=1')).body.latest_sequence, resources: {} }
  await between()
  const read = async (path: string) => {
    for await (const { data } of pages(api, path, between)) for (const resource of data) copy.resources[resource.id] = resource
  }
  await read('/tasks?include_archived=true&limit=20')
  await read('/projects?include_archived=true&limit=20')
  await read('/workflows?limit=20')
  for (const { object, id } of Object.values(copy.resources)) if (object === 'workflow') await read(`/workflows/${id}/statuses`)
  await poll(api, copy, between)
  return copy
}

/** Brings the copy up to date. */
async function poll(api: Client, copy: Copy, between: () => Promise<void> = async () => {}): Promise<void> {
  for await (const { data, latest_sequence } of pages(api, `/events?after=${copy.sequence}&${TYPES}&limit=100`, between)) {
    for (const event of data) apply(copy, event)
    copy.sequence = latest_sequence
  }
}

/** Follows the stream from where the copy is, for so many events or until `isLast` is true of one. Answers whether that was it. */
async function follow({ service, api }: World, copy: Copy, count: number, isLast: (event: Resource) => boolean): Promise<boolean> {
  const abort = new AbortController()
  const { body } = await fetch(`${service.url}/v1/events/stream?${TYPES}`, {
    headers: { authorization: `Bearer ${api.token}`, 'last-event-id': String(copy.sequence) },
    signal: abort.signal,
  })
  let [rest, taken] = ['', 0]
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, id] = /^id: (\d+)$/m.exec(block) ?? []
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (data !== undefined) apply(copy, JSON.parse(data))
      if (id !== undefined) copy.sequence = Number(id)
      if (data !== undefined && isLast(JSON.parse(data))) return true
      if (data !== undefined) taken += 1
      if (taken === count) return false
    }
  }
  assert.fail('the stream has ended')
}

/** A world that lets as many requests through as a test makes. */
async function aWorld(engine: EngineName): Promise<World> {
  const world = await openWorld(engine)
  await limit(world, { tokenPerMinute: 1_000_000, accountPerMinute: 1_000_000 })
  return world
}

for (const engine of ENGINES) {
  describe(`a copy of an account by the recipe (${engine})`, { timeout: 60_000 }, () => {
    it('equals the account in the end, whenever it was begun among 1,000 changes', async () => {
      await using world = await aWorld(engine)
      const agent = new Agent({ keepAlive: true })
      const changer = aChanger(world, [world.api, clientOf(world.service.url, world.api.token, agent)])
      let changing = true
      const keeping = async () => {
        const copy = await begin(world.api)
        while (changing) await poll(world.api, copy)
        await poll(world.api, copy)
        return copy
      }

      const copies = [keeping()]
      await changer.make(1_000, (made) => {
        if (made === 300 || made === 600) copies.push(keeping())
      })
      changing = false

      const everything = await everythingIn(world.api)
      const { length } = await world.events()
      assert.ok(length > 1_000)
      for (const copy of await Promise.all(copies)) assert.deepEqual(copy, { sequence: length, resources: everything })
      agent.destroy()
    })

    it('is right as of its sequence from the first on, though something changes between any two requests', async () => {
      await using world = await aWorld(engine)
      const changer = aChanger(world, [world.api])
      await changer.make(200)

      const copy = await begin(world.api, () => changer.make(3))
      const first = structuredClone(copy)
      await poll(world.api, copy, () => changer.make(3))

      const log = await world.events()
      assert.ok(first.sequence < copy.sequence)
      for (const { sequence, resources } of [first, copy]) assert.deepEqual(resources, everythingAfter(log, sequence))
    })

    it('is kept by the stream as well, however often that breaks', async () => {
      await using world = await aWorld(engine)
      const changer = aChanger(world, [world.api])
      await changer.make(100)
      const copy = await begin(world.api)

      const changing = changer.make(300).then(() => world.given(aTask({ title: 'The last' })))
      for (let ended = false; !ended; ) ended = await follow(world, copy, 50, ({ data }) => data.title === 'The last')
      await changing

      assert.deepEqual(copy, { sequence: (await world.events()).length, resources: await everythingIn(world.api) })
    })

    it('loses a Workflow that goes before its Statuses were read', async () => {
      await using world = await aWorld(engine)
      const workflow = await world.given(aWorkflow())
      let requests = 0

      // The fifth is for the Statuses.
      const copy = await begin(world.api, async () => {
        requests += 1
        if (requests === 4) await world.api.delete(`/workflows/${workflow.id}`)
      })

      assert.deepEqual(copy, { sequence: (await world.events()).length, resources: {} })
    })

    it('is begun anew where the log no longer reaches back to it', async () => {
      await using world = await aWorld(engine)
      const task = await world.given(aTask())
      const copy = await begin(world.api)
      await world.api.delete(`/tasks/${task.id}`)
      world.advance(31 * DAY)
      const kept = await world.given(aTask())
      await world.service.timers.prune()

      const reply = await world.api.get(`/events?after=${copy.sequence}&${TYPES}`)

      assertInvalid(reply, ['query', 'after', 'out_of_range'])
      assert.deepEqual(await begin(world.api), { sequence: 3, resources: { [kept.id]: kept } })
    })
  })
}
