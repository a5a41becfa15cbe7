import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setPlan } from '../packages/server/actions/plans.ts'
import { aProject, aTask, aWorkflow, type Resource, UNKNOWN_ID } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, HOUR, openWorld, thirtyTwo, type World } from './world.ts'

const KEY = { 'idempotency-key': 'row 17' }

/** Every creation that takes a key: where, with what body (and another one), and the events that it makes. */
const CREATIONS: { of: string; prepare(world: World): Promise<string>; body: object; other: object; events: string[] }[] = [
  { of: 'a task', prepare: async () => '/tasks', body: { title: 'One' }, other: { title: 'Two' }, events: ['task.created'] },
  { of: 'a project', prepare: async () => '/projects', body: { name: 'One' }, other: { name: 'Two' }, events: ['project.created'] },
  {
    of: 'a Workflow',
    prepare: async () => '/workflows',
    body: { name: 'One', statuses: [{ name: 'Draft', disposition: 'in_progress' }] },
    other: { name: 'One', statuses: [{ name: 'Draft', disposition: 'waiting' }] },
    events: ['workflow.created', 'status.created'],
  },
  {
    of: 'a Status',
    prepare: async (world) => `/workflows/${(await world.given(aWorkflow())).id}/statuses`,
    body: { name: 'One', disposition: 'waiting' },
    other: { name: 'One', disposition: 'done' },
    events: ['status.created', 'workflow.updated'],
  },
  {
    of: 'a step',
    prepare: async (world) => `/tasks/${(await world.given(aTask())).id}/steps`,
    body: { name: 'One', minutes: 5 },
    other: { name: 'One', minutes: 6 },
    events: ['task.updated'],
  },
]

function assertReplay(reply: Reply, id: string): void {
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.headers['idempotent-replayed'], 'true')
  assert.equal(reply.body.id, id)
}

function assertCreated(reply: Reply): void {
  assert.equal(reply.status, 201, reply.text)
  assert.equal(reply.headers['idempotent-replayed'], undefined)
}

async function titlesOf(api: Client): Promise<string[]> {
  return (await api.get('/tasks?include_archived=true')).body.data.map((task: Resource) => task.title)
}

