import { ask, Refused } from '../client/http.ts'
import type { Board } from './board.ts'
import type { Change, Known } from './changes.ts'
import { type Editable, newerOf, TRIES, type Versioned } from './editing.ts'

/**
 * Deletes what the person saw as `shown`. Whatever else somebody has done to it meanwhile does not count, but where `seen`, the fields that the person went
 * by, is not as it was, it is refused and stays. `without` is the board then.
 */
export function remove<T extends Versioned>(
  kind: Editable<T>,
  shown: T,
  seen: readonly (keyof T)[],
  without: (board: Board) => Board,
): Change {
  return {
    lane: kind.lane(shown.id),
    apply: without,
    send: async (known) => {
      await sendDeletion(kind, shown, (newer) => seen.every((field) => newer[field] === shown[field]), known)
      return without
    },
  }
}

async function sendDeletion<T extends Versioned>(
  kind: Editable<T>,
  shown: T,
  isAsSeen: (newer: T) => boolean,
  known: Known,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const current = kind.of(known.board(), shown)
    // Somebody else has deleted it.
    if (current === undefined) return
    try {
      return await ask('DELETE', kind.path(shown), { ifMatch: current.version })
    } catch (error) {
      if (error instanceof Refused && error.problem.code === 'not_found') return
      const newer = newerOf<T>(error)
      if (newer === null) throw error
      known.learn((board) => kind.with(board, newer))
      if (tries === TRIES || !isAsSeen(newer)) throw error
    }
  }
}
