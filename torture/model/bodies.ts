import { DISPOSITIONS, type Fields, HAVING_STATUSES } from './things.ts'

/** What a body may hold in the model of the contract, and what is wrong with one that holds something else. */

/** An item of `errors`. One that is not certain may be there or not; one without a code may have any. */
export interface Problem {
  in: 'path' | 'query' | 'header' | 'body'
  /** Any of these names. */
  names: readonly string[]
  code?: string
  isCertain: boolean
}

export function inBody(names: string | readonly string[], code?: string, isCertain = true): Problem {
  return { in: 'body', names: [names].flat(), isCertain, ...(code !== undefined && { code }) }
}

/** Tells what is wrong with a value, by its code; null for nothing. */
type Check = (value: unknown) => string | null

const tidied = (text: string) => text.replaceAll('\r\n', '\n').trim()

const text =
  (min: number, max: number, isOneLine = true): Check =>
  (value) => {
    if (typeof value !== 'string') return 'invalid_type'
    const { length } = [...tidied(value)]
    if (length < min || length > max) return length < min ? 'too_short' : 'too_long'
    const isFit = [...tidied(value)].every((character) => character >= ' ' || (!isOneLine && '\n\t'.includes(character)))
    return isFit ? null : 'malformed'
  }

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value)

const oneOf =
  (words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value) ? null : 'invalid_value'

export const flag: Check = (value) => (typeof value === 'boolean' ? null : 'invalid_type')
export const position: Check = (value) => (typeof value === 'number' ? null : 'invalid_type')

const minutes: Check = (value) => {
  if (!Number.isInteger(value)) return 'invalid_type'
  return (value as number) < 0 || (value as number) > 525_600 ? 'out_of_range' : null
}

/** Whether a text has the form of an id. The names of the model have. */
export const isId = (value: unknown) => /^(nothing|(task|project|workflow|status|step)[\d.]+)$/.test(String(value))
const form =
  (isRight: (text: string) => boolean): Check =>
  (value) => {
    if (typeof value !== 'string') return 'invalid_type'
    return isRight(value) ? null : 'invalid_format'
  }

const id = orNull(form(isId))
export const time = orNull(form((value) => /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))))
const date = orNull(form((value) => /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00Z`).toISOString().startsWith(value)))
const emoji = orNull(form((value) => value === '🎈' || value === '✍️'))

export const TASK: Record<string, Check> = {
  title: text(1, 500),
  notes: orNull(text(0, 20_000, false)),
  disposition: oneOf(DISPOSITIONS),
  status_id: id,
  workflow_id: id,
  project_id: id,
  due_date: date,
  on_hold_until: time,
  estimate_minutes: orNull(minutes),
}
export const STEP: Record<string, Check> = { name: text(1, 500), minutes, completed: flag }
const description = orNull(text(0, 2_000, false))
export const PROJECT: Record<string, Check> = { name: text(1, 200), description }
export const WORKFLOW: Record<string, Check> = { name: text(1, 200), emoji, description }
export const STATUS: Record<string, Check> = { name: text(1, 200), disposition: oneOf(HAVING_STATUSES) }

export function shapeProblems(body: Fields, checks: Record<string, Check>, required: readonly string[] = []): Problem[] {
  const missing = required.filter((name) => body[name] === undefined)
  return [
    ...missing.map((name) => inBody(name, 'required')),
    ...Object.entries(body).flatMap(([name, value]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      const code = check === undefined ? 'unknown' : check(value)
      return code === null ? [] : [inBody(name, code)]
    }),
  ]
}

/** Texts as they are stored. */
export function tidy(body: Fields): Fields {
  const texts = ['title', 'name', 'notes', 'description']
  const entries = Object.entries(body).map(([name, value]) => [
    name,
    texts.includes(name) && typeof value === 'string' ? tidied(value) : value,
  ])
  return Object.fromEntries(entries)
}
