import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UNKNOWN_ID } from './builders.ts'
import { assertLimited, limit, rateOf } from './limits.ts'
import { ENGINES, HOUR, MINUTE, openWorld, thirtyTwo, type World } from './world.ts'

for (const engine of ENGINES) {
  describe(`the limit of a day’s writes (${engine})`, () => {
    it('counts down to 0, and then refuses writes until midnight UTC, and reads never', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 2 })

      const replies = [await world.api.post('/tasks', { title: 'One' }), await world.api.post('/projects', { name: 'Two' })]
      const refused = await world.api.post('/tasks', { title: 'Three' })
      const read = await world.api.get('/tasks')

      assert.deepEqual(replies.map(rateOf), [
        [2, 1, 43_200],
        [2, 0, 43_200],
      ])
      assertLimited(refused, / 2 writes a UTC day/, 43_200)
      assert.deepEqual(rateOf(refused), [2, 0, 43_200])
      assert.deepEqual([read.status, ...rateOf(read)], [200, 3_000, 2_997, 60])
    })

    it('begins anew at midnight UTC', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 1 })
      await world.api.post('/tasks', { title: 'One' })
      world.advance(12 * HOUR - 1)
      const before = await world.api.post('/tasks', { title: 'Two' })
      world.advance(1)

      const after = await world.api.post('/tasks', { title: 'Three' })

      assertLimited(before, /writes/, 1)
      assert.deepEqual([after.status, ...rateOf(after)], [201, 1, 0, 86_400])
    })

    it('is shared by the tokens of the account, and by no other account', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 1 })
      const token = await world.clientWith(['tasks:write'])
      const other = await world.newAccount()
      await world.api.post('/tasks', { title: 'One' })

      const refused = await token.post('/tasks', { title: 'Two' })
      const reply = await other.api.post('/tasks', { title: 'Three' })

      assertLimited(refused, /writes/, 43_200)
      assert.equal(reply.status, 201)
    })

    it('outlives a restart', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 1 })
      await world.api.post('/tasks', { title: 'One' })

      await world.restart()

      assertLimited(await world.api.post('/tasks', { title: 'Two' }), /writes/, 43_200)
    })

    it('lets exactly as many writes through when 32 come at once', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 10 })

      const replies = await thirtyTwo(world, (index) => world.api.post('/tasks', { title: `Task ${index}` }))

      const passed = replies.filter(({ status }) => status === 201)
      assert.deepEqual(passed.map((reply) => rateOf(reply)[1]).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      assert.equal(replies.filter(({ status }) => status === 429).length, 22)
      assert.equal((await world.events()).length, 10)
    })

    it('says that nothing is left on every refusal when 32 come at once', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 10 })

      const replies = await thirtyTwo(world, (index) => world.api.post('/tasks', { title: `Task ${index}` }))

      const refused = replies.filter(({ status }) => status === 429)
      assert.equal(refused.length, 22)
      for (const reply of refused) assert.deepEqual(rateOf(reply), [10, 0, 43_200])
    })

    it('counts a write of many resources once', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 10 })
      const statuses = Array.from({ length: 20 }, (_, index) => ({ name: `Status ${index}`, disposition: 'in_progress' }))

      const made = await world.api.post('/workflows', { name: 'Article', statuses })
      const removed = await world.api.delete(`/workflows/${made.body.id}`)

      assert.deepEqual([rateOf(made)[1], rateOf(removed)[1]], [9, 8])
    })

    it('does not count what a timer does', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 10 })
      await world.api.post('/tasks', { title: 'One', disposition: 'on_hold', on_hold_until: world.later(MINUTE) })
      world.advance(2 * MINUTE)
      await world.service.timers.wake()

      const reply = await world.api.post('/tasks', { title: 'Two' })

      assert.equal((await world.events()).length, 3)
      assert.equal(rateOf(reply)[1], 8)
    })

    for (const [what, ask, status] of [
      ['an invalid write', (world: World) => world.api.post('/tasks', {}), 400],
      [
        'a write for which the token lacks the scope',
        async (world: World) => (await world.clientWith(['tasks:read'])).post('/tasks', { title: 'One' }),
        403,
      ],
      ['a write to what is not there', (world: World) => world.api.delete(`/tasks/${UNKNOWN_ID}`), 404],
      ['a write with an unknown reference', (world: World) => world.api.post('/tasks', { title: 'One', project_id: UNKNOWN_ID }), 400],
    ] as const) {
      it(`does not count ${what}`, async () => {
        await using world = await openWorld(engine)
        await limit(world, { writesPerDay: 10 })

        const reply = await ask(world)

        assert.deepEqual([reply.status, ...rateOf(reply)], [status, 10, 10, 43_200])
        assert.equal(rateOf(await world.api.post('/tasks', { title: 'One' }))[1], 9)
      })
    }

    it('does not count a stale write, one that changes nothing, or a replay', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 10 })
      const key = { 'idempotency-key': 'k' }
      const task = (await world.api.post('/tasks', { title: 'One' }, key)).body

      const replies = [
        await world.api.patch(`/tasks/${task.id}`, { title: 'Two' }, { 'if-match': '"9"' }),
        await world.api.patch(`/tasks/${task.id}`, { title: 'One' }),
        await world.api.patch(`/tasks/${task.id}`, {}),
        await world.api.post(`/tasks/${task.id}/unarchive`),
        await world.api.post('/tasks', { title: 'One' }, key),
      ]

      assert.deepEqual(
        replies.map((reply) => [reply.status, rateOf(reply)[1]]),
        [
          [412, 9],
          [200, 9],
          [200, 9],
          [200, 9],
          [200, 9],
        ],
      )
    })
  })
}
