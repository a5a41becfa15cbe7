import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setPlan } from '../packages/server/actions/plans.ts'
import type { Resource } from './builders.ts'
import { contentsOf } from './database.ts'
import { cookiesOf, PASSWORD, signInAs, type Visitor, whoIs } from './visitor.ts'
import { assertInvalid, assertProblem, ENGINES, MINUTE, openWorld } from './world.ts'

const HTTPS = { environment: { BASE_URL: 'https://tasks.example.org' } }

/** What the app's own routes are, and those that it has in common with the API. */
const FOR_SESSIONS = [
  'GET /board',
  'GET /export',
  'GET /archive',
  'GET /sessions',
  'GET /tokens',
  'POST /tokens',
  'PATCH /me',
  'POST /me/email',
  'POST /me/password',
  'POST /me/delete',
  'POST /sign_out',
  'GET /dispositions',
  'PATCH /dispositions/waiting',
  'GET /tasks',
  'POST /tasks',
  'GET /events',
  'GET /events/stream',
  'GET /webhooks',
] as const

const attempt = (visitor: Visitor, password: string, email: string) => visitor.post('/sign_in', { email, password })

for (const engine of ENGINES) {
  describe(`the cookie of a session (${engine})`, () => {
    it('is for no script, and for no page of another site that posts', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const reply = await ada.post('/sign_in', { email: ada.person.email, password: PASSWORD })

      const [text = ''] = cookiesOf(reply)
      assert.match(text, /^fivetab=[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/)
    })

    it('goes over TLS alone, to this host alone, where the base URL is under TLS', async () => {
      await using world = await openWorld(engine, HTTPS)
      const ada = await world.signUp()

      const begun = await ada.post('/sign_in', { email: ada.person.email, password: PASSWORD })
      const ended = await ada.post('/sign_out')

      const [text = ''] = cookiesOf(begun)
      assert.match(text, /^__Host-fivetab=[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
      assert.match(cookiesOf(ended)[0] ?? '', /^__Host-fivetab=; Max-Age=0; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
    })

    it('under its other name opens nothing', async () => {
      await using world = await openWorld(engine, HTTPS)
      const ada = await world.signUp()

      ada.cookie = (ada.cookie as string).replace('__Host-', '')

      assertProblem(await ada.get('/tasks'), 401, 'not_signed_in')
    })

    it('is taken among others, and opens nothing when it was altered', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const cookie = ada.cookie as string

      assert.equal((await Object.assign(ada, { cookie: `theme=dark; ${cookie}; other="1"` }).get('/tasks')).status, 200)
      const altered = [
        cookie.slice(0, -1),
        `${cookie}A`,
        cookie.toUpperCase(),
        'fivetab=',
        'fivetab',
        '=;;',
        `fivetab=${'x'.repeat(4_000)}`,
        'fivetab=%E0%A4%A',
      ]
      for (const wrong of altered) {
        assertProblem(await Object.assign(ada, { cookie: wrong }).get('/tasks'), 401, 'not_signed_in')
        assert.equal(await whoIs(ada), null, wrong)
      }
    })

    it('is stored and logged nowhere, and neither is a password', async () => {
      await using world = await openWorld(engine, { logLevel: 'trace' })
      const ada = await world.signUp()
      await ada.get('/tasks')
      await attempt(world.visitor(), 'wrong horse battery', ada.person.email)

      const kept = JSON.stringify([await contentsOf(world), world.logged])

      const value = (ada.cookie as string).split('=')[1] as string
      for (const secret of [value, PASSWORD, 'wrong horse battery']) assert.ok(!kept.includes(secret), secret)
      assert.ok(kept.includes(ada.person.session_id))
    })
  })

  describe(`the two entrances (${engine})`, () => {
    it('are apart: a cookie never opens the API', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const headers = { cookie: ada.cookie as string, authorization: `Bearer ${(ada.cookie as string).split('=')[1]}` }

      for (const path of ['/me', '/tasks', '/dispositions', '/events']) {
        assertProblem(await world.anonymous.get(path, headers), 401, 'invalid_token')
      }
    })

    it('are apart: a token never opens anything of the app, and nobody without a session does', async () => {
      await using world = await openWorld(engine)
      const headers = { origin: world.service.url }

      for (const route of FOR_SESSIONS) {
        const [method = '', path = ''] = route.split(' ')
        assertProblem(await world.api.send(method, `//app${path}`, { headers }), 401, 'not_signed_in')
        assertProblem(await world.anonymous.send(method, `//app${path}`, { headers }), 401, 'not_signed_in')
      }
    })

    it('each act for their own: a token beside a cookie changes nothing', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const both = { cookie: ada.cookie as string, authorization: `Bearer ${world.api.token}` }

      const [inApp, inApi] = [await world.anonymous.get('//app/session', both), await world.anonymous.get('/me', both)]

      assert.deepEqual([inApp.body.user.id, inApi.body.id], [ada.person.id, world.account.id])
    })

    it('both refuse a token in the URL', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      for (const path of ['/board', '/session', '/tasks', '/nowhere']) {
        assertInvalid(await ada.get(`${path}?token=${world.api.token}`), ['query', '', 'invalid_value'])
      }
    })

    it('are two: /me of the API is none of the app', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const reply = await ada.get('/me')

      assertProblem(reply, 404, 'not_found')
      assert.equal(reply.headers.allow, 'PATCH')
    })

    it('are told apart in the API’s own description, which has nothing of the app', async () => {
      await using world = await openWorld(engine)

      const { text } = await world.anonymous.get('/openapi.json')

      for (const word of ['/app', 'sign_in', 'Person', 'SignUp', 'not_signed_in']) assert.ok(!text.includes(word), word)
    })
  })

  describe(`what the app answers (${engine})`, () => {
    it('is kept by no cache and taken for nothing else, whatever it is', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const replies = [
        await ada.get('/session'),
        await ada.get('/board'),
        await ada.get('/tasks?nope=1'),
        await world.visitor().get('/tasks'),
        await ada.post('/tasks', {}, { origin: 'https://evil.example' }),
      ]

      for (const { headers } of replies) {
        assert.deepEqual(
          [headers['cache-control'], headers['x-content-type-options'], headers['cross-origin-resource-policy']],
          ['no-store', 'nosniff', 'same-origin'],
        )
      }
    })
  })

  describe(`guessing a password (${engine})`, () => {
    it('is over after ten tries for an address, with the right one too, for a quarter of an hour', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      for (let tries = 0; tries < 10; tries += 1) {
        assertProblem(await attempt(world.visitor(), `wrong horse ${tries}`, ada.person.email), 401, 'wrong_credentials')
      }

      const reply = await attempt(world.visitor(), PASSWORD, ada.person.email)
      world.advance(15 * MINUTE)

      assertProblem(reply, 429, 'rate_limited')
      assert.equal(reply.headers['retry-after'], String(15 * 60))
      await signInAs(world.visitor(), ada)
    })

    it('is over for an address that nobody has just the same', async () => {
      await using world = await openWorld(engine)

      const statuses: number[] = []
      for (let tries = 0; tries < 11; tries += 1) {
        statuses.push((await attempt(world.visitor(), PASSWORD, 'nobody@example.org')).status)
      }

      assert.deepEqual(statuses, [...Array(10).fill(401), 429])
    })

    it('is not got past by 64 at once', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const replies = await Promise.all(
        Array.from({ length: 64 }, (_, index) => attempt(world.visitor(), `wrong horse ${index}`, ada.person.email)),
      )

      const counts = Object.groupBy(replies, ({ status }) => status)
      assert.deepEqual([counts[401]?.length, counts[429]?.length], [10, 54])
    })

    it('is over where the password is asked for again, too, and leaves the session as it is', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      for (let tries = 0; tries < 10; tries += 1) await ada.post('/me/delete', { password: `wrong horse ${tries}` })

      assertProblem(await ada.post('/me/delete', { password: PASSWORD }), 429, 'rate_limited')
      assert.equal((await whoIs(ada))?.id, ada.person.id)
    })

    it('keeps nobody out who guesses nothing: right ones count for no limit', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      for (let times = 0; times < 12; times += 1) await signInAs(world.visitor(), ada)
    })

    it('is counted by the address that a trusted proxy says', async () => {
      await using world = await openWorld(engine, { environment: { TRUSTED_PROXIES: '127.0.0.1' } })
      const ada = await world.signUp()
      const from = (ip: string, password: string) =>
        world.visitor().post('/sign_in', { email: ada.person.email, password }, { 'x-forwarded-for': ip })
      for (let tries = 0; tries < 10; tries += 1) await from('192.0.2.1', `wrong horse ${tries}`)

      assert.equal((await from('192.0.2.1', PASSWORD)).status, 429)
      assert.equal((await from('192.0.2.2', PASSWORD)).status, 200)
    })

    it('is counted by the connection where no proxy is trusted', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const from = (ip: string, password: string) =>
        world.visitor().post('/sign_in', { email: ada.person.email, password }, { 'x-forwarded-for': ip })
      for (let tries = 0; tries < 10; tries += 1) await from(`192.0.2.${tries}`, `wrong horse ${tries}`)

      assert.equal((await from('192.0.2.99', PASSWORD)).status, 429)
    })
  })

  describe(`a page of somebody who was signed in before (${engine})`, () => {
    it('stores nothing in the account of whoever has signed in since', async () => {
      await using world = await openWorld(engine)
      const [ada, ben] = [await world.signUp(), await world.signUp()]
      const pageOf = ({ person }: typeof ada) => ({ 'fivetab-account': person.id })

      const stray = await ben.post('/tasks', { title: 'Typed by Ada' }, pageOf(ada))
      const own = await ben.post('/tasks', { title: 'Typed by Ben' }, pageOf(ben))

      assertProblem(stray, 401, 'not_signed_in')
      assert.equal(own.status, 201)
      assert.deepEqual(
        (await ben.get('/tasks')).body.data.map(({ title }: Resource) => title),
        ['Typed by Ben'],
      )
    })
  })

  describe(`a plan that allows nothing (${engine})`, () => {
    it('still lets a person in', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await setPlan(world.operator, 'unlimited', { tokenPerMinute: 0, accountPerMinute: 0, writesPerDay: 0 })

      await signInAs(ada, ada)

      assertProblem(await ada.get('/tasks'), 429, 'rate_limited')
    })
  })
}
