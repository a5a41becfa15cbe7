import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_TYPES, type Event } from '@fivetab/domain/event.ts'
import { aProject, aStep, aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { aWebhook, openReceiver, REACHABLE } from './receiver.ts'
import { ENGINES, HOUR, MINUTE, openWorld, type World } from './world.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const dataOf = (event: Event | undefined): Resource => event?.data

/** A day in an account that has everything happen in it: each kind of change, some of them with cascades. Each answer in order. */
async function aFullDay(world: World): Promise<Reply[]> {
  const { api } = world
  const replies: Reply[] = []
  const send = async (reply: Promise<Reply>): Promise<Resource> => {
    replies.push(await reply)
    assert.ok((replies.at(-1)?.status ?? 500) < 300, JSON.stringify(replies.at(-1)?.body))
    world.advance(MINUTE)
    return replies.at(-1)?.body
  }
  const project = await send(api.post('/projects', { name: 'House move' }))
  await send(api.patch(`/projects/${project.id}`, { archived: true }))
  const statuses = [
    { name: 'Draft', disposition: 'in_progress' },
    { name: 'Review', disposition: 'in_progress' },
    { name: 'Asked', disposition: 'waiting' },
  ]
  const workflow = await send(api.post('/workflows', { name: 'Article', statuses }))
  await send(api.patch(`/workflows/${workflow.id}`, { emoji: '🚀' }))
  const stage = await send(api.post(`/workflows/${workflow.id}/statuses`, { name: 'Publish', disposition: 'in_progress' }))
  const task = await send(api.post('/tasks', { title: 'Write', project_id: project.id, status_id: statusOf(workflow, 'Draft').id }))
  await send(api.patch(`/tasks/${task.id}/steps/${statusOf(workflow, 'Draft').id}`, { completed: true, minutes: 5 }))
  await send(api.patch(`/workflows/${workflow.id}/statuses/${stage.id}`, { disposition: 'done' }))
  await send(api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) }))
  world.advance(HOUR)
  await world.service.timers.wake()
  world.advance(MINUTE)
  await send(api.patch(`/tasks/${task.id}`, { title: 'Rewrite', notes: 'All of it' }))
  await send(api.patch(`/tasks/${task.id}`, { status_id: statusOf(workflow, 'Asked').id }))
  await send(api.delete(statusPath(workflow, 'Asked')))
  await send(api.post(`/tasks/${task.id}/complete`))
  await send(api.post(`/tasks/${task.id}/archive`))
  await send(api.post(`/tasks/${task.id}/unarchive`))
  await send(api.delete(`/projects/${project.id}`))
  await send(api.delete(`/workflows/${workflow.id}`))
  const step = await send(api.post(`/tasks/${task.id}/steps`, { name: 'Buy ink' }))
  await send(api.patch(`/tasks/${task.id}/steps/${step.id}`, { name: 'Buy paper' }))
  await send(api.delete(`/tasks/${task.id}/steps/${step.id}`))
  await send(api.delete(`/tasks/${task.id}`))
  return replies
}

