import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatTime, formatTimeOrNull, isDate, parseDateTime } from '@fivetab/domain/time.ts'
import fc from 'fast-check'

const RUNS = { numRuns: 500 }
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

const anInstant = fc.integer({ min: EARLIEST, max: LATEST })

function padded(number: number, length: number): string {
  return String(number).padStart(length, '0')
}

describe('a date', () => {
  for (const text of [
    '2026-11-21',
    '2024-02-29',
    '2000-02-29',
    '2400-02-29',
    '0004-02-29',
    '2023-02-28',
    '0001-01-01',
    '9999-12-31',
    '2026-04-30',
    '2026-01-31',
  ]) {
    it(`is ${text}`, () => {
      assert.equal(isDate(text), true)
    })
  }

  for (const [name, text] of [
    ['29 February of a common year', '2023-02-29'],
    ['29 February of a century', '1900-02-29'],
    ['29 February of a century to come', '2100-02-29'],
    ['30 February', '2024-02-30'],
    ['31 April', '2026-04-31'],
    ['31 June', '2026-06-31'],
    ['31 September', '2026-09-31'],
    ['31 November', '2026-11-31'],
    ['32 January', '2026-01-32'],
    ['day 0', '2026-01-00'],
    ['month 0', '2026-00-10'],
    ['month 13', '2026-13-01'],
    ['year 0', '0000-01-01'],
    ['a month of one digit', '2026-1-01'],
    ['a day of one digit', '2026-01-1'],
    ['a year of two digits', '26-01-01'],
    ['a year of five digits', '12026-01-01'],
    ['a signed year', '+2026-01-01'],
    ['a year before the first', '-0001-01-01'],
    ['a date-time', '2026-01-01T00:00:00Z'],
    ['slashes', '2026/01/01'],
    ['no dashes', '20260101'],
    ['a week date', '2026-W01-1'],
    ['a day of the year', '2026-001'],
    ['a space ahead', ' 2026-01-01'],
    ['a line end', '2026-01-01\n'],
    ['digits of another script', '٢٠٢٦-01-01'],
    ['nothing', ''],
  ]) {
    it(`is not ${name}: ${JSON.stringify(text)}`, () => {
      assert.equal(isDate(text as string), false)
    })
  }

  it('is one exactly when the calendar has that day', () => {
    const parts = fc.tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }))

    fc.assert(
      fc.property(parts, ([year, month, day]) => {
        const calendar = new Date(0)
        calendar.setUTCFullYear(year, month - 1, day)
        const exists =
          year >= 1 && calendar.getUTCFullYear() === year && calendar.getUTCMonth() === month - 1 && calendar.getUTCDate() === day

        assert.equal(isDate(`${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`), exists)
      }),
      RUNS,
    )
  })
})

