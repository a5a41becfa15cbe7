import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { Board } from '../../board/board.ts'

/**
 * The archived tasks of a board, newest first: ids are made in order. `reach` is the id down to which the archive was read, null for all of it; the board
 * may know older ones, which have their turn when all between them is known too.
 */
export function archivedOn(board: Board, reach: string | null): TaskWire[] {
  return [...board.tasks.values()]
    .filter(({ archived, id }) => archived && (reach === null || id >= reach))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
}
