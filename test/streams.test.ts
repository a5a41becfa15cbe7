import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Scope } from '@fivetab/domain/scope.ts'
import { aProject, aTask, aWorkflow, type Resource, statusPath } from './builders.ts'
import { openSource, type Source, type SourceOptions } from './event-source.ts'
import { limit, rateOf } from './limits.ts'
import { assertInvalid, assertProblem, ENGINES, HOUR, openWorld, type World } from './world.ts'

const follow = (world: World, options?: SourceOptions): Promise<Source> => openSource(world.service.url, world.api.token, options)

const followWith = async (world: World, scopes: readonly Scope[], options?: SourceOptions): Promise<Source> =>
  openSource(world.service.url, (await world.clientWith(scopes)).token, options)

const sequencesOf = (events: readonly Resource[]) => events.map(({ sequence }) => sequence)

const typesOf = (events: readonly Resource[]) => events.map(({ type }) => type)

/** The whole numbers from `first` to `last`. */
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Makes so many events: each is a new task. */
async function someEvents(world: World, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => world.given(aTask())))
}

for (const engine of ENGINES) {
  describe(`a stream of events (${engine})`, () => {
    it('is Server-Sent Events, with the headers that every answer has', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 50 })

      using source = await follow(world)

      const { status, headers } = source.reply
      assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, 'text/event-stream', 'no-store'])
      assert.match(headers['x-request-id'] ?? '', /^[\da-f-]{36}$/)
      assert.deepEqual(rateOf(source.reply), [50, 49, 60])
    })

    it('begins with how long to wait before connecting again, and with the place where it begins', async () => {
      await using world = await openWorld(engine)
      using ofNothing = await follow(world)
      await someEvents(world, 3)

      using ofSome = await follow(world)

      assert.deepEqual([ofNothing.beginning.id, ofSome.beginning.id], ['0', '3'])
      for (const { beginning } of [ofNothing, ofSome]) {
        assert.deepEqual(Object.keys(beginning), ['retry', 'id'])
        assert.ok(Number(beginning.retry) >= 1_000 && Number(beginning.retry) <= 2_000, `${beginning.retry}`)
      }
    })

    it('shows what happens from now on, each event as the feed shows it', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      using source = await follow(world)

      assert.equal((await world.api.patch(`/tasks/${task.id}`, { title: 'data: “It”', notes: 'One\n\nid: 7\r\nTwo\u2028' })).status, 200)
      await world.api.delete(`/tasks/${task.id}`)
      const shown = await source.events(2)

      assert.deepEqual(shown, (await world.api.get('/events?after=1')).body.data)
      assert.deepEqual(typesOf(shown), ['task.updated', 'task.deleted'])
    })

    it('shows what timers and cascades change', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const review = workflow.statuses.find(({ name }: Resource) => name === 'Review')
      await world.given(aTask({ status_id: review.id }))
      await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      using source = await follow(world)

      world.advance(HOUR)
      await world.service.timers.wake()
      await world.api.delete(statusPath(workflow, 'Review'))

      const log = await world.events()
      const shown = await source.events(log.length - Number(source.beginning.id))
      assert.deepEqual(sequencesOf(shown), range(Number(source.beginning.id) + 1, log.length))
      assert.deepEqual(
        shown.filter(({ cause }) => cause !== 'api').map(({ type, cause }) => `${type} ${cause}`),
        log.slice(-shown.length).flatMap(({ type, cause }) => (cause === 'api' ? [] : [`${type} ${cause}`])),
      )
      assert.equal(typesOf(shown)[0], 'task.woke')
      assert.ok(shown.some(({ type, cause }) => type === 'task.updated' && cause === 'cascade'))
    })

    it('never shows the events of another account', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      using source = await follow(world)
      using theirs = await openSource(world.service.url, other.api.token)

      await aTask()(other.api)
      await world.given(aProject())
      await aTask()(other.api)
      await world.service.timers.lookAfterStreams()
      await world.given(aProject())

      assert.deepEqual(typesOf(await source.events(2)), ['project.created', 'project.created'])
      assert.deepEqual(typesOf(await theirs.events(2)), ['task.created', 'task.created'])
    })

    it('shows the same to all who follow', async () => {
      await using world = await openWorld(engine)
      const sources = await Promise.all(range(1, 20).map(() => follow(world)))

      await someEvents(world, 30)

      for (const source of sources) assert.deepEqual(sequencesOf(await source.events(30)), range(1, 30))
      for (const source of sources) source[Symbol.dispose]()
    })
  })

  describe(`the kinds that a stream of events shows (${engine})`, () => {
    it('are those that its scopes cover', async () => {
      await using world = await openWorld(engine)
      using source = await followWith(world, ['projects:read'])

      await world.given(aTask())
      await world.given(aWorkflow())
      await world.given(aProject())

      assert.deepEqual(typesOf(await source.events(1)), ['project.created'])
    })

    it('are those of `types`, and what was written before them is passed over', async () => {
      await using world = await openWorld(engine)
      await someEvents(world, 120)
      const { id } = await world.given(aProject())
      using source = await follow(world, { query: '?after=0&types=project.*,task.deleted' })

      await someEvents(world, 2)
      await world.api.delete(`/projects/${id}`)

      assert.deepEqual(sequencesOf(await source.events(2)), [121, 124])
    })

    it('have to be of its scopes', async () => {
      await using world = await openWorld(engine)

      using ofOthers = await followWith(world, ['projects:read'], { query: '?types=project.*,task.created' })
      using ofNone = await followWith(world, ['tasks:write'])

      assertProblem(ofOthers.reply, 403, 'insufficient_scope')
      assertProblem(ofNone.reply, 403, 'insufficient_scope')
    })

    it('have to be known', async () => {
      await using world = await openWorld(engine)

      using source = await follow(world, { query: '?types=task.craeted' })

      const [error] = assertInvalid(source.reply, ['query', 'types', 'invalid_value'])
      assert.match(error?.detail ?? '', /task\.created\?/)
    })
  })
}
