import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, type Resource } from './builders.ts'
import { pageOf, pagesOf } from './reading.ts'
import { ENGINES, MINUTE, openWorld, type World } from './world.ts'

const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at', 'due_date'] as const

const idsOf = (tasks: Resource[]): string[] => tasks.map((task) => task.id)

/** Tasks with due dates, with none, and some with the same; made a minute apart. */
async function tasksOfAllKinds(world: World, count: number): Promise<Resource[]> {
  const tasks: Resource[] = []
  for (let n = 0; n < count; n++) {
    const due_date = n % 3 === 0 ? null : `2026-12-0${(n % 2) + 1}`
    tasks.push(await world.given(aTask({ title: `Task ${n}`, due_date })))
    if (n % 2 === 0) world.advance(MINUTE)
  }
  return tasks
}

for (const engine of ENGINES) {
  describe(`pages of tasks (${engine})`, () => {
    it('hold 50 when no limit is sent', async () => {
      await using world = await openWorld(engine)
      const tasks = await Promise.all(Array.from({ length: 51 }, () => world.given(aTask())))

      const pages = await pagesOf(world.api, '/tasks?sort=created_at')

      assert.deepEqual(
        pages.map((one) => one.length),
        [50, 1],
      )
      assert.deepEqual(idsOf(pages.flat()), idsOf(tasks).toSorted())
    })

    it('hold as many as the limit, from 1 to 100', async () => {
      await using world = await openWorld(engine)
      await Promise.all(Array.from({ length: 101 }, () => world.given(aTask())))

      const single = await pageOf(world.api, '/tasks?limit=1')
      const hundred = await pagesOf(world.api, '/tasks?limit=100')

      assert.equal(single.data.length, 1)
      assert.deepEqual(
        hundred.map((one) => one.length),
        [100, 1],
      )
    })

    it('end without a cursor when the last one is just full', async () => {
      await using world = await openWorld(engine)
      await tasksOfAllKinds(world, 4)

      const pages = await pagesOf(world.api, '/tasks?limit=2')

      assert.deepEqual(
        pages.map((one) => one.length),
        [2, 2],
      )
    })

    for (const sort of SORTS) {
      it(`show together what one page shows, by ${sort}`, async () => {
        await using world = await openWorld(engine)
        await tasksOfAllKinds(world, 11)

        const whole = await pageOf(world.api, `/tasks?sort=${sort}`)
        const pages = await pagesOf(world.api, `/tasks?sort=${sort}&limit=2`)

        assert.deepEqual(pages.flat(), whole.data)
        assert.equal(pages.length, 6)
      })

      it(`show every task that stays exactly once while others come and go, by ${sort}`, async () => {
        await using world = await openWorld(engine)
        const tasks = await tasksOfAllKinds(world, 16)
        const ordered = idsOf((await pageOf(world.api, `/tasks?sort=${sort}`)).data)
        const [seen, lastSeen, next, far, farther] = [ordered[0], ordered[3], ordered[4], ordered[9], ordered[12]]
        const gone = [seen, lastSeen, next, far, farther]
        const stay = idsOf(tasks).filter((id) => !gone.includes(id))

        const pages = await pagesOf(world.api, `/tasks?sort=${sort}&limit=4`, async (pageNumber) => {
          if (pageNumber > 1) return
          for (const id of [seen, lastSeen, next, far]) await world.api.delete(`/tasks/${id}`)
          await world.api.post(`/tasks/${farther}/archive`)
          await world.given(aTask({ title: 'New', due_date: '2026-12-01' }))
        })

        const shown = idsOf(pages.flat())
        assert.deepEqual(
          stay.map((id) => shown.filter((one) => one === id).length),
          stay.map(() => 1),
        )
        for (const id of [next, far, farther]) assert.ok(!shown.includes(id as string))
        assert.equal(new Set(shown).size, shown.length)
      })
    }

    it('show a task created meanwhile at the end, oldest first', async () => {
      await using world = await openWorld(engine)
      await tasksOfAllKinds(world, 3)
      const added: Resource[] = []

      const pages = await pagesOf(world.api, '/tasks?limit=2', async (pageNumber) => {
        if (pageNumber === 1) added.push(await world.given(aTask()))
      })

      assert.equal(pages.flat().at(-1).id, added[0].id)
    })

    it('keep to the filters on every page', async () => {
      await using world = await openWorld(engine)
      for (let n = 0; n < 12; n++) await world.given(aTask({ disposition: n % 2 === 0 ? 'waiting' : 'done' }))

      const pages = await pagesOf(world.api, '/tasks?disposition=waiting&limit=4')

      assert.equal(pages.flat().length, 6)
      assert.ok(pages.flat().every((task) => task.disposition === 'waiting'))
    })
  })
}
