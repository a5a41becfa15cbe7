import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { getAccount, setAccount } from '../packages/server/actions/accounts.ts'
import type { Visitor } from '../packages/server/actions/gate.ts'
import { lookAtLink, makeResetLink } from '../packages/server/actions/links.ts'
import { changeEmail, changePassword, changePerson, deleteOwnAccount } from '../packages/server/actions/own-account.ts'
import { signIn, signUp } from '../packages/server/actions/people.ts'
import { endSession, listSessions, sessionOf, signOut, signOutEverywhere } from '../packages/server/actions/sessions.ts'
import { sessionsByIds } from '../packages/server/store/sessions.ts'
import { UNKNOWN_ID } from './builders.ts'
import { contentsOf, ENGINES } from './database.ts'
import { aSignUp, aVisitor, openPeople, PASSWORD, type People } from './people.ts'

const DAY = 86_400_000
const ADA = { email: 'ada@example.org', password: PASSWORD }

const wrong = { code: 'wrong_credentials', message: 'The e-mail address or the password is wrong.' }

function signInTo({ gate }: People, credentials = ADA, replaces: string | null = null, visitor: Visitor = aVisitor()) {
  return signIn(gate, visitor, credentials, replaces)
}

async function problemsOf(work: Promise<unknown>): Promise<string[]> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'invalid_request', String(error))
    return (error.more.problems ?? []).map(({ field, code }) => `${field} ${code}`).sort()
  }
  return []
}

