import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { aTask, aWorkflow, statusOf, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, HOUR, openWorld } from './world.ts'

const NO_TIME: { what: string; body: unknown }[] = [
  { what: 'no body', body: undefined },
  { what: 'an empty object', body: {} },
  { what: 'null for the time', body: { until: null } },
]

const REFUSED_TIMES: { what: string; until: unknown; code: string }[] = [
  { what: 'now', until: '2026-11-21T12:00:00.000Z', code: 'invalid_value' },
  { what: 'the past', until: '2026-11-21T11:59:59.999Z', code: 'invalid_value' },
  { what: 'the past by its offset', until: '2026-11-21T12:59:00+01:00', code: 'invalid_value' },
  { what: 'a day without a time', until: '2026-12-01', code: 'invalid_format' },
  { what: 'a time without an offset', until: '2026-12-01T08:00:00', code: 'invalid_format' },
  { what: 'a day that does not exist', until: '2026-11-31T08:00:00Z', code: 'invalid_format' },
  { what: 'a number', until: 1_800_000_000_000, code: 'invalid_type' },
]

for (const engine of ENGINES) {
  describe(`putting a task off (${engine})`, () => {
    for (const from of DISPOSITIONS) {
      it(`takes one that is ${from} to Later until the time`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ disposition: from }))
        world.advance(HOUR)

        const reply = await world.api.post(`/tasks/${task.id}/later`, { until: world.later(DAY) })

        assert.equal(reply.status, 200)
        assert.deepEqual(reply.body, {
          ...task,
          disposition: 'on_hold',
          on_hold_until: world.later(DAY),
          completed_at: null,
          updated_at: world.now,
          version: reply.body.version,
        })
        assert.notEqual(reply.body.version, task.version)
        assert.equal(reply.headers.etag, reply.body.version)
      })
    }

    for (const { what, body } of NO_TIME) {
      it(`sets no time to wake with ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await world.api.post(`/tasks/${task.id}/later`, body)

        assert.equal(reply.status, 200)
        assert.partialDeepStrictEqual(reply.body, { disposition: 'on_hold', on_hold_until: null })
      })

      it(`clears the time to wake with ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(DAY) }))

        const reply = await world.api.post(`/tasks/${task.id}/later`, body)

        assert.partialDeepStrictEqual(reply.body, { disposition: 'on_hold', on_hold_until: null })
      })
    }

    it('takes a time in any offset, and answers in UTC', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const reply = await world.api.post(`/tasks/${task.id}/later`, { until: '2026-11-23T08:00:00+01:00' })

      assert.equal(reply.body.on_hold_until, '2026-11-23T07:00:00.000Z')
    })

    it('takes another time in place of the one it had', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(DAY) }))

      const reply = await world.api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) })

      assert.equal(reply.body.on_hold_until, world.later(HOUR))
    })

    it('changes nothing when it is put off until the same time again', async () => {
      await using world = await openWorld(engine)
      const until = world.later(DAY)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: until }))
      world.advance(HOUR)

      const reply = await world.api.post(`/tasks/${task.id}/later`, { until })

      assert.deepEqual(reply.body, task)
    })

    it('clears the Status and keeps the Workflow', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Review' }))

      const reply = await world.api.post(`/tasks/${task.id}/later`)

      assert.partialDeepStrictEqual(reply.body, { disposition: 'on_hold', status_id: null, workflow_id: task.workflow_id })
    })

    it('leaves a task that is in Later already on its Status', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Shelved' }))

      const reply = await world.api.post(`/tasks/${task.id}/later`, { until: world.later(DAY) })

      assert.partialDeepStrictEqual(reply.body, { status_id: task.status_id, on_hold_until: world.later(DAY) })
    })

    for (const { what, until, code } of REFUSED_TIMES) {
      it(`is refused until ${what}, and changes nothing`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await world.api.post(`/tasks/${task.id}/later`, { until })

        assertInvalid(reply, ['body', 'until', code])
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
      })
    }

    it('is refused with another field', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const reply = await world.api.post(`/tasks/${task.id}/later`, { on_hold_until: world.later(DAY) })

      assertInvalid(reply, ['body', 'on_hold_until', 'unknown'])
    })

    it('is refused when the task is not there', async () => {
      await using world = await openWorld(engine)
      assertProblem(await world.api.post(`/tasks/${UNKNOWN_ID}/later`), 404, 'not_found')
    })
  })

  describe(`the time to wake in a change (${engine})`, () => {
    it('is taken together with on_hold, and alone when the task is on hold', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const together = await world.api.patch(`/tasks/${task.id}`, { disposition: 'on_hold', on_hold_until: world.later(HOUR) })
      const alone = await world.api.patch(`/tasks/${task.id}`, { on_hold_until: world.later(DAY) })

      assert.partialDeepStrictEqual(together.body, { disposition: 'on_hold', on_hold_until: world.later(HOUR) })
      assert.partialDeepStrictEqual(alone.body, { disposition: 'on_hold', on_hold_until: world.later(DAY) })
    })

    it('is taken with a Status of Later', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const status_id = statusOf(workflow, 'Shelved').id
      const task = await world.given(aTask())

      const changed = await world.api.patch(`/tasks/${task.id}`, { status_id, on_hold_until: world.later(HOUR) })
      const created = await world.given(aTask({ status_id, on_hold_until: world.later(HOUR) }))

      assert.partialDeepStrictEqual(changed.body, { status_id, disposition: 'on_hold', on_hold_until: world.later(HOUR) })
      assert.partialDeepStrictEqual(created, { status_id, disposition: 'on_hold', on_hold_until: world.later(HOUR) })
    })

    for (const disposition of DISPOSITIONS.filter((one) => one !== 'on_hold')) {
      it(`is refused alone for a task that is ${disposition}, null aside`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ disposition }))

        const time = await world.api.patch(`/tasks/${task.id}`, { on_hold_until: world.later(HOUR) })
        const none = await world.api.patch(`/tasks/${task.id}`, { on_hold_until: null })

        assertInvalid(time, ['body', 'on_hold_until', 'conflict'])
        assert.deepEqual(none.body, task)
      })

      it(`is refused together with ${disposition}, null aside`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))

        const time = await world.api.patch(`/tasks/${task.id}`, { disposition, on_hold_until: world.later(DAY) })
        const none = await world.api.patch(`/tasks/${task.id}`, { disposition, on_hold_until: null })

        assertInvalid(time, ['body', 'on_hold_until', 'conflict'])
        assert.partialDeepStrictEqual(none.body, { disposition, on_hold_until: null })
      })
    }

    it('is refused with a Status of another tab', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const sent = { status_id: statusOf(workflow, 'Feedback').id, on_hold_until: world.later(HOUR) }
      const task = await world.given(aTask({ disposition: 'on_hold' }))

      const changed = await world.api.patch(`/tasks/${task.id}`, sent)
      const created = await world.api.post('/tasks', { title: 'Write it', ...sent })

      assertInvalid(changed, ['body', 'on_hold_until', 'conflict'])
      assertInvalid(created, ['body', 'on_hold_until', 'conflict'])
    })

    it('is refused when it is now or past', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold' }))

      for (const on_hold_until of [world.now, world.later(-1), world.later(-DAY)]) {
        assertInvalid(await world.api.patch(`/tasks/${task.id}`, { on_hold_until }), ['body', 'on_hold_until', 'invalid_value'])
      }
    })

    it('is held against the clock, also one that was set back', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold' }))
      world.advance(-DAY)

      const reply = await world.api.patch(`/tasks/${task.id}`, { on_hold_until: world.later(HOUR) })

      assert.equal(reply.body.on_hold_until, world.later(HOUR))
    })

    it('is cleared by null, and the task stays in Later', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))

      const reply = await world.api.patch(`/tasks/${task.id}`, { on_hold_until: null })

      assert.partialDeepStrictEqual(reply.body, { disposition: 'on_hold', on_hold_until: null })
    })

    it('stays when the task changes otherwise, also to another Workflow or Status of Later', async () => {
      await using world = await openWorld(engine)
      const [first, second] = [await world.given(aWorkflow()), await world.given(aWorkflow())]
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))

      for (const sent of [
        { title: 'Another' },
        { workflow_id: first.id },
        { status_id: statusOf(second, 'Shelved').id },
        { status_id: null },
        { workflow_id: null },
      ]) {
        const reply = await world.api.patch(`/tasks/${task.id}`, sent)
        assert.partialDeepStrictEqual(reply.body, { disposition: 'on_hold', on_hold_until: world.later(HOUR) })
      }
    })
  })
}
