import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setAccount } from '../packages/server/actions/accounts.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { switchApi } from '../packages/server/actions/switches.ts'
import { cookiesOf, PASSWORD, signInAs, whoIs } from './visitor.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld, type World } from './world.ts'

/** What shuts programs out, and no person. */
const SHUT: [what: string, shut: (world: World, email: string) => Promise<unknown>][] = [
  ['the API is off', (world) => switchApi(world.operator, false)],
  ['the account’s API access is off', (world, email) => setAccount(world.operator, email, { apiAccess: false })],
  ['the plan has no API access', (world, email) => setAccount(world.operator, email, { plan: 'free' })],
  ['the account is encrypted', (world, email) => setAccount(world.operator, email, { vault: true })],
]

for (const engine of ENGINES) {
  describe(`signing in (${engine})`, () => {
    it('answers with the person, who is signed in from then on', async () => {
      await using world = await openWorld(engine, { plan: 'pro' })
      const { person } = await world.signUp({ name: 'Ada', time_zone: 'Europe/London' })
      const visitor = world.visitor()

      const reply = await visitor.post('/sign_in', { email: person.email, password: PASSWORD })

      assert.equal(reply.status, 200)
      const { session_id, ...shown } = reply.body
      assert.match(session_id, /^[0-9a-f-]{36}$/)
      assert.deepEqual(shown, {
        object: 'person',
        id: person.id,
        email: person.email,
        name: 'Ada',
        time_zone: 'Europe/London',
        api_access: true,
        plan: {
          key: 'unlimited',
          api_access: true,
          active_task_limit: null,
          active_tasks: 0,
          token_per_minute: 3_000,
          account_per_minute: 12_000,
          writes_per_day: 1_000_000,
          writes_today: 0,
        },
        created_at: world.now,
      })
      assert.deepEqual(await whoIs(visitor), reply.body)
    })

    it('takes the address in any case, with spaces around it', async () => {
      await using world = await openWorld(engine)
      const { person } = await world.signUp({ email: 'ada@example.org' })

      const reply = await world.visitor().post('/sign_in', { email: '  ADA@Example.org ', password: PASSWORD })

      assert.deepEqual([reply.status, reply.body.id], [200, person.id])
    })

    it('refuses an unknown address, one that is none, and a wrong password alike, with no cookie', async () => {
      await using world = await openWorld(engine)
      const { person } = await world.signUp()
      const attempts = [
        { email: person.email, password: 'wrong horse battery' },
        { email: 'nobody@example.org', password: PASSWORD },
        { email: world.account.email, password: PASSWORD },
        { email: 'no address', password: PASSWORD },
        { email: person.email, password: '' },
      ]

      const replies = await Promise.all(attempts.map((body) => world.visitor().post('/sign_in', body)))

      const told = replies.map((reply) => {
        const { request_id, ...rest } = assertProblem(reply, 401, 'wrong_credentials')
        assert.deepEqual([cookiesOf(reply), reply.headers['www-authenticate']], [[], undefined])
        return rest
      })
      for (const one of told) assert.deepEqual(one, told[0])
    })

    it('gives another value each time, and ends the session that the browser had', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const first = ada.cookie

      await signInAs(ada, ada)

      assert.notEqual(ada.cookie, first)
      assert.equal((await ada.get('/sessions')).body.data.length, 1)
      const left = Object.assign(world.visitor(), { cookie: first })
      assertProblem(await left.get('/board'), 401, 'not_signed_in')
    })

    it('leaves other browsers signed in', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const other = world.visitor()

      await signInAs(other, ada)

      assert.deepEqual([(await whoIs(ada))?.id, (await whoIs(other))?.id], [ada.person.id, ada.person.id])
    })

    it('names every problem of what was sent', async () => {
      await using world = await openWorld(engine)

      const reply = await world.visitor().post('/sign_in', { mail: 'ada@example.org', password: 7 })

      assertInvalid(reply, ['body', 'email', 'required'], ['body', 'mail', 'unknown'], ['body', 'password', 'invalid_type'])
    })

    for (const [what, shut] of SHUT) {
      it(`goes on while ${what}, and so does the app`, async () => {
        await using world = await openWorld(engine)
        const ada = await world.signUp()
        await shut(world, ada.person.email)

        await signInAs(ada, ada)

        assert.equal((await ada.post('/tasks', { title: 'Buy boxes' })).status, 201)
      })
    }

    it('shows what the plan is and how much of it is used', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await setPlan(world.operator, 'small', {
        activeTasks: 2,
        tokenPerMinute: 30,
        accountPerMinute: 60,
        writesPerDay: 9,
        apiAccess: false,
      })
      await setAccount(world.operator, ada.person.email, { plan: 'small', apiAccess: false })
      await ada.post('/tasks', { title: 'Buy boxes' })
      await ada.post('/tasks', { title: 'Pack them', disposition: 'done' })

      const person = await whoIs(ada)

      assert.equal(person?.api_access, false)
      assert.deepEqual(person?.plan, {
        key: 'small',
        api_access: false,
        active_task_limit: 2,
        active_tasks: 1,
        token_per_minute: 30,
        account_per_minute: 60,
        writes_per_day: 9,
        writes_today: 2,
      })
    })
  })

  describe(`signing out (${engine})`, () => {
    it('ends the session and takes the cookie away', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { cookie } = ada

      const reply = await ada.post('/sign_out')

      assert.equal(reply.status, 204)
      assert.deepEqual(cookiesOf(reply), ['fivetab=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax'])
      assert.equal(ada.cookie, null)
      assertProblem(await Object.assign(ada, { cookie }).get('/board'), 401, 'not_signed_in')
    })

    it('leaves other browsers signed in', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const other = world.visitor()
      await signInAs(other, ada)

      await ada.post('/sign_out')

      assert.equal((await whoIs(other))?.id, ada.person.id)
    })

    it('everywhere ends every session of the account, and none of another', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const other = world.visitor()
      await signInAs(other, ada)

      assert.equal((await ada.post('/sign_out_everywhere', {})).status, 204)

      assert.equal(ada.cookie, null)
      assertProblem(await other.get('/tasks'), 401, 'not_signed_in')
      assert.equal((await whoIs(bob))?.id, bob.person.id)
    })

    it('is for those who are signed in', async () => {
      await using world = await openWorld(engine)

      for (const path of ['/sign_out', '/sign_out_everywhere']) {
        assertProblem(await world.visitor().post(path), 401, 'not_signed_in')
      }
    })
  })
}
