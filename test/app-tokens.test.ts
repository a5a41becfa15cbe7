import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UNKNOWN_ID } from './builders.ts'
import { clientOf } from './client.ts'
import type { SignedUp } from './visitor.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, MINUTE, openWorld, type World } from './world.ts'

const SCRIPT = { name: 'script', scopes: ['tasks:read', 'tasks:write'], lifetime_days: 30 }

/** A token that this person makes, and a client with it. */
async function aToken(world: World, ada: SignedUp, fields: Record<string, unknown> = {}) {
  const reply = await ada.post('/tokens', { ...SCRIPT, ...fields })
  assert.equal(reply.status, 201, reply.text)
  return { token: reply.body, api: clientOf(world.service.url, reply.body.value) }
}

for (const engine of ENGINES) {
  describe(`a token that a person makes (${engine})`, () => {
    it('works with the API at once, in the account of the person', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const { token, api } = await aToken(world, ada, { name: ' script ', scopes: ['tasks:write', 'tasks:read', 'tasks:read'] })

      assert.match(token.value, /^svc_pat_[0-9A-Za-z]{46}$/)
      const { id, value, ...shown } = token
      assert.deepEqual(shown, {
        object: 'token',
        name: 'script',
        scopes: ['tasks:read', 'tasks:write'],
        created_at: world.now,
        expires_at: world.later(30 * DAY),
        revoked_at: null,
        last_used_at: null,
      })
      const me = (await api.get('/me')).body
      assert.deepEqual([me.id, me.token.id, me.scopes], [ada.person.id, id, ['tasks:read', 'tasks:write']])
      assert.equal((await api.post('/tasks', { title: 'Buy boxes' })).status, 201)
      assertProblem(await api.get('/projects'), 403, 'insufficient_scope')
    })

    it('shows its value once', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { token } = await aToken(world, ada)

      const { value, ...shown } = token

      const reply = await ada.get('/tokens')
      assert.deepEqual(reply.body.data, [shown])
      assert.ok(!reply.text.includes('svc_pat_'))
    })

    it('has a name, scopes and a lifetime of at most a year and a day', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      assertInvalid(
        await ada.post('/tokens', { name: ' ', scopes: [], lifetime_days: 367, value: 'x' }),
        ['body', 'name', 'too_short'],
        ['body', 'scopes', 'too_short'],
        ['body', 'lifetime_days', 'out_of_range'],
        ['body', 'value', 'unknown'],
      )
      assertInvalid(await ada.post('/tokens', { ...SCRIPT, scopes: ['tasks:burn'] }), ['body', 'scopes', 'invalid_value'])
      assertInvalid(await ada.post('/tokens', { ...SCRIPT, lifetime_days: 1.5 }), ['body', 'lifetime_days', 'invalid_type'])
    })

    it('stops with its lifetime', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { api } = await aToken(world, ada, { lifetime_days: 1 })

      world.advance(DAY - 1)
      assert.equal((await api.get('/me')).status, 200)
      world.advance(1)

      assertProblem(await api.get('/me'), 401, 'invalid_token')
    })

    it('makes no token, and shows none', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { api } = await aToken(world, ada)

      for (const path of ['/tokens', '/me/password']) assertProblem(await api.post(path, {}), 404, 'not_found')
      assertProblem(await api.get('//app/tokens'), 401, 'not_signed_in')
    })
  })

  describe(`the list of tokens (${engine})`, () => {
    it('is whole, newest first, with those that no longer work', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const first = await aToken(world, ada, { name: 'first', lifetime_days: 1 })
      world.advance(MINUTE)
      const second = await aToken(world, ada, { name: 'second' })
      await aToken(world, bob)
      await ada.post(`/tokens/${second.token.id}/revoke`)
      world.advance(2 * DAY)

      const { data, has_more } = (await ada.get('/tokens')).body

      assert.deepEqual(
        data.map(({ id, revoked_at }: Record<string, unknown>) => [id, revoked_at]),
        [
          [second.token.id, world.later(-2 * DAY)],
          [first.token.id, null],
        ],
      )
      assert.equal(has_more, false)
    })

    it('tells when each was last used, once that was stored', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { api } = await aToken(world, ada)
      const lastUse = async () => (await ada.get('/tokens')).body.data[0].last_used_at

      await api.get('/me')
      world.advance(MINUTE)
      assertProblem(await api.get('/projects'), 403, 'insufficient_scope')
      await api.get('/tasks')
      const before = await lastUse()
      await world.service.timers.noteUses()
      const after = await lastUse()
      world.advance(MINUTE)
      await world.service.timers.noteUses()

      assert.deepEqual([before, after, await lastUse()], [null, world.later(-MINUTE), world.later(-MINUTE)])
    })
  })

  describe(`revoking a token (${engine})`, () => {
    it('stops it with the next request, and stays as it is the second time', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { token, api } = await aToken(world, ada)

      const reply = await ada.post(`/tokens/${token.id}/revoke`)
      world.advance(MINUTE)
      const again = await ada.post(`/tokens/${token.id}/revoke`, {})

      assert.deepEqual([reply.status, reply.body.revoked_at], [200, world.later(-MINUTE)])
      assert.deepEqual(again.body, reply.body)
      assertProblem(await api.get('/me'), 401, 'invalid_token')
    })

    it('is 404 for one that is not there, and for one of another account, which goes on', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const { token, api } = await aToken(world, bob)

      assertProblem(await ada.post(`/tokens/${UNKNOWN_ID}/revoke`), 404, 'not_found')
      assertProblem(await ada.post(`/tokens/${token.id}/revoke`), 404, 'not_found')
      assert.equal((await api.get('/me')).status, 200)
    })
  })

  describe(`last uses that cannot be stored (${engine})`, () => {
    it('are kept for the next time', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { api } = await aToken(world, ada)
      await api.get('/me')
      const { transact } = world.service.store
      world.service.store.transact = () => Promise.reject(new Error('no database'))
      await assert.rejects(world.service.timers.noteUses(), /no database/)
      world.service.store.transact = transact

      await world.service.timers.noteUses()

      assert.equal((await ada.get('/tokens')).body.data[0].last_used_at, world.now)
    })
  })
}
