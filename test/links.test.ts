import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LINK_LIFETIME_MS, linkAddress } from '@fivetab/domain/link.ts'
import { createAccount, getAccount, removeAccount } from '../packages/server/actions/accounts.ts'
import { invite, lookAtLink, makeFirstLink, makeResetLink } from '../packages/server/actions/links.ts'
import { resetPassword, setPassword, signIn, signUp } from '../packages/server/actions/people.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { listSessions, sessionOf } from '../packages/server/actions/sessions.ts'
import { contentsOf, ENGINES } from './database.ts'
import { aSignUp, aVisitor, openPeople, PASSWORD, type People } from './people.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEK = 7 * DAY

const refused = { code: 'sign_up_refused' }
const gone = { code: 'not_found' }

async function addressesOf({ home }: People): Promise<unknown[]> {
  return ((await contentsOf(home)).accounts as { email: string }[]).map(({ email }) => email).sort()
}

function problem(field: string, code: string) {
  return (error: { code: string; more: { problems: { field: string; code: string }[] } }) => {
    assert.equal(error.code, 'invalid_request')
    assert.deepEqual(
      error.more.problems.map((one) => `${one.field} ${one.code}`),
      [`${field} ${code}`],
    )
    return true
  }
}

/** The outcomes of many at once: what they gave, and the codes of the failures. */
async function atOnce<T>(works: readonly (() => Promise<T>)[]): Promise<{ done: T[]; failed: string[] }> {
  const outcomes = await Promise.allSettled(works.map((work) => work()))
  return {
    done: outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    failed: outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.code ?? one.reason)] : [])),
  }
}

