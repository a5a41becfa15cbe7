import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setAccount } from '../packages/server/actions/accounts.ts'
import { UNKNOWN_ID } from './builders.ts'
import { assertLimited, limit, rateOf } from './limits.ts'
import { ENGINES, openWorld, thirtyTwo } from './world.ts'

for (const engine of ENGINES) {
  describe(`the limit of a token (${engine})`, () => {
    it('counts down to 0, and then refuses, naming itself', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 3 })

      const replies = [await world.api.get('/me'), await world.api.get('/me'), await world.api.get('/me')]
      const refused = await world.api.get('/me')

      assert.deepEqual(replies.map(rateOf), [
        [3, 2, 60],
        [3, 1, 60],
        [3, 0, 60],
      ])
      assertLimited(refused, /token.* 3 requests a minute/, 60)
      assert.deepEqual(rateOf(refused), [3, 0, 60])
    })

    it('begins anew with the minute of the clock, not a minute after the first request', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 1 })
      world.advance(45_000)
      const first = await world.api.get('/me')
      world.advance(14_500)
      const refused = await world.api.get('/me')
      world.advance(500)

      const reply = await world.api.get('/me')

      assert.deepEqual(rateOf(first), [1, 0, 15])
      assertLimited(refused, /token/, 1)
      assert.deepEqual([reply.status, ...rateOf(reply)], [200, 1, 0, 60])
    })

    it('is each token’s own', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 1 })
      const other = await world.clientWith(['tasks:read'])
      await world.api.get('/me')
      await world.api.get('/me')

      assert.deepEqual(rateOf(await other.get('/me')), [1, 0, 60])
    })

    it('is exact for many requests at once', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 10 })

      const replies = await thirtyTwo(world, () => world.api.get('/tasks'))

      const passed = replies.filter(({ status }) => status === 200)
      assert.deepEqual(passed.map((reply) => rateOf(reply)[1]).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      assert.equal(replies.filter(({ status }) => status === 429).length, 22)
    })
  })

  describe(`the limit of an account (${engine})`, () => {
    it('is shared by its tokens, and named when it refuses', async () => {
      await using world = await openWorld(engine)
      await limit(world, { accountPerMinute: 3 })
      const other = await world.clientWith(['tasks:read'])

      const replies = [await world.api.get('/me'), await other.get('/me'), await world.api.get('/me')]
      const refused = await other.get('/me')

      assert.deepEqual(replies.map(rateOf), [
        [3, 2, 60],
        [3, 1, 60],
        [3, 0, 60],
      ])
      assertLimited(refused, /account.* 3 requests a minute/, 60)
    })

    it('is each account’s own', async () => {
      await using world = await openWorld(engine)
      await limit(world, { accountPerMinute: 1 })
      const other = await world.newAccount()
      await world.api.get('/me')
      await world.api.get('/me')

      assert.deepEqual(rateOf(await other.api.get('/me')), [1, 0, 60])
    })

    it('is told of when it has fewer left than the token’s', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 5, accountPerMinute: 6 })
      const other = await world.clientWith(['tasks:read'])

      const first = await world.api.get('/me')
      await other.get('/me')
      await other.get('/me')
      const second = await world.api.get('/me')

      assert.deepEqual(rateOf(first), [5, 4, 60])
      assert.deepEqual(rateOf(second), [6, 2, 60])
    })
  })

  describe(`what counts for the minute (${engine})`, () => {
    it('is every answer to a known token but 429', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 20 })
      const reader = await world.clientWith(['tasks:read', 'projects:write'])

      const replies = [
        await reader.get('/tasks?nope=1'),
        await reader.get('/tasks/7'),
        await reader.get(`/tasks/${UNKNOWN_ID}`),
        await reader.post('/tasks', { title: 'One' }),
        await reader.send('POST', '/projects', { raw: '{' }),
        await reader.send('HEAD', '/tasks'),
        await reader.post('/projects', { name: 'One' }),
      ]
      await setAccount(world.operator, world.account.email, { vault: true })
      replies.push(await reader.get('/me'))

      assert.deepEqual(
        replies.map((reply) => [reply.status, ...rateOf(reply)]),
        [400, 400, 404, 403, 400, 200, 201, 403].map((status, index) => [status, 20, 19 - index, 60]),
      )
    })

    it('is no request that was refused for a limit of the minute', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 1 })
      for (const status of [200, 429, 429, 429]) assert.equal((await world.api.get('/me')).status, status)
      await limit(world, { tokenPerMinute: 10 })

      assert.deepEqual(rateOf(await world.api.get('/me')), [10, 8, 60])
    })

    it('is no request of a token that was refused, for the account', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 1, accountPerMinute: 3 })
      const other = await world.clientWith(['tasks:read'])
      for (const status of [200, 429, 429, 429]) assert.equal((await world.api.get('/me')).status, status)
      await limit(world, { tokenPerMinute: 10 })

      assert.deepEqual(rateOf(await other.get('/me')), [3, 1, 60])
    })

    it('is no write that was refused for the day', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 0, tokenPerMinute: 50 })
      await world.api.post('/tasks', { title: 'One' })
      await world.api.post('/tasks', { title: 'Two' })

      assert.deepEqual(rateOf(await world.api.get('/me')), [50, 49, 60])
    })

    it('is no write that was refused for the day when 32 come at once', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 10, tokenPerMinute: 50 })
      await thirtyTwo(world, (index) => world.api.post('/tasks', { title: `Task ${index}` }))

      assert.deepEqual(rateOf(await world.api.get('/me')), [50, 39, 60])
    })

    it('is nothing at an unknown path, with a token in the URL, or at the public pages', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 10 })
      for (const path of ['/nowhere', `/me?token=${world.api.token}`, '/openapi.json', '//healthz']) await world.api.get(path)
      await world.api.send('PUT', '/tasks')

      assert.deepEqual(rateOf(await world.api.get('/me')), [10, 9, 60])
    })
  })

  describe(`a change of plan (${engine})`, () => {
    it('lowers a limit from the next request on', async () => {
      await using world = await openWorld(engine)
      await world.api.get('/me')
      await world.api.get('/me')
      await limit(world, { tokenPerMinute: 2 })

      const reply = await world.api.get('/me')

      assertLimited(reply, /token.* 2 requests a minute/, 60)
      assert.deepEqual(rateOf(reply), [2, 0, 60])
    })

    it('of the account holds from the next request on', async () => {
      await using world = await openWorld(engine)
      const before = await world.api.get('/me')
      await setAccount(world.operator, world.account.email, { plan: 'pro' })

      const after = await world.api.get('/me')

      assert.deepEqual(
        [rateOf(before), rateOf(after)],
        [
          [3_000, 2_999, 60],
          [300, 298, 60],
        ],
      )
    })

    it('raises the writes of a day that were used up', async () => {
      await using world = await openWorld(engine)
      await limit(world, { writesPerDay: 1 })
      await world.api.post('/tasks', { title: 'One' })
      await limit(world, { writesPerDay: 5 })

      assert.deepEqual(rateOf(await world.api.post('/tasks', { title: 'Two' })), [5, 3, 43_200])
    })
  })
}