for (const engine of ENGINES) {
  describe(`signing up (${engine})`, () => {
    it('tells every problem at once', async () => {
      await using people = await openPeople(engine, { signUp: 'open' })
      const input = { email: 'nobody', password: 'short', name: 'a\nb', timeZone: 'Nowhere', link: null }

      assert.deepEqual(await problemsOf(signUp(people.gate, aVisitor(), input)), [
        'email invalid_format',
        'name invalid_value',
        'password too_short',
        'time_zone invalid_value',
      ])
    })

    it('makes one account for an address, however many come at once', async () => {
      await using people = await openPeople(engine, { signUp: 'open' })

      const works = Array.from({ length: 12 }, () => problemsOf(signUp(people.gate, aVisitor(), aSignUp({ name: ' Ada ' }))))

      assert.equal((await Promise.all(works)).filter((problems) => problems.length === 0).length, 1)
      assert.equal((await contentsOf(people.home)).accounts?.length, 1)
      assert.partialDeepStrictEqual(await getAccount(people.operator, 'ada@example.org'), {
        name: 'Ada',
        timeZone: 'UTC',
        hasPassword: true,
      })
    })
  })

  describe(`signing in (${engine})`, () => {
    it('takes the address in any case, and gives a session of 30 days that only its value opens', async () => {
      await using people = await openPeople(engine)
      await people.person()

      const { session, value } = await signInTo(people, { ...ADA, email: ' ADA@example.org' })

      assert.match(value, /^[\w-]{43}$/)
      assert.equal(session.expiresAt, people.clock() + 30 * DAY)
      const found = await sessionOf(people.gate, value)
      assert.deepEqual(found?.session, session)
      assert.equal(found?.account.email, 'ada@example.org')
      assert.equal(found?.plan.key, 'unlimited')
      assert.ok(!JSON.stringify(await contentsOf(people.home)).includes(value))
      for (const other of ['', session.id, `${value}x`]) assert.equal(await sessionOf(people.gate, other), undefined)
    })

    it('fails alike, after the same work, for a wrong password, for nobody’s address, for what is none, and where no password is set', async () => {
      await using people = await openPeople(engine)
      await people.person()
      const credentials = [
        { ...ADA, password: 'a wrong password' },
        { ...ADA, email: 'nobody@example.org' },
        { ...ADA, email: 'nobody' },
        { ...ADA, email: 'ada@example.org\u0000' },
        { ...ADA, email: '\ud800@example.org', password: '\ud800' },
      ]

      for (const one of credentials) await assert.rejects(signInTo(people, one), wrong)

      assert.equal(people.gate.passwords.verified.length, credentials.length)
    })

    it('ends the session that the request came with', async () => {
      await using people = await openPeople(engine)
      const before = await people.person()
      const bob = await people.person('bob@example.org')

      const after = await signInTo(people, ADA, before.session.id)
      const again = await signInTo(people, ADA, bob.session.id)

      assert.deepEqual(
        await Promise.all([before, bob, after, again].map(async ({ value }) => (await sessionOf(people.gate, value)) !== undefined)),
        [false, false, true, true],
      )
    })

    it('hashes a password anew that was hashed with other parameters', async () => {
      await using people = await openPeople(engine)
      await people.person()
      const gate = { ...people.gate, passwords: { ...people.gate.passwords, needsRehash: () => true, hash: async () => 'anew' } }

      await signIn(gate, aVisitor(), ADA, null)

      assert.partialDeepStrictEqual((await contentsOf(people.home)).passwords, [{ hash: 'anew', changed_at: people.clock() }])
    })

    it('with a password that is changed meanwhile gives no session', async () => {
      await using people = await openPeople(engine)
      const { session } = await people.person()
      const { gate } = people
      const slow = async (hash: string | null, password: string) => {
        const isRight = await gate.passwords.verify(hash, password)
        await changePassword(gate, aVisitor(), session, { currentPassword: PASSWORD, password: 'another password' })
        return isRight
      }

      await assert.rejects(signIn({ ...gate, passwords: { ...gate.passwords, verify: slow } }, aVisitor(), ADA, null), wrong)

      assert.equal((await listSessions(gate, session.accountId)).length, 1)
    })

    it('keeps the 100 sessions that were used last', async () => {
      await using people = await openPeople(engine)
      const { session, value } = await people.person()
      for (let count = 0; count < 100; count++) {
        people.advance(1)
        await signInTo(people)
      }

      assert.equal((await listSessions(people.gate, session.accountId)).length, 100)
      assert.equal(await sessionOf(people.gate, value), undefined)
    })

    it('gives a session that stays, where the clock was set back and there are 100 of later', async () => {
      await using people = await openPeople(engine)
      const { session } = await people.person()
      for (let count = 0; count < 100; count++) await signInTo(people)
      people.advance(-3_600_000)

      const { value } = await signInTo(people)

      assert.notEqual(await sessionOf(people.gate, value), undefined)
      assert.equal((await listSessions(people.gate, session.accountId)).length, 100)
    })

    it('remembers what the browser calls itself, as far as that can be shown', async () => {
      await using people = await openPeople(engine)
      await people.person()
      const agents = [' Firefox ', null, '', 'x'.repeat(1_000), 'a\u0007b']

      const shown = []
      for (const userAgent of agents) shown.push((await signInTo(people, ADA, null, { ...aVisitor(), userAgent })).session.userAgent)

      assert.deepEqual(shown, ['Firefox', null, null, 'x'.repeat(400), null])
    })
  })

  describe(`a session (${engine})`, () => {
    it('ends when it is signed out, by its id, and with all others', async () => {
      await using people = await openPeople(engine)
      const { gate } = people
      const [one, two, three] = [await people.person(), await signInTo(people), await signInTo(people)]
      const bob = await people.person('bob@example.org')
      const { accountId } = one.session
      const left = async () => (await listSessions(gate, accountId)).map(({ id }) => id)

      assert.deepEqual(await left(), [one, two, three].map(({ session }) => session.id).sort())
      await signOut(gate, one.session)
      await signOut(gate, one.session)
      assert.equal((await left()).length, 2)
      await endSession(gate, accountId, two.session.id)
      assert.deepEqual(await left(), [three.session.id])
      for (const id of [two.session.id, bob.session.id, UNKNOWN_ID]) {
        await assert.rejects(endSession(gate, accountId, id), { code: 'not_found' })
      }
      await signOutEverywhere(gate, accountId)

      assert.deepEqual(await left(), [])
      const found = await sessionsByIds(people.store, [three.session.id, bob.session.id])
      assert.deepEqual([...found.keys()], [bob.session.id])
    })

    it('ends at its time', async () => {
      await using people = await openPeople(engine)
      const { session, value } = await people.person()

      people.advance(30 * DAY - 1)
      assert.ok(await sessionOf(people.gate, value))
      people.advance(1)

      assert.equal(await sessionOf(people.gate, value), undefined)
      assert.deepEqual(await listSessions(people.gate, session.accountId), [])
    })
  })

  describe(`one's own account (${engine})`, () => {
    it('gets a new password for the current one, and every other session ends', async () => {
      await using people = await openPeople(engine)
      const { gate } = people
      const [here, there] = [await people.person(), await signInTo(people)]
      const change = (currentPassword: string, password: string) =>
        changePassword(gate, aVisitor(), here.session, { currentPassword, password })

      assert.deepEqual(await problemsOf(change('a wrong password', 'another password')), ['current_password invalid_value'])
      assert.deepEqual(await problemsOf(change(PASSWORD, 'short')), ['password too_short'])
      const after = await change(PASSWORD, 'another password')

      const open = [here, there, after].map(async ({ value }) => (await sessionOf(gate, value)) !== undefined)
      assert.deepEqual(await Promise.all(open), [false, false, true])
      await assert.rejects(signInTo(people), wrong)
      await signInTo(people, { ...ADA, password: 'another password' })
    })

    it('gets a new address for the password, if nobody has it', async () => {
      await using people = await openPeople(engine)
      const { session } = await people.person()
      await people.person('bob@example.org')
      const change = (email: string, password = PASSWORD) => changeEmail(people.gate, aVisitor(), session.accountId, { email, password })

      assert.deepEqual(await problemsOf(change('nobody')), ['email invalid_format'])
      assert.deepEqual(await problemsOf(change('new@example.org', 'a wrong password')), ['password invalid_value'])
      assert.deepEqual(await problemsOf(change('Bob@example.org')), ['email conflict'])
      assert.equal((await change(' New@example.org')).email, 'new@example.org')

      await assert.rejects(signInTo(people), wrong)
      await signInTo(people, { ...ADA, email: 'new@example.org' })
    })

    it('gets a new name and time zone, and keeps what is not sent', async () => {
      await using people = await openPeople(engine)
      const { accountId } = (await people.person()).session
      await setAccount(people.operator, 'ada@example.org', { plan: 'pro', apiAccess: false })

      assert.deepEqual(await problemsOf(changePerson(people.gate, accountId, { name: 'a\nb', timeZone: 'x' })), [
        'name invalid_value',
        'time_zone invalid_value',
      ])
      await changePerson(people.gate, accountId, { name: ' Ada ' })
      await changePerson(people.gate, accountId, { timeZone: 'europe/berlin' })
      const ada = { name: 'Ada', timeZone: 'Europe/Berlin', planKey: 'pro', apiAccess: false }
      assert.partialDeepStrictEqual(await changePerson(people.gate, accountId, {}), ada)
      assert.partialDeepStrictEqual(await getAccount(people.operator, 'ada@example.org'), ada)
      assert.equal((await changePerson(people.gate, accountId, { name: null })).name, null)
    })

    it('is deleted with everything in it for the password, and whoever is signed in to it is no longer', async () => {
      await using people = await openPeople(engine)
      const { session, value } = await people.person()
      const { accountId } = session

      assert.deepEqual(await problemsOf(deleteOwnAccount(people.gate, aVisitor(), accountId, 'a wrong password')), [
        'password invalid_value',
      ])
      assert.ok(await sessionOf(people.gate, value))
      await deleteOwnAccount(people.gate, aVisitor(), accountId, PASSWORD)

      assert.equal(await sessionOf(people.gate, value), undefined)
      const { accounts, passwords, sessions, ledgers } = await contentsOf(people.home)
      assert.deepEqual([accounts, passwords, sessions, ledgers], [[], [], [], []])
      const unknown = { code: 'not_signed_in' }
      await assert.rejects(deleteOwnAccount(people.gate, aVisitor(), accountId, PASSWORD), unknown)
      await assert.rejects(changePerson(people.gate, accountId, { name: null }), unknown)
      await assert.rejects(changePassword(people.gate, aVisitor(), session, { currentPassword: PASSWORD, password: PASSWORD }), unknown)
    })

    it('is shut before it is emptied, also where its deletion is cut off', async () => {
      await using people = await openPeople(engine)
      const { session, value } = await people.person()
      const { value: link } = await makeResetLink(people.operator, 'ada@example.org', DAY)
      let turns = 0
      const write: People['store']['write'] = (accountId, job) => {
        turns += 1
        return turns === 1 ? people.store.write(accountId, job) : Promise.reject(new Error('cut off'))
      }
      const gate = { ...people.gate, store: { ...people.store, write } }

      await assert.rejects(deleteOwnAccount(gate, aVisitor(), session.accountId, PASSWORD), /cut off/)

      assert.equal(await sessionOf(people.gate, value), undefined)
      await assert.rejects(signInTo(people), wrong)
      await assert.rejects(lookAtLink(people.gate, aVisitor(), link), { code: 'not_found' })
      assert.partialDeepStrictEqual(await getAccount(people.operator, 'ada@example.org'), { apiAccess: false, hasPassword: false })
    })
  })
}
