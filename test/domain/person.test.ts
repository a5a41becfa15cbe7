import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEmail, readName, readTimeZone } from '@fivetab/domain/person.ts'

const codesOf = ({ problems }: { problems: readonly { field: string; code: string }[] }) =>
  problems.map(({ field, code }) => `${field} ${code}`)

describe('an e-mail address', () => {
  it('is kept trimmed and in small letters', () => {
    assert.deepEqual(readEmail(' Ada@Example.ORG\n'), { value: 'ada@example.org', problems: [] })
  })

  for (const [text, code] of [
    ['', 'too_short'],
    ['  ', 'too_short'],
    ['ada', 'invalid_format'],
    ['ada@', 'invalid_format'],
    ['@example.org', 'invalid_format'],
    ['ada@example.', 'invalid_format'],
    ['ada@ex ample.org', 'invalid_format'],
    ['ada@a@example.org', 'invalid_format'],
    [`${'a'.repeat(243)}@example.org`, 'too_long'],
    ['ada\u0000@example.org', 'invalid_value'],
    ['ada\ud800@example.org', 'invalid_value'],
  ] as const) {
    it(`cannot be ${JSON.stringify(text.slice(0, 30))}: ${code}`, () => {
      assert.deepEqual(codesOf(readEmail(text)), [`email ${code}`])
    })
  }
})

describe('the name of a person', () => {
  it('is kept trimmed, and none if there is nothing in it', () => {
    assert.deepEqual(readName(' Ada  Lovelace '), { value: 'Ada  Lovelace', problems: [] })
    for (const none of [null, '', ' \n']) assert.deepEqual(readName(none), { value: null, problems: [] })
  })

  it('is one line of at most 200 characters', () => {
    assert.deepEqual(codesOf(readName('😀'.repeat(200))), [])
    assert.deepEqual(codesOf(readName('a'.repeat(201))), ['name too_long'])
    assert.deepEqual(codesOf(readName('Ada\nLovelace')), ['name invalid_value'])
  })
})

describe('a time zone', () => {
  it('is spelled as usual', () => {
    assert.deepEqual(readTimeZone('europe/berlin'), { value: 'Europe/Berlin', problems: [] })
  })

  for (const text of ['', 'Berlin', '+01:00', '-0530', 'Europe/Berlin\u0000', '\ud800']) {
    it(`cannot be ${JSON.stringify(text)}`, () => {
      assert.deepEqual(codesOf(readTimeZone(text)), ['time_zone invalid_value'])
    })
  }
})
