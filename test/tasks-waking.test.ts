import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import { taskNow } from './reading.ts'
import { DAY, ENGINES, HOUR, openWorld, type World } from './world.ts'

async function wakeAfter(world: World, ms: number): Promise<number> {
  world.advance(ms)
  return world.service.timers.wake()
}

interface Scene {
  world: World
  workflow: Resource
  task: Resource
}

/** A task in Today on the Status Review. */
async function onReview(world: World): Promise<Scene> {
  const workflow = await world.given(aWorkflow())
  return { world, workflow, task: await world.given(aTask({ status_id: statusOf(workflow, 'Review').id })) }
}

type Act = (scene: Scene) => Promise<{ status: number }>

const patch =
  (sent: (scene: Scene) => object): Act =>
  (scene) =>
    scene.world.api.patch(`/tasks/${scene.task.id}`, sent(scene))

const later: Act = ({ world, task }) => world.api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) })

const moveReview =
  (disposition: string): Act =>
  ({ world, workflow }) =>
    world.api.patch(statusPath(workflow, 'Review'), { disposition })

const setTime = patch(({ world }) => ({ on_hold_until: world.later(HOUR) }))

const REMEMBERED: { what: string; acts: Act[] }[] = [
  { what: 'later', acts: [later] },
  { what: 'later twice', acts: [later, later] },
  { what: 'later without a time, and one set afterwards', acts: [({ world, task }) => world.api.post(`/tasks/${task.id}/later`), setTime] },
  { what: 'a PATCH of the Disposition', acts: [patch(({ world }) => ({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))] },
  {
    what: 'a PATCH to a Status of Later',
    acts: [patch(({ world, workflow }) => ({ status_id: statusOf(workflow, 'Shelved').id, on_hold_until: world.later(HOUR) }))],
  },
  {
    what: 'a PATCH to Later that lands on its Status there',
    acts: [patch(({ world, workflow }) => ({ workflow_id: workflow.id, disposition: 'on_hold', on_hold_until: world.later(HOUR) }))],
  },
  {
    what: 'its Status going to Later and, without it, back to Today',
    acts: [moveReview('on_hold'), patch(() => ({ status_id: null })), moveReview('in_progress'), setTime],
  },
  {
    what: 'later, and another Status of Later since',
    acts: [later, patch(({ workflow }) => ({ status_id: statusOf(workflow, 'Shelved').id }))],
  },
  {
    what: 'later, and its Status away from Today and back since',
    acts: [later, moveReview('waiting'), moveReview('in_progress')],
  },
]

const FORGOTTEN: { what: string; acts: Act[] }[] = [
  { what: 'it was moved to Waiting and put off from there', acts: [later, patch(() => ({ disposition: 'waiting' })), later] },
  {
    what: 'it was put on a Status of Waiting and put off from there',
    acts: [later, patch(({ workflow }) => ({ status_id: statusOf(workflow, 'Feedback').id })), later],
  },
  { what: 'it was completed and put off again', acts: [later, ({ world, task }) => world.api.post(`/tasks/${task.id}/complete`), later] },
  { what: 'it was back in Today without a Status and put off again', acts: [later, patch(() => ({ disposition: 'in_progress' })), later] },
  {
    what: 'the Status was deleted',
    acts: [later, ({ world, workflow }) => world.api.delete(statusPath(workflow, 'Review'))],
  },
  { what: 'the Status is no longer one of Today', acts: [later, moveReview('waiting')] },
  { what: 'the Status itself went to Later', acts: [moveReview('on_hold'), setTime] },
  { what: 'the Workflow was deleted', acts: [later, ({ world, workflow }) => world.api.delete(`/workflows/${workflow.id}`)] },
  { what: 'the task left the Workflow', acts: [later, patch(() => ({ workflow_id: null }))] },
]

for (const engine of ENGINES) {
  describe(`waking (${engine})`, () => {
    it('happens at the time, not before, and once', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))

      const before = await wakeAfter(world, HOUR - 1)
      const asleep = await taskNow(world.api, task)
      const at = await wakeAfter(world, 1)
      const awake = await taskNow(world.api, task)
      const after = await wakeAfter(world, DAY)

      assert.deepEqual([before, at, after], [0, 1, 0])
      assert.deepEqual(asleep, task)
      assert.deepEqual(awake, {
        ...task,
        disposition: 'in_progress',
        on_hold_until: null,
        updated_at: task.on_hold_until,
        version: awake.version,
      })
      assert.notEqual(awake.version, task.version)
      assert.deepEqual(await taskNow(world.api, task), awake)
    })

    it('happens once when two wake at the same time', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      world.advance(HOUR)

      const woken = await Promise.all([world.service.timers.wake(), world.service.timers.wake()])

      assert.equal(woken[0] + woken[1], 1)
      assert.equal((await world.events()).filter((event) => event.type === 'task.woke').length, 1)
    })

    it('is one event, caused by the timer and by no token', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      await wakeAfter(world, HOUR)

      const [, woke, ...more] = await world.events()

      assert.deepEqual(more, [])
      assert.partialDeepStrictEqual(woke, {
        sequence: 2,
        type: 'task.woke',
        occurredAt: Date.parse(task.on_hold_until),
        cause: 'timer',
        tokenId: null,
        requestId: null,
        data: await taskNow(world.api, task),
      })
      assert.deepEqual(woke?.previous, {
        disposition: 'on_hold',
        on_hold_until: task.on_hold_until,
        updated_at: task.updated_at,
        version: task.version,
      })
    })

    it('reaches what passed while no service ran', async () => {
      await using world = await openWorld(engine)
      const due = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      const notDue = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(2 * DAY) }))
      await world.restart(() => world.advance(DAY))

      const woken = await world.service.timers.wake()

      assert.equal(woken, 1)
      assert.partialDeepStrictEqual(await taskNow(world.api, due), { disposition: 'in_progress', updated_at: world.now })
      assert.deepEqual(await taskNow(world.api, notDue), notDue)
    })

    it('reaches every account, and more tasks than are looked at in one go', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      const until = world.later(HOUR)
      const sleeper = aTask({ disposition: 'on_hold', on_hold_until: until })
      await Promise.all([...Array.from({ length: 510 }, () => sleeper(world.api)), sleeper(other.api)])

      const woken = await wakeAfter(world, HOUR)

      assert.equal(woken, 511)
      assert.deepEqual((await world.api.get('/tasks?disposition=on_hold')).body.data, [])
      assert.equal((await other.api.get('/tasks?disposition=in_progress')).body.data.length, 1)
    })

    it('passes over a task that was put off further, moved away or deleted', async () => {
      await using world = await openWorld(engine)
      const sleeper = () => world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      const [further, moved, gone, endless] = [await sleeper(), await sleeper(), await sleeper(), await sleeper()]
      await world.api.post(`/tasks/${further.id}/later`, { until: world.later(DAY) })
      await world.api.patch(`/tasks/${moved.id}`, { disposition: 'waiting' })
      await world.api.delete(`/tasks/${gone.id}`)
      await world.api.post(`/tasks/${endless.id}/later`)

      const woken = await wakeAfter(world, HOUR)

      assert.equal(woken, 0)
      assert.deepEqual(
        [
          (await taskNow(world.api, further)).disposition,
          (await taskNow(world.api, moved)).disposition,
          (await taskNow(world.api, endless)).disposition,
        ],
        ['on_hold', 'waiting', 'on_hold'],
      )
    })

    it('leaves an archived task archived, and out of the list', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      const archived = (await world.api.post(`/tasks/${task.id}/archive`)).body

      const woken = await wakeAfter(world, HOUR)

      assert.equal(woken, 1)
      assert.partialDeepStrictEqual(await taskNow(world.api, task), {
        disposition: 'in_progress',
        on_hold_until: null,
        archived: true,
        archived_at: archived.archived_at,
      })
      assert.deepEqual((await world.api.get('/tasks')).body.data, [])
    })

    it('leaves a task that was never in Today there without a Status, on its Workflow', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Shelved', on_hold_until: world.later(HOUR) }))

      await wakeAfter(world, HOUR)

      assert.partialDeepStrictEqual(await taskNow(world.api, task), {
        disposition: 'in_progress',
        status_id: null,
        workflow_id: task.workflow_id,
      })
    })
  })

  describe(`the Today Status that a task wakes to (${engine})`, () => {
    for (const { what, acts } of REMEMBERED) {
      it(`is the one it left by ${what}`, async () => {
        await using world = await openWorld(engine)
        const scene = await onReview(world)
        for (const act of acts) assert.equal((await act(scene)).status, 200)

        const woken = await wakeAfter(world, HOUR)

        assert.equal(woken, 1)
        assert.partialDeepStrictEqual(await taskNow(world.api, scene.task), {
          disposition: 'in_progress',
          status_id: scene.task.status_id,
          workflow_id: scene.workflow.id,
        })
      })
    }

    for (const { what, acts } of FORGOTTEN) {
      it(`is none when ${what}`, async () => {
        await using world = await openWorld(engine)
        const scene = await onReview(world)
        for (const act of acts) assert.ok((await act(scene)).status < 300)

        const woken = await wakeAfter(world, HOUR)

        assert.equal(woken, 1)
        assert.partialDeepStrictEqual(await taskNow(world.api, scene.task), { disposition: 'in_progress', status_id: null })
      })
    }

    it('is none when the task left another tab, though the Status it left is one of Today since', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const feedback = statusOf(workflow, 'Feedback').id
      const task = await world.given(aTask({ status_id: feedback }))
      await later({ world, workflow, task })
      await world.api.patch(`/workflows/${workflow.id}/statuses/${feedback}`, { disposition: 'in_progress' })

      await wakeAfter(world, HOUR)

      assert.partialDeepStrictEqual(await taskNow(world.api, task), {
        disposition: 'in_progress',
        status_id: null,
        workflow_id: workflow.id,
      })
    })

    it('is none of another Workflow that the task was put on meanwhile', async () => {
      await using world = await openWorld(engine)
      const scene = await onReview(world)
      const other = await world.given(aWorkflow())
      await later(scene)
      await world.api.patch(`/tasks/${scene.task.id}`, { workflow_id: other.id })

      await wakeAfter(world, HOUR)

      assert.partialDeepStrictEqual(await taskNow(world.api, scene.task), {
        disposition: 'in_progress',
        status_id: null,
        workflow_id: other.id,
      })
    })

    it('is forgotten once the task woke, so that a second sleep remembers anew', async () => {
      await using world = await openWorld(engine)
      const scene = await onReview(world)
      await later(scene)
      await wakeAfter(world, HOUR)
      await world.api.patch(`/tasks/${scene.task.id}`, { status_id: null })
      await later(scene)

      await wakeAfter(world, HOUR)

      assert.equal((await taskNow(world.api, scene.task)).status_id, null)
    })
  })
}
