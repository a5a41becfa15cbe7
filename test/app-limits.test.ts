import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Client } from './client.ts'
import { clientOf } from './client.ts'
import { assertLimited, limit, rateOf } from './limits.ts'
import { type SignedUp, signInAs } from './visitor.ts'
import { assertProblem, ENGINES, MINUTE, openWorld, type World } from './world.ts'

/** A program of this person's. */
async function programOf(world: World, ada: SignedUp): Promise<Client> {
  const { value } = (await ada.post('/tokens', { name: 'script', scopes: ['tasks:read', 'tasks:write'], lifetime_days: 1 })).body
  return clientOf(world.service.url, value)
}

for (const engine of ENGINES) {
  describe(`limits on requests of the app (${engine})`, () => {
    it('count each session by itself, and answers tell of it', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await limit(world, { tokenPerMinute: 2 })
      const other = world.visitor()
      await signInAs(other, ada)

      const replies = [await ada.get('/tasks'), await ada.get('/board'), await ada.get('/tasks')]

      assert.deepEqual(replies.slice(0, 2).map(rateOf), [
        [2, 1, 60],
        [2, 0, 60],
      ])
      assertLimited(replies[2] ?? assert.fail(), /A session may make 2 requests a minute/, 60)
      assert.equal((await other.get('/tasks')).status, 200)
      world.advance(MINUTE)
      assert.equal((await ada.get('/tasks')).status, 200)
    })

    it('count all sessions of an account together', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await limit(world, { accountPerMinute: 3 })
      const other = world.visitor()
      await signInAs(other, ada)
      for (let times = 0; times < 3; times += 1) await ada.get('/tasks')

      assertLimited(await other.get('/tasks'), /All sessions of an account together may make 3 requests a minute/, 60)
    })

    it('are apart from those of tokens: a program that uses them up locks nobody out', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const program = await programOf(world, ada)
      await limit(world, { tokenPerMinute: 5, accountPerMinute: 5 })
      for (let times = 0; times < 5; times += 1) assert.equal((await program.get('/tasks')).status, 200)

      assertProblem(await program.get('/tasks'), 429, 'rate_limited')
      assert.equal((await ada.get('/tasks')).status, 200)
    })

    it('of the day’s writes are the account’s: those of programs and of the app count together', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const program = await programOf(world, ada)
      await limit(world, { writesPerDay: 2 })

      assert.equal((await program.post('/tasks', { title: 'One' })).status, 201)
      assert.equal((await ada.post('/tasks', { title: 'Two' })).status, 201)

      assertProblem(await ada.patch('/dispositions/waiting', { label: 'Elsewhere' }), 429, 'rate_limited')
      assertProblem(await program.post('/tasks', { title: 'Three' }), 429, 'rate_limited')
      assert.equal((await ada.get('/tasks')).body.data.length, 2)
    })

    it('of the day’s writes keep nobody from ending a token, a session or an account, or from another password', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { id } = (await ada.post('/tokens', { name: 'script', scopes: ['tasks:write'], lifetime_days: 1 })).body
      const other = world.visitor()
      await signInAs(other, ada)
      await limit(world, { writesPerDay: 0 })

      assert.equal((await ada.post(`/tokens/${id}/revoke`)).status, 200)
      assert.equal((await ada.delete(`/sessions/${(await other.get('/session')).body.user.session_id}`)).status, 204)
      assert.equal((await ada.post('/me/password', { current_password: ada.password, password: 'another horse' })).status, 200)
      assert.equal((await ada.post('/sign_out_everywhere')).status, 204)
      await signInAs(ada, { ...ada, password: 'another horse' })
      assert.equal((await ada.post('/me/delete', { password: 'another horse' })).status, 204)
    })

    it('of the plan on active tasks hold in the app too', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await limit(world, { activeTasks: 1 })
      await ada.post('/tasks', { title: 'One' })

      assertProblem(await ada.post('/tasks', { title: 'Two' }), 403, 'task_limit_reached')
    })

    it('count a refused request too, and tell of nothing where nobody is signed in', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await limit(world, { tokenPerMinute: 9 })

      const refused = await ada.get('/tasks?nope=1')
      const foreign = await ada.post('/tasks', {}, { origin: 'https://evil.example' })
      const unknown = await world.visitor().get('/tasks')

      assert.deepEqual([refused, foreign, unknown].map(rateOf), [
        [9, 8, 60],
        [undefined, undefined, undefined],
        [undefined, undefined, undefined],
      ])
    })
  })
}
