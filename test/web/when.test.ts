import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clockTime, dayInWords, minutesInWords, timeInWords, weekdayTime } from '../../packages/web/src/board/when.ts'

const WORDS = { today: 'today', tomorrow: 'tomorrow', yesterday: 'yesterday' }
const AUCKLAND = { language: 'en', timeZone: 'Pacific/Auckland' }
const BERLIN = { language: 'de', timeZone: 'Europe/Berlin' }

/** A Saturday at noon in Berlin, and an hour into Sunday in Auckland. */
const NOW = Date.parse('2026-11-21T12:00:00Z')

describe('a day in words', () => {
  const DAYS: [day: string, inWords: string][] = [
    ['2026-11-20', 'yesterday'],
    ['2026-11-21', 'today'],
    ['2026-11-22', 'tomorrow'],
    ['2026-11-23', 'Montag'],
    ['2026-11-27', 'Freitag'],
    ['2026-11-28', '28. Nov.'],
    ['2026-11-18', '18. Nov.'],
    ['2027-11-21', '21. Nov. 2027'],
    ['2025-12-31', '31. Dez. 2025'],
  ]

  for (const [day, inWords] of DAYS) {
    it(`is "${inWords}" for ${day}`, () => {
      assert.equal(dayInWords(day, NOW, BERLIN, WORDS), inWords)
    })
  }

  it('is counted from the day that it is where the person is', () => {
    assert.equal(dayInWords('2026-11-22', NOW, AUCKLAND, WORDS), 'today')
  })
})

describe('a time in words', () => {
  it('is that of the clocks where the person is', () => {
    const morning = Date.parse('2026-11-22T19:00:00Z')

    assert.equal(timeInWords(morning, NOW, AUCKLAND, WORDS), 'tomorrow 08:00')
    assert.equal(timeInWords(morning, NOW, BERLIN, WORDS), 'tomorrow 20:00')
  })

  it('tells midnight as the beginning of a day', () => {
    assert.equal(clockTime(Date.parse('2026-11-21T23:00:00Z'), BERLIN), '00:00')
  })

  it('has the day of the week, where that is enough', () => {
    assert.equal(weekdayTime(Date.parse('2026-11-23T07:00:00Z'), { ...BERLIN, language: 'en' }), 'Mon 08:00')
  })
})

describe('minutes in words', () => {
  for (const [minutes, inWords] of [
    [0, '0 min'],
    [45, '45 min'],
    [60, '1 hr'],
    [135, '2 hr 15 min'],
    [6_000, '100 hr'],
  ] as const) {
    it(`are "${inWords}" for ${minutes}`, () => {
      assert.equal(minutesInWords(minutes, 'en'), inWords)
    })
  }
})
