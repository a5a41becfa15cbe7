import { isOneEmoji, type TextKind, tidy, unfitCharacter } from '@fivetab/domain/text.ts'
import { isDate, parseDateTime } from '@fivetab/domain/time.ts'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { closest, distance } from 'fastest-levenshtein'
import type { TSchema } from 'typebox'
import { MAX_PROBLEMS, type RequestProblem } from './problem.ts'

/** Requests against their schemas: nothing is coerced, nothing is stripped, and every problem is found and put into words. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const FORMATS = {
  uuid: UUID,
  date: isDate,
  'date-time': (text: string) => parseDateTime(text) !== null,
  emoji: isOneEmoji,
  color: /^#[0-9a-f]{6}$/,
}

const FORMAT_WORDS: Record<string, string> = {
  uuid: 'a UUID, such as 019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20',
  date: 'a day of the calendar as YYYY-MM-DD, such as 2026-12-01',
  'date-time': 'a date-time with an offset or Z (RFC 3339), such as 2026-12-01T08:00:00+01:00',
  emoji: 'one emoji',
  color: 'a colour as #rrggbb in small letters, such as #2f6fed',
}

interface TidyFunction {
  (
    kind: TextKind | 'id',
    text: string,
    schema: unknown,
    at?: { parentData: Record<string, unknown>; parentDataProperty: string | number },
  ): boolean
  errors?: Partial<ErrorObject>[]
}

/** Brings a text into the form in which it is measured and stored, before its length and format are looked at. */
const tidyInPlace: TidyFunction = (kind, text, _schema, at) => {
  const tidied = kind === 'id' ? text.toLowerCase() : tidy(text)
  if (at !== undefined) at.parentData[at.parentDataProperty] = tidied
  const unfit = kind === 'id' ? null : unfitCharacter(tidied, kind)
  if (unfit === null) return true
  tidyInPlace.errors = [{ keyword: 'x-tidy', message: unfit, params: {} }]
  return false
}

/** One part of a request, checked. */
export type PartCheck = (data: unknown) => RequestProblem[]

/** How each part of a request is held against its schema. `shared` are the shapes that schemas refer to by name. */
export function partChecks(shared: readonly object[]): (part: RequestProblem['in'], schema: TSchema) => PartCheck {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    allowUnionTypes: true,
    verbose: true,
    formats: FORMATS,
  })
  ajv.addKeyword({
    keyword: 'x-tidy',
    type: 'string',
    schemaType: 'string',
    modifying: true,
    before: 'maxLength',
    errors: true,
    validate: tidyInPlace,
  })
  for (const schema of shared) ajv.addSchema(schema)
  // Many routes have the same path, and to compile a schema takes longer than all else at the start.
  const compiled = new Map<string, ValidateFunction>()
  return (part, schema) => {
    const key = JSON.stringify(schema)
    const validate = compiled.get(key) ?? ajv.compile(schema)
    compiled.set(key, validate)
    return part === 'query' ? queryCheck(validate, schema) : (data) => problemsOf(validate, part, data)
  }
}

function problemsOf(validate: ValidateFunction, part: RequestProblem['in'], data: unknown): RequestProblem[] {
  if (validate(data)) return []
  const errors = validate.errors ?? []
  // A value of the wrong type is also none of the listed ones; that is one problem, not two.
  const mistyped = new Set(errors.filter((error) => error.keyword === 'type').map((error) => error.instancePath))
  const distinct = errors.filter((error) => error.keyword !== 'enum' || !mistyped.has(error.instancePath))
  // One more than are told, so that it shows that there are more.
  return distinct.slice(0, MAX_PROBLEMS + 1).map((error) => toProblem(part, error))
}

/** A query string holds texts alone: those that stand for numbers are read as such, and one that is given twice is refused. */
function queryCheck(validate: ValidateFunction, schema: TSchema): PartCheck {
  const properties = (schema as { properties?: Record<string, { type?: string; format?: string }> }).properties ?? {}
  return (data) => {
    const query = data as Record<string, unknown>
    const problems: RequestProblem[] = []
    for (const [name, value] of Object.entries(query)) {
      if (Array.isArray(value)) {
        delete query[name]
        problems.push({ in: 'query', name, code: 'invalid_value', detail: `${name} is given more than once.` })
      } else {
        query[name] = readParameter(value as string, Object.hasOwn(properties, name) ? properties[name] : undefined)
      }
    }
    return [...problems, ...problemsOf(validate, 'query', query)]
  }
}

