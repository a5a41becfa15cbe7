import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aStep, aTask, aWorkflow, type Resource, statusOf } from './builders.ts'
import type { Client } from './client.ts'
import { stepsOf, taskNow } from './reading.ts'
import { assertInvalid, assertProblem, ENGINES, HOUR, openWorld } from './world.ts'

/** Leaves a mark on each step: a tick on the first, minutes on all. */
async function markSteps(api: Client, task: Resource): Promise<Resource[]> {
  for (const [index, step] of (await stepsOf(api, task)).entries()) {
    await api.patch(`/tasks/${task.id}/steps/${step.id}`, { minutes: 10, ...(index === 0 && { completed: true }) })
  }
  return stepsOf(api, task)
}

for (const engine of ENGINES) {
  describe(`the steps of a task on a Workflow (${engine})`, () => {
    it('are its Today Statuses in order, each with the id and the name of its Status', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ workflow_id: workflow.id }))

      const reply = await world.api.get(`/tasks/${task.id}/steps`)

      const expected = ['Draft', 'Review', 'Publish'].map((name) => {
        const status = statusOf(workflow, name)
        return {
          object: 'step',
          id: status.id,
          task_id: task.id,
          kind: 'status',
          name,
          status_id: status.id,
          completed: false,
          completed_at: null,
          minutes: 0,
          position: status.position,
        }
      })
      assert.deepEqual(reply.body, { object: 'list', data: expected, has_more: false, next_cursor: null })
      assert.partialDeepStrictEqual(task, { steps_total: 3, steps_completed: 0, estimate_minutes: 0 })
      assert.deepEqual((await world.api.get(`/tasks/${task.id}/steps/${expected[1]?.id}`)).body, expected[1])
    })

    for (const disposition of ['not_started', 'in_progress', 'waiting', 'on_hold', 'done']) {
      it(`are the same while the task is ${disposition}`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const task = await world.given(aTask({ workflow_id: workflow.id, disposition }))

        const names = (await stepsOf(world.api, task)).map((step) => step.name)

        assert.deepEqual(names, ['Draft', 'Review', 'Publish'])
      })
    }

    it('are none where the Workflow has no Today Status', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ statuses: [{ name: 'Asked', disposition: 'waiting' }] }))
      const task = await world.given(aTask({ workflow_id: workflow.id }))

      assert.deepEqual(await stepsOf(world.api, task), [])
      assert.partialDeepStrictEqual(task, { steps_total: 0, estimate_minutes: null })
    })

    it('have ticks and minutes of the task’s own', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const [task, other] = [await world.given(aTask({ workflow_id: workflow.id })), await world.given(aTask({ workflow_id: workflow.id }))]
      const review = statusOf(workflow, 'Review')

      const reply = await world.api.patch(`/tasks/${task.id}/steps/${review.id}`, { completed: true, minutes: 45 })

      assert.equal(reply.status, 200)
      assert.partialDeepStrictEqual(reply.body, { id: review.id, completed: true, completed_at: world.now, minutes: 45 })
      assert.deepEqual((await stepsOf(world.api, task))[1], reply.body)
      assert.partialDeepStrictEqual(await taskNow(world.api, task), { steps_completed: 1, estimate_minutes: 45 })
      assert.deepEqual(await taskNow(world.api, other), other)
      assert.partialDeepStrictEqual((await stepsOf(world.api, other))[1], { completed: false, minutes: 0 })
    })

    it('cannot be renamed or moved, and nothing else of such a request is done', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Draft' }))
      const path = `/tasks/${task.id}/steps/${task.status_id}`

      assertInvalid(await world.api.patch(path, { name: 'Sketch', completed: true }), ['body', 'name', 'conflict'])
      assertInvalid(await world.api.patch(path, { position: 9, minutes: 5 }), ['body', 'position', 'conflict'])
      const both = await world.api.patch(path, { name: 'Sketch', position: 9 })

      assertInvalid(both, ['body', 'name', 'conflict'], ['body', 'position', 'conflict'])
      assert.deepEqual(await taskNow(world.api, task), task)
      assert.partialDeepStrictEqual((await stepsOf(world.api, task))[0], { name: 'Draft', completed: false, minutes: 0 })
    })

    it('cannot be removed from the task', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Draft' }))

      assertInvalid(await world.api.delete(`/tasks/${task.id}/steps/${task.status_id}`), ['body', '', 'conflict'])

      assert.deepEqual(await taskNow(world.api, task), task)
      assert.equal((await stepsOf(world.api, task)).length, 3)
    })

    it('are not the Statuses of other Dispositions or other Workflows', async () => {
      await using world = await openWorld(engine)
      const [workflow, elsewhere] = [await world.given(aWorkflow()), await world.given(aWorkflow())]
      const task = await world.given(aTask({ workflow_id: workflow.id }))

      for (const { id } of [statusOf(workflow, 'Feedback'), statusOf(elsewhere, 'Draft')]) {
        assertProblem(await world.api.get(`/tasks/${task.id}/steps/${id}`), 404, 'not_found')
        assertProblem(await world.api.patch(`/tasks/${task.id}/steps/${id}`, { completed: true }), 404, 'not_found')
        assertProblem(await world.api.delete(`/tasks/${task.id}/steps/${id}`), 404, 'not_found')
      }
    })

    it('show a new name and a new order of the Statuses', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ workflow_id: workflow.id }))
      const { id } = statusOf(workflow, 'Draft')

      await world.api.patch(`/workflows/${workflow.id}/statuses/${id}`, { name: 'Rewrite', position: 2.5 })

      const names = (await stepsOf(world.api, task)).map((step) => step.name)
      assert.deepEqual(names, ['Review', 'Rewrite', 'Publish'])
    })
  })

  describe(`the progress of a task in its Workflow (${engine})`, () => {
    const RESETS: [what: string, moves: (task: Resource, other: Resource) => object[]][] = [
      ['another workflow_id and back', (task, other) => [{ workflow_id: other.id }, { workflow_id: task.workflow_id }]],
      ['a Status of another Workflow and back', (task, other) => [{ status_id: other.statuses[0].id }, { status_id: task.status_id }]],
      ['no Workflow and back', (task) => [{ workflow_id: null }, { workflow_id: task.workflow_id }]],
    ]
    for (const [what, moves] of RESETS) {
      it(`is reset by ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ onStatus: 'Draft' }))
        const other = await world.given(aWorkflow())
        await markSteps(world.api, task)

        for (const body of moves(task, other)) assert.equal((await world.api.patch(`/tasks/${task.id}`, body)).status, 200)

        const now = await taskNow(world.api, task)
        assert.partialDeepStrictEqual(now, { workflow_id: task.workflow_id, steps_total: 3, steps_completed: 0, estimate_minutes: 0 })
        for (const step of await stepsOf(world.api, task)) assert.partialDeepStrictEqual(step, { completed: false, minutes: 0 })
      })
    }

    it('begins anew on the Workflow that the task comes to', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Draft' }))
      await markSteps(world.api, task)
      const other = await world.given(aWorkflow({ statuses: [{ name: 'Cook', disposition: 'in_progress' }] }))

      const reply = await world.api.patch(`/tasks/${task.id}`, { workflow_id: other.id })

      assert.partialDeepStrictEqual(reply.body, { steps_total: 1, steps_completed: 0, estimate_minutes: 0 })
      assert.partialDeepStrictEqual(await stepsOf(world.api, task), [{ name: 'Cook', completed: false, minutes: 0 }])
    })

    const KEEPS: [what: string, body: (task: Resource) => object][] = [
      ['the workflow_id it has', (task) => ({ workflow_id: task.workflow_id })],
      ['another Disposition', () => ({ disposition: 'waiting' })],
      ['no Status', () => ({ status_id: null })],
      ['a new title', () => ({ title: 'Rewrite it' })],
    ]
    for (const [what, body] of KEEPS) {
      it(`is kept by ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ onStatus: 'Review' }))
        const marked = await markSteps(world.api, task)
        world.advance(HOUR)

        const reply = await world.api.patch(`/tasks/${task.id}`, body(task))

        assert.equal(reply.status, 200)
        assert.partialDeepStrictEqual(reply.body, { steps_total: 3, steps_completed: 1, estimate_minutes: 30 })
        assert.deepEqual(await stepsOf(world.api, task), marked)
      })
    }
  })

  describe(`the own checklist of a task that comes to a Workflow (${engine})`, () => {
    it('is kept out of sight, and shows again as it was when the Workflow goes', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.given(aStep(task, { name: 'one', minutes: 20, completed: true }))
      await world.given(aStep(task, { name: 'two', minutes: 5 }))
      const own = await stepsOf(world.api, task)
      const workflow = await world.given(aWorkflow())

      const there = await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id })
      assert.partialDeepStrictEqual(there.body, { steps_total: 3, steps_completed: 0, estimate_minutes: 0 })
      assert.deepEqual(
        (await stepsOf(world.api, task)).map((step) => step.kind),
        ['status', 'status', 'status'],
      )

      const back = await world.api.patch(`/tasks/${task.id}`, { workflow_id: null })
      assert.partialDeepStrictEqual(back.body, { workflow_id: null, steps_total: 2, steps_completed: 1, estimate_minutes: 25 })
      assert.deepEqual(await stepsOf(world.api, task), own)
    })

    it('shows again when the Workflow is deleted', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.given(aStep(task, { minutes: 20 }))
      const own = await stepsOf(world.api, task)
      const workflow = await world.given(aWorkflow())
      await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id })

      await world.api.delete(`/workflows/${workflow.id}`)

      assert.partialDeepStrictEqual(await taskNow(world.api, task), { steps_total: 1, estimate_minutes: 20 })
      assert.deepEqual(await stepsOf(world.api, task), own)
    })

    it('has no steps to be reached while the task is on the Workflow', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task))
      const workflow = await world.given(aWorkflow())
      await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id })
      const path = `/tasks/${task.id}/steps/${step.id}`

      assertProblem(await world.api.get(path), 404, 'not_found')
      assertProblem(await world.api.patch(path, { completed: true }), 404, 'not_found')
      assertProblem(await world.api.delete(path), 404, 'not_found')

      await world.api.patch(`/tasks/${task.id}`, { workflow_id: null })
      assert.deepEqual((await world.api.get(path)).body, step)
    })

    it('makes no step of a Workflow reachable once the task has left it', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Draft' }))

      await world.api.patch(`/tasks/${task.id}`, { workflow_id: null })

      assert.deepEqual(await stepsOf(world.api, task), [])
      assertProblem(await world.api.patch(`/tasks/${task.id}/steps/${task.status_id}`, { completed: true }), 404, 'not_found')
    })
  })
}
