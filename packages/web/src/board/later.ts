import { DAY_MS, parseDateTime } from '@fivetab/domain/time.ts'

/** When a task that is put off can return: times in the person's own zone. */

export interface LaterChoice {
  key: 'tonight' | 'tomorrow' | 'weekend' | 'nextWeek'
  /** Ms since the epoch. */
  until: number
}

const MORNING_HOUR = 8
const EVENING_HOUR = 18
const HOUR_MS = 3_600_000
/** Tonight is offered while it is this far off. */
const TONIGHT_NOTICE_MS = HOUR_MS
const SATURDAY = 6
const SUNDAY = 0
const MONDAY = 1

/** What there is to choose from at `now` (ms since the epoch) in `timeZone` (an IANA name). */
export function laterChoices(now: number, timeZone: string): LaterChoice[] {
  const today = dayIn(timeZone, now)
  const tonight = timeIn(timeZone, today, EVENING_HOUR)
  const choices: LaterChoice[] = [
    { key: 'tonight', until: tonight },
    { key: 'tomorrow', until: timeIn(timeZone, plusDays(today, 1), MORNING_HOUR) },
    { key: 'weekend', until: timeIn(timeZone, next(today, SATURDAY), MORNING_HOUR) },
    { key: 'nextWeek', until: timeIn(timeZone, next(today, MONDAY), MORNING_HOUR) },
  ]
  const weekday = weekdayOf(today)
  return choices.filter(({ key }) => {
    if (key === 'tonight') return tonight - now >= TONIGHT_NOTICE_MS
    // On Friday it is tomorrow; at the weekend it is now.
    if (key === 'weekend') return weekday >= MONDAY && weekday < SATURDAY - 1
    return key !== 'nextWeek' || weekday !== SUNDAY
  })
}

/** The morning of a day (`YYYY-MM-DD`), in ms since the epoch. */
export function morningOf(day: string, timeZone: string): number {
  return timeIn(timeZone, day, MORNING_HOUR)
}

/** The calendar day, `YYYY-MM-DD`, that it is in `timeZone` at `now`. */
export function dayIn(timeZone: string, now: number): string {
  const { year, month, day } = wallClock(timeZone, now)
  return isoDay(Date.UTC(year, month - 1, day))
}

export function plusDays(day: string, count: number): string {
  return isoDay(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS)
}

function isoDay(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

/** 0 is Sunday. */
function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay()
}

/** The first such weekday after `day`. */
function next(day: string, weekday: number): string {
  return plusDays(day, ((weekday - weekdayOf(day) + 6) % 7) + 1)
}

/** The instant at which clocks in `timeZone` show this hour of this day. */
function timeIn(timeZone: string, day: string, hour: number): number {
  return instantAt(timeZone, Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS)
}

/** What clocks in `timeZone` show at `instant`, as a field for a date and a time has it: `YYYY-MM-DDTHH:MM`. */
export function localTimeOf(instant: number, timeZone: string): string {
  return new Date(instant + offsetIn(timeZone, instant)).toISOString().slice(0, 16)
}

/** The instant at which clocks in `timeZone` show this (`YYYY-MM-DDTHH:MM`); null for what is no time. */
export function instantOfLocal(local: string, timeZone: string): number | null {
  const asIfUtc = parseDateTime(`${local}:00Z`)
  return asIfUtc === null ? null : instantAt(timeZone, asIfUtc)
}

/** Of a time that clocks show twice, as they are put back, it is the first; one that they never show, as they are put forward, is that much later. */
function instantAt(timeZone: string, asIfUtc: number): number {
  const before = asIfUtc - offsetIn(timeZone, asIfUtc - DAY_MS)
  const after = asIfUtc - offsetIn(timeZone, asIfUtc + DAY_MS)
  return [before, after].find((instant) => instant + offsetIn(timeZone, instant) === asIfUtc) ?? before
}

/** How far clocks in `timeZone` are ahead of UTC, in ms. */
function offsetIn(timeZone: string, instant: number): number {
  const { year, month, day, hour, minute, second } = wallClock(timeZone, instant)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000
}

function wallClock(timeZone: string, instant: number) {
  const parts = formatIn(timeZone).formatToParts(instant)
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  return { year: read('year'), month: read('month'), day: read('day'), hour: read('hour'), minute: read('minute'), second: read('second') }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, format)
  return format
}