function readParameter(text: string, property: { type?: string; format?: string } | undefined): unknown {
  if (property?.type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  // An offset's plus sign that was not percent-encoded arrives as a space, where no date-time can have one.
  if (property?.format === 'date-time') return text.replace(/ (?=\d\d:\d\d$)/, '+')
  return text
}

function toProblem(part: RequestProblem['in'], error: ErrorObject): RequestProblem {
  const { pointer, name } = placeOf(error)
  const { code, detail } = inWords(error, name)
  return part === 'body' ? { in: part, name, pointer, code, detail } : { in: part, name, code, detail }
}

function placeOf({ instancePath, keyword, params }: ErrorObject): { pointer: string; name: string } {
  const member =
    keyword === 'required' ? params.missingProperty : keyword === 'additionalProperties' ? params.additionalProperty : undefined
  const pointer = member === undefined ? instancePath : `${instancePath}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`
  return { pointer, name: nameIn(pointer) }
}

/** The field that a pointer leads to; that of the list where it leads to an item of one. */
function nameIn(pointer: string): string {
  const field = pointer.split('/').findLast((segment) => !/^\d+$/.test(segment)) ?? ''
  return field.replaceAll('~1', '/').replaceAll('~0', '~')
}

function inWords(error: ErrorObject, name: string): Pick<RequestProblem, 'code' | 'detail'> {
  const { keyword, params } = error
  const subject = name === '' ? 'The body' : name
  switch (keyword) {
    case 'required':
      return { code: 'required', detail: `${name} is required.` }
    case 'additionalProperties':
      return { code: 'unknown', detail: `${name} is not known here.${didYouMean(name, error)}` }
    case 'type':
      return { code: 'invalid_type', detail: `${subject} must be ${typeInWords(params.type)}.` }
    case 'format':
      return { code: 'invalid_format', detail: `${subject} must be ${FORMAT_WORDS[params.format as string]}.` }
    case 'enum':
      return { code: 'invalid_value', detail: `${subject} must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}.` }
    case 'minLength':
      return { code: 'too_short', detail: `${subject} must have at least ${count(params.limit, 'character')}.` }
    case 'maxLength':
      return { code: 'too_long', detail: `${subject} must have at most ${count(params.limit, 'character')}.` }
    case 'minItems':
      return { code: 'too_short', detail: `${subject} must have at least ${count(params.limit, 'item')}.` }
    case 'maxItems':
      return { code: 'too_long', detail: `${subject} must have at most ${count(params.limit, 'item')}.` }
    case 'minimum':
    case 'maximum': {
      const { minimum, maximum } = error.parentSchema as { minimum: number; maximum: number }
      return { code: 'out_of_range', detail: `${subject} must lie between ${minimum} and ${maximum}.` }
    }
    case 'x-tidy':
      return { code: 'malformed', detail: `${subject} ${error.message}.` }
    default:
      return { code: 'invalid_value', detail: `${subject} ${error.message}.` }
  }
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

function typeInWords(type: string | string[]): string {
  return [type]
    .flat()
    .map((name) => TYPE_WORDS[name] ?? name)
    .join(' or ')
}

function count(limit: number, unit: string): string {
  return `${limit} ${unit}${limit === 1 ? '' : 's'}`
}

/** Names longer than any of ours cannot be close to one, and comparing them would cost. */
const LONGEST_NAME_COMPARED = 40

function didYouMean(name: string, error: ErrorObject): string {
  const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {})
  if (known.length === 0 || name.length > LONGEST_NAME_COMPARED) return ''
  const candidate = closest(name, known)
  return distance(name, candidate) <= Math.max(2, Math.floor(candidate.length / 3)) ? ` Did you mean ${candidate}?` : ''
}
