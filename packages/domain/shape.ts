import { type Static, type TSchema, Type } from 'typebox'
import type { TextKind } from './text.ts'

/** The building blocks of every shape. Each says its format and bounds once; validation, types and the API's document all read them here. */

export const MAX_ESTIMATE_MINUTES = 525_600

/** Text that is tidied before its length is counted (`x-tidy`, carried out by the validator); `min` and `max` are in code points. */
export function text(kind: TextKind, min: number, max: number, description: string) {
  return Type.String({ 'x-tidy': kind, minLength: min, maxLength: max, description })
}

/** A schema that also takes null. One type list instead of a union, so that a wrong value is one problem and not two. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: values, ...rest } = schema as S & { type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<S> | null>({ ...rest, type: [type ?? 'string', 'null'], ...(values ? { enum: [...values, null] } : {}) })
}

/** A closed list of words. */
export function oneOf<const Words extends readonly string[]>(words: Words, description: string) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description, examples: [words[0]] })
}

export function id(description: string) {
  return Type.String({ format: 'uuid', 'x-tidy': 'id', description, examples: ['019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20'] })
}

export function dateTime(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-12-01T08:00:00.000Z'] })
}

export function date(description: string) {
  return Type.String({ format: 'date', description, examples: ['2026-12-01'] })
}

export const Version = Type.String({
  pattern: '^"[0-9]+"$',
  description: 'Changes whenever the resource changes. It is the ETag, quotes included.',
})

export const CreatedAt = dateTime('When it was created; RFC 3339, UTC, milliseconds.')

export const UpdatedAt = dateTime('When it last changed; RFC 3339, UTC, milliseconds.')

export const Position = Type.Number({
  description: 'Siblings sort by it, then by id. To move one, send a number between those of its new neighbours.',
})

/** An object shape that refuses what it does not name. */
export function shape<Properties extends Record<string, TSchema>>(
  $id: string,
  description: string,
  properties: Properties,
  example: object,
) {
  return Type.Object(properties, { $id, description, additionalProperties: false, examples: [example] })
}

/** A shape by its name: it keeps its static type here and its own component in the API's document. */
export function ref<S extends TSchema>(named: S) {
  return Type.Unsafe<Static<S>>({ $ref: `${(named as S & { $id: string }).$id}#` })
}

export function versionToWire(version: number): string {
  return `"${version}"`
}

/** The number of a version in its wire form. */
export function versionOnWire(version: string): number {
  return Number(version.slice(1, -1))
}
