import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aStep, aTask, aWorkflow, statusOf } from './builders.ts'
import { taskNow } from './reading.ts'
import { ENGINES, MINUTE, openWorld } from './world.ts'

interface Row {
  /** Which steps are ticked before. */
  ticked: string[]
  /** Where the task in Today stands; null for on no Status. */
  on: string | null
  tick: string
  /** Where it stands afterwards. */
  endsOn: string | null
}

const MOVES: Record<string, Row> = {
  'from the first Status to the next': { ticked: [], on: 'Draft', tick: 'Draft', endsOn: 'Review' },
  'over what is ticked already': { ticked: ['Review'], on: 'Draft', tick: 'Draft', endsOn: 'Publish' },
  'from the last Status to the first open one': { ticked: [], on: 'Publish', tick: 'Publish', endsOn: 'Draft' },
  'back to the first open one when none after it is open': { ticked: ['Publish'], on: 'Review', tick: 'Review', endsOn: 'Draft' },
  'to the next one though an earlier one is open': { ticked: [], on: 'Review', tick: 'Review', endsOn: 'Publish' },
  'nowhere when none is open': { ticked: ['Review', 'Publish'], on: 'Draft', tick: 'Draft', endsOn: 'Draft' },
  'nowhere for the tick of a later step': { ticked: [], on: 'Draft', tick: 'Review', endsOn: 'Draft' },
  'nowhere for the tick of an earlier step': { ticked: [], on: 'Publish', tick: 'Review', endsOn: 'Publish' },
  'from no Status to the one after the tick': { ticked: [], on: null, tick: 'Draft', endsOn: 'Review' },
  'from no Status to the one after a tick in the middle': { ticked: [], on: null, tick: 'Review', endsOn: 'Publish' },
  'from no Status to the first open one after the last tick': { ticked: ['Draft'], on: null, tick: 'Publish', endsOn: 'Review' },
  'from no Status nowhere when none is open': { ticked: ['Draft', 'Publish'], on: null, tick: 'Review', endsOn: null },
}

for (const engine of ENGINES) {
  describe(`ticking a step moves a task in Today (${engine})`, () => {
    for (const [what, { ticked, on, tick, endsOn }] of Object.entries(MOVES)) {
      it(what, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const { id } = await world.given(aTask({ workflow_id: workflow.id }))
        const tickStep = (name: string) => world.api.patch(`/tasks/${id}/steps/${statusOf(workflow, name).id}`, { completed: true })
        for (const name of ticked) await tickStep(name)
        await world.api.patch(`/tasks/${id}`, on === null ? { disposition: 'in_progress' } : { status_id: statusOf(workflow, on).id })
        const before = await taskNow(world.api, { id })
        assert.equal(before.status_id, on === null ? null : statusOf(workflow, on).id)

        assert.equal((await tickStep(tick)).status, 200)

        assert.partialDeepStrictEqual(await taskNow(world.api, { id }), {
          disposition: 'in_progress',
          workflow_id: workflow.id,
          status_id: endsOn === null ? null : statusOf(workflow, endsOn).id,
          steps_completed: ticked.length + 1,
        })
      })
    }

    it('by the order of positions, not of creation', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const [draft, review, publish] = ['Draft', 'Review', 'Publish'].map((name) => statusOf(workflow, name).id)
      await world.api.patch(`/workflows/${workflow.id}/statuses/${publish}`, { position: 1.5 })
      const { id } = await world.given(aTask({ status_id: draft }))

      const stood: string[] = []
      for (const step of [draft, publish, review]) {
        await world.api.patch(`/tasks/${id}/steps/${step}`, { completed: true })
        stood.push((await taskNow(world.api, { id })).status_id)
      }

      assert.deepEqual(stood, [publish, review, review])
    })

    it('with one change of the task, which tells both', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Draft' }))
      const known = (await world.events()).length
      world.advance(MINUTE)

      await world.api.patch(`/tasks/${task.id}/steps/${task.status_id}`, { completed: true, minutes: 15 })

      const events = (await world.events()).slice(known)
      assert.equal(events.length, 1)
      assert.partialDeepStrictEqual(events[0], {
        type: 'task.updated',
        cause: 'api',
        data: await taskNow(world.api, task),
        previous: {
          status_id: task.status_id,
          steps_completed: 0,
          estimate_minutes: 0,
          updated_at: task.updated_at,
          version: task.version,
        },
      })
      assert.equal(Object.keys(events[0]?.previous ?? {}).length, 5)
    })
  })

  describe(`a step moves its task nowhere (${engine})`, () => {
    for (const disposition of ['not_started', 'waiting', 'on_hold', 'done']) {
      it(`when it is ticked while the task is ${disposition}`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const task = await world.given(aTask({ workflow_id: workflow.id, disposition }))

        await world.api.patch(`/tasks/${task.id}/steps/${statusOf(workflow, 'Draft').id}`, { completed: true })

        const { status_id, completed_at } = task
        assert.partialDeepStrictEqual(await taskNow(world.api, task), { disposition, status_id, completed_at, steps_completed: 1 })
      })
    }

    const QUIET: [what: string, body: object][] = [
      ['unticked', { completed: false }],
      ['ticked again', { completed: true }],
      ['given other minutes', { minutes: 5 }],
    ]
    for (const [what, body] of QUIET) {
      it(`when it is ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ onStatus: 'Draft' }))
        const path = `/tasks/${task.id}/steps/${task.status_id}`
        await world.api.patch(path, { completed: true })
        await world.api.patch(`/tasks/${task.id}`, { status_id: task.status_id })

        assert.equal((await world.api.patch(path, body)).status, 200)

        assert.partialDeepStrictEqual(await taskNow(world.api, task), { disposition: 'in_progress', status_id: task.status_id })
      })
    }

    it('when it is one of a checklist', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'in_progress' }))
      const step = await world.given(aStep(task))
      await world.given(aStep(task))

      await world.api.patch(`/tasks/${task.id}/steps/${step.id}`, { completed: true })

      assert.partialDeepStrictEqual(await taskNow(world.api, task), {
        disposition: 'in_progress',
        status_id: null,
        workflow_id: null,
        steps_completed: 1,
      })
    })

    it('when it is the last open one of a checklist: the task is not done by that', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'in_progress' }))
      const step = await world.given(aStep(task))

      await world.api.patch(`/tasks/${task.id}/steps/${step.id}`, { completed: true })

      assert.partialDeepStrictEqual(await taskNow(world.api, task), { disposition: 'in_progress', completed_at: null })
    })
  })
}
