import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folded, isOneEmoji, isOneLine, tidy, unfitCharacter } from '@fivetab/domain/text.ts'
import fc from 'fast-check'

const RUNS = { numRuns: 500 }

/** Text that is rich in what tidying and fitness are about. */
const aText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\r', '\n', '\r\n', '\t', ' ', '\u00a0', '\ufeff', '\u2028', '\0', '\ud83d', '\ude00', 'a'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
})

describe('tidy text', () => {
  for (const [name, text, expected] of [
    ['has its ends trimmed', '  Buy boxes \t', 'Buy boxes'],
    ['has line ends trimmed', '\r\n\nBuy boxes\n\r\n', 'Buy boxes'],
    ['has wide and unbreakable spaces trimmed', '\u3000\u00a0Buy boxes\u2003', 'Buy boxes'],
    ['keeps the spaces and tabs inside', 'Buy  many\tboxes', 'Buy  many\tboxes'],
    ['has CRLF as LF', 'one\r\ntwo\r\n\r\nthree', 'one\ntwo\n\nthree'],
    ['keeps LF', 'one\n\ntwo', 'one\n\ntwo'],
    ['of spaces alone is empty', ' \t\r\n ', ''],
    ['of nothing is empty', '', ''],
    ['keeps a zero-width joiner at its end', 'a\u200d', 'a\u200d'],
  ] as const) {
    it(name, () => {
      assert.equal(tidy(text), expected)
    })
  }

  it('is as it was after it is tidied again, when it is fit to be stored', () => {
    fc.assert(
      fc.property(aText, (text) => {
        fc.pre(unfitCharacter(tidy(text), 'lines') === null)
        assert.equal(tidy(tidy(text)), tidy(text))
      }),
      { ...RUNS, examples: [['a\r\r\nb']] },
    )
  })

  it('never grows, and keeps every character that is no space, in order', () => {
    const solid = (text: string) => text.replace(/[\s\ufeff]/g, '')

    fc.assert(
      fc.property(aText, (text) => {
        assert.ok(tidy(text).length <= text.length)
        assert.equal(solid(tidy(text)), solid(text))
      }),
      RUNS,
    )
  })
})

describe('text that is unfit to be stored', () => {
  const CONTROLS = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)]

  it('on one line is any with a control character, which it names', () => {
    for (const code of CONTROLS) {
      const told = unfitCharacter(`a${String.fromCharCode(code)}b`, 'line')

      assert.match(String(told), new RegExp(`U\\+${code.toString(16).toUpperCase().padStart(4, '0')}$`))
    }
  })

  it('on many lines is any with a control character but tab and newline', () => {
    const fit = CONTROLS.filter((code) => unfitCharacter(`a${String.fromCharCode(code)}b`, 'lines') === null)

    assert.deepEqual(fit, [0x09, 0x0a])
  })

  for (const [name, text] of [
    ['a high surrogate alone', '\ud83d'],
    ['a low surrogate alone', '\ude00'],
    ['a pair the wrong way round', 'a\ude00\ud83db'],
    ['a high surrogate before a pair', '\ud83d\ud83d\ude00'],
  ] as const) {
    it(`is ${name}, of either kind`, () => {
      assert.match(String(unfitCharacter(text, 'line')), /surrogate/)
      assert.match(String(unfitCharacter(text, 'lines')), /surrogate/)
    })
  }

  for (const [name, text] of [
    ['empty text', ''],
    ['letters of any script', 'Grüße, Привет, 你好, שלום, नमस्ते'],
    ['emoji', '👩🏽‍🚀 🇩🇪 1️⃣'],
    ['the last code point', '\u{10ffff}'],
    ['the neighbours of the control characters', ' ~\u00a0'],
  ] as const) {
    it(`is not ${name}`, () => {
      assert.equal(unfitCharacter(text, 'line'), null)
    })
  }
})

describe('one line', () => {
  for (const [name, text, expected] of [
    ['is plain text', 'Write it', true],
    ['is not text with a newline', 'Write\nit', false],
    ['is not text with a carriage return', 'Write\rit', false],
    ['is not text with a tab', 'Write\tit', false],
    ['is not text with half a character', 'Write \ud83d', false],
  ] as const) {
    it(name, () => {
      assert.equal(isOneLine(text), expected)
    })
  }
})

describe('one emoji', () => {
  for (const [name, text] of [
    ['a face', '😀'],
    ['a symbol with a variation selector', '✍️'],
    ['a symbol without one', '✍'],
    ['a heart with a variation selector', '❤️'],
    ['a skin tone', '👍🏽'],
    ['a skin tone on a symbol', '☝🏿'],
    ['a flag', '🇩🇪'],
    ['a flag of a part of a country', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['a flag of two emoji', '🏳️‍🌈'],
    ['a keycap', '1️⃣'],
    ['the keycap of a sign', '#️⃣'],
    ['a keycap without its variation selector', '1\u20e3'],
    ['a flag of two emoji without its variation selector', '\u{1f3f3}\u200d\u{1f308}'],
    ['a family', '👨‍👩‍👧‍👦'],
    ['a profession', '👩🏽‍🚀'],
    ['a couple of two skin tones', '👩🏻‍❤️‍💋‍👨🏿'],
    ['a gender', '🏃‍♀️'],
    ['a direction', '🏃‍➡️'],
    ['a broken chain', '⛓️‍💥'],
  ]) {
    it(`is ${name}: ${text}`, () => {
      assert.equal(isOneEmoji(text as string), true)
    })
  }

  for (const [name, text] of [
    ['nothing', ''],
    ['a space', ' '],
    ['a letter', 'a'],
    ['a digit', '1'],
    ['a keycap base', '#'],
    ['a Chinese character', '字'],
    ['a star that is no emoji', '★'],
    ['two emoji', '😀😀'],
    ['two flags', '🇩🇪🇫🇷'],
    ['half a flag', '🇩'],
    ['a flag of no country', '🇽🇽'],
    ['an emoji and a space', '😀 '],
    ['an emoji and a letter', '😀a'],
    ['an emoji and a line end', '😀\n'],
    ['a joiner', '\u200d'],
    ['a joiner at the end', '👨‍'],
    ['a variation selector', '\ufe0f'],
    ['two variation selectors', '✍\ufe0f\ufe0f'],
    ['an emoji shown as text', '☺\ufe0e'],
    ['a letter in a keycap', 'a\u20e3'],
    ['a keycap without a base', '\u20e3'],
    ['an emoji with an accent', '😀\u0301'],
    ['an emoji after a sign that joins it', '\u0600😀'],
    ['half an emoji', '\ud83d'],
    ['a shortcode', ':smile:'],
    ['an emoticon', ':-)'],
  ] as const) {
    it(`is not ${name}: ${JSON.stringify(text)}`, () => {
      assert.equal(isOneEmoji(text), false)
    })
  }
})

describe('text as a search compares it', () => {
  for (const [name, a, b] of [
    ['without regard to case', 'WRITE', 'write'],
    ['without regard to case beyond ASCII', 'ÉTÉ ÄÖÜ ПРИВЕТ ΑΒΓ', 'été äöü привет αβγ'],
    ['composed and decomposed alike', '\u00e9t\u00e9', 'e\u0301te\u0301'],
    ['full-width letters as letters', 'ＷＲＩＴＥ', 'write'],
    ['ligatures as letters', 'ﬁnd', 'find'],
    ['superscripts as digits', 'm²', 'm2'],
  ] as const) {
    it(name, () => {
      assert.equal(folded(a), folded(b))
    })
  }

  it('tells accents apart', () => {
    assert.notEqual(folded('été'), folded('ete'))
  })
})
