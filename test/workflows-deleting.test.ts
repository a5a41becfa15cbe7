import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, aWorkflow, type Resource, statusOf } from './builders.ts'
import { assertInvalid, assertProblem, ENGINES, HOUR, MINUTE, openWorld } from './world.ts'

for (const engine of ENGINES) {
  describe(`deleting a Workflow (${engine})`, () => {
    it('answers 204 without a body, and takes its Statuses with it', async () => {
      await using world = await openWorld(engine)
      const [workflow, other] = [await world.given(aWorkflow()), await world.given(aWorkflow())]

      const reply = await world.api.delete(`/workflows/${workflow.id}`)

      assert.deepEqual({ status: reply.status, text: reply.text }, { status: 204, text: '' })
      assertProblem(await world.api.get(`/workflows/${workflow.id}`), 404, 'not_found')
      assertProblem(await world.api.get(`/workflows/${workflow.id}/statuses`), 404, 'not_found')
      assertProblem(await world.api.get(`/workflows/${workflow.id}/statuses/${workflow.statuses[0].id}`), 404, 'not_found')
      assert.deepEqual((await world.api.get(`/workflows/${other.id}`)).body, other)
    })

    for (const name of ['Draft', 'Feedback', 'Shelved', 'Published']) {
      it(`leaves a task on ${name} in its Disposition, on no Workflow and no Status`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const task = await world.given(aTask({ status_id: statusOf(workflow, name).id }))
        world.advance(MINUTE)

        await world.api.delete(`/workflows/${workflow.id}`)

        const now = (await world.api.get(`/tasks/${task.id}`)).body
        assert.notEqual(now.version, task.version)
        assert.deepEqual(now, {
          ...task,
          workflow_id: null,
          status_id: null,
          steps_total: 0,
          estimate_minutes: null,
          updated_at: world.now,
          version: now.version,
        })
      })
    }

    it('takes tasks on no Status and archived ones off it too, and leaves those of other Workflows', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const idle = await world.given(aTask({ workflow_id: workflow.id }))
      const archived = await world.given(aTask({ status_id: statusOf(workflow, 'Draft').id }))
      await world.api.post(`/tasks/${archived.id}/archive`)
      const bystander = await world.given(aTask({ onStatus: 'Draft' }))

      await world.api.delete(`/workflows/${workflow.id}`)

      for (const { id } of [idle, archived]) {
        assert.partialDeepStrictEqual((await world.api.get(`/tasks/${id}`)).body, { workflow_id: null, status_id: null, steps_total: 0 })
      }
      assert.equal((await world.api.get(`/tasks/${archived.id}`)).body.archived, true)
      assert.deepEqual((await world.api.get(`/tasks/${bystander.id}`)).body, bystander)
    })

    it('keeps the time to wake of a task in Later, which then wakes in Today on no Status', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Draft' }))
      const until = world.later(HOUR)
      await world.api.post(`/tasks/${task.id}/later`, { until })

      await world.api.delete(`/workflows/${task.workflow_id}`)

      const held = (await world.api.get(`/tasks/${task.id}`)).body
      assert.partialDeepStrictEqual(held, { disposition: 'on_hold', on_hold_until: until, workflow_id: null })
      world.advance(HOUR)
      await world.service.timers.wake()
      const woken = (await world.api.get(`/tasks/${task.id}`)).body
      assert.partialDeepStrictEqual(woken, { disposition: 'in_progress', status_id: null, on_hold_until: null })
    })

    it('makes it and its Statuses unknown to tasks', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      await world.api.delete(`/workflows/${workflow.id}`)

      const onWorkflow = await world.api.post('/tasks', { title: 'x', workflow_id: workflow.id })
      const onStatus = await world.api.post('/tasks', { title: 'x', status_id: workflow.statuses[0].id })

      assertInvalid(onWorkflow, ['body', 'workflow_id', 'unknown_reference'])
      assertInvalid(onStatus, ['body', 'status_id', 'unknown_reference'])
    })

    it('lets a retry of its creation, or of a Status in it, find nothing', async () => {
      await using world = await openWorld(engine)
      const create = () => world.api.post('/workflows', { name: 'Article' }, { 'idempotency-key': 'k' })
      const { id } = (await create()).body
      const addStatus = () =>
        world.api.post(`/workflows/${id}/statuses`, { name: 'Draft', disposition: 'waiting' }, { 'idempotency-key': 'k' })
      await addStatus()
      await world.api.delete(`/workflows/${id}`)

      assertProblem(await create(), 404, 'not_found')
      assertProblem(await addStatus(), 404, 'not_found')
      assert.deepEqual((await world.api.get('/workflows')).body.data, [])
    })

    it('records its tasks, then its Statuses, then itself', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const tasks = [
        await world.given(aTask({ workflow_id: workflow.id })),
        await world.given(aTask({ status_id: workflow.statuses[0].id })),
      ]
      const known = (await world.events()).length

      await world.api.delete(`/workflows/${workflow.id}`)

      const events = (await world.events()).slice(known)
      assert.deepEqual(
        events.map(({ type, cause }) => `${type} ${cause}`),
        [...tasks.map(() => 'task.updated cascade'), ...workflow.statuses.map(() => 'status.deleted cascade'), 'workflow.deleted api'],
      )
      const { statuses, ...last } = workflow
      const told = events.map(({ data }) => data as Resource)
      assert.deepEqual(new Set(told.slice(0, 2).map((data) => data.id)), new Set(tasks.map((task) => task.id)))
      assert.deepEqual(
        new Set(told.slice(2, -1).map((data) => JSON.stringify(data))),
        new Set(statuses.map((one: Resource) => JSON.stringify(one))),
      )
      assert.deepEqual(told.at(-1), last)
    })
  })
}
