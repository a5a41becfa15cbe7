import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aStep, aTask, aWorkflow, type Resource, UNKNOWN_ID } from './builders.ts'
import type { Client } from './client.ts'
import { assertInvalid, assertProblem, ENGINES, HOUR, MINUTE, openWorld } from './world.ts'

const namesOf = async (api: Client, task: Resource) =>
  (await api.get(`/tasks/${task.id}/steps`)).body.data.map((step: Resource) => step.name)

const ACCEPTED: [what: string, body: Record<string, unknown>, kept: Record<string, unknown>][] = [
  ['a name of one character', { name: 'x' }, { name: 'x' }],
  ['a name of 500 code points', { name: '📦'.repeat(500) }, { name: '📦'.repeat(500) }],
  ['500 characters between spaces', { name: `  ${'x'.repeat(500)}\n` }, { name: 'x'.repeat(500) }],
  ['no minutes at all', { name: 'x', minutes: 0 }, { minutes: 0 }],
  ['the minutes of a year', { name: 'x', minutes: 525_600 }, { minutes: 525_600 }],
]

const REFUSED_ALWAYS: [what: string, body: Record<string, unknown>, name: string, code: string][] = [
  ['an empty name', { name: '' }, 'name', 'too_short'],
  ['a name of spaces', { name: ' \t ' }, 'name', 'too_short'],
  ['a name of 501 code points', { name: 'x'.repeat(501) }, 'name', 'too_long'],
  ['a name of two lines', { name: 'a\nb' }, 'name', 'malformed'],
  ['a name with NUL', { name: 'a\u0000b' }, 'name', 'malformed'],
  ['a name with half a surrogate pair', { name: 'a\ud83d' }, 'name', 'malformed'],
  ['null for the name', { name: null }, 'name', 'invalid_type'],
  ['negative minutes', { name: 'x', minutes: -1 }, 'minutes', 'out_of_range'],
  ['more minutes than a year has', { name: 'x', minutes: 525_601 }, 'minutes', 'out_of_range'],
  ['half a minute', { name: 'x', minutes: 0.5 }, 'minutes', 'invalid_type'],
  ['minutes as text', { name: 'x', minutes: '5' }, 'minutes', 'invalid_type'],
  ['null for minutes', { name: 'x', minutes: null }, 'minutes', 'invalid_type'],
  ['null for the tick', { name: 'x', completed: null }, 'completed', 'invalid_type'],
  ['a tick as text', { name: 'x', completed: 'true' }, 'completed', 'invalid_type'],
  ['an unknown field', { name: 'x', title: 'y' }, 'title', 'unknown'],
  ['a kind', { name: 'x', kind: 'subtask' }, 'kind', 'unknown'],
]

