import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aStep, aTask, aWorkflow, type Resource, statusOf } from './builders.ts'
import type { Client } from './client.ts'
import { assertInvalid, ENGINES, openWorld } from './world.ts'

const estimateOf = async (api: Client, task: Resource): Promise<number | null> => (await api.get(`/tasks/${task.id}`)).body.estimate_minutes

for (const engine of ENGINES) {
  describe(`the estimate of a task with steps (${engine})`, () => {
    it('is the sum of their minutes, through every change of them', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const [first, second] = [await world.given(aStep(task, { minutes: 20 })), await world.given(aStep(task, { minutes: 5 }))]

      const seen = [await estimateOf(world.api, task)]
      await world.api.patch(`/tasks/${task.id}/steps/${first.id}`, { minutes: 60 })
      seen.push(await estimateOf(world.api, task))
      await world.api.patch(`/tasks/${task.id}/steps/${first.id}`, { completed: true })
      seen.push(await estimateOf(world.api, task))
      await world.api.delete(`/tasks/${task.id}/steps/${second.id}`)
      seen.push(await estimateOf(world.api, task))

      assert.deepEqual(seen, [25, 65, 65, 60])
    })

    it('may be more than an estimate that is sent, as the description says', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      for (const name of ['One', 'Other']) await world.given(aStep(task, { name, minutes: 525_600 }))

      const { Task, UpdateTask } = (await world.anonymous.get('/openapi.json')).body.components.schemas

      assert.equal(await estimateOf(world.api, task), 2 * 525_600)
      assert.equal(Task.properties.estimate_minutes.maximum, undefined)
      assert.equal(UpdateTask.properties.estimate_minutes.maximum, 525_600)
    })

    it('takes the place of a whole-task estimate with the first checklist step, for good', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ estimate_minutes: 90 }))

      const step = await world.given(aStep(task))
      assert.equal(await estimateOf(world.api, task), 0)

      await world.api.delete(`/tasks/${task.id}/steps/${step.id}`)
      assert.equal(await estimateOf(world.api, task), null)
    })

    for (const estimate of [30, 0, null]) {
      it(`cannot be sent, not as ${estimate}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())
        await world.given(aStep(task, { minutes: 20 }))
        const before = (await world.api.get(`/tasks/${task.id}`)).body

        const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Other', estimate_minutes: estimate })

        assertInvalid(reply, ['body', 'estimate_minutes', 'conflict'])
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, before)
      })
    }

    it('can be sent again once the last step is removed', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task))
      await world.api.delete(`/tasks/${task.id}/steps/${step.id}`)

      const reply = await world.api.patch(`/tasks/${task.id}`, { estimate_minutes: 30 })

      assert.partialDeepStrictEqual(reply, { status: 200, body: { estimate_minutes: 30 } })
    })
  })

  describe(`the estimate of a task on a Workflow (${engine})`, () => {
    it('is refused at creation where there are Today Statuses, by workflow_id or status_id', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())

      for (const place of [{ workflow_id: workflow.id }, { status_id: statusOf(workflow, 'Feedback').id }]) {
        const reply = await world.api.post('/tasks', { title: 'Write it', estimate_minutes: 30, ...place })
        assertInvalid(reply, ['body', 'estimate_minutes', 'conflict'])
      }

      assert.deepEqual((await world.api.get('/tasks')).body.data, [])
    })

    it('may be null at creation, which is the same as not sending it', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())

      const task = await world.given(aTask({ workflow_id: workflow.id, estimate_minutes: null }))

      assert.equal(task.estimate_minutes, 0)
    })

    it('is its own where the Workflow has no Today Status', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ statuses: [{ name: 'Asked', disposition: 'waiting' }] }))
      const task = await world.given(aTask({ workflow_id: workflow.id, estimate_minutes: 30 }))

      const reply = await world.api.patch(`/tasks/${task.id}`, { estimate_minutes: 45 })

      assert.equal(task.estimate_minutes, 30)
      assert.partialDeepStrictEqual(reply, { status: 200, body: { estimate_minutes: 45 } })
    })

    it('cannot be sent with the move there', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask())

      const reply = await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id, estimate_minutes: 30 })

      assertInvalid(reply, ['body', 'estimate_minutes', 'conflict'])
      assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
    })

    it('can be sent with the move away, unless the own checklist comes back', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const [plain, listed] = [await world.given(aTask()), await world.given(aTask())]
      await world.given(aStep(listed))
      for (const { id } of [plain, listed]) await world.api.patch(`/tasks/${id}`, { workflow_id: workflow.id })
      const away = { workflow_id: null, estimate_minutes: 30 }

      assert.partialDeepStrictEqual(await world.api.patch(`/tasks/${plain.id}`, away), { status: 200, body: away })
      assertInvalid(await world.api.patch(`/tasks/${listed.id}`, away), ['body', 'estimate_minutes', 'conflict'])
    })

    const WAYS_OUT: [what: string, leave: (api: Client, task: Resource, workflow: Resource) => Promise<unknown>][] = [
      ['is taken off', (api, task) => api.patch(`/tasks/${task.id}`, { workflow_id: null })],
      ['is deleted', (api, _task, workflow) => api.delete(`/workflows/${workflow.id}`)],
    ]
    for (const [what, leave] of WAYS_OUT) {
      it(`shows again as it was before the Workflow came when that ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ estimate_minutes: 90 }))
        const workflow = await world.given(aWorkflow())
        await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id })
        assert.equal(await estimateOf(world.api, task), 0)

        await leave(world.api, task, workflow)

        assert.equal(await estimateOf(world.api, task), 90)
      })
    }
  })
}
