import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { isTokenValue, makeTokenValue, TOKEN_PREFIX } from '@fivetab/domain/token.ts'
import fc from 'fast-check'

const RUNS = { numRuns: 500 }
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Checksums worked out elsewhere: the CRC-32 of the 40 characters (that of `123456789` is cbf43926), in base 62. */
const KNOWN = [
  ['0'.repeat(40), '2kaqcA'],
  ['z'.repeat(40), '2x81PZ'],
  [BASE62.slice(0, 40), '0omAup'],
  ['123456789'.repeat(5).slice(0, 40), '4Qk1hV'],
] as const

const GOOD = `${TOKEN_PREFIX}${BASE62.slice(0, 40)}0omAup`

/** Bytes that spell `characters` in base 62. */
function spelling(characters: string): Uint8Array {
  return Uint8Array.from(characters, (character) => BASE62.indexOf(character))
}

const aToken = fc.uint8Array({ minLength: 40, maxLength: 40, max: 247 }).map((bytes) => makeTokenValue(() => bytes))

describe('a new token', () => {
  for (const [random, checksum] of KNOWN) {
    it(`ends in the CRC-32 of its random characters: ${random.slice(0, 10)}… ${checksum}`, () => {
      assert.equal(
        makeTokenValue(() => spelling(random)),
        `svc_pat_${random}${checksum}`,
      )
    })
  }

  it('is the prefix, 40 random characters and a checksum of 6, whatever bytes it is made of', () => {
    fc.assert(
      fc.property(aToken, (value) => {
        assert.match(value, /^svc_pat_[0-9A-Za-z]{46}$/)
      }),
      RUNS,
    )
  })

  it('ends in what zlib says of its random characters', () => {
    fc.assert(
      fc.property(aToken, (value) => {
        const digits = [...value.slice(48)].map((character) => BASE62.indexOf(character))

        assert.equal(
          digits.reduce((number, digit) => number * 62 + digit, 0),
          crc32(value.slice(8, 48)),
        )
      }),
      RUNS,
    )
  })

  it('has every character from as many bytes as any other', () => {
    const counts = new Map<string, number>()

    for (let byte = 0; byte < 248; byte++) {
      const character = makeTokenValue((count) => new Uint8Array(count).fill(byte)).charAt(TOKEN_PREFIX.length)
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }

    assert.deepEqual([...counts.keys()].sort(), [...BASE62].sort())
    assert.deepEqual(new Set(counts.values()), new Set([4]))
  })

  it('passes over the bytes that would favour some characters', () => {
    const batches = [Uint8Array.of(248, 249, 250, 251, 252, 253, 254, 255), spelling('z'.repeat(40))]

    const value = makeTokenValue(() => batches.shift() ?? new Uint8Array(40))

    assert.equal(value, `svc_pat_${'z'.repeat(40)}2x81PZ`)
  })

  it('asks for more bytes until it has enough', () => {
    const value = makeTokenValue(() => spelling('zzz'))

    assert.equal(value, `svc_pat_${'z'.repeat(40)}2x81PZ`)
  })

  it('is another one each time', () => {
    const values = Array.from({ length: 100 }, () => makeTokenValue(randomBytes))

    assert.equal(new Set(values).size, 100)
  })
})

describe('the form of a token', () => {
  it('is that of every token made', () => {
    fc.assert(
      fc.property(aToken, (value) => {
        assert.equal(isTokenValue(value), true)
      }),
      RUNS,
    )
  })

  it('is that of no token with one character exchanged', () => {
    const edit = fc.tuple(fc.nat({ max: 45 }), fc.integer({ min: 1, max: 61 }))

    fc.assert(
      fc.property(aToken, edit, (value, [index, distance]) => {
        const at = TOKEN_PREFIX.length + index
        const other = BASE62[(BASE62.indexOf(value.charAt(at)) + distance) % 62]

        assert.equal(isTokenValue(value.slice(0, at) + other + value.slice(at + 1)), false)
      }),
      RUNS,
    )
  })

  it('is that of no token with two neighbours swapped', () => {
    fc.assert(
      fc.property(aToken, fc.nat({ max: 38 }), (value, index) => {
        const at = TOKEN_PREFIX.length + index
        const [first, second] = [value.charAt(at), value.charAt(at + 1)]
        fc.pre(first !== second)

        assert.equal(isTokenValue(value.slice(0, at) + second + first + value.slice(at + 2)), false)
      }),
      RUNS,
    )
  })

  it('is that of the token which the look-alikes below are made from', () => {
    assert.equal(isTokenValue(GOOD), true)
  })

  for (const [name, value] of [
    ['nothing', ''],
    ['the prefix alone', TOKEN_PREFIX],
    ['one without its prefix', GOOD.slice(TOKEN_PREFIX.length)],
    ['one of another prefix', GOOD.replace('svc_pat_', 'svc_pab_')],
    ['one with a capital prefix', GOOD.replace('svc_pat_', 'SVC_PAT_')],
    ['one cut short', GOOD.slice(0, -1)],
    ['one too long', `${GOOD}0`],
    ['one with a space ahead', ` ${GOOD}`],
    ['one with a line end', `${GOOD}\n`],
    ['one in quotes', `"${GOOD}"`],
    ['one after its scheme', `Bearer ${GOOD}`],
    ['one with O for 0', GOOD.replace('pat_0', 'pat_O')],
    ['one with l for 1', GOOD.replace('pat_01', 'pat_0l')],
    ['one with a small checksum', GOOD.slice(0, -6) + GOOD.slice(-6).toLowerCase()],
    ['one with a dash', GOOD.replace('pat_0', 'pat_-')],
    ['one with an underscore', GOOD.replace('pat_0', 'pat__')],
    ['one with a digit of another script', GOOD.replace('pat_0', 'pat_٠')],
    ['one whose checksum is too great for any CRC-32', `${GOOD.slice(0, -6)}zzzzzz`],
  ] as const) {
    it(`is not that of ${name}`, () => {
      assert.equal(isTokenValue(value), false)
    })
  }
})