for (const engine of ENGINES) {
  describe(`adding a step to a checklist (${engine})`, () => {
    it('answers 201 with the whole step and where to find it', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const reply = await world.api.post(`/tasks/${task.id}/steps`, { name: 'Buy boxes' })

      assert.equal(reply.status, 201)
      const { id, position, ...rest } = reply.body
      assert.deepEqual(rest, {
        object: 'step',
        task_id: task.id,
        kind: 'subtask',
        name: 'Buy boxes',
        status_id: null,
        completed: false,
        completed_at: null,
        minutes: 0,
      })
      assert.equal(typeof position, 'number')
      assert.equal(reply.headers.location, `${world.service.url}/v1/tasks/${task.id}/steps/${id}`)
      assert.deepEqual((await world.api.get(`/tasks/${task.id}/steps/${id}`)).body, reply.body)
    })

    it('appends it to the end of the list, which comes whole', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const steps: Resource[] = []
      for (const name of ['one', 'two', 'three']) steps.push(await world.given(aStep(task, { name })))

      const reply = await world.api.get(`/tasks/${task.id}/steps`)

      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, { object: 'list', data: steps, has_more: false, next_cursor: null })
    })

    it('takes minutes and a tick', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const step = await world.given(aStep(task, { minutes: 30, completed: true }))

      assert.partialDeepStrictEqual(step, { minutes: 30, completed: true, completed_at: world.now })
      const now = (await world.api.get(`/tasks/${task.id}`)).body
      assert.partialDeepStrictEqual(now, { steps_total: 1, steps_completed: 1, estimate_minutes: 30 })
    })

    for (const [what, body, kept] of ACCEPTED) {
      it(`takes ${what}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        assert.partialDeepStrictEqual(await world.given(aStep(task, body)), kept)
      })
    }

    for (const [what, body, name, code] of REFUSED_ALWAYS) {
      it(`refuses ${what}, when it is added and when it is changed`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())
        const step = await world.given(aStep(task))

        assertInvalid(await world.api.post(`/tasks/${task.id}/steps`, body), ['body', name, code])
        assertInvalid(await world.api.patch(`/tasks/${task.id}/steps/${step.id}`, body), ['body', name, code])

        assert.deepEqual((await world.api.get(`/tasks/${task.id}/steps`)).body.data, [step])
      })
    }

    it('needs a name', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      assertInvalid(await world.api.post(`/tasks/${task.id}/steps`, { minutes: 5 }), ['body', 'name', 'required'])
    })

    it('takes no position: a new step is the last one', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      assertInvalid(await world.api.post(`/tasks/${task.id}/steps`, { name: 'x', position: 1 }), ['body', 'position', 'unknown'])
    })

    it('fills a checklist up to 100 steps and refuses the 101st, however many come at once', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const replies = await Promise.all(
        Array.from({ length: 103 }, (_, n) => world.api.post(`/tasks/${task.id}/steps`, { name: `step ${n}` })),
      )

      const refused = replies.filter((reply) => reply.status !== 201)
      assert.equal(refused.length, 3)
      for (const reply of refused) assertInvalid(reply, ['body', '', 'out_of_range'])
      assert.equal((await world.api.get(`/tasks/${task.id}`)).body.steps_total, 100)
      assert.equal((await namesOf(world.api, task)).length, 100)
    })

    it('has room again in a full checklist once a step is removed', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const steps = await Promise.all(Array.from({ length: 100 }, () => world.given(aStep(task))))
      await world.api.delete(`/tasks/${task.id}/steps/${steps[7].id}`)

      assert.equal((await world.api.post(`/tasks/${task.id}/steps`, { name: 'one more' })).status, 201)
    })

    it('is refused for a task on a Workflow, even one without Today Statuses', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ statuses: [] }))
      const bare = await world.given(aTask({ workflow_id: workflow.id }))
      const staged = await world.given(aTask({ onStatus: 'Draft' }))

      for (const task of [bare, staged]) {
        assertInvalid(await world.api.post(`/tasks/${task.id}/steps`, { name: 'x' }), ['body', '', 'conflict'])
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
      }
    })

    it('gives a retry with the same key and body the first step', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const send = () => world.api.post(`/tasks/${task.id}/steps`, { name: 'Buy boxes' }, { 'idempotency-key': 'boxes' })
      const first = await send()

      const again = await send()

      assert.equal(again.status, 200)
      assert.equal(again.headers['idempotent-replayed'], 'true')
      assert.equal(again.headers.location, first.headers.location)
      assert.deepEqual(again.body, first.body)
      assert.deepEqual(await namesOf(world.api, task), ['Buy boxes'])
    })

    it('refuses the same key with another body', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const send = (name: string) => world.api.post(`/tasks/${task.id}/steps`, { name }, { 'idempotency-key': 'boxes' })
      await send('Buy boxes')

      assertInvalid(await send('Buy bags'), ['header', 'Idempotency-Key', 'conflict'])

      assert.deepEqual(await namesOf(world.api, task), ['Buy boxes'])
    })
  })

  describe(`changing a step of a checklist (${engine})`, () => {
    it('ticks it with the time, keeps the first tick, and unticks it', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task))
      const path = `/tasks/${task.id}/steps/${step.id}`
      world.advance(MINUTE)
      const ticked = world.now

      assert.deepEqual((await world.api.patch(path, { completed: true })).body, { ...step, completed: true, completed_at: ticked })
      assert.equal((await world.api.get(`/tasks/${task.id}`)).body.steps_completed, 1)
      world.advance(MINUTE)
      assert.equal((await world.api.patch(path, { completed: true })).body.completed_at, ticked)
      assert.deepEqual((await world.api.patch(path, { completed: false })).body, step)
      assert.equal((await world.api.get(`/tasks/${task.id}`)).body.steps_completed, 0)
    })

    it('changes only the fields that are sent', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task, { minutes: 5, completed: true }))

      const reply = await world.api.patch(`/tasks/${task.id}/steps/${step.id}`, { name: ' Buy bags ' })

      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, { ...step, name: 'Buy bags' })
      assert.deepEqual((await world.api.get(`/tasks/${task.id}/steps/${step.id}`)).body, reply.body)
    })

    const CHANGES: [what: string, change: (api: Client, path: string) => Promise<unknown>][] = [
      ['a new name', (api, path) => api.patch(path, { name: 'other' })],
      ['a tick', (api, path) => api.patch(path, { completed: true })],
      ['other minutes', (api, path) => api.patch(path, { minutes: 7 })],
      ['another place', (api, path) => api.patch(path, { position: 0.5 })],
      ['a new step', (api, path) => api.post(path.slice(0, path.lastIndexOf('/')), { name: 'another' })],
      ['a removal', (api, path) => api.delete(path)],
    ]
    for (const [what, change] of CHANGES) {
      it(`makes ${what} a change of the task: version, updated_at and one task.updated`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())
        const step = await world.given(aStep(task))
        const before = (await world.api.get(`/tasks/${task.id}`)).body
        const known = (await world.events()).length
        world.advance(MINUTE)

        await change(world.api, `/tasks/${task.id}/steps/${step.id}`)

        const after = (await world.api.get(`/tasks/${task.id}`)).body
        assert.notEqual(after.version, before.version)
        assert.equal(after.updated_at, world.now)
        const events = (await world.events()).slice(known)
        assert.deepEqual(
          events.map(({ type, cause, data }) => ({ type, cause, data })),
          [{ type: 'task.updated', cause: 'api', data: after }],
        )
      })
    }

    it('changes nothing with what it already has, or with nothing', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task, { minutes: 5 }))
      const before = (await world.api.get(`/tasks/${task.id}`)).body
      const known = await world.events()
      world.advance(HOUR)
      const { name, completed, minutes, position } = step

      for (const body of [{}, { name, completed, minutes, position }]) {
        const reply = await world.api.patch(`/tasks/${task.id}/steps/${step.id}`, body)
        assert.equal(reply.status, 200)
        assert.deepEqual(reply.body, step)
      }

      assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, before)
      assert.deepEqual(await world.events(), known)
    })
  })

  describe(`removing a step of a checklist (${engine})`, () => {
    it('answers 204 without a body and leaves the others', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task, { name: 'one', completed: true }))
      await world.given(aStep(task, { name: 'two' }))

      const reply = await world.api.delete(`/tasks/${task.id}/steps/${step.id}`)

      assert.deepEqual({ status: reply.status, text: reply.text }, { status: 204, text: '' })
      assert.deepEqual(await namesOf(world.api, task), ['two'])
      assert.partialDeepStrictEqual((await world.api.get(`/tasks/${task.id}`)).body, { steps_total: 1, steps_completed: 0 })
      assertProblem(await world.api.delete(`/tasks/${task.id}/steps/${step.id}`), 404, 'not_found')
    })

    it('lets a retry of its creation find nothing', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const send = () => world.api.post(`/tasks/${task.id}/steps`, { name: 'Buy boxes' }, { 'idempotency-key': 'boxes' })
      const step = (await send()).body
      await world.api.delete(`/tasks/${task.id}/steps/${step.id}`)

      assertProblem(await send(), 404, 'not_found')
      assert.deepEqual(await namesOf(world.api, task), [])
    })

    it('happens to all of them when the task is deleted', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task))

      await world.api.delete(`/tasks/${task.id}`)

      assertProblem(await world.api.get(`/tasks/${task.id}/steps`), 404, 'not_found')
      assertProblem(await world.api.get(`/tasks/${task.id}/steps/${step.id}`), 404, 'not_found')
    })
  })
}

const OF_ONE: [what: string, send: (api: Client, path: string) => ReturnType<Client['get']>][] = [
  ['reading', (api, path) => api.get(path)],
  ['changing', (api, path) => api.patch(path, { completed: true })],
  ['removing', (api, path) => api.delete(path)],
]

const OF_ALL: typeof OF_ONE = [
  ['listing', (api, path) => api.get(path)],
  ['adding', (api, path) => api.post(path, { name: 'x' })],
]

for (const engine of ENGINES) {
  describe(`steps that are not there (${engine})`, () => {
    for (const [what, send] of OF_ONE) {
      it(`are 404 for ${what}: unknown, of another task, or of another account`, async () => {
        await using world = await openWorld(engine)
        const [task, other] = [await world.given(aTask()), await world.given(aTask())]
        const [step, foreign] = [await world.given(aStep(task)), await world.given(aStep(other))]
        const { api: stranger } = await world.newAccount()

        assertProblem(await send(world.api, `/tasks/${task.id}/steps/${UNKNOWN_ID}`), 404, 'not_found')
        assertProblem(await send(world.api, `/tasks/${UNKNOWN_ID}/steps/${step.id}`), 404, 'not_found')
        assertProblem(await send(world.api, `/tasks/${task.id}/steps/${foreign.id}`), 404, 'not_found')
        assertProblem(await send(stranger, `/tasks/${task.id}/steps/${step.id}`), 404, 'not_found')
        assertInvalid(
          await send(world.api, '/tasks/one/steps/two'),
          ['path', 'id', 'invalid_format'],
          ['path', 'step_id', 'invalid_format'],
        )
        assert.deepEqual((await world.api.get(`/tasks/${task.id}/steps`)).body.data, [step])
      })
    }

    for (const [what, send] of OF_ALL) {
      it(`are 404 for ${what} when the task is not there, or another account's`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())
        const { api: stranger } = await world.newAccount()

        assertProblem(await send(world.api, `/tasks/${UNKNOWN_ID}/steps`), 404, 'not_found')
        assertProblem(await send(stranger, `/tasks/${task.id}/steps`), 404, 'not_found')
        assertInvalid(await send(world.api, '/tasks/one/steps'), ['path', 'id', 'invalid_format'])
        assert.deepEqual(await namesOf(world.api, task), [])
      })
    }

    it('list takes no parameters', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      assertInvalid(await world.api.get(`/tasks/${task.id}/steps?limit=5`), ['query', 'limit', 'unknown'])
    })
  })
}
