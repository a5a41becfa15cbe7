import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, type Resource } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { assertProblem, ENGINES, openWorld } from './world.ts'

/** Everything that changes a task on a condition. */
const CHANGES: { what: string; status: number; send: (api: Client, task: Resource, ifMatch: string) => Promise<Reply> }[] = [
  {
    what: 'a PATCH',
    status: 200,
    send: (api, task, ifMatch) => api.patch(`/tasks/${task.id}`, { title: 'Another' }, { 'if-match': ifMatch }),
  },
  { what: 'a DELETE', status: 204, send: (api, task, ifMatch) => api.delete(`/tasks/${task.id}`, { 'if-match': ifMatch }) },
  ...['complete', 'later', 'archive', 'unarchive'].map((action) => ({
    what: action,
    status: 200,
    send: (api: Client, task: Resource, ifMatch: string) => api.post(`/tasks/${task.id}/${action}`, undefined, { 'if-match': ifMatch }),
  })),
]

for (const engine of ENGINES) {
  describe(`changing a task on the condition that it is as last read (${engine})`, () => {
    for (const { what, status, send } of CHANGES) {
      it(`lets ${what} through when it is`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await send(world.api, task, task.version)

        assert.equal(reply.status, status)
      })

      it(`refuses ${what} when it is not, and shows the task as it is now`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())
        const current = (await world.api.patch(`/tasks/${task.id}`, { notes: 'New' })).body

        const reply = await send(world.api, task, task.version)

        const body = assertProblem(reply, 412, 'precondition_failed')
        assert.equal(body.version, current.version)
        assert.deepEqual(body.current, current)
        assert.equal(reply.headers.etag, current.version)
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, current)
      })
    }

    it('refuses a change that would change nothing too', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.api.patch(`/tasks/${task.id}`, { notes: 'New' })

      const reply = await world.api.patch(`/tasks/${task.id}`, {}, { 'if-match': task.version })

      assertProblem(reply, 412, 'precondition_failed')
    })

    it('holds after a change that changed nothing', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.api.patch(`/tasks/${task.id}`, { title: task.title })

      const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Another' }, { 'if-match': task.version })

      assert.equal(reply.status, 200)
    })

    it('no longer holds after the task woke', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(1) }))
      world.advance(1)
      await world.service.timers.wake()

      const reply = await world.api.post(`/tasks/${task.id}/later`, undefined, { 'if-match': task.version })

      assertProblem(reply, 412, 'precondition_failed')
    })
  })
}
