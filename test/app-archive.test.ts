import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, type Resource } from './builders.ts'
import { pagesOf } from './reading.ts'
import type { SignedUp } from './visitor.ts'
import { assertInvalid, ENGINES, openWorld } from './world.ts'

async function archived(ada: SignedUp, fields: Record<string, unknown> = {}): Promise<Resource> {
  const { id } = await aTask(fields)(ada)
  return (await ada.post(`/tasks/${id}/archive`)).body
}

for (const engine of ENGINES) {
  describe(`the archive (${engine})`, () => {
    it('lists archived tasks, newest first, and no others', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const [first, , second] = [await archived(ada), await aTask()(ada), await archived(ada, { disposition: 'done' })]
      await archived(bob)
      const back = await archived(ada)
      await ada.post(`/tasks/${back.id}/unarchive`)

      const reply = await ada.get('/archive')

      assert.deepEqual(reply.body, { object: 'list', data: [second, first], has_more: false, next_cursor: null })
    })

    it('comes in pages', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const tasks = await Promise.all(Array.from({ length: 7 }, () => archived(ada)))

      const pages = await pagesOf(ada, '/archive?limit=3')

      assert.deepEqual(
        pages.map((page) => page.length),
        [3, 3, 1],
      )
      const ids = tasks.map(({ id }) => id).sort()
      assert.deepEqual(
        pages.flat().map(({ id }) => id),
        ids.reverse(),
      )
    })

    it('takes a cursor of its own alone', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      for (let times = 0; times < 3; times += 1) await archived(ada)
      const cursor = (await ada.get('/archive?limit=1')).body.next_cursor
      const ofTasks = (await ada.get('/tasks?limit=1&include_archived=true&sort=-created_at')).body.next_cursor

      assertInvalid(await bob.get(`/archive?cursor=${cursor}`), ['query', 'cursor', 'invalid_value'])
      assertInvalid(await ada.get(`/archive?cursor=${ofTasks}`), ['query', 'cursor', 'invalid_value'])
      assertInvalid(await ada.get('/archive?limit=101&sort=x'), ['query', 'limit', 'out_of_range'], ['query', 'sort', 'unknown'])
    })
  })
}
