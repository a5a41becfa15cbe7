import { EVENT_KINDS, EVENT_TYPES, type EventKind, type EventType, kindOf } from '@fivetab/domain/event.ts'

/** Choosing the events that a webhook is told of: all there are (`*`), all of a kind (`task.*`), or single types. */

const ALL = '*'

/** The kinds with their types, as they are shown. */
export const EVENT_CHOICES: readonly { kind: EventKind; types: readonly EventType[] }[] = EVENT_KINDS.map((kind) => ({
  kind,
  types: EVENT_TYPES.filter((type) => kindOf(type) === kind),
}))

export function isAll(patterns: readonly string[]): boolean {
  return patterns.includes(ALL)
}

/** All events, or only some of them: to begin with, those of tasks. */
export function choosingAll(wantsAll: boolean): string[] {
  return wantsAll ? [ALL] : [wholeOf('task')]
}

export function hasKind(patterns: readonly string[], kind: EventKind): boolean {
  return patterns.includes(wholeOf(kind))
}

export function hasType(patterns: readonly string[], type: EventType): boolean {
  return patterns.includes(type) || hasKind(patterns, kindOf(type))
}

/** With all events of a kind, or none of them. */
export function withKind(patterns: readonly string[], kind: EventKind, isWanted: boolean): string[] {
  const others = patterns.filter((pattern) => !isOf(pattern, kind))
  return inOrder(isWanted ? [...others, wholeOf(kind)] : others)
}

/** With one type or without it. What a kind stood for is named one by one once it lacks a type; all types of a kind stay single ones. */
export function withType(patterns: readonly string[], type: EventType, isWanted: boolean): string[] {
  const kind = kindOf(type)
  const others = patterns.filter((pattern) => !isOf(pattern, kind))
  const ofKind = EVENT_TYPES.filter((other) => kindOf(other) === kind && (other === type ? isWanted : hasType(patterns, other)))
  return inOrder([...others, ...ofKind])
}

function wholeOf(kind: EventKind): string {
  return `${kind}.*`
}

function isOf(pattern: string, kind: EventKind): boolean {
  return pattern.startsWith(`${kind}.`)
}

function inOrder(patterns: readonly string[]): string[] {
  return EVENT_CHOICES.flatMap(({ kind, types }) => [wholeOf(kind), ...types]).filter((pattern) => patterns.includes(pattern))
}
