import type { TaskWire, UpdateTask } from '@fivetab/domain/task-shape.ts'
import { useChange } from '../../board/board-context.tsx'
import { isInConflict } from '../../board/conflicts.ts'
import { editTask, TASK } from '../../board/task-changes.ts'
import type { Keeper } from './drafts.ts'

type TypedField = 'title' | 'notes' | 'due_date' | 'estimate_minutes'

interface Reading<Field extends TypedField> {
  tidied(text: string): string
  problemWith(text: string): string | null
  /** The value that a text stands for. */
  valueOf(text: string): UpdateTask[Field]
}

/** Keeps what is typed into a field of a task: as a change of the task as it is shown now, or as a conflict with what somebody else made of the same field. */
export function useTaskKeeper<Field extends TypedField>(task: TaskWire, field: Field, reading: Reading<Field>): Keeper {
  const change = useChange()
  return {
    tidied: reading.tidied,
    problemWith: reading.problemWith,
    store: async (text) => (await change(editTask(task, { [field]: reading.valueOf(text) }))) || isInConflict(TASK.lane(task.id), field),
  }
}
