import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { normalisedPassword, passwordProblems } from '@fivetab/domain/password.ts'

const ADA = 'ada.lovelace@example.org'

const codesOf = (password: string, email = ADA) => passwordProblems(password, email).map(({ code }) => code)

describe('a password', () => {
  for (const [what, password] of [
    ['of 10 characters', 'ten chars!'],
    ['of 256 characters', 'ab'.repeat(128)],
    ['of 10 emoji', '😀🐎🔋📎🎩🎲🎷🚀🌍🍀'],
    ['with spaces at its ends', '  a password  '],
    ['that only holds the address', `${ADA} and more`],
  ] as const) {
    it(`${what} is taken`, () => {
      assert.deepEqual(passwordProblems(password, ADA), [])
    })
  }

  for (const [what, password, code] of [
    ['that is empty', '', 'too_short'],
    ['of 9 characters', 'nine char', 'too_short'],
    ['of 9 emoji', '😀🐎🔋📎🎩🎲🎷🚀🌍', 'too_short'],
    ['of 257 characters', `${'ab'.repeat(128)}c`, 'too_long'],
    ['that grows over 256 when it is normalised', '\ufdfa'.repeat(20), 'too_long'],
    ['of one character repeated', 'a'.repeat(12), 'invalid_value'],
    ['of one emoji repeated', '😀'.repeat(12), 'invalid_value'],
    ['that is the address', ADA, 'invalid_value'],
    ['that is the address in capitals', ADA.toUpperCase(), 'invalid_value'],
    ['that is the name before the @', 'Ada.Lovelace', 'invalid_value'],
    ['with half of a surrogate pair', 'a password \ud800', 'invalid_value'],
    ['with a line end', 'a password\nof two lines', 'invalid_value'],
  ] as const) {
    it(`${what} is refused as ${code}`, () => {
      assert.deepEqual(codesOf(password), [code])
    })
  }

  it('that repeats the name before the @ is refused', () => {
    assert.deepEqual(codesOf('bobbobbobbob', 'bob@example.org'), ['invalid_value'])
  })

  it('is judged for an address that is none as for any other', () => {
    for (const email of ['', '@', 'x']) assert.deepEqual(codesOf('a good password', email), [])
  })

  it('has its problems told under the field that it was sent in', () => {
    assert.deepEqual(
      passwordProblems('short', ADA, 'current_password').map(({ field }) => field),
      ['current_password'],
    )
  })

  it('is the same however its characters are composed', () => {
    assert.equal(normalisedPassword('Zu\u0308rich ﬁne'), normalisedPassword('Z\u00fcrich fine'))
    assert.notEqual(normalisedPassword('a password'), normalisedPassword('A password'))
    assert.notEqual(normalisedPassword('a password'), normalisedPassword('a password '))
  })
})
