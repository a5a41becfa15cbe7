import { Failure } from '@fivetab/domain/failure.ts'
import { isOneLine, tidy } from '@fivetab/domain/text.ts'
import type { RandomBytes } from '../store/ids.ts'
import type { Store } from '../store/turn.ts'

/** The one who runs the service. What an operator does is in no account's scope, and no token can do it. */
export interface Operator {
  store: Store
  /** Ms since the epoch. */
  clock: () => number
  random: RandomBytes
}

/** @throws Failure `invalid_request` for text that is empty, longer than `max` code points, or more than one line */
export function requireLine(what: string, text: string, max: number): string {
  const trimmed = tidy(text)
  const length = [...trimmed].length
  if (length === 0) throw new Failure('invalid_request', `${what} must not be empty.`)
  if (length > max) throw new Failure('invalid_request', `${what} must have at most ${max} characters, and this has ${length}.`)
  if (!isOneLine(trimmed)) throw new Failure('invalid_request', `${what} must be one line of ordinary characters.`)
  return trimmed
}
