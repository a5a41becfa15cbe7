import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { netOf } from '../packages/server/actions/guessing.ts'
import { lookAtLink } from '../packages/server/actions/links.ts'
import { changeEmail, changePassword, deleteOwnAccount } from '../packages/server/actions/own-account.ts'
import { signIn, signUp } from '../packages/server/actions/people.ts'
import { claimTry, triesOf } from '../packages/server/store/tries.ts'
import { contentsOf, ENGINES, meddle } from './database.ts'
import { aSignUp, aVisitor, openPeople, PASSWORD, type People } from './people.ts'

const MINUTE = 60_000
const WRONG = 'a wrong password'

type Outcome = 'ok' | Failure['code']

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    await work
    return 'ok'
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return error.code
  }
}

/** Tries so many times at once; tells how often each outcome came. */
async function manyAtOnce(count: number, work: (index: number) => Promise<unknown>): Promise<Partial<Record<Outcome, number>>> {
  const outcomes = await Promise.all(Array.from({ length: count }, (_, index) => outcomeOf(work(index))))
  return Object.fromEntries(Object.entries(Object.groupBy(outcomes, (outcome) => outcome)).map(([name, all]) => [name, all.length]))
}

function guess({ gate }: People, email: string, visitor = aVisitor(), password = WRONG) {
  return signIn(gate, visitor, { email, password }, null)
}

