import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { removeAccount } from '../packages/server/actions/accounts.ts'
import { invite, makeFirstLink, makeResetLink } from '../packages/server/actions/links.ts'
import { cookiesOf, PASSWORD, signInAs, whoIs } from './visitor.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, HOUR, openWorld, type World } from './world.ts'

const OPEN = { environment: { SIGN_UP: 'open' } }
const CLOSED = { environment: { SIGN_UP: 'closed' } }

const ADA = { email: 'ada@example.org', password: PASSWORD }

const anInvitation = async (world: World, email?: string) =>
  (await invite(world.operator, { lifetimeMs: DAY, ...(email !== undefined && { email }) })).value

for (const engine of ENGINES) {
  describe(`signing up (${engine})`, () => {
    it('makes an account, whose person is signed in at once', async () => {
      await using world = await openWorld(engine, OPEN)
      const visitor = world.visitor()

      const reply = await visitor.post('/sign_up', { ...ADA, email: ' Ada@Example.org', name: ' Ada ', time_zone: 'europe/london' })

      assert.equal(reply.status, 201)
      assert.partialDeepStrictEqual(reply.body, { object: 'person', email: 'ada@example.org', name: 'Ada', time_zone: 'Europe/London' })
      assert.deepEqual(await whoIs(visitor), reply.body)
      assert.equal((await visitor.get('/tasks')).status, 200)
    })

    it('needs no more than an address and a password', async () => {
      await using world = await openWorld(engine, OPEN)

      const { body } = await world.visitor().post('/sign_up', ADA)

      assert.deepEqual([body.name, body.time_zone], [null, 'UTC'])
    })

    it('names every problem of what was sent at once', async () => {
      await using world = await openWorld(engine, OPEN)

      const unshapely = await world.visitor().post('/sign_up', { email: 7, nam: 'Ada' })
      const unfit = await world.visitor().post('/sign_up', { email: 'ada', password: 'short', time_zone: 'Nowhere' })

      assertInvalid(unshapely, ['body', 'email', 'invalid_type'], ['body', 'nam', 'unknown'], ['body', 'password', 'required'])
      assertInvalid(unfit, ['body', 'email', 'invalid_format'], ['body', 'password', 'too_short'], ['body', 'time_zone', 'invalid_value'])
      assert.deepEqual(cookiesOf(unfit), [])
    })

    it('is refused for an address that is taken', async () => {
      await using world = await openWorld(engine, OPEN)
      await world.visitor().post('/sign_up', ADA)

      const reply = await world.visitor().post('/sign_up', { ...ADA, email: 'ADA@example.org' })

      assertInvalid(reply, ['body', 'email', 'conflict'])
    })

    it('makes one account of many requests at once', async () => {
      await using world = await openWorld(engine, OPEN)

      const replies = await Promise.all(Array.from({ length: 8 }, () => world.visitor().post('/sign_up', ADA)))

      assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(7).fill(400)])
    })

    it('keeps of the password no more than a hash', async () => {
      await using world = await openWorld(engine, OPEN)
      const visitor = world.visitor()
      await visitor.post('/sign_up', ADA)

      const [row] = await world.service.store.all<{ hash: string }>('select hash from passwords', [])

      assert.match(row?.hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    })
  })

  describe(`whom signing up is open to (${engine})`, () => {
    for (const [mode, environment] of Object.entries({ open: OPEN, closed: CLOSED, invite: {} })) {
      it(`is said before anybody is signed in (${mode})`, async () => {
        await using world = await openWorld(engine, environment)

        const reply = await world.visitor().get('/session')

        assert.deepEqual([reply.status, reply.body], [200, { object: 'app_session', sign_up: mode, user: null }])
      })
    }

    it('is who has an invitation, unless the operator says otherwise', async () => {
      await using world = await openWorld(engine)

      assertProblem(await world.visitor().post('/sign_up', ADA), 403, 'sign_up_refused')
      const reply = await world.visitor().post('/sign_up', { ...ADA, link: await anInvitation(world) })
      assert.equal(reply.status, 201)
    })

    it('is nobody where it is closed, with an invitation neither', async () => {
      await using world = await openWorld(engine, CLOSED)
      const link = await anInvitation(world)

      assertProblem(await world.visitor().post('/sign_up', ADA), 403, 'sign_up_refused')
      assertProblem(await world.visitor().post('/sign_up', { ...ADA, link }), 403, 'sign_up_refused')
    })

    it('is the first of all by the link of the first start, even where it is closed', async () => {
      await using world = await openWorld(engine, CLOSED)
      await removeAccount(world.operator, world.account.email)
      const { value: link } = await makeFirstLink(world.operator)

      const reply = await world.visitor().post('/sign_up', { ...ADA, link })

      assert.equal(reply.status, 201)
      assertProblem(await world.visitor().post('/sign_up', { ...ADA, email: 'bob@example.org', link }), 403, 'sign_up_refused')
    })
  })

  describe(`a link that works once (${engine})`, () => {
    it('tells what it is for, and for whom', async () => {
      await using world = await openWorld(engine)
      const visitor = world.visitor()
      const ada = await world.signUp()
      const links = [
        await anInvitation(world),
        await anInvitation(world, 'bob@example.org'),
        (await makeResetLink(world.operator, ada.person.email, HOUR)).value,
      ]

      const told = await Promise.all(links.map(async (link) => (await visitor.post('/links', { link })).body))

      assert.deepEqual(told, [
        { object: 'link', kind: 'invitation', email: null, expires_at: world.later(DAY) },
        { object: 'link', kind: 'invitation', email: 'bob@example.org', expires_at: world.later(DAY) },
        { object: 'link', kind: 'password_reset', email: ada.person.email, expires_at: world.later(HOUR) },
      ])
    })

    it('is 404 once it was used or has expired, and when it never was', async () => {
      await using world = await openWorld(engine)
      const [used, expired] = [await anInvitation(world), await anInvitation(world)]
      await world.visitor().post('/sign_up', { ...ADA, link: used })

      assertProblem(await world.visitor().post('/links', { link: used }), 404, 'not_found')
      assertProblem(await world.visitor().post('/links', { link: 'nonsense' }), 404, 'not_found')
      world.advance(DAY)
      assertProblem(await world.visitor().post('/links', { link: expired }), 404, 'not_found')
    })

    it('is not used up by looking at it, nor by a sign-up that is refused', async () => {
      await using world = await openWorld(engine)
      const link = await anInvitation(world)
      await world.visitor().post('/links', { link })
      await world.visitor().post('/sign_up', { ...ADA, password: 'short', link })

      assert.equal((await world.visitor().post('/sign_up', { ...ADA, link })).status, 201)
    })

    it('makes one account, however many come at once', async () => {
      await using world = await openWorld(engine)
      const link = await anInvitation(world)

      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => world.visitor().post('/sign_up', { ...ADA, email: `ada${index}@example.org`, link })),
      )

      assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(7).fill(403)])
    })

    it('of an invitation for one address makes no account for another', async () => {
      await using world = await openWorld(engine)
      const link = await anInvitation(world, 'bob@example.org')

      assertInvalid(await world.visitor().post('/sign_up', { ...ADA, link }), ['body', 'email', 'invalid_value'])
    })
  })

  describe(`a new password by a link (${engine})`, () => {
    it('signs in, and ends every session that there was', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { value: link } = await makeResetLink(world.operator, ada.person.email, HOUR)
      const visitor = world.visitor()

      const reply = await visitor.post('/reset_password', { link, password: 'another horse battery' })

      assert.deepEqual([reply.status, reply.body.id], [200, ada.person.id])
      assert.equal((await whoIs(visitor))?.id, ada.person.id)
      assertProblem(await ada.get('/tasks'), 401, 'not_signed_in')
      await signInAs(world.visitor(), { ...ada, password: 'another horse battery' })
      assertProblem(await world.visitor().post('/sign_in', { email: ada.person.email, password: PASSWORD }), 401, 'wrong_credentials')
    })

    it('is 404 with a link that was used, or is for something else', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { value: link } = await makeResetLink(world.operator, ada.person.email, HOUR)
      const password = 'another horse battery'
      await world.visitor().post('/reset_password', { link, password })

      for (const wrong of [link, await anInvitation(world), 'nonsense']) {
        assertProblem(await world.visitor().post('/reset_password', { link: wrong, password }), 404, 'not_found')
      }
    })

    it('is refused when it is too weak, with the link still good', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { value: link } = await makeResetLink(world.operator, ada.person.email, HOUR)

      assertInvalid(await world.visitor().post('/reset_password', { link, password: 'short' }), ['body', 'password', 'too_short'])
      assert.equal((await world.visitor().post('/reset_password', { link, password: 'another horse battery' })).status, 200)
    })
  })
}
