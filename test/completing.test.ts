import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { aTask, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, HOUR, openWorld } from './world.ts'

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

    it('leaves a done task on its Status', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Published' }))

      const reply = await world.api.post(`/tasks/${task.id}/complete`)

      assert.deepEqual(reply.body, task)
    })

    it('is refused when the task is not there', async () => {
      await using world = await openWorld(engine)
      assertProblem(await world.api.post(`/tasks/${UNKNOWN_ID}/complete`), 404, 'not_found')
    })

    for (const disposition of DISPOSITIONS) {
      it(`comes to the same as a PATCH to done for a task that is ${disposition}`, async () => {
        await using world = await openWorld(engine)
        const hold = disposition === 'on_hold' ? { on_hold_until: world.later(DAY) } : {}
        const [first, second] = [await world.given(aTask({ disposition, ...hold })), await world.given(aTask({ disposition, ...hold }))]
        world.advance(HOUR)

        const completed = await world.api.post(`/tasks/${first.id}/complete`)
        const patched = await world.api.patch(`/tasks/${second.id}`, { disposition: 'done' })

        assert.equal(completed.status, 200)
        assert.deepEqual({ ...completed.body, id: second.id }, patched.body)
        assert.partialDeepStrictEqual(completed.body, { disposition: 'done', on_hold_until: null })
      })
    }

    it('leaves an archived task archived', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const archived = (await world.api.post(`/tasks/${task.id}/archive`)).body

      const reply = await world.api.post(`/tasks/${task.id}/complete`)

      assert.partialDeepStrictEqual(reply.body, { disposition: 'done', archived: true, archived_at: archived.archived_at })
    })

    it('takes an empty body with any Content-Type, and no fields', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const path = `/tasks/${task.id}/complete`

      const withField = await world.api.post(path, { disposition: 'done' })
      const withoutBody = await world.api.send('POST', path, { headers: { 'content-type': 'text/plain' } })

      assertInvalid(withField, ['body', 'disposition', 'unknown'])
      assert.equal(withoutBody.status, 200)
    })
  })
}
