import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UNKNOWN_ID } from './builders.ts'
import { type SignedUp, signInAs, type Visitor, visitorOf, whoIs } from './visitor.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, HOUR, MINUTE, openWorld, type World } from './world.ts'

/** The same person at another browser. */
async function atAnother(world: World, ada: SignedUp): Promise<Visitor> {
  const other = world.visitor()
  await signInAs(other, ada)
  return other
}

for (const engine of ENGINES) {
  describe(`the list of sessions (${engine})`, () => {
    it('shows where a person is signed in, oldest first, and which it is asked from', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      world.advance(HOUR)
      const other = world.visitor()
      await other.post('/sign_in', { email: ada.person.email, password: ada.password }, { 'user-agent': 'Netscape/4.0' })

      const reply = await other.get('/sessions')

      assert.equal(reply.status, 200)
      const [first, second] = reply.body.data
      assert.deepEqual(second, {
        object: 'session',
        id: (await whoIs(other))?.session_id,
        current: true,
        user_agent: 'Netscape/4.0',
        created_at: world.now,
        last_used_at: world.now,
        expires_at: world.later(30 * DAY),
      })
      assert.partialDeepStrictEqual(first, { id: ada.person.session_id, current: false, user_agent: null, created_at: world.later(-HOUR) })
      assert.equal(reply.body.data.length, 2)
    })

    it('shows none of another account, and none that has ended', async () => {
      await using world = await openWorld(engine)
      const [ada] = [await world.signUp(), await world.signUp()]
      world.advance(20 * DAY)
      const other = await atAnother(world, ada)
      world.advance(20 * DAY)

      const { data } = (await other.get('/sessions')).body

      assert.deepEqual(
        data.map(({ current }: { current: boolean }) => current),
        [true],
      )
    })
  })

  describe(`ending a session (${engine})`, () => {
    it('signs out there, from the next request on', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const other = await atAnother(world, ada)

      assert.equal((await other.delete(`/sessions/${ada.person.session_id}`)).status, 204)

      assertProblem(await ada.get('/tasks'), 401, 'not_signed_in')
      assert.equal((await whoIs(other))?.id, ada.person.id)
    })

    it('holds on every instance', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { service } = await world.another()
      const there = Object.assign(visitorOf(service.url, false, service.url), { cookie: ada.cookie })
      assert.equal((await whoIs(there))?.id, ada.person.id)

      await ada.post('/sign_out')

      assertProblem(await there.get('/tasks'), 401, 'not_signed_in')
    })

    it('takes the cookie away when it is the own one', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      await ada.delete(`/sessions/${ada.person.session_id}`)

      assert.equal(ada.cookie, null)
    })

    it('is 404 for one that is not there, and for one of another account, which goes on', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]

      assertProblem(await ada.delete(`/sessions/${UNKNOWN_ID}`), 404, 'not_found')
      assertProblem(await ada.delete(`/sessions/${bob.person.session_id}`), 404, 'not_found')
      assert.equal((await whoIs(bob))?.id, bob.person.id)
    })

    it('takes an id and nothing else', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      assertInvalid(await ada.delete('/sessions/current'), ['path', 'id', 'invalid_format'])
    })
  })

  describe(`how long a session lasts (${engine})`, () => {
    it('is 30 days after its last use', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      for (let uses = 0; uses < 3; uses += 1) {
        world.advance(30 * DAY - MINUTE)
        assert.equal((await ada.get('/tasks')).status, 200)
        await world.service.timers.noteUses()
      }
      const [session] = (await ada.get('/sessions')).body.data
      world.advance(30 * DAY)

      assert.deepEqual([session.last_used_at, session.expires_at], [world.later(-30 * DAY), world.now])
      assertProblem(await ada.get('/tasks'), 401, 'not_signed_in')
    })

    it('is a year at the most', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      for (let days = 0; days < 364; days += 28) {
        world.advance(28 * DAY)
        await ada.get('/tasks')
        await world.service.timers.noteUses()
      }

      const before = await whoIs(ada)
      world.advance(DAY)

      assert.deepEqual([before?.id, await whoIs(ada)], [ada.person.id, null])
    })

    it('does not depend on when uses are stored, and a use is not forgotten by a stop', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      world.advance(29 * DAY)
      await ada.get('/tasks')

      await world.restart()

      world.advance(29 * DAY)
      const visitor = Object.assign(world.visitor(), { cookie: ada.cookie })
      assert.equal((await whoIs(visitor))?.id, ada.person.id)
    })
  })

  describe(`changing what opens an account (${engine})`, () => {
    it('a new password ends every other session, and this one goes on by another value', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const other = await atAnother(world, ada)
      const { cookie } = ada

      const reply = await ada.post('/me/password', { current_password: ada.password, password: 'another horse battery' })

      assert.deepEqual([reply.status, reply.body.id], [200, ada.person.id])
      assert.notEqual(ada.cookie, cookie)
      assert.equal((await whoIs(ada))?.id, ada.person.id)
      for (const former of [other, Object.assign(world.visitor(), { cookie })]) {
        assertProblem(await former.get('/tasks'), 401, 'not_signed_in')
      }
      await signInAs(world.visitor(), { ...ada, password: 'another horse battery' })
    })

    it('a new address is what one signs in with from then on', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const reply = await ada.post('/me/email', { email: 'Ada@example.net', password: ada.password })

      assert.deepEqual([reply.status, reply.body.email, reply.body.session_id], [200, 'ada@example.net', ada.person.session_id])
      assert.equal((await world.visitor().post('/sign_in', { email: 'ada@example.net', password: ada.password })).status, 200)
      const former = { email: ada.person.email, password: ada.password }
      assertProblem(await world.visitor().post('/sign_in', former), 401, 'wrong_credentials')
    })

    it('needs the password', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const password = 'wrong horse battery'

      const replies = [
        await ada.post('/me/email', { email: 'ada@example.net', password }),
        await ada.post('/me/delete', { password }),
        await ada.post('/me/password', { current_password: password, password: 'another horse battery' }),
      ]

      for (const [index, name] of ['password', 'password', 'current_password'].entries()) {
        assertInvalid(replies[index] ?? assert.fail(), ['body', name, 'invalid_value'])
      }
      assert.equal((await whoIs(ada))?.email, ada.person.email)
    })

    it('says what is wrong with a new address or password', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const { password } = ada

      assertInvalid(await ada.post('/me/email', { email: bob.person.email, password }), ['body', 'email', 'conflict'])
      assertInvalid(await ada.post('/me/email', { email: 'ada', password }), ['body', 'email', 'invalid_format'])
      const weak = await ada.post('/me/password', { current_password: password, password: 'short' })
      assertInvalid(weak, ['body', 'password', 'too_short'])
    })
  })

  describe(`a person (${engine})`, () => {
    it('changes name and time zone, of which only what is sent', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp({ name: 'Ada' })

      const moved = await ada.patch('/me', { time_zone: 'europe/berlin' })
      const nameless = await ada.patch('/me', { name: null })

      assert.deepEqual([moved.body.name, moved.body.time_zone], ['Ada', 'Europe/Berlin'])
      assert.deepEqual([nameless.body.name, nameless.body.time_zone], [null, 'Europe/Berlin'])
      assert.deepEqual(await whoIs(ada), nameless.body)
    })

    it('is told every problem of a change', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      assertInvalid(await ada.patch('/me', { nam: 'Ada', name: 7 }), ['body', 'nam', 'unknown'], ['body', 'name', 'invalid_type'])
      assertInvalid(await ada.patch('/me', { time_zone: 'Nowhere' }), ['body', 'time_zone', 'invalid_value'])
    })

    it('deletes the account once, however many ask for it at once: the others are told that nobody is signed in', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const cookie = ada.cookie as string

      const replies = await Promise.all(
        Array.from({ length: 9 }, () => Object.assign(world.visitor(), { cookie }).post('/me/delete', { password: ada.password })),
      )

      const [done = [], others = []] = [true, false].map((is) => replies.filter(({ status }) => (status === 204) === is))
      assert.ok(done.length > 0)
      for (const reply of others) {
        assertProblem(reply, 401, 'not_signed_in')
        assert.equal(reply.headers['www-authenticate'], undefined)
      }
    })

    it('deletes the account with everything in it, for good', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const other = await atAnother(world, ada)
      const { value } = (await ada.post('/tokens', { name: 'script', scopes: ['tasks:read'], lifetime_days: 1 })).body
      await ada.post('/tasks', { title: 'Buy boxes' })
      await ada.patch('/dispositions/waiting', { label: 'Elsewhere' })

      const reply = await ada.post('/me/delete', { password: ada.password })

      assert.deepEqual([reply.status, ada.cookie], [204, null])
      assertProblem(await other.get('/tasks'), 401, 'not_signed_in')
      assertProblem(await world.anonymous.get('/tasks', { authorization: `Bearer ${value}` }), 401, 'invalid_token')
      assertProblem(await world.visitor().post('/sign_in', { email: ada.person.email, password: ada.password }), 401, 'wrong_credentials')
      for (const table of ['tasks', 'events', 'tabs', 'sessions', 'passwords', 'tokens']) {
        const rows = await world.service.store.all(`select 1 from ${table} where account_id = $1`, [ada.person.id])
        assert.deepEqual(rows, [], table)
      }
    })
  })
}
