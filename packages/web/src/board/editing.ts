import { ask, Refused } from '../client/http.ts'
import type { Board } from './board.ts'
import { type Change, Conflict, clashes, type Known, type Settle } from './changes.ts'

/** Changes of fields that keep what others have changed meanwhile: sent with the version that they are based on, and never over somebody else's words. */

export interface Versioned {
  id: string
  version: string
}

/** A kind of resource that can be edited. */
export interface Editable<T extends Versioned> {
  lane(id: string): string
  path(shown: T): string
  of(board: Board, shown: T): T | undefined
  /** The board with what is stored, unless it knows a newer version. */
  with(board: Board, stored: T): Board
  /** The board with what is not stored yet. */
  showing(board: Board, resource: T): Board
}

/** How often a change is based on a newer version before somebody has to look at it: each time somebody else was faster. */
export const TRIES = 5

/**
 * The change of `fields` of what the person saw as `shown`. Where somebody else has changed other fields, both are kept; where the same ones, it is a
 * Conflict.
 */
export function edit<T extends Versioned, F extends object>(
  kind: Editable<T>,
  shown: T,
  fields: F,
  applied: (now: T, board: Board, at: number) => T,
): Change {
  return {
    lane: kind.lane(shown.id),
    apply: (board, at) => {
      const now = kind.of(board, shown)
      return now === undefined ? board : kind.showing(board, applied(now, board, at))
    },
    send: (known) => sendEdit(kind, shown, fields, known, (current) => edit(kind, current, fields, applied)),
  }
}

async function sendEdit<T extends Versioned, F extends object>(
  kind: Editable<T>,
  shown: T,
  fields: F,
  known: Known,
  again: (current: T) => Change,
): Promise<Settle> {
  for (let tries = 1; ; tries += 1) {
    const current = kind.of(known.board(), shown) ?? shown
    const clashing = clashes(shown, fields, current)
    if (clashing.length > 0) throw new Conflict(kind.lane(shown.id), clashing, () => again(current))
    try {
      const stored = await ask<T>('PATCH', kind.path(shown), { body: fields, ifMatch: current.version })
      return (board) => kind.with(board, stored)
    } catch (error) {
      const newer = newerOf<T>(error)
      if (newer === null || tries === TRIES) throw error
      known.learn((board) => kind.with(board, newer))
    }
  }
}

/** The resource as it is now, out of the refusal of a change that expected another version. */
export function newerOf<T>(error: unknown): T | null {
  if (!(error instanceof Refused) || error.problem.code !== 'precondition_failed') return null
  return error.problem.current as T
}
