import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aStep, aTask, aWorkflow, statusOf } from './builders.ts'
import { ENGINES, HOUR, openWorld } from './world.ts'

for (const engine of ENGINES) {
  describe(`a task on a Workflow (${engine})`, () => {
    it('starts the ticks and minutes of Workflow steps anew on another Workflow, and back', async () => {
      await using world = await openWorld(engine)
      const article = await world.given(aWorkflow())
      const talk = await world.given(aWorkflow({ name: 'Talk', statuses: [{ name: 'Slides', disposition: 'in_progress' }] }))
      const task = await world.given(aTask({ workflow_id: article.id, disposition: 'in_progress' }))
      await world.api.patch(`/tasks/${task.id}/steps/${statusOf(article, 'Draft').id}`, { completed: true, minutes: 45 })

      const away = await world.api.patch(`/tasks/${task.id}`, { workflow_id: talk.id })
      const back = await world.api.patch(`/tasks/${task.id}`, { workflow_id: article.id })

      assert.partialDeepStrictEqual(away.body, { steps_total: 1, steps_completed: 0, estimate_minutes: 0 })
      assert.partialDeepStrictEqual(back.body, { steps_total: 3, steps_completed: 0, estimate_minutes: 0 })
      for (const step of (await world.api.get(`/tasks/${task.id}/steps`)).body.data) {
        assert.partialDeepStrictEqual(step, { completed: false, completed_at: null, minutes: 0 })
      }
    })

    it('keeps the ticks and minutes within the Workflow', async () => {
      await using world = await openWorld(engine)
      const article = await world.given(aWorkflow())
      const task = await world.given(aTask({ workflow_id: article.id, disposition: 'in_progress' }))
      await world.api.patch(`/tasks/${task.id}/steps/${statusOf(article, 'Draft').id}`, { completed: true, minutes: 45 })

      const reply = await world.api.patch(`/tasks/${task.id}`, { status_id: statusOf(article, 'Published').id })

      assert.partialDeepStrictEqual(reply.body, { steps_total: 3, steps_completed: 1, estimate_minutes: 45 })
    })

    it('keeps the own checklist while on a Workflow, and shows it again', async () => {
      await using world = await openWorld(engine)
      const article = await world.given(aWorkflow())
      const task = await world.given(aTask())
      const step = await world.given(aStep(task, { minutes: 20, completed: true }))

      await world.api.patch(`/tasks/${task.id}`, { workflow_id: article.id })
      const reply = await world.api.patch(`/tasks/${task.id}`, { workflow_id: null })

      assert.partialDeepStrictEqual(reply.body, { steps_total: 1, steps_completed: 1, estimate_minutes: 20 })
      assert.deepEqual((await world.api.get(`/tasks/${task.id}/steps`)).body.data, [step])
    })

    it('keeps the time of completion of a done task that moves from Done to Done', async () => {
      await using world = await openWorld(engine)
      const [first, second] = [await world.given(aWorkflow()), await world.given(aWorkflow())]
      const task = await world.given(aTask({ disposition: 'done' }))
      world.advance(HOUR)

      for (const sent of [
        { workflow_id: first.id },
        { status_id: statusOf(second, 'Published').id },
        { status_id: null },
        { workflow_id: null },
      ]) {
        const reply = await world.api.patch(`/tasks/${task.id}`, sent)
        assert.partialDeepStrictEqual(reply.body, { disposition: 'done', completed_at: task.completed_at, updated_at: world.now })
      }
    })

    it('moves a Today task on to its next open step when the step it stands on is ticked', async () => {
      await using world = await openWorld(engine)
      const article = await world.given(aWorkflow())
      const task = await world.given(aTask({ workflow_id: article.id, disposition: 'in_progress' }))

      await world.api.patch(`/tasks/${task.id}/steps/${task.status_id}`, { completed: true })

      assert.partialDeepStrictEqual((await world.api.get(`/tasks/${task.id}`)).body, {
        disposition: 'in_progress',
        status_id: statusOf(article, 'Review').id,
        steps_completed: 1,
      })
    })

    it('is left in its Disposition by the deletion of its Status, Workflow and project', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const task = await world.given(aTask({ onStatus: 'Feedback', project_id: project.id }))
      const read = async () => (await world.api.get(`/tasks/${task.id}`)).body

      await world.api.delete(`/workflows/${task.workflow_id}/statuses/${task.status_id}`)
      const withoutStatus = await read()
      await world.api.delete(`/workflows/${task.workflow_id}`)
      const withoutWorkflow = await read()
      await world.api.delete(`/projects/${project.id}`)
      const withoutProject = await read()

      const { workflow_id, project_id } = task
      assert.partialDeepStrictEqual(withoutStatus, { disposition: 'waiting', status_id: null, workflow_id, project_id })
      assert.partialDeepStrictEqual(withoutWorkflow, { disposition: 'waiting', status_id: null, workflow_id: null, project_id })
      assert.partialDeepStrictEqual(withoutProject, { disposition: 'waiting', workflow_id: null, project_id: null })
    })
  })
}