describe('a date-time', () => {
  for (const [name, text, expected] of [
    ['in UTC', '2026-11-21T07:00:00Z', '2026-11-21T07:00:00.000Z'],
    ['with milliseconds', '2026-11-21T07:00:00.123Z', '2026-11-21T07:00:00.123Z'],
    ['in small letters', '2026-11-21t07:00:00z', '2026-11-21T07:00:00.000Z'],
    ['ahead of UTC', '2026-11-21T07:00:00+01:00', '2026-11-21T06:00:00.000Z'],
    ['behind UTC', '2026-11-21T07:00:00-05:30', '2026-11-21T12:30:00.000Z'],
    ['at the farthest offset in use', '2026-11-21T07:00:00+14:00', '2026-11-20T17:00:00.000Z'],
    ['at the farthest offset there is', '2026-11-21T07:00:00-23:59', '2026-11-22T06:59:00.000Z'],
    ['at an offset of nought', '2026-11-21T07:00:00+00:00', '2026-11-21T07:00:00.000Z'],
    ['at an offset unknown', '2026-11-21T07:00:00-00:00', '2026-11-21T07:00:00.000Z'],
    ['over the new year', '2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['over a leap day', '2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00.000Z'],
    ['with tenths', '2026-11-21T07:00:00.1Z', '2026-11-21T07:00:00.100Z'],
    ['with hundredths', '2026-11-21T07:00:00.07+00:00', '2026-11-21T07:00:00.070Z'],
    ['with microseconds, cut off', '2026-11-21T07:00:00.123999Z', '2026-11-21T07:00:00.123Z'],
    ['with nanoseconds, cut off', '2026-11-21T07:00:00.999999999Z', '2026-11-21T07:00:00.999Z'],
    ['with less than a millisecond', '2026-11-21T07:00:00.000999999Z', '2026-11-21T07:00:00.000Z'],
    ['before 1970, with a fraction', '1969-12-31T23:59:59.250Z', '1969-12-31T23:59:59.250Z'],
    ['of the first instant', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['of the last instant', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    it(`${name} is taken: ${text}`, () => {
      const instant = parseDateTime(text)

      assert.equal(formatTimeOrNull(instant), expected)
    })
  }

  it('keeps every millisecond that it is given', () => {
    const second = Date.parse('2026-11-21T07:00:00Z')

    for (let millisecond = 0; millisecond < 1000; millisecond++) {
      assert.equal(parseDateTime(`2026-11-21T07:00:00.${padded(millisecond, 3)}Z`), second + millisecond)
    }
  })

  for (const [name, text] of [
    ['without an offset', '2026-11-21T07:00:00'],
    ['without a time', '2026-11-21'],
    ['without seconds', '2026-11-21T07:00Z'],
    ['with a space for the T', '2026-11-21 07:00:00Z'],
    ['with a day that does not exist', '2023-02-29T07:00:00Z'],
    ['with a month that does not exist', '2026-13-01T07:00:00Z'],
    ['at 24 o’clock', '2026-11-21T24:00:00Z'],
    ['at minute 60', '2026-11-21T07:60:00Z'],
    ['at a leap second', '2016-12-31T23:59:60Z'],
    ['at offset 24:00', '2026-11-21T07:00:00+24:00'],
    ['at offset 01:60', '2026-11-21T07:00:00+01:60'],
    ['at an offset without a colon', '2026-11-21T07:00:00+0100'],
    ['at an offset of hours alone', '2026-11-21T07:00:00+01'],
    ['at a named zone', '2026-11-21T07:00:00 CET'],
    ['at an offset and Z', '2026-11-21T07:00:00+01:00Z'],
    ['with a point and no fraction', '2026-11-21T07:00:00.Z'],
    ['with a comma', '2026-11-21T07:00:00,5Z'],
    ['with a line end', '2026-11-21T07:00:00Z\n'],
    ['with a space ahead', ' 2026-11-21T07:00:00Z'],
    ['with a year of six digits', '+002026-11-21T07:00:00Z'],
    ['in year 0', '0000-12-31T23:59:59Z'],
    ['before year 1 in UTC', '0001-01-01T00:00:00+00:01'],
    ['after year 9999 in UTC', '9999-12-31T23:59:59-00:01'],
    ['as a number', '1763708400000'],
    ['as nothing', ''],
  ]) {
    it(`${name} is refused: ${JSON.stringify(text)}`, () => {
      assert.equal(parseDateTime(text as string), null)
    })
  }

  it('that was written is read as the same instant', () => {
    fc.assert(
      fc.property(anInstant, (instant) => {
        assert.equal(parseDateTime(formatTime(instant)), instant)
      }),
      RUNS,
    )
  })

  it('is the same instant at whatever offset it is written', () => {
    const anOffset = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 })
    const inside = fc.integer({ min: EARLIEST + 86_400_000, max: LATEST - 86_400_000 })

    fc.assert(
      fc.property(inside, anOffset, (instant, minutes) => {
        const local = formatTime(instant + minutes * 60_000).slice(0, -1)
        const distance = Math.abs(minutes)
        const offset = `${minutes < 0 ? '-' : '+'}${padded(Math.floor(distance / 60), 2)}:${padded(distance % 60, 2)}`

        assert.equal(parseDateTime(local + offset), instant)
      }),
      RUNS,
    )
  })

  it('is refused exactly when it lies outside the years 1 to 9999 of UTC', () => {
    const aDay = fc.constantFrom('0001-01-01', '0001-01-02', '2026-11-21', '9999-12-30', '9999-12-31')
    const aTime = fc
      .tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 }), fc.nat({ max: 59 }))
      .map((parts) => parts.map((part) => padded(part, 2)).join(':'))
    const anOffset = fc.tuple(fc.constantFrom('+', '-'), fc.nat({ max: 23 }), fc.nat({ max: 59 }))

    fc.assert(
      fc.property(aDay, aTime, anOffset, (day, time, [sign, hours, minutes]) => {
        const distance = (hours * 60 + minutes) * 60_000
        const instant = Date.parse(`${day}T${time}Z`) + (sign === '+' ? -distance : distance)
        const exists = instant >= EARLIEST && instant <= LATEST

        assert.equal(parseDateTime(`${day}T${time}${sign}${padded(hours, 2)}:${padded(minutes, 2)}`), exists ? instant : null)
      }),
      RUNS,
    )
  })
})

describe('a time on the wire', () => {
  it('is RFC 3339 in UTC with milliseconds', () => {
    assert.equal(formatTime(Date.UTC(2026, 10, 21, 7)), '2026-11-21T07:00:00.000Z')
  })

  it('that is none is null', () => {
    assert.equal(formatTimeOrNull(null), null)
  })

  it('of the epoch is a time like any other', () => {
    assert.equal(formatTimeOrNull(0), '1970-01-01T00:00:00.000Z')
  })
})