for (const engine of ENGINES) {
  describe(`an invitation (${engine})`, () => {
    it('lets one person make an account, however many come at once', async () => {
      await using people = await openPeople(engine)
      const { value } = await invite(people.operator, { lifetimeMs: WEEK })

      const { done, failed } = await atOnce(
        Array.from(
          { length: 16 },
          (_, index) => () => signUp(people.gate, aVisitor(), aSignUp({ email: `p${index}@example.org`, link: value })),
        ),
      )

      assert.equal(done.length, 1)
      assert.deepEqual(failed, Array(15).fill('sign_up_refused'))
      assert.equal((await addressesOf(people)).length, 1)
      assert.ok(await sessionOf(people.gate, done[0]?.value ?? ''))
    })

    it('is not used up by a sign-up that is refused', async () => {
      await using people = await openPeople(engine)
      await people.person('ada@example.org')
      const { value: link } = await invite(people.operator, { lifetimeMs: WEEK })

      await assert.rejects(signUp(people.gate, aVisitor(), aSignUp({ link })), problem('email', 'conflict'))
      await assert.rejects(signUp(people.gate, aVisitor(), aSignUp({ link, password: 'short' })), problem('password', 'too_short'))
      const failing = { ...people.gate, random: () => assert.fail('no more bytes') }
      await assert.rejects(signUp(failing, aVisitor(), aSignUp({ email: 'bob@example.org', link })), /no more bytes/)

      assert.deepEqual(await addressesOf(people), ['ada@example.org'])
      await signUp(people.gate, aVisitor(), aSignUp({ email: 'bob@example.org', link }))
      assert.deepEqual(await addressesOf(people), ['ada@example.org', 'bob@example.org'])
    })

    it('is needed where SIGN_UP is invite, not needed where it is open, and of no use where it is closed', async () => {
      await using people = await openPeople(engine)
      const { value: link } = await invite(people.operator, { lifetimeMs: WEEK })
      const at = (mode: 'open' | 'invite' | 'closed') => ({ ...people.gate, signUp: mode })

      await assert.rejects(signUp(at('invite'), aVisitor(), aSignUp()), refused)
      await assert.rejects(signUp(at('closed'), aVisitor(), aSignUp()), refused)
      await assert.rejects(signUp(at('closed'), aVisitor(), aSignUp({ link })), refused)
      await signUp(at('open'), aVisitor(), aSignUp())
      await signUp(at('invite'), aVisitor(), aSignUp({ email: 'bob@example.org', link }))
    })

    it('for an address is for no other', async () => {
      await using people = await openPeople(engine)
      const { value: link } = await invite(people.operator, { email: 'Ada@Example.org', lifetimeMs: WEEK })

      await assert.rejects(signUp(people.gate, aVisitor(), aSignUp({ email: 'bob@example.org', link })), problem('email', 'invalid_value'))
      assert.partialDeepStrictEqual(await lookAtLink(people.gate, aVisitor(), link), { kind: 'invitation', email: 'ada@example.org' })
      await signUp(people.gate, aVisitor(), aSignUp({ email: 'ADA@example.org', link }))

      assert.deepEqual(await addressesOf(people), ['ada@example.org'])
    })

    it('puts the account on its plan, and on the usual one if it names none', async () => {
      await using people = await openPeople(engine)
      await setPlan(people.operator, 'small', { activeTasks: 3 })
      const small = await invite(people.operator, { planKey: 'small', lifetimeMs: WEEK })
      const usual = await invite(people.operator, { lifetimeMs: WEEK })

      await signUp(people.gate, aVisitor(), aSignUp({ email: 'ada@example.org', link: small.value }))
      await signUp(people.gate, aVisitor(), aSignUp({ email: 'bob@example.org', link: usual.value }))

      assert.equal((await getAccount(people.operator, 'ada@example.org')).planKey, 'small')
      assert.equal((await getAccount(people.operator, 'bob@example.org')).planKey, 'unlimited')
    })

    it('ends at its time', async () => {
      await using people = await openPeople(engine)
      const { value: link } = await invite(people.operator, { lifetimeMs: HOUR })

      people.advance(HOUR - 1)
      await lookAtLink(people.gate, aVisitor(), link)
      people.advance(1)

      await assert.rejects(lookAtLink(people.gate, aVisitor(), link), gone)
      await assert.rejects(signUp(people.gate, aVisitor(), aSignUp({ link })), refused)
    })

    it('is made for an hour to 90 days, an address that is free, and a plan that is there', async () => {
      await using people = await openPeople(engine)
      await people.person('ada@example.org')
      const wrong = { code: 'invalid_request' }

      for (const lifetimeMs of [0, HOUR - 1, 90 * DAY + 1, Number.NaN]) {
        await assert.rejects(invite(people.operator, { lifetimeMs }), { ...wrong, message: 'The link must work for 1 hour to 90 days.' })
      }
      for (const email of ['', 'nobody', 'ADA@example.org']) {
        await assert.rejects(invite(people.operator, { email, lifetimeMs: WEEK }), wrong)
      }
      await assert.rejects(invite(people.operator, { planKey: 'none', lifetimeMs: WEEK }), wrong)
      assert.deepEqual((await contentsOf(people.home)).one_time_links, [])
    })

    it('is stored as a hash alone', async () => {
      await using people = await openPeople(engine)

      const { value } = await invite(people.operator, { lifetimeMs: WEEK })

      assert.match(value, /^[\w-]{43}$/)
      assert.ok(!JSON.stringify(await contentsOf(people.home)).includes(value))
    })
  })

  describe(`the link to the first account (${engine})`, () => {
    for (const mode of ['open', 'invite', 'closed'] as const) {
      it(`works where SIGN_UP is ${mode}`, async () => {
        await using people = await openPeople(engine, { signUp: mode })
        const { value: link } = await makeFirstLink(people.operator)

        await signUp(people.gate, aVisitor(), aSignUp({ link }))

        assert.deepEqual(await addressesOf(people), ['ada@example.org'])
      })
    }

    it('makes one account, however many come at once, with one such link or with several', async () => {
      await using people = await openPeople(engine, { signUp: 'closed' })
      const links = await Promise.all(Array.from({ length: 4 }, () => makeFirstLink(people.operator)))

      const { done, failed } = await atOnce(
        links.flatMap(({ value: link }, index) =>
          [0, 1].map((one) => () => signUp(people.gate, aVisitor(), aSignUp({ email: `p${index}${one}@example.org`, link }))),
        ),
      )

      assert.equal(done.length, 1)
      assert.deepEqual(failed, Array(7).fill('sign_up_refused'))
      assert.equal((await addressesOf(people)).length, 1)
    })

    it('works only while there is no account, and not again when the last one went', async () => {
      await using people = await openPeople(engine)
      const [{ value: first }, { value: second }] = [await makeFirstLink(people.operator), await makeFirstLink(people.operator)]
      await createAccount(people.operator, { email: 'bob@example.org' })

      await assert.rejects(lookAtLink(people.gate, aVisitor(), first), gone)
      await assert.rejects(signUp(people.gate, aVisitor(), aSignUp({ link: first })), refused)
      await removeAccount(people.operator, 'bob@example.org')
      await signUp(people.gate, aVisitor(), aSignUp({ link: first }))
      await removeAccount(people.operator, 'ada@example.org')

      await assert.rejects(signUp(people.gate, aVisitor(), aSignUp({ link: second })), refused)
    })

    it('works for 24 hours', async () => {
      await using people = await openPeople(engine)
      const { value } = await makeFirstLink(people.operator)

      people.advance(DAY - 1)
      assert.equal((await lookAtLink(people.gate, aVisitor(), value)).kind, 'first')
      people.advance(1)
      await assert.rejects(lookAtLink(people.gate, aVisitor(), value), gone)
    })
  })

  describe(`a link to a new password (${engine})`, () => {
    it('sets it once, signs the person in, and ends every other session', async () => {
      await using people = await openPeople(engine)
      const before = await people.person()
      const other = await people.person('bob@example.org')
      const { value: link } = await makeResetLink(people.operator, 'Ada@example.org', HOUR)

      assert.partialDeepStrictEqual(await lookAtLink(people.gate, aVisitor(), link), { kind: 'password_reset', email: 'ada@example.org' })
      const { done, failed } = await atOnce(
        Array.from({ length: 8 }, () => () => resetPassword(people.gate, aVisitor(), { link, password: 'another password' })),
      )

      assert.deepEqual([done.length, failed], [1, Array(7).fill('not_found')])
      assert.equal(await sessionOf(people.gate, before.value), undefined)
      assert.ok(await sessionOf(people.gate, done[0]?.value ?? ''))
      assert.ok(await sessionOf(people.gate, other.value))
      await signIn(people.gate, aVisitor(), { email: 'ada@example.org', password: 'another password' }, null)
      await assert.rejects(signIn(people.gate, aVisitor(), { email: 'ada@example.org', password: PASSWORD }, null), {
        code: 'wrong_credentials',
      })
    })

    it('is not used up by a password that is refused', async () => {
      await using people = await openPeople(engine)
      await people.person()
      const { value: link } = await makeResetLink(people.operator, 'ada@example.org', HOUR)

      await assert.rejects(
        resetPassword(people.gate, aVisitor(), { link, password: 'ada@example.org' }),
        problem('password', 'invalid_value'),
      )

      await resetPassword(people.gate, aVisitor(), { link, password: 'another password' })
    })

    it('ends with any other way to a new password', async () => {
      await using people = await openPeople(engine)
      await people.person()
      const links = [0, 1].map(() => makeResetLink(people.operator, 'ada@example.org', WEEK))
      const [{ value: first } = { value: '' }, { value: second } = { value: '' }] = await Promise.all(links)

      await resetPassword(people.gate, aVisitor(), { link: first, password: 'another password' })
      await assert.rejects(resetPassword(people.gate, aVisitor(), { link: second, password: 'yet another one' }), gone)
      const { value: third } = await makeResetLink(people.operator, 'ada@example.org', WEEK)
      await setPassword(people.operator, people.gate.passwords, 'ada@example.org', 'yet another one')

      await assert.rejects(lookAtLink(people.gate, aVisitor(), third), gone)
      assert.deepEqual(await listSessions(people.gate, (await getAccount(people.operator, 'ada@example.org')).id), [])
    })

    it('is no way to sign up, and an invitation none to a new password', async () => {
      await using people = await openPeople(engine, { signUp: 'open' })
      await people.person()
      const { value: reset } = await makeResetLink(people.operator, 'ada@example.org', HOUR)
      const { value: invitation } = await invite(people.operator, { lifetimeMs: HOUR })

      await assert.rejects(signUp(people.gate, aVisitor(), aSignUp({ email: 'bob@example.org', link: reset })), refused)
      await assert.rejects(resetPassword(people.gate, aVisitor(), { link: invitation, password: PASSWORD }), gone)
    })

    it('gives an account its first password, and goes with the account', async () => {
      await using people = await openPeople(engine)
      for (const email of ['ada@example.org', 'bob@example.org']) await createAccount(people.operator, { email })
      const [ada, bob] = [
        await makeResetLink(people.operator, 'ada@example.org', HOUR),
        await makeResetLink(people.operator, 'bob@example.org', HOUR),
      ]
      await removeAccount(people.operator, 'bob@example.org')

      await resetPassword(people.gate, aVisitor(), { link: ada.value, password: PASSWORD })

      await assert.rejects(resetPassword(people.gate, aVisitor(), { link: bob.value, password: PASSWORD }), gone)
      assert.equal((await getAccount(people.operator, 'ada@example.org')).hasPassword, true)
    })

    it('is made for a minute to 7 days, for an account that is there', async () => {
      await using people = await openPeople(engine)
      await people.person()

      for (const lifetimeMs of [0, 59_999, WEEK + 1]) {
        await assert.rejects(makeResetLink(people.operator, 'ada@example.org', lifetimeMs), { code: 'invalid_request' })
      }
      await assert.rejects(makeResetLink(people.operator, 'nobody@example.org', HOUR), { code: 'not_found' })
    })
  })
}

describe('the address of a link', () => {
  it('has the secret in its fragment, which no server is sent', () => {
    assert.equal(linkAddress('https://tasks.example.org', 'first', 'VALUE'), 'https://tasks.example.org/sign-up#link=VALUE')
    assert.equal(linkAddress('https://tasks.example.org', 'invitation', 'VALUE'), 'https://tasks.example.org/sign-up#link=VALUE')
    assert.equal(linkAddress('http://127.0.0.1:3000', 'password_reset', 'VALUE'), 'http://127.0.0.1:3000/reset-password#link=VALUE')
  })

  it('is for a link that usually works for a day, a week or an hour', () => {
    assert.deepEqual(
      Object.values(LINK_LIFETIME_MS).map(({ usual }) => usual),
      [DAY, WEEK, HOUR],
    )
  })
})
