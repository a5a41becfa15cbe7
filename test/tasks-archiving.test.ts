import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { aTask, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, HOUR, openWorld } from './world.ts'

for (const engine of ENGINES) {
  describe(`archiving a task (${engine})`, () => {
    for (const disposition of DISPOSITIONS) {
      it(`changes nothing else of one that is ${disposition}`, async () => {
        await using world = await openWorld(engine)
        const hold = disposition === 'on_hold' ? { on_hold_until: world.later(DAY) } : {}
        const task = await world.given(aTask({ disposition, ...hold }))
        world.advance(HOUR)

        const reply = await world.api.post(`/tasks/${task.id}/archive`)

        assert.equal(reply.status, 200)
        assert.notEqual(reply.body.version, task.version)
        assert.equal(reply.headers.etag, reply.body.version)
        assert.deepEqual(reply.body, {
          ...task,
          archived: true,
          archived_at: world.now,
          updated_at: world.now,
          version: reply.body.version,
        })
      })
    }

    it('keeps the Status', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Review' }))

      const reply = await world.api.post(`/tasks/${task.id}/archive`)

      assert.partialDeepStrictEqual(reply.body, { status_id: task.status_id, workflow_id: task.workflow_id, archived: true })
    })

    it('changes nothing of an archived task', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const archived = await world.api.post(`/tasks/${task.id}/archive`)
      world.advance(HOUR)

      const again = await world.api.post(`/tasks/${task.id}/archive`, {})

      assert.equal(again.status, 200)
      assert.deepEqual(again.body, archived.body)
      assert.equal((await world.events()).length, 2)
    })

    it('hides the task from the list, unless archived ones are asked for', async () => {
      await using world = await openWorld(engine)
      const [archived, other] = [await world.given(aTask()), await world.given(aTask())]
      await world.api.post(`/tasks/${archived.id}/archive`)

      const idsIn = async (query: string) => (await world.api.get(`/tasks${query}`)).body.data.map(({ id }: { id: string }) => id)

      assert.deepEqual(await idsIn(''), [other.id])
      assert.deepEqual(await idsIn('?include_archived=false'), [other.id])
      assert.deepEqual(await idsIn('?include_archived=true'), [archived.id, other.id])
    })

    it('leaves the task to be read and changed', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.api.post(`/tasks/${task.id}/archive`)

      const changed = await world.api.patch(`/tasks/${task.id}`, { title: 'Another', disposition: 'waiting' })
      const read = await world.api.get(`/tasks/${task.id}`)

      assert.partialDeepStrictEqual(changed.body, { title: 'Another', disposition: 'waiting', archived: true })
      assert.deepEqual(read.body, changed.body)
    })
  })

  describe(`unarchiving a task (${engine})`, () => {
    for (const disposition of DISPOSITIONS) {
      it(`brings one back that is ${disposition}, with all it had`, async () => {
        await using world = await openWorld(engine)
        const hold = disposition === 'on_hold' ? { on_hold_until: world.later(DAY) } : {}
        const task = await world.given(aTask({ disposition, ...hold }))
        const archived = await world.api.post(`/tasks/${task.id}/archive`)
        world.advance(HOUR)

        const reply = await world.api.post(`/tasks/${task.id}/unarchive`)

        assert.equal(reply.status, 200)
        assert.notEqual(reply.body.version, archived.body.version)
        assert.equal(reply.headers.etag, reply.body.version)
        assert.deepEqual(reply.body, { ...task, updated_at: world.now, version: reply.body.version })
        assert.deepEqual((await world.api.get('/tasks')).body.data, [reply.body])
      })
    }

    it('changes nothing of a task that is not archived', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      world.advance(HOUR)

      const reply = await world.api.post(`/tasks/${task.id}/unarchive`)

      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, task)
      assert.equal((await world.events()).length, 1)
    })
  })

  for (const action of ['archive', 'unarchive']) {
    describe(`the action ${action} (${engine})`, () => {
      it('is refused when the task is not there', async () => {
        await using world = await openWorld(engine)
        assertProblem(await world.api.post(`/tasks/${UNKNOWN_ID}/${action}`), 404, 'not_found')
      })

      it('takes no fields', async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await world.api.post(`/tasks/${task.id}/${action}`, { archived: true })

        assertInvalid(reply, ['body', 'archived', 'unknown'])
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
      })
    })
  }
}
