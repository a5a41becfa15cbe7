import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { Board } from './board.ts'

/** How many open tasks there are of each of what `of` gives, such as their project. */
export function openTasksBy(board: Board, of: (task: TaskWire) => string | null): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>()
  for (const task of board.tasks.values()) {
    if (task.archived || task.disposition === 'done') continue
    counts.set(of(task), (counts.get(of(task)) ?? 0) + 1)
  }
  return counts
}
