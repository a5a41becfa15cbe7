/** Times are milliseconds since the epoch inside, RFC 3339 outside; dates are `YYYY-MM-DD` strings everywhere and know no zone. */

export const DAY_MS = 86_400_000

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|([+-])(\d{2}):(\d{2}))$/

/** True for a day that exists in the (proleptic) Gregorian calendar, year 0001 to 9999. */
export function isDate(text: string): boolean {
  const parts = DATE.exec(text)
  if (parts === null) return false
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/**
 * The instant that an RFC 3339 date-time names, or null when it names none.
 *
 * Any offset is taken; fractions finer than a millisecond are cut off; leap seconds (`:60`) are not accepted, and neither is an instant
 * outside the UTC years 0001 to 9999, which could not be written back.
 */
export function parseDateTime(text: string): number | null {
  const parts = DATE_TIME.exec(text)
  if (parts === null) return null
  const [, date = '', hour, minute, second, fraction = '', , sign, offsetHour = '00', offsetMinute = '00'] = parts
  const inRange =
    isDate(date) &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 59 &&
    Number(offsetHour) <= 23 &&
    Number(offsetMinute) <= 59
  if (!inRange) return null
  const milliseconds = fraction === '' ? 0 : Math.trunc(Number(`0${fraction}`) * 1000 + 1e-9)
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute))
  const instant = Date.parse(`${date}T${hour}:${minute}:${second}Z`) + milliseconds - offsetMinutes * 60_000
  return instant >= EARLIEST && instant <= LATEST ? instant : null
}

const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** RFC 3339 in UTC with milliseconds. */
export function formatTime(instant: number): string {
  return new Date(instant).toISOString()
}

export function formatTimeOrNull(instant: number | null): string | null {
  return instant === null ? null : formatTime(instant)
}
