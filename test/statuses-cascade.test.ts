import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aStep, aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import type { Client } from './client.ts'
import { taskNow } from './reading.ts'
import { ENGINES, HOUR, MINUTE, openWorld, type World } from './world.ts'

/** Asserts that the task is as it was but for these fields, and that the change has a version, a time and one event as a cascade. */
async function assertChanged(world: World, before: Resource, fields: Resource, type = 'task.updated'): Promise<void> {
  const now = await taskNow(world.api, before)
  assert.notEqual(now.version, before.version)
  assert.deepEqual(now, { ...before, ...fields, updated_at: world.now, version: now.version })
  const events = (await world.events()).filter(
    ({ data, occurredAt }) => (data as Resource).id === before.id && occurredAt === world.clock(),
  )
  assert.deepEqual(
    events.map(({ type, cause, data }) => ({ type, cause, data })),
    [{ type, cause: 'cascade', data: now }],
  )
  const former = Object.fromEntries(['updated_at', 'version', ...Object.keys(fields)].map((name) => [name, before[name]]))
  assert.deepEqual(events[0]?.previous, former)
}

for (const engine of ENGINES) {
  describe(`moving a Status to another Disposition (${engine})`, () => {
    it('puts it last there', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())

      await world.api.patch(statusPath(workflow, 'Feedback'), { disposition: 'in_progress' })

      const names = (await world.api.get(`/workflows/${workflow.id}/statuses`)).body.data.map((status: Resource) => status.name)
      assert.deepEqual(names, ['Draft', 'Review', 'Publish', 'Feedback', 'Shelved', 'Published'])
    })

    const MOVES: [from: string, to: string, what: string, fields: (world: World) => Resource, type?: string][] = [
      ['Feedback', 'done', 'completes its tasks', (world) => ({ disposition: 'done', completed_at: world.now }), 'task.completed'],
      ['Feedback', 'on_hold', 'puts its tasks off with no time to wake', () => ({ disposition: 'on_hold' })],
      ['Feedback', 'in_progress', 'brings its tasks to Today, with a step more', () => ({ disposition: 'in_progress', steps_total: 4 })],
      ['Published', 'waiting', 'opens its tasks again', () => ({ disposition: 'waiting', completed_at: null })],
      ['Shelved', 'waiting', 'takes its tasks out of Later', () => ({ disposition: 'waiting' })],
      ['Draft', 'waiting', 'takes its tasks out of Today, with a step less', () => ({ disposition: 'waiting', steps_total: 2 })],
      [
        'Draft',
        'done',
        'completes its tasks in Today, with a step less',
        (world) => ({ disposition: 'done', completed_at: world.now, steps_total: 2 }),
        'task.completed',
      ],
    ]
    for (const [from, to, what, fields, type] of MOVES) {
      it(`from ${from} to ${to} ${what}, which stay on it`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const task = await world.given(aTask({ status_id: statusOf(workflow, from).id }))
        world.advance(MINUTE)

        const reply = await world.api.patch(statusPath(workflow, from), { disposition: to })

        assert.partialDeepStrictEqual(reply, { status: 200, body: { disposition: to } })
        await assertChanged(world, task, fields(world), type)
      })
    }

    it('clears the time to wake of tasks that leave Later by it', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ status_id: statusOf(workflow, 'Shelved').id, on_hold_until: world.later(HOUR) }))
      world.advance(MINUTE)

      await world.api.patch(statusPath(workflow, 'Shelved'), { disposition: 'waiting' })

      await assertChanged(world, task, { disposition: 'waiting', on_hold_until: null })
      world.advance(HOUR)
      assert.equal(await world.service.timers.wake(), 0)
    })

    it('moves archived tasks too, which stay archived', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ status_id: statusOf(workflow, 'Feedback').id }))
      const archived = (await world.api.post(`/tasks/${task.id}/archive`)).body
      world.advance(MINUTE)

      await world.api.patch(statusPath(workflow, 'Feedback'), { disposition: 'on_hold' })

      await assertChanged(world, archived, { disposition: 'on_hold' })
    })

    it('frees room for active tasks when it completes them', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      for (let n = 0; n < 3; n++) await world.given(aTask({ status_id: statusOf(workflow, 'Feedback').id }))
      const activeTasks = async () => (await world.api.get('/me')).body.plan.active_tasks
      assert.equal(await activeTasks(), 3)

      await world.api.patch(statusPath(workflow, 'Feedback'), { disposition: 'done' })
      assert.equal(await activeTasks(), 0)

      await world.api.patch(statusPath(workflow, 'Feedback'), { disposition: 'waiting' })
      assert.equal(await activeTasks(), 3)
    })

    it('leaves tasks alone that do not stand on it, where it is no step', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const others = [
        await world.given(aTask({ workflow_id: workflow.id, disposition: 'waiting' })),
        await world.given(aTask({ status_id: statusOf(workflow, 'Shelved').id })),
        await world.given(aTask({ onStatus: 'Feedback' })),
      ]
      await world.api.patch(`/tasks/${others[0].id}`, { status_id: null })
      const before = await Promise.all(others.map((task) => taskNow(world.api, task)))
      world.advance(MINUTE)

      await world.api.patch(statusPath(workflow, 'Feedback'), { disposition: 'done' })

      assert.deepEqual(await Promise.all(others.map((task) => taskNow(world.api, task))), before)
    })

    it('makes tasks that it puts off wake in Today on no Status, since theirs is no Today Status any more', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ status_id: statusOf(workflow, 'Review').id }))
      await world.api.patch(statusPath(workflow, 'Review'), { disposition: 'on_hold' })
      await world.api.patch(`/tasks/${task.id}`, { on_hold_until: world.later(HOUR) })
      world.advance(HOUR)

      assert.equal(await world.service.timers.wake(), 1)

      assert.partialDeepStrictEqual(await taskNow(world.api, task), { disposition: 'in_progress', status_id: null, on_hold_until: null })
    })

    it('makes a task in Later that had left it wake on no Status', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Review' }))
      await world.api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) })
      await world.api.patch(`/workflows/${task.workflow_id}/statuses/${task.status_id}`, { disposition: 'waiting' })
      world.advance(HOUR)

      await world.service.timers.wake()

      assert.partialDeepStrictEqual(await taskNow(world.api, task), { disposition: 'in_progress', status_id: null })
    })
  })

  describe(`deleting a Status (${engine})`, () => {
    for (const name of ['Feedback', 'Shelved', 'Published']) {
      it(`takes the tasks off ${name}; Workflow, Disposition and steps stay`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const task = await world.given(aTask({ status_id: statusOf(workflow, name).id }))
        const elsewhere = await world.given(aTask({ workflow_id: workflow.id }))
        world.advance(MINUTE)

        await world.api.delete(statusPath(workflow, name))

        await assertChanged(world, task, { status_id: null })
        assert.deepEqual(await taskNow(world.api, elsewhere), elsewhere)
      })
    }

    it('in Today takes a step with its tick and minutes from every task of the Workflow', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const { id } = statusOf(workflow, 'Review')
      const [on, off, plain] = [
        await world.given(aTask({ status_id: id })),
        await world.given(aTask({ workflow_id: workflow.id })),
        await world.given(aTask({ onStatus: 'Review' })),
      ]
      await world.api.patch(`/tasks/${off.id}/steps/${id}`, { completed: true, minutes: 30 })
      await world.api.patch(`/tasks/${off.id}/steps/${statusOf(workflow, 'Draft').id}`, { minutes: 5 })
      const marked = await taskNow(world.api, off)
      assert.partialDeepStrictEqual(marked, { steps_completed: 1, estimate_minutes: 35 })
      world.advance(MINUTE)

      await world.api.delete(statusPath(workflow, 'Review'))

      await assertChanged(world, on, { status_id: null, steps_total: 2 })
      await assertChanged(world, marked, { steps_total: 2, steps_completed: 0, estimate_minutes: 5 })
      assert.deepEqual(await taskNow(world.api, plain), plain)
      assert.equal((await world.api.get(`/tasks/${off.id}/steps`)).body.data.length, 2)
    })

    it('keeps the time to wake of tasks in Later', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const until = world.later(HOUR)
      const task = await world.given(aTask({ status_id: statusOf(workflow, 'Shelved').id, on_hold_until: until }))

      await world.api.delete(statusPath(workflow, 'Shelved'))

      assert.partialDeepStrictEqual(await taskNow(world.api, task), { disposition: 'on_hold', on_hold_until: until, status_id: null })
    })

    it('makes a task in Later that had left it wake in Today on no Status', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Review' }))
      await world.api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) })
      await world.api.delete(`/workflows/${task.workflow_id}/statuses/${task.status_id}`)
      world.advance(HOUR)

      await world.service.timers.wake()

      const now = await taskNow(world.api, task)
      assert.partialDeepStrictEqual(now, { disposition: 'in_progress', status_id: null, workflow_id: task.workflow_id, steps_total: 2 })
    })
  })

  describe(`a Today Status more or less (${engine})`, () => {
    it('is a step more for every task of the Workflow when it is created', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const [started, done] = [
        await world.given(aTask({ status_id: statusOf(workflow, 'Draft').id })),
        await world.given(aTask({ workflow_id: workflow.id, disposition: 'done' })),
      ]
      world.advance(MINUTE)

      await world.api.post(`/workflows/${workflow.id}/statuses`, { name: 'Proofread', disposition: 'in_progress' })

      await assertChanged(world, started, { steps_total: 4 })
      await assertChanged(world, done, { steps_total: 4 })
    })

    it('hides the own estimate of a task, which shows again with the last Today Status gone', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ statuses: [] }))
      const task = await world.given(aTask({ workflow_id: workflow.id, estimate_minutes: 30 }))
      world.advance(MINUTE)

      const { id } = (await world.api.post(`/workflows/${workflow.id}/statuses`, { name: 'Draft', disposition: 'in_progress' })).body
      await assertChanged(world, task, { steps_total: 1, estimate_minutes: 0 })

      const during = await taskNow(world.api, task)
      world.advance(MINUTE)
      await world.api.patch(`/workflows/${workflow.id}/statuses/${id}`, { disposition: 'waiting' })
      await assertChanged(world, during, { steps_total: 0, estimate_minutes: 30 })
    })

    it('touches no task that has nothing to do with it', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const others = [await world.given(aTask()), await world.given(aTask({ onStatus: 'Draft' }))]
      world.advance(MINUTE)

      const { id } = (await world.api.post(`/workflows/${workflow.id}/statuses`, { name: 'New', disposition: 'in_progress' })).body
      await world.api.delete(`/workflows/${workflow.id}/statuses/${id}`)

      for (const task of others) assert.deepEqual(await taskNow(world.api, task), task)
    })

    it('reaches every one of a great many tasks', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      await Promise.all(Array.from({ length: 505 }, () => world.given(aTask({ workflow_id: workflow.id }))))
      const known = (await world.events()).length

      await world.api.delete(statusPath(workflow, 'Draft'))

      const touched = (await world.events()).slice(known).filter(({ type }) => type === 'task.updated')
      assert.equal(touched.length, 505)
      assert.equal(new Set(touched.map(({ data }) => (data as Resource).id)).size, 505)
      for (const { data } of touched) assert.equal((data as Resource).steps_total, 2)
    })

    it('leaves the own checklist of a task, out of sight, as it was', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task, { minutes: 20, completed: true }))
      const workflow = await world.given(aWorkflow())
      await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id })

      await world.api.delete(statusPath(workflow, 'Draft'))
      const back = await world.api.patch(`/tasks/${task.id}`, { workflow_id: null })

      assert.partialDeepStrictEqual(back.body, { steps_total: 1, steps_completed: 1, estimate_minutes: 20 })
      assert.deepEqual((await world.api.get(`/tasks/${task.id}/steps`)).body.data, [step])
    })
  })

  describe(`a change of a Status that changes no task (${engine})`, () => {
    const QUIET: [what: string, send: (api: Client, workflow: Resource) => Promise<unknown>][] = [
      ['a rename', (api, workflow) => api.patch(statusPath(workflow, 'Draft'), { name: 'Sketch' })],
      ['a new order', (api, workflow) => api.patch(statusPath(workflow, 'Draft'), { position: 9 })],
      [
        'a new Status outside Today',
        (api, workflow) => api.post(`/workflows/${workflow.id}/statuses`, { name: 'x', disposition: 'waiting' }),
      ],
      ['the deletion of an empty one outside Today', (api, workflow) => api.delete(statusPath(workflow, 'Feedback'))],
      ['the move of an empty one outside Today', (api, workflow) => api.patch(statusPath(workflow, 'Feedback'), { disposition: 'done' })],
    ]
    for (const [what, send] of QUIET) {
      it(`is ${what}`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const [on, off] = [
          await world.given(aTask({ status_id: statusOf(workflow, 'Draft').id })),
          await world.given(aTask({ workflow_id: workflow.id })),
        ]
        const known = (await world.events()).length
        world.advance(MINUTE)

        await send(world.api, workflow)

        for (const task of [on, off]) assert.deepEqual(await taskNow(world.api, task), task)
        const types = (await world.events()).slice(known).map(({ type }) => type.split('.')[0])
        assert.deepEqual(types.sort(), ['status', 'workflow'])
      })
    }
  })
}