for (const engine of ENGINES) {
  describe(`the log of an account (${engine})`, () => {
    it('counts 1, 2, 3 without gaps while many write at once', async () => {
      await using world = await openWorld(engine)
      const { account, api: stranger } = await world.newAccount()
      const task = await world.given(aTask())
      const work = (api: Client, n: number) => [
        api.post('/tasks', { title: `task ${n}` }),
        api.post('/tasks', { title: '' }),
        api.post('/workflows', { name: `Workflow ${n}`, statuses: [{ name: 'Draft', disposition: 'in_progress' }] }),
        api.patch(`/tasks/${task.id}`, { title: `title ${n}` }),
        api.post(`/tasks/${task.id}/complete`, undefined, { 'if-match': '"999"' }),
      ]

      await Promise.all(Array.from({ length: 15 }, (_, n) => [...work(world.api, n), ...work(stranger, n)]).flat())

      const logs = [await world.events(), await world.events(account)]
      for (const log of logs) {
        assert.deepEqual(
          log.map((event) => event.sequence),
          log.map((_, index) => index + 1),
        )
      }
      assert.deepEqual(
        logs.map((log) => log.length),
        [1 + 15 * 4, 15 * 3],
      )
    })

    it('goes on where it was after a restart', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())
      await world.restart()

      await world.given(aTask())

      assert.deepEqual(
        (await world.events()).map((event) => event.sequence),
        [1, 2],
      )
    })

    it('can show every type there is, once each by what was asked for or fell due', async () => {
      await using receiver = await openReceiver()
      receiver.answer = 410
      await using world = await openWorld(engine, { environment: REACHABLE })
      const { api } = world
      await world.given(aWebhook(receiver, { event_types: ['project.created'] }))
      const project = await world.given(aProject())
      await world.service.timers.deliver()
      await api.patch(`/projects/${project.id}`, { name: 'Move' })
      await api.delete(`/projects/${project.id}`)
      const workflow = await world.given(aWorkflow({ statuses: [] }))
      await api.patch(`/workflows/${workflow.id}`, { name: 'Essay' })
      const status = (await api.post(`/workflows/${workflow.id}/statuses`, { name: 'Draft', disposition: 'waiting' })).body
      await api.patch(`/workflows/${workflow.id}/statuses/${status.id}`, { name: 'Sketch' })
      await api.delete(`/workflows/${workflow.id}/statuses/${status.id}`)
      await api.delete(`/workflows/${workflow.id}`)
      const task = await world.given(aTask())
      await api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) })
      world.advance(HOUR)
      await world.service.timers.wake()
      await api.post(`/tasks/${task.id}/complete`)
      await api.post(`/tasks/${task.id}/archive`)
      await api.post(`/tasks/${task.id}/unarchive`)
      await api.delete(`/tasks/${task.id}`)
      await (await world.signIn()).patch('/dispositions/waiting', { label: 'Elsewhere' })

      const types = (await world.events()).filter((event) => event.cause !== 'cascade').map((event) => event.type)

      assert.deepEqual(types.sort(), [...EVENT_TYPES].sort())
    })

    it('has one event for each resource that a request changed', async () => {
      await using world = await openWorld(engine)
      await aFullDay(world)

      const seen = (await world.events()).map((event) => `${event.requestId} ${dataOf(event).id}`)

      assert.equal(new Set(seen).size, seen.length)
    })

    it('tells by itself all that ever was: each event says what its resource had become, and what it had been in what changed', async () => {
      await using world = await openWorld(engine)
      await aFullDay(world)

      const states = new Map<string, Resource>()
      for (const { type, data, previous } of await world.events()) {
        const now: Resource = data
        const before = states.get(now.id)
        if (type.endsWith('.created')) {
          assert.equal(before, undefined)
          assert.deepEqual(previous, {})
          states.set(now.id, now)
        } else if (type.endsWith('.deleted')) {
          assert.deepEqual(now, before)
          assert.deepEqual(previous, {})
          states.delete(now.id)
        } else {
          const changed = Object.keys(now).filter((name) => now[name] !== before[name])
          assert.deepEqual(previous, Object.fromEntries(changed.map((name) => [name, before[name]])))
          assert.ok(changed.includes('version'))
          states.set(now.id, now)
        }
      }
      assert.equal(states.size, 0)
    })

    it('carries the id of the request, its token and its cause, and nothing but the cause for a timer', async () => {
      await using world = await openWorld(engine)
      const tokenId = (await world.api.get('/me')).body.token.id
      const replies = await aFullDay(world)

      const events = await world.events()

      const byRequest = events.filter((event) => event.cause !== 'timer')
      assert.deepEqual(
        [...new Set(byRequest.map((event) => event.requestId))],
        replies.map((reply) => reply.headers['x-request-id']),
      )
      for (const event of byRequest) assert.equal(event.tokenId, tokenId)
      const causes = Map.groupBy(byRequest, (event) => event.requestId)
      for (const [, ofOne] of causes) assert.ok(ofOne.some((event) => event.cause === 'api'))
      assert.deepEqual(
        events.filter((event) => event.cause === 'timer').map(({ type, tokenId, requestId }) => ({ type, tokenId, requestId })),
        [{ type: 'task.woke', tokenId: null, requestId: null }],
      )
    })

    it('names the token that wrote, among several of an account', async () => {
      await using world = await openWorld(engine)
      const other = await world.clientWith(['tasks:write'])
      const otherId = (await other.get('/me')).body.token.id
      await world.given(aTask())

      await other.post('/tasks', { title: 'x' })

      const [first, second] = await world.events()
      assert.equal(second?.tokenId, otherId)
      assert.notEqual(first?.tokenId, otherId)
    })

    it('has ids in order, UUIDv7, that no resource has', async () => {
      await using world = await openWorld(engine)
      await aFullDay(world)

      const events = await world.events()

      const ids = events.map((event) => event.id)
      for (const id of ids) assert.match(id, UUID_V7)
      assert.deepEqual(ids, [...ids].sort())
      assert.equal(
        new Set([...ids, ...events.map((event) => dataOf(event).id)]).size,
        ids.length + new Set(events.map((event) => dataOf(event).id)).size,
      )
    })

    it('stamps each event with the time of the change, which its data shows too', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      world.advance(MINUTE)
      await world.api.patch(`/tasks/${task.id}`, { title: 'Rewrite it' })

      const events = await world.events()

      assert.equal(events[1]?.occurredAt, world.clock())
      assert.equal(dataOf(events[1]).updated_at, world.now)
    })

    it('never goes back in time, though the clock does', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      world.advance(-HOUR)

      const later = await world.given(aTask())
      const changed = (await world.api.patch(`/tasks/${task.id}`, { title: 'Rewrite it' })).body

      const events = await world.events()
      for (const event of events) assert.equal(event.occurredAt, Date.parse(task.created_at))
      assert.equal(changed.updated_at, task.updated_at)
      assert.ok(later.id > task.id)
      assert.deepEqual(
        events.map((event) => event.id),
        events.map((event) => event.id).sort(),
      )
    })

    it('shows an account nothing of another', async () => {
      await using world = await openWorld(engine)
      const { account, api: stranger } = await world.newAccount()
      await world.given(aTask())

      const theirs = (await stranger.post('/tasks', { title: 'x' })).body

      const log = await world.events(account)
      assert.deepEqual(
        log.map((event) => ({ sequence: event.sequence, id: dataOf(event).id })),
        [{ sequence: 1, id: theirs.id }],
      )
    })
  })

  describe(`the data of an event (${engine})`, () => {
    const CREATED: [type: string, make: (world: World) => Promise<[resource: Resource, path: string]>][] = [
      ['task', async (world) => [await world.given(aTask({ onStatus: 'Review', notes: 'All of it', due_date: '2026-12-01' })), '/tasks']],
      ['project', async (world) => [await world.given(aProject({ description: 'All of it' })), '/projects']],
      ['workflow', async (world) => [await world.given(aWorkflow({ emoji: '🚀', description: 'All of it' })), '/workflows']],
      [
        'status',
        async (world) => {
          const { id, statuses } = await world.given(aWorkflow())
          return [statuses[0], `/workflows/${id}/statuses`]
        },
      ],
    ]
    for (const [kind, make] of CREATED) {
      it(`is the ${kind} as lists show it: at its creation, after a change, and as it was before its deletion`, async () => {
        await using world = await openWorld(engine)
        const [{ id }, list] = await make(world)
        const shown = async (): Promise<Resource> => (await world.api.get(list)).body.data.find((one: Resource) => one.id === id)
        const last = async () => (await world.events()).filter((event) => dataOf(event).id === id).at(-1)
        const expected = [`${kind}.created`, `${kind}.updated`, `${kind}.deleted`]
        const seen: (string | undefined)[] = []

        const created = await last()
        seen.push(created?.type)
        assert.deepEqual(created?.data, await shown())

        world.advance(MINUTE)
        await world.api.patch(`${list}/${id}`, kind === 'task' ? { title: 'Other' } : { name: 'Other' })
        const updated = await last()
        const after = await shown()
        seen.push(updated?.type)
        assert.deepEqual(updated?.data, after)

        await world.api.delete(`${list}/${id}`)
        const deleted = await last()
        seen.push(deleted?.type)
        assert.deepEqual(deleted?.data, after)
        assert.deepEqual(seen, expected)
      })
    }

    it('holds the former values of exactly what changed', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Review', due_date: '2026-12-01' }))
      const { version, updated_at, title, due_date, status_id } = task
      const previousOf = async (): Promise<Resource> => (await world.events()).at(-1)?.previous

      await world.api.patch(`/tasks/${task.id}`, { title: 'Other', due_date: null, notes: null })
      assert.deepEqual(await previousOf(), { title, due_date, version })

      world.advance(MINUTE)
      const { version: second } = (await world.api.get(`/tasks/${task.id}`)).body
      await world.api.post(`/tasks/${task.id}/complete`)
      assert.deepEqual(await previousOf(), { disposition: 'in_progress', status_id, completed_at: null, version: second, updated_at })
    })

    it('is the deleted task with its steps counted, and one event only', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.given(aStep(task, { minutes: 5 }))
      await world.given(aStep(task, { completed: true }))
      const last = (await world.api.get(`/tasks/${task.id}`)).body
      const known = (await world.events()).length

      await world.api.delete(`/tasks/${task.id}`)

      assert.deepEqual(
        (await world.events()).slice(known).map(({ type, data }) => ({ type, data })),
        [{ type: 'task.deleted', data: last }],
      )
    })
  })
}
