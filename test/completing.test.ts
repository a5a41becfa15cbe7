import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask } from './builders.ts'
import { assertProblem, ENGINES, HOUR, openWorld } from './world.ts'

for (const engine of ENGINES) {
  describe(`completing a task (${engine})`, () => {
    it('stamps the time, clears the Status and keeps the Workflow', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Review' }))

      const reply = await world.api.post(`/tasks/${task.id}/complete`)

      assert.equal(reply.status, 200)
      assert.partialDeepStrictEqual(reply.body, {
        disposition: 'done',
        status_id: null,
        workflow_id: task.workflow_id,
        completed_at: world.now,
      })
      assert.equal(reply.headers.etag, reply.body.version)
    })

    it('changes nothing of a done task', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'done' }))
      world.advance(HOUR)

      const reply = await world.api.post(`/tasks/${task.id}/complete`, {})

      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, task)
    })

    it('is refused when the task is not there', async () => {
      await using world = await openWorld(engine)
      assertProblem(await world.api.post('/tasks/019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20/complete'), 404, 'not_found')
    })
  })
}
