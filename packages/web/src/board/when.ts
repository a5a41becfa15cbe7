import { dayIn, plusDays } from './later.ts'

/** Days and times in words that a person uses, in the person's own zone. */

export interface DayWords {
  today: string
  tomorrow: string
  yesterday: string
}

export interface Locale {
  language: string
  /** An IANA name. */
  timeZone: string
}

/** Days so near are told by their weekday. */
const WEEK_DAYS = 6

/** A calendar day (`YYYY-MM-DD`) seen from `now` (ms since the epoch): "tomorrow", "Friday", "12 March", "12 March 2027". */
export function dayInWords(day: string, now: number, { language, timeZone }: Locale, words: DayWords): string {
  const today = dayIn(timeZone, now)
  if (day === today) return words.today
  if (day === plusDays(today, 1)) return words.tomorrow
  if (day === plusDays(today, -1)) return words.yesterday
  return formatDay(day, today, language)
}

function formatDay(day: string, today: string, language: string): string {
  const isNear = day > today && day <= plusDays(today, WEEK_DAYS)
  const isThisYear = day.slice(0, 4) === today.slice(0, 4)
  const kind = isNear ? 'near' : isThisYear ? 'thisYear' : 'otherYear'
  return formatOf(`${language} ${kind}`, () => new Intl.DateTimeFormat(language, { ...DAY[kind], timeZone: 'UTC' })).format(
    new Date(`${day}T00:00:00Z`),
  )
}

const DAY = {
  near: { weekday: 'long' },
  thisYear: { day: 'numeric', month: 'short' },
  otherYear: { day: 'numeric', month: 'short', year: 'numeric' },
} as const

/** An instant (ms since the epoch) seen from `now`: "tomorrow 08:00". */
export function timeInWords(instant: number, now: number, locale: Locale, words: DayWords): string {
  return `${dayInWords(dayIn(locale.timeZone, instant), now, locale, words)} ${clockTime(instant, locale)}`
}

export function clockTime(instant: number, { language, timeZone }: Locale): string {
  const make = () => new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone })
  return formatOf(`${language} ${timeZone} clock`, make).format(instant)
}

/** The day of the week and the time of an instant that is less than a week off: "Mon 08:00". */
export function weekdayTime(instant: number, { language, timeZone }: Locale): string {
  const make = () => new Intl.DateTimeFormat(language, { weekday: 'short', timeZone })
  return `${formatOf(`${language} ${timeZone} weekday`, make).format(instant)} ${clockTime(instant, { language, timeZone })}`
}

/** Minutes, 0 or more, as hours and minutes: "1 h 30 min". */
export function minutesInWords(minutes: number, language: string): string {
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  const parts = [
    ...(hours > 0 ? [unitOf(hours, 'hour', language)] : []),
    ...(rest > 0 || hours === 0 ? [unitOf(rest, 'minute', language)] : []),
  ]
  return parts.join(' ')
}

function unitOf(count: number, unit: 'hour' | 'minute', language: string): string {
  const make = () => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' })
  return formatOf(`${language} ${unit}`, make).format(count)
}

/** Making a format costs far more than using it, and a list uses a few of them very often. */
const formats = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>()

function formatOf<T extends Intl.DateTimeFormat | Intl.NumberFormat>(name: string, make: () => T): T {
  const known = formats.get(name)
  if (known !== undefined) return known as T
  const format = make()
  formats.set(name, format)
  return format
}
