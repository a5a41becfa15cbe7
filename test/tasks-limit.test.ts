import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setPlan } from '../packages/server/actions/plans.ts'
import { aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import type { Client } from './client.ts'
import { assertProblem, ENGINES, HOUR, openWorld, type World } from './world.ts'

/** A client of an account whose plan allows `activeTasks` active tasks. */
async function clientWithLimit(world: World, activeTasks: number): Promise<Client> {
  await setPlan(world.operator, 'small', { activeTasks })
  return (await world.newAccount('small')).api
}

async function activeTasksOf(api: Client): Promise<number> {
  return (await api.get('/me')).body.plan.active_tasks
}

const FREEING: { what: string; free: (api: Client, task: Resource) => Promise<{ status: number }> }[] = [
  { what: 'completing', free: (api, task) => api.post(`/tasks/${task.id}/complete`) },
  { what: 'changing to done', free: (api, task) => api.patch(`/tasks/${task.id}`, { disposition: 'done' }) },
  { what: 'archiving', free: (api, task) => api.post(`/tasks/${task.id}/archive`) },
  { what: 'deleting', free: (api, task) => api.delete(`/tasks/${task.id}`) },
]

const REOPENING: { what: string; close: string; reopen: (api: Client, task: Resource) => Promise<{ status: number }> }[] = [
  { what: 'reopening a done task', close: 'complete', reopen: (api, task) => api.patch(`/tasks/${task.id}`, { disposition: 'waiting' }) },
  { what: 'putting off a done task', close: 'complete', reopen: (api, task) => api.post(`/tasks/${task.id}/later`) },
  { what: 'unarchiving a task', close: 'archive', reopen: (api, task) => api.post(`/tasks/${task.id}/unarchive`) },
]

for (const engine of ENGINES) {
  describe(`the plan's limit of active tasks (${engine})`, () => {
    it('refuses the creation of one more, and stores nothing of it', async () => {
      await using world = await openWorld(engine)
      const api = await clientWithLimit(world, 2)
      await aTask()(api)
      await aTask({ disposition: 'on_hold' })(api)

      const reply = await api.post('/tasks', { title: 'One too many' })

      assertProblem(reply, 403, 'task_limit_reached')
      assert.equal((await api.get('/tasks')).body.data.length, 2)
      assert.equal(await activeTasksOf(api), 2)
    })

    it('holds exactly when 32 creations come at once', async () => {
      await using world = await openWorld(engine)
      const api = await clientWithLimit(world, 10)

      const replies = await Promise.all(Array.from({ length: 32 }, () => api.post('/tasks', { title: 'Write it' })))

      const made = replies.filter((reply) => reply.status === 201)
      const refused = replies.filter((reply) => reply.status !== 201)
      assert.equal(made.length, 10)
      for (const reply of refused) assertProblem(reply, 403, 'task_limit_reached')
      assert.equal((await api.get('/tasks')).body.data.length, 10)
    })

    it('does not count tasks that are created as done', async () => {
      await using world = await openWorld(engine)
      const api = await clientWithLimit(world, 1)
      const workflow = await aWorkflow()(api)
      await aTask()(api)

      const byDisposition = await api.post('/tasks', { title: 'Long since', disposition: 'done' })
      const byStatus = await api.post('/tasks', { title: 'Long since', status_id: statusOf(workflow, 'Published').id })

      assert.deepEqual([byDisposition.status, byStatus.status], [201, 201])
      assert.equal(await activeTasksOf(api), 1)
    })

    it('leaves other accounts of the plan their own room', async () => {
      await using world = await openWorld(engine)
      const api = await clientWithLimit(world, 1)
      const other = await world.newAccount('small')
      await aTask()(api)

      const reply = await other.api.post('/tasks', { title: 'Write it' })

      assert.equal(reply.status, 201)
    })

    it('holds anew when the plan changes', async () => {
      await using world = await openWorld(engine)
      const api = await clientWithLimit(world, 1)
      await aTask()(api)
      await setPlan(world.operator, 'small', { activeTasks: 2 })

      const withinNewLimit = await api.post('/tasks', { title: 'Write it' })
      await setPlan(world.operator, 'small', { activeTasks: 1 })
      const overNewLimit = await api.post('/tasks', { title: 'Write it' })

      assert.equal(withinNewLimit.status, 201)
      assertProblem(overNewLimit, 403, 'task_limit_reached')
    })

    it('is 100 on the plan free, once that has API access', async () => {
      await using world = await openWorld(engine)
      await setPlan(world.operator, 'free', { apiAccess: true })
      const { api } = await world.newAccount('free')
      await Promise.all(Array.from({ length: 100 }, () => aTask()(api)))

      const reply = await api.post('/tasks', { title: 'One too many' })

      assertProblem(reply, 403, 'task_limit_reached')
    })

    for (const { what, free } of FREEING) {
      it(`has room again after ${what} a task`, async () => {
        await using world = await openWorld(engine)
        const api = await clientWithLimit(world, 1)
        const task = await aTask()(api)
        assertProblem(await api.post('/tasks', { title: 'Write it' }), 403, 'task_limit_reached')

        await free(api, task)
        const reply = await api.post('/tasks', { title: 'Write it' })

        assert.equal(reply.status, 201)
        assert.equal(await activeTasksOf(api), 1)
      })
    }

    for (const { what, close, reopen } of REOPENING) {
      it(`does not refuse ${what}, which counts again`, async () => {
        await using world = await openWorld(engine)
        const api = await clientWithLimit(world, 1)
        const task = await aTask()(api)
        await api.post(`/tasks/${task.id}/${close}`)
        await aTask()(api)

        const reply = await reopen(api, task)

        assert.equal(reply.status, 200)
        assert.equal(await activeTasksOf(api), 2)
        assertProblem(await api.post('/tasks', { title: 'Write it' }), 403, 'task_limit_reached')
      })
    }

    it('frees room once for a task that is both done and archived', async () => {
      await using world = await openWorld(engine)
      const api = await clientWithLimit(world, 2)
      const task = await aTask()(api)
      await aTask()(api)

      for (const action of ['complete', 'archive', 'complete', 'archive', 'unarchive']) await api.post(`/tasks/${task.id}/${action}`)

      assert.equal(await activeTasksOf(api), 1)
    })

    it('does not keep a task from waking', async () => {
      await using world = await openWorld(engine)
      const api = await clientWithLimit(world, 1)
      const task = await aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) })(api)
      world.advance(HOUR)

      await world.service.timers.wake()

      assert.equal((await api.get(`/tasks/${task.id}`)).body.disposition, 'in_progress')
      assert.equal(await activeTasksOf(api), 1)
    })

    it('counts the tasks that a Status takes along to done and back', async () => {
      await using world = await openWorld(engine)
      const api = await clientWithLimit(world, 1)
      const workflow = await aWorkflow()(api)
      const review = statusPath(workflow, 'Review')
      await aTask({ status_id: statusOf(workflow, 'Review').id })(api)

      await api.patch(review, { disposition: 'done' })
      const whileDone = await activeTasksOf(api)
      await api.patch(review, { disposition: 'waiting' })

      assert.equal(whileDone, 0)
      assert.equal(await activeTasksOf(api), 1)
    })
  })
}