for (const engine of ENGINES) {
  describe(`guessing a password (${engine})`, () => {
    for (const [who, email] of [
      ['somebody', 'ada@example.org'],
      ['nobody', 'nobody@example.org'],
    ] as const) {
      it(`is possible 10 times from one net for an address that ${who} has, however many come at once`, async () => {
        await using people = await openPeople(engine)
        await people.person('ada@example.org')
        const visitor = aVisitor()

        const outcomes = await manyAtOnce(32, () => guess(people, email, visitor))

        assert.deepEqual(outcomes, { wrong_credentials: 10, rate_limited: 22 })
        assert.equal(people.gate.passwords.verified.length, 10)
        assert.equal(await outcomeOf(guess(people, email, visitor, PASSWORD)), 'rate_limited')
      })
    }

    it('is possible 100 times for an address, from wherever', async () => {
      await using people = await openPeople(engine)
      await people.person()

      const outcomes = await manyAtOnce(120, () => guess(people, 'Ada@example.org'))

      assert.deepEqual(outcomes, { wrong_credentials: 100, rate_limited: 20 })
      assert.equal(await outcomeOf(guess(people, 'bob@example.org')), 'wrong_credentials')
    })

    it('is possible 50 times from one net, for whatever addresses', async () => {
      await using people = await openPeople(engine)
      const visitor = aVisitor()

      const outcomes = await manyAtOnce(60, (index) => guess(people, `person${index}@example.org`, visitor))

      assert.deepEqual(outcomes, { wrong_credentials: 50, rate_limited: 10 })
      assert.equal(await outcomeOf(guess(people, 'person0@example.org')), 'wrong_credentials')
    })

    it('that was refused uses nothing up of what others may', async () => {
      await using people = await openPeople(engine)
      const visitor = aVisitor()

      await manyAtOnce(200, () => guess(people, 'ada@example.org', visitor))

      assert.equal(await outcomeOf(guess(people, 'ada@example.org')), 'wrong_credentials')
      assert.equal(await outcomeOf(guess(people, 'bob@example.org', visitor)), 'wrong_credentials')
    })

    it('goes on a quarter of an hour after the first, and is told when', async () => {
      await using people = await openPeople(engine)
      const visitor = aVisitor()
      for (let count = 0; count < 10; count++) {
        await outcomeOf(guess(people, 'ada@example.org', visitor))
        people.advance(1_000)
      }

      await assert.rejects(guess(people, 'ada@example.org', visitor), { code: 'rate_limited', more: { retryAfterSeconds: 890 } })

      people.advance(890_000 - 1)
      assert.equal(await outcomeOf(guess(people, 'ada@example.org', visitor)), 'rate_limited')
      people.advance(1)
      assert.equal(await outcomeOf(guess(people, 'ada@example.org', visitor)), 'wrong_credentials')
    })

    it('is no such thing for whoever knows it: signing in uses nothing up', async () => {
      await using people = await openPeople(engine)
      await people.person()
      const visitor = aVisitor()

      for (let count = 0; count < 12; count++) assert.equal(await outcomeOf(guess(people, 'ada@example.org', visitor, PASSWORD)), 'ok')

      assert.deepEqual(await manyAtOnce(12, () => guess(people, 'ada@example.org', visitor)), { wrong_credentials: 10, rate_limited: 2 })
    })

    it('uses nothing up where it could not be looked at', async () => {
      const busy = async () => {
        throw new Failure('unavailable', 'Too many.')
      }
      await using people = await openPeople(engine, { passwords: { verify: busy } })
      const visitor = aVisitor()

      for (let count = 0; count < 12; count++) assert.equal(await outcomeOf(guess(people, 'ada@example.org', visitor)), 'unavailable')
    })

    it('counts alike where the password is asked for again', async () => {
      await using people = await openPeople(engine)
      const { session } = await people.person()
      const visitor = aVisitor()
      const { gate } = people
      const asked = [
        () => changeEmail(gate, visitor, session.accountId, { email: 'new@example.org', password: WRONG }),
        () => changePassword(gate, visitor, session, { currentPassword: WRONG, password: 'another password' }),
        () => deleteOwnAccount(gate, visitor, session.accountId, WRONG),
      ]

      const outcomes = await manyAtOnce(12, (index) => asked[index % 3]?.() ?? assert.fail())

      assert.deepEqual(outcomes, { invalid_request: 10, rate_limited: 2 })
      assert.equal(await outcomeOf(guess(people, 'ada@example.org', visitor, PASSWORD)), 'rate_limited')
    })

    it('leaves no address and no net behind', async () => {
      await using people = await openPeople(engine)
      await outcomeOf(guess(people, 'ada@example.org', aVisitor('203.0.113.77')))

      const { tries } = await contentsOf(people.home)

      assert.equal(tries?.length, 3)
      assert.doesNotMatch(JSON.stringify(tries), /example|203\.0/)
    })
  })

  describe(`what a net may do in a quarter of an hour (${engine})`, () => {
    it('is to sign up 50 times, to look at 50 links, and to change an address 50 times', async () => {
      await using people = await openPeople(engine)
      const { session } = await people.person('eve@example.org')
      await people.person('bob@example.org')
      const visitor = aVisitor()
      const isTaken = () => changeEmail(people.gate, visitor, session.accountId, { email: 'bob@example.org', password: PASSWORD })

      assert.deepEqual(await manyAtOnce(60, () => signUp(people.gate, visitor, aSignUp())), { sign_up_refused: 50, rate_limited: 10 })
      assert.deepEqual(await manyAtOnce(60, () => lookAtLink(people.gate, visitor, 'x')), { not_found: 50, rate_limited: 10 })
      for (let count = 0; count < 50; count++) assert.equal(await outcomeOf(isTaken()), 'invalid_request')
      assert.equal(await outcomeOf(isTaken()), 'rate_limited')
      assert.equal(await outcomeOf(guess(people, 'ada@example.org', visitor)), 'wrong_credentials')
    })
  })

  describe(`a window of tries (${engine})`, () => {
    it('that begins absurdly late, by a clock that was set wrong, counts for nothing', async () => {
      await using people = await openPeople(engine)
      const { store } = people
      const now = people.clock()
      await store.transact((writer) => claimTry(writer, 'key', 1, now))
      await meddle(people.home, `update tries set began_at = began_at + ${16 * MINUTE}`)

      const again = await store.transact((writer) => claimTry(writer, 'key', 1, now))

      assert.deepEqual(again, { key: 'key', beganAt: now })
      assert.deepEqual(await triesOf(store, 'key', now), { used: 1, beganAt: now })
    })
  })
}

describe('a net', () => {
  it('is an address of IPv4, also where IPv6 carries it', () => {
    assert.equal(netOf('203.0.113.7'), '203.0.113.7')
    assert.equal(netOf('::ffff:203.0.113.7'), '203.0.113.7')
    assert.notEqual(netOf('203.0.113.7'), netOf('203.0.113.8'))
  })

  it('is the first 64 bits of an address of IPv6', () => {
    assert.equal(netOf('2001:db8:1:2::1'), netOf('2001:0DB8:1:2:ffff:ffff:ffff:ffff'))
    assert.notEqual(netOf('2001:db8:1:2::1'), netOf('2001:db8:1:3::1'))
    assert.equal(netOf('fe80::1%eth0'), netOf('fe80::2'))
  })

  it('is the same for every port that a proxy writes behind it', () => {
    assert.equal(netOf('203.0.113.7:4711'), '203.0.113.7')
    assert.equal(netOf('[2001:db8:1:2::1]:4711'), netOf('2001:db8:1:2::2'))
    assert.equal(netOf('[2001:db8:1:2::1]'), netOf('2001:db8:1:2::2'))
  })

  it('is whatever else was seen, where that is no address', () => {
    assert.equal(netOf('unknown'), 'unknown')
    assert.equal(netOf(''), '')
  })
})
