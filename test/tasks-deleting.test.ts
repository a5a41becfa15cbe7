import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aStep, aTask, aWorkflow, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, assertProblem, ENGINES, HOUR, openWorld } from './world.ts'

for (const engine of ENGINES) {
  describe(`deleting a task (${engine})`, () => {
    it('answers 204 without a body', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const reply = await world.api.delete(`/tasks/${task.id}`)

      assert.deepEqual({ status: reply.status, text: reply.text }, { status: 204, text: '' })
      assert.equal(reply.headers['content-type'], undefined)
      assert.equal(reply.headers.etag, undefined)
    })

    it('is for good: nothing can be done with the task any more', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task))
      await world.api.delete(`/tasks/${task.id}`)

      const replies = [
        await world.api.get(`/tasks/${task.id}`),
        await world.api.patch(`/tasks/${task.id}`, {}),
        await world.api.delete(`/tasks/${task.id}`),
        await world.api.post(`/tasks/${task.id}/complete`),
        await world.api.post(`/tasks/${task.id}/later`),
        await world.api.post(`/tasks/${task.id}/archive`),
        await world.api.post(`/tasks/${task.id}/unarchive`),
        await world.api.get(`/tasks/${task.id}/steps`),
        await world.api.post(`/tasks/${task.id}/steps`, { name: 'Buy boxes' }),
        await world.api.get(`/tasks/${task.id}/steps/${step.id}`),
        await world.api.patch(`/tasks/${task.id}/steps/${step.id}`, { completed: true }),
      ]

      for (const reply of replies) assertProblem(reply, 404, 'not_found')
      assert.deepEqual((await world.api.get('/tasks?include_archived=true')).body.data, [])
    })

    it('leaves no step of its checklist and no progress of its Workflow in the database', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask())
      await world.given(aStep(task))
      await world.api.patch(`/tasks/${task.id}`, { workflow_id: workflow.id })
      await world.api.patch(`/tasks/${task.id}/steps/${workflow.statuses[0].id}`, { completed: true })
      const rowsLeft = () =>
        world.service.store.one<{ checklist: number; progress: number }>(
          'select (select count(*) from checklist_steps) as checklist, (select count(*) from status_progress) as progress',
          [],
        )
      assert.partialDeepStrictEqual(await rowsLeft(), { checklist: 1, progress: 1 })

      await world.api.delete(`/tasks/${task.id}`)

      assert.partialDeepStrictEqual(await rowsLeft(), { checklist: 0, progress: 0 })
    })

    it('leaves everything else as it is', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const workflow = await world.given(aWorkflow())
      const fields = { project_id: project.id, workflow_id: workflow.id }
      const [task, other] = [await world.given(aTask(fields)), await world.given(aTask(fields))]

      await world.api.delete(`/tasks/${task.id}`)

      assert.deepEqual((await world.api.get('/tasks')).body.data, [other])
      assert.deepEqual((await world.api.get(`/projects/${project.id}`)).body, project)
      assert.deepEqual((await world.api.get(`/workflows/${workflow.id}`)).body, workflow)
    })

    it('takes an archived task, and one that is to wake, which then does not', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      await world.api.post(`/tasks/${task.id}/archive`)

      const reply = await world.api.delete(`/tasks/${task.id}`)
      world.advance(HOUR)

      assert.equal(reply.status, 204)
      assert.equal(await world.service.timers.wake(), 0)
    })

    it('happens once when it is asked for 8 times at once', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const replies = await Promise.all(Array.from({ length: 8 }, () => world.api.delete(`/tasks/${task.id}`)))

      assert.deepEqual(replies.map((reply) => reply.status).toSorted(), [204, ...Array.from({ length: 7 }, () => 404)])
      assert.equal((await world.events()).filter((event) => event.type === 'task.deleted').length, 1)
    })

    it('does not give its place to another: ids go on growing', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.api.delete(`/tasks/${task.id}`)

      const next = await world.given(aTask())

      assert.ok(next.id > task.id)
    })

    it('is refused when the task is not there, or its id is no id', async () => {
      await using world = await openWorld(engine)
      assertProblem(await world.api.delete(`/tasks/${UNKNOWN_ID}`), 404, 'not_found')
      assertInvalid(await world.api.delete('/tasks/7'), ['path', 'id', 'invalid_format'])
    })

    it('takes no body', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const withBody = await world.api.send('DELETE', `/tasks/${task.id}`, { raw: '{}', headers: { 'content-length': '2' } })
      const withTypeAlone = await world.api.delete(`/tasks/${task.id}`, { 'content-type': 'application/json' })

      assertProblem(withBody, 400, 'invalid_request')
      assert.equal(withTypeAlone.status, 204)
    })
  })
}
