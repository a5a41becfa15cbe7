import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aStep, aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import type { Client } from './client.ts'
import { pagesOf } from './reading.ts'
import { assertInvalid, ENGINES, openWorld } from './world.ts'

interface Kind {
  /** Where its list is, once there is what it belongs to. */
  listOf(api: Client): Promise<string>
  body(name: string): object
  /** What is sent with the path of the list to see it in order. */
  inOrder: string
}

const KINDS: Record<string, Kind> = {
  projects: { listOf: async () => '/projects', body: (name) => ({ name }), inOrder: '?sort=position&limit=100' },
  Workflows: { listOf: async () => '/workflows', body: (name) => ({ name }), inOrder: '?sort=position&limit=100' },
  Statuses: {
    listOf: async (api) => `/workflows/${(await aWorkflow({ statuses: [] })(api)).id}/statuses`,
    body: (name) => ({ name, disposition: 'waiting' }),
    inOrder: '',
  },
  steps: { listOf: async (api) => `/tasks/${(await aTask()(api)).id}/steps`, body: (name) => ({ name }), inOrder: '' },
}

/** The names of what is in a list, by position. */
const namesIn = async (api: Client, path: string): Promise<string[]> => (await api.get(path)).body.data.map((one: Resource) => one.name)

for (const engine of ENGINES) {
  for (const [name, kind] of Object.entries(KINDS)) {
    describe(`the position of ${name} (${engine})`, () => {
      /** Makes one of each name, in this order. */
      async function madeIn(api: Client, names: string): Promise<{ list: string; made: Record<string, Resource> }> {
        const list = await kind.listOf(api)
        const made: Record<string, Resource> = {}
        for (const one of names) made[one] = (await api.post(list, kind.body(one))).body
        return { list, made }
      }

      it('is that of the last one plus 1 for a new one, wherever that was moved', async () => {
        await using world = await openWorld(engine)
        const { list, made } = await madeIn(world.api, 'abc')
        assert.deepEqual([made.b.position - made.a.position, made.c.position - made.b.position], [1, 1])

        await world.api.patch(`${list}/${made.a.id}`, { position: 41.5 })

        assert.equal((await world.api.post(list, kind.body('d'))).body.position, 42.5)
        assert.deepEqual(await namesIn(world.api, list + kind.inOrder), ['b', 'c', 'a', 'd'])
      })

      it('follows the last one that is left, once others are deleted', async () => {
        await using world = await openWorld(engine)
        const { list, made } = await madeIn(world.api, 'abc')
        await world.api.delete(`${list}/${made.c.id}`)
        await world.api.delete(`${list}/${made.a.id}`)

        assert.equal((await world.api.post(list, kind.body('d'))).body.position, made.b.position + 1)
      })

      it('is another one for each of many that are made at once', async () => {
        await using world = await openWorld(engine)
        const list = await kind.listOf(world.api)

        const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => world.api.post(list, kind.body(`n${n}`))))

        const positions = replies.map(({ body }) => body.position).sort((a, b) => a - b)
        assert.deepEqual(
          positions,
          Array.from({ length: 20 }, (_, n) => positions[0] + n),
        )
      })

      it('moves one between its new neighbours, and changes none of them', async () => {
        await using world = await openWorld(engine)
        const { list, made } = await madeIn(world.api, 'abcd')
        const between = (made.a.position + made.b.position) / 2

        const reply = await world.api.patch(`${list}/${made.d.id}`, { position: between })

        assert.partialDeepStrictEqual(reply, { status: 200, body: { position: between } })
        assert.deepEqual(await namesIn(world.api, list + kind.inOrder), ['a', 'd', 'b', 'c'])
        for (const one of [made.a, made.b, made.c]) assert.deepEqual((await world.api.get(`${list}/${one.id}`)).body, one)
      })

      for (const position of [0, -3, -0.25, 1e15 + 0.5, 5e-324, 1.7976931348623157e308]) {
        it(`takes ${position} and gives it back as it was`, async () => {
          await using world = await openWorld(engine)
          const { list, made } = await madeIn(world.api, 'ab')

          const reply = await world.api.patch(`${list}/${made.b.id}`, { position })

          assert.partialDeepStrictEqual(reply, { status: 200, body: { position } })
          assert.equal((await world.api.get(`${list}/${made.b.id}`)).body.position, position)
          assert.deepEqual(await namesIn(world.api, list + kind.inOrder), position < made.a.position ? ['b', 'a'] : ['a', 'b'])
        })
      }

      it('is settled by the id where it is the same, also after the greatest number there is', async () => {
        await using world = await openWorld(engine)
        const { list, made } = await madeIn(world.api, 'abc')
        for (const one of [made.c, made.a, made.b]) await world.api.patch(`${list}/${one.id}`, { position: Number.MAX_VALUE })

        const reply = await world.api.post(list, kind.body('d'))

        assert.equal(reply.status, 201)
        assert.deepEqual(await namesIn(world.api, list + kind.inOrder), ['a', 'b', 'c', 'd'])
      })

      for (const raw of ['null', '"1"', 'true', '[1]', '1e400']) {
        it(`cannot be ${raw}`, async () => {
          await using world = await openWorld(engine)
          const { list, made } = await madeIn(world.api, 'a')

          const reply = await world.api.send('PATCH', `${list}/${made.a.id}`, {
            raw: `{"position": ${raw}}`,
            headers: { 'content-type': 'application/json' },
          })

          assertInvalid(reply, ['body', 'position', 'invalid_type'])
          assert.deepEqual((await world.api.get(`${list}/${made.a.id}`)).body, made.a)
        })
      }
    })
  }

  for (const name of ['projects', 'workflows']) {
    describe(`listing ${name} with sort=position (${engine})`, () => {
      const positions = { a: 2, b: 1, c: 2, d: -1, e: 2, f: 0.5, g: 1 }
      const sorted = ['d', 'f', 'b', 'g', 'a', 'c', 'e']

      async function placed(api: Client): Promise<void> {
        for (const [one, position] of Object.entries(positions)) {
          const { id } = (await api.post(`/${name}`, { name: one })).body
          await api.patch(`/${name}/${id}`, { position })
        }
      }

      for (const limit of [1, 2, 3, 100]) {
        it(`shows each one once, in order, in pages of ${limit}`, async () => {
          await using world = await openWorld(engine)
          await placed(world.api)

          const pages = await pagesOf(world.api, `/${name}?sort=position&limit=${limit}`)

          assert.deepEqual(
            pages.flat().map((one) => one.name),
            sorted,
          )
          assert.equal(pages.length, Math.ceil(sorted.length / limit))
        })
      }

      it('leaves the ordinary list oldest first', async () => {
        await using world = await openWorld(engine)
        await placed(world.api)

        assert.deepEqual(await namesIn(world.api, `/${name}`), Object.keys(positions))
        assert.deepEqual(await namesIn(world.api, `/${name}?sort=created_at`), Object.keys(positions))
      })

      it('gives cursors that work for no other order', async () => {
        await using world = await openWorld(engine)
        await placed(world.api)
        const byPosition = (await world.api.get(`/${name}?sort=position&limit=2`)).body.next_cursor
        const byAge = (await world.api.get(`/${name}?limit=2`)).body.next_cursor

        assertInvalid(await world.api.get(`/${name}?cursor=${byPosition}`), ['query', 'cursor', 'invalid_value'])
        assertInvalid(await world.api.get(`/${name}?sort=position&cursor=${byAge}`), ['query', 'cursor', 'invalid_value'])
        assert.deepEqual(await namesIn(world.api, `/${name}?sort=created_at&limit=1&cursor=${byAge}`), ['c'])
      })
    })
  }

  describe(`the position of Statuses within their Disposition (${engine})`, () => {
    it('begins anew in each Disposition and each Workflow', async () => {
      await using world = await openWorld(engine)
      const [workflow, other] = [await world.given(aWorkflow()), await world.given(aWorkflow())]
      await world.api.patch(statusPath(workflow, 'Publish'), { position: 70 })
      const add = async ({ id }: Resource, disposition: string) =>
        (await world.api.post(`/workflows/${id}/statuses`, { name: 'New', disposition })).body.position

      assert.equal(await add(workflow, 'in_progress'), 71)
      assert.equal(await add(workflow, 'waiting'), statusOf(workflow, 'Feedback').position + 1)
      assert.equal(await add(other, 'in_progress'), statusOf(other, 'Publish').position + 1)
    })

    it('is the last one plus 1 in the Disposition that a Status is moved to', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())

      const reply = await world.api.patch(statusPath(workflow, 'Draft'), {
        disposition: 'waiting',
      })

      assert.equal(reply.body.position, statusOf(workflow, 'Feedback').position + 1)
    })

    it('can be sent with the move to another Disposition', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const position = (statusOf(workflow, 'Draft').position + statusOf(workflow, 'Review').position) / 2

      await world.api.patch(statusPath(workflow, 'Feedback'), {
        disposition: 'in_progress',
        position,
      })

      const names = await namesIn(world.api, `/workflows/${workflow.id}/statuses`)
      assert.deepEqual(names.slice(0, 4), ['Draft', 'Feedback', 'Review', 'Publish'])
    })

    it('decides which Status of a Workflow is the first one for a task', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const publish = statusOf(workflow, 'Publish')
      await world.api.patch(`/workflows/${workflow.id}/statuses/${publish.id}`, { position: statusOf(workflow, 'Draft').position - 1 })

      const task = await world.given(aTask({ workflow_id: workflow.id, disposition: 'in_progress' }))

      assert.equal(task.status_id, publish.id)
    })
  })

  describe(`positions in lists of other owners (${engine})`, () => {
    it('do not count: another account and another task begin at the same number', async () => {
      await using world = await openWorld(engine)
      const { api: stranger } = await world.newAccount()
      const tasks = [await world.given(aTask()), await world.given(aTask())]
      const first = await world.given(aStep(tasks[0]))
      await world.given(aStep(tasks[0]))
      const project = (await world.api.post('/projects', { name: 'x' })).body
      await world.api.post('/projects', { name: 'y' })

      assert.equal((await world.given(aStep(tasks[1]))).position, first.position)
      assert.equal((await stranger.post('/projects', { name: 'z' })).body.position, project.position)
    })

    it('count archived projects: a new one comes after them too', async () => {
      await using world = await openWorld(engine)
      const { id } = (await world.api.post('/projects', { name: 'x' })).body
      await world.api.patch(`/projects/${id}`, { archived: true, position: 12 })

      assert.equal((await world.api.post('/projects', { name: 'y' })).body.position, 13)
    })
  })
}
