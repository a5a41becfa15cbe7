import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { openPasswords } from '../packages/server/actions/passwords.ts'

const PASSWORD = 'correct horse battery'
/** Of the same, with 8 MiB and 1 pass. */
const WEAK_HASH = '$argon2id$v=19$m=8192,t=1,p=1$bnBitIGoC15LmuVX59CSGA$gvKYSJKYJmMjdzDSjJ6GH856XhvaoExp5Oh+sqIDka4'

/** The processor's time that `job` takes at best, in µs: its own, however busy the machine is. */
async function work(job: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage()
    await job()
    const { user, system } = process.cpuUsage(before)
    times.push(user + system)
  }
  return Math.min(...times)
}

describe('a password', () => {
  it('is hashed by Argon2id with 19 MiB, 2 passes and 1 lane, and a salt of its own', async () => {
    const passwords = openPasswords(randomBytes)

    const [one, other] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)]

    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.notEqual(one, other)
    assert.doesNotMatch(one, /horse/)
  })

  it('is the only one that its hash verifies', async () => {
    const passwords = openPasswords(randomBytes)
    const hash = await passwords.hash('Zürich is fine')

    assert.equal(await passwords.verify(hash, 'Zürich is fine'), true)
    assert.equal(await passwords.verify(hash, 'Zu\u0308rich is ﬁne'), true)
    for (const wrong of ['', 'zürich is fine', 'Zürich is fine ', `${'x'.repeat(100_000)}`]) {
      assert.equal(await passwords.verify(hash, wrong), false)
    }
  })

  it('is never right where there is none, which takes as much work to find out', async () => {
    const passwords = openPasswords(randomBytes)
    const hash = await passwords.hash(PASSWORD)

    const ofSomebody = await work(() => passwords.verify(hash, 'a wrong password'))
    const ofNobody = await work(async () => assert.equal(await passwords.verify(null, PASSWORD), false))

    assert.ok(ofNobody > ofSomebody / 2 && ofNobody < ofSomebody * 2, `${ofNobody} µs and ${ofSomebody} µs`)
  })

  it('is hashed anew when it was hashed with other parameters', async () => {
    const passwords = openPasswords(randomBytes)

    assert.equal(await passwords.verify(WEAK_HASH, PASSWORD), true)
    assert.equal(passwords.needsRehash(WEAK_HASH), true)
    assert.equal(passwords.needsRehash(await passwords.hash(PASSWORD)), false)
  })
})

describe('many passwords at once', () => {
  it('wait for each other, and more than 64 that wait are refused with a time to come back', async () => {
    const passwords = openPasswords(randomBytes)

    const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => passwords.hash(PASSWORD)))

    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    assert.equal(refused.length, 4)
    for (const failure of refused) {
      assert.ok(failure instanceof Failure && failure.code === 'unavailable')
      assert.equal(failure.more.retryAfterSeconds, 2)
    }
  })

  it('leave room for others once they are done, also after failures', async () => {
    const passwords = openPasswords(randomBytes)
    await Promise.allSettled(Array.from({ length: 5 }, () => passwords.verify('no hash', PASSWORD)))

    assert.match(await passwords.hash(PASSWORD), /^\$argon2id/)
  })
})