for (const engine of ENGINES) {
  describe(`Idempotency-Key (${engine})`, () => {
    for (const { of, prepare, body, other, events } of CREATIONS) {
      it(`makes ${of} once, and answers a retry with it`, async () => {
        await using world = await openWorld(engine)
        const path = await prepare(world)
        const first = await world.api.post(path, body, KEY)
        const eventsBefore = await world.events()

        const retry = await world.api.post(path, body, KEY)

        assertCreated(first)
        assertReplay(retry, first.body.id)
        assert.deepEqual(retry.body, first.body)
        assert.equal(retry.headers.etag, first.headers.etag)
        assert.equal(retry.headers.location, first.headers.location)
        assert.deepEqual(await world.events(), eventsBefore)
      })

      it(`refuses another body for the key of ${of}, and makes nothing`, async () => {
        await using world = await openWorld(engine)
        const path = await prepare(world)
        await world.api.post(path, body, KEY)
        const eventsBefore = await world.events()

        const reply = await world.api.post(path, other, KEY)

        assertInvalid(reply, ['header', 'Idempotency-Key', 'conflict'])
        assert.deepEqual(await world.events(), eventsBefore)
      })

      it(`makes ${of} once out of 32 requests at once: one 201, the others 200`, async () => {
        await using world = await openWorld(engine)
        const path = await prepare(world)
        const before = (await world.events()).length

        const replies = await thirtyTwo(world, () => world.api.post(path, body, KEY))

        const created = replies.filter((reply) => reply.status === 201)
        assert.equal(created.length, 1)
        const id = created[0]?.body.id
        for (const reply of replies) if (reply.status !== 201) assertReplay(reply, id)
        assert.equal(replies.filter((reply) => reply.status === 200).length, 31)
        const made = (await world.events()).slice(before)
        assert.deepEqual(
          made.map(({ type }) => type),
          events,
        )
      })

      it(`makes ${of} for each of 32 keys at once`, async () => {
        await using world = await openWorld(engine)
        const path = await prepare(world)

        const replies = await Promise.all(
          Array.from({ length: 32 }, (_, index) => world.api.post(path, body, { 'idempotency-key': `row ${index}` })),
        )

        for (const reply of replies) assertCreated(reply)
        assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 32)
      })
    }

    it('answers a retry with the resource as it is now', async () => {
      await using world = await openWorld(engine)
      const first = await world.api.post('/tasks', { title: 'One' }, KEY)
      const changed = await world.api.patch(`/tasks/${first.body.id}`, { title: 'Changed' })

      const retry = await world.api.post('/tasks', { title: 'One' }, KEY)

      assertReplay(retry, first.body.id)
      assert.deepEqual(retry.body, changed.body)
      assert.equal(retry.headers.etag, changed.headers.etag)
    })

    it('answers 404 to a retry when the resource was deleted, and makes nothing', async () => {
      await using world = await openWorld(engine)
      const first = await world.api.post('/tasks', { title: 'One' }, KEY)
      await world.api.delete(`/tasks/${first.body.id}`)

      const retry = await world.api.post('/tasks', { title: 'One' }, KEY)

      assertProblem(retry, 404, 'not_found')
      assert.deepEqual(await titlesOf(world.api), [])
    })

    it('answers a retry with a body that was right once and would be wrong now', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const body = { title: 'One', disposition: 'on_hold', on_hold_until: world.later(HOUR), project_id: project.id }
      const first = await world.api.post('/tasks', body, KEY)
      await world.api.delete(`/projects/${project.id}`)
      world.advance(2 * HOUR)

      assertReplay(await world.api.post('/tasks', body, KEY), first.body.id)
    })

    it('answers a retry at the limit of active tasks', async () => {
      await using world = await openWorld(engine)
      await setPlan(world.operator, 'unlimited', { activeTasks: 1 })
      const first = await world.api.post('/tasks', { title: 'One' }, KEY)

      const retry = await world.api.post('/tasks', { title: 'One' }, KEY)
      const another = await world.api.post('/tasks', { title: 'One' }, { 'idempotency-key': 'another' })

      assertReplay(retry, first.body.id)
      assertProblem(another, 403, 'task_limit_reached')
    })

    it('answers a retry after a restart', async () => {
      await using world = await openWorld(engine)
      const first = await world.api.post('/tasks', { title: 'One' }, KEY)

      await world.restart()

      assertReplay(await world.api.post('/tasks', { title: 'One' }, KEY), first.body.id)
    })

    it('is not used up by a creation that was refused', async () => {
      await using world = await openWorld(engine)
      await setPlan(world.operator, 'unlimited', { activeTasks: 0 })
      const refused = [
        await world.api.post('/tasks', { title: '' }, KEY),
        await world.api.post('/tasks', { title: 'One', project_id: UNKNOWN_ID }, KEY),
        await world.api.post('/tasks', { title: 'One' }, KEY),
      ]
      await setPlan(world.operator, 'unlimited', { activeTasks: null })

      const reply = await world.api.post('/tasks', { title: 'Another' }, KEY)

      assert.deepEqual(
        refused.map(({ status }) => status),
        [400, 400, 403],
      )
      assertCreated(reply)
    })

    it('is kept for 24 hours, whatever is pruned meanwhile', async () => {
      await using world = await openWorld(engine)
      const first = await world.api.post('/tasks', { title: 'One' }, KEY)
      world.advance(DAY)
      await world.service.timers.prune()

      assertReplay(await world.api.post('/tasks', { title: 'One' }, KEY), first.body.id)
    })

    it('is forgotten by the first pruning after 24 hours', async () => {
      await using world = await openWorld(engine)
      const first = await world.api.post('/tasks', { title: 'One' }, KEY)
      world.advance(DAY + 1)
      const pruned = await world.service.timers.prune()

      const reply = await world.api.post('/tasks', { title: 'Other' }, KEY)

      assert.equal(pruned.keys, 1)
      assertCreated(reply)
      assert.notEqual(reply.body.id, first.body.id)
    })

    it('is not kept longer by being used again', async () => {
      await using world = await openWorld(engine)
      await world.api.post('/tasks', { title: 'One' }, KEY)
      world.advance(DAY)
      await world.api.post('/tasks', { title: 'One' }, KEY)
      world.advance(1)

      assert.equal((await world.service.timers.prune()).keys, 1)
    })

    it('holds for every token of the account', async () => {
      await using world = await openWorld(engine)
      const first = await world.api.post('/tasks', { title: 'One' }, KEY)
      const other = await world.clientWith(['tasks:write'])

      assertReplay(await other.post('/tasks', { title: 'One' }, KEY), first.body.id)
    })

    it('of another account is another key', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      const first = await world.api.post('/tasks', { title: 'One' }, KEY)

      const reply = await other.api.post('/tasks', { title: 'Two' }, KEY)

      assertCreated(reply)
      assert.notEqual(reply.body.id, first.body.id)
      assert.deepEqual(await titlesOf(world.api), ['One'])
    })

    it('on another path is another key', async () => {
      await using world = await openWorld(engine)
      await world.api.post('/projects', { name: 'One' }, KEY)

      assertCreated(await world.api.post('/workflows', { name: 'One' }, KEY))
    })

    it('on a path with other ids is another key', async () => {
      await using world = await openWorld(engine)
      const [one, two] = [await world.given(aWorkflow()), await world.given(aWorkflow())]
      const body = { name: 'Proofread', disposition: 'waiting' }
      await world.api.post(`/workflows/${one.id}/statuses`, body, KEY)

      const reply = await world.api.post(`/workflows/${two.id}/statuses`, body, KEY)

      assertCreated(reply)
      assert.equal(reply.body.workflow_id, two.id)
    })

    it('means nothing to a PATCH', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.api.patch(`/tasks/${task.id}`, { title: 'One' }, KEY)

      const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Two' }, KEY)

      assert.deepEqual([reply.status, reply.body.title], [200, 'Two'])
    })
  })
}
