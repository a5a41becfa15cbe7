import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, MAX_DEPTH, MalformedJson, parseJson } from '../../packages/server/api/json.ts'

const RUNS = { numRuns: 500 }
const encoder = new TextEncoder()

function parse(text: string): unknown {
  return parseJson(encoder.encode(text))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const aValue = fc.jsonValue({ maxDepth: 6 })

/** `text`, deeper by one array or object for each of `layers`. */
function nested(text: string, layers: readonly boolean[]): string {
  return layers.reduce((inside, isArray) => (isArray ? `[0,${inside}]` : `{"a":1,"k":${inside},"z":[]}`), text)
}

/** `key` as a JSON string, with those of its UTF-16 units escaped that `escaped` says. */
function spelled(key: string, escaped: readonly boolean[]): string {
  const units = Array.from({ length: key.length }, (_, index) => key.charAt(index))
  const mustBe = (unit: string) => JSON.stringify(unit) !== `"${unit}"`
  const spell = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `"${units.map((unit, index) => (mustBe(unit) || escaped[index] ? spell(unit) : unit)).join('')}"`
}

describe('reading JSON', () => {
  it('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(aValue, fc.nat({ max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent)

        assert.deepEqual(parse(text), JSON.parse(text))
      }),
      RUNS,
    )
  })

  it('refuses what JSON.parse refuses', () => {
    const SCRAPS = ['{', '}', '[', ']', ',', ':', '"', '\\', '"a"', '"b":', '1', '-', '.5', 'e9', 'true', 'null', ' ', '\n', '\u0001']
    const scraps = fc.string({ unit: fc.constantFrom(...SCRAPS), maxLength: 12 })

    fc.assert(
      fc.property(fc.oneof(scraps, fc.string()), (text) => {
        fc.pre(!isJson(text))

        assert.throws(() => parse(text), MalformedJson)
      }),
      RUNS,
    )
  })

  it('refuses a key given twice, wherever it is and however it is spelled', () => {
    const aKey = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', 'title', '__proto__', '"', '\\', '}', ':'))
    const escapes = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 })
    const space = fc.constantFrom('', ' ', '\n\t\r ')
    const layers = fc.array(fc.boolean(), { maxLength: 20 })

    fc.assert(
      fc.property(aKey, escapes, escapes, space, aValue, layers, (key, once, again, gap, value, around) => {
        fc.pre(key !== 'between')
        const between = `"between":${JSON.stringify(value)}`
        const text = nested(`{${gap}${spelled(key, once)}${gap}:1,${between},${gap}${spelled(key, again)}${gap}:3}`, around)

        assert.equal(isJson(text), true)
        assert.throws(() => parse(text), { constructor: MalformedJson, message: /twice/ })
      }),
      RUNS,
    )
  })

  for (const [name, text] of [
    ['in two objects beside each other', '[{"a":1},{"a":2}]'],
    ['in an object and one inside it', '{"a":{"a":{"a":1}}}'],
    ['after an object inside was closed', '{"a":{"b":1},"b":2}'],
    ['and as a value', '{"a":"a","b":"a"}'],
    ['and as a value with a colon', '{"a":"a\\":","b":"\\"a\\":"}'],
    ['as strings in an array', '["a","a"]'],
    ['as strings in an array inside an object', '{"a":["a","a"],"b":1}'],
    ['but of another case', '{"a":1,"A":2}'],
    ['but composed otherwise', '{"\u00e9":1,"e\u0301":2}'],
    ['but longer', '{"a":1,"aa":2,"a\\\\":3}'],
  ] as const) {
    it(`takes the same key ${name}`, () => {
      assert.deepEqual(parse(text), JSON.parse(text))
    })
  }

  for (const [name, text] of [
    ['plain', '{"a":1,"a":1}'],
    ['apart', '{"a":1,"b":[{"c":{}}],"a":1}'],
    ['escaped', '{"a":1,"\\u0061":1}'],
    ['a slash, escaped', '{"/":1,"\\/":1}'],
    ['an emoji, escaped', '{"😀":1,"\\uD83D\\ude00":1}'],
    ['empty', '{"":1,"":1}'],
    ['__proto__', '{"__proto__":1,"__proto__":2}'],
    ['in the last of many objects', '[{"a":1},{"b":1},{"c":{"d":1,"d":1}}]'],
  ] as const) {
    it(`refuses a key given twice, ${name}, and says which`, () => {
      assert.throws(() => parse(text), { constructor: MalformedJson, message: /twice/ })
    })
  }

  it('takes 32 levels and no more', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: MAX_DEPTH - 3, maxLength: MAX_DEPTH + 3 }), (layers) => {
        const text = layers.reduce((inside, isArray) => (isArray ? `[${inside}]` : `{"k":${inside}}`), '"[[[{{{"')

        if (layers.length <= 32) assert.deepEqual(parse(text), JSON.parse(text))
        else assert.throws(() => parse(text), MalformedJson)
      }),
      RUNS,
    )
  })

  it('takes any number of objects beside each other', () => {
    const text = `[${Array(1_000).fill('{"a":[]}').join(',')}]`

    assert.equal((parse(text) as unknown[]).length, 1_000)
  })

  it('refuses a hundred thousand levels like thirty-three', () => {
    assert.throws(() => parse('['.repeat(100_000) + ']'.repeat(100_000)), MalformedJson)
  })

  for (const [name, bytes] of [
    ['a byte that is never UTF-8', [0x22, 0xff, 0x22]],
    ['a character cut short', [0x22, 0xe2, 0x82, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['nothing', []],
  ] as const) {
    it(`refuses ${name}`, () => {
      assert.throws(() => parseJson(Uint8Array.from(bytes)), MalformedJson)
    })
  }
})

describe('canonical JSON', () => {
  /** The same value with the keys of every object the other way round. */
  function reordered(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(reordered)
    if (typeof value !== 'object' || value === null) return value
    return JSON.parse(
      `{${Object.entries(value)
        .reverse()
        .map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(reordered(item))}`)
        .join(',')}}`,
    )
  }

  it('is the same for values that are JSON-equal, whatever the order of their keys', () => {
    fc.assert(
      fc.property(aValue, (value) => {
        assert.equal(canonicalJson(reordered(value)), canonicalJson(value))
      }),
      RUNS,
    )
  })

  it('says the whole value, so that values which are not JSON-equal differ in it', () => {
    fc.assert(
      fc.property(aValue, (value) => {
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
      }),
      RUNS,
    )
  })

  for (const [a, b] of [
    ['{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['{"a":{"x":1,"y":[{"p":1,"q":2}]}}', ' { "a" : { "y" : [ { "q" : 2 , "p" : 1 } ] , "x" : 1 } } '],
    ['1', '1.0'],
    ['100', '1e2'],
    ['0', '-0'],
    ['"a"', '"\\u0061"'],
    ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
    ['{"2":1,"10":1}', '{"10":1,"2":1}'],
  ] as const) {
    it(`is the same for ${a} and ${b}`, () => {
      assert.equal(canonicalJson(JSON.parse(a)), canonicalJson(JSON.parse(b)))
    })
  }

  for (const [a, b] of [
    ['[1,2]', '[2,1]'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":null}', '{}'],
    ['null', '"null"'],
    ['[]', '{}'],
    ['[[]]', '[]'],
    ['{"a":{"b":1}}', '{"a":1,"b":{}}'],
    ['""', '" "'],
    ['{"__proto__":1}', '{}'],
  ] as const) {
    it(`differs for ${a} and ${b}`, () => {
      assert.notEqual(canonicalJson(JSON.parse(a)), canonicalJson(JSON.parse(b)))
    })
  }
})
