import { tidy } from '@fivetab/domain/text.ts'
import { useBoard, useChange } from '../../board/board-context.tsx'
import type { Change, Conflict } from '../../board/changes.ts'
import { isInConflict, keepConflict, settleConflict } from '../../board/conflicts.ts'
import { editTask } from '../../board/task-changes.ts'
import { NOTES_MAX } from '../../board/text-lengths.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TITLE_MAX } from '../board/title-problem.ts'
import { useTextProblem } from './use-text-problem.ts'

/** Makes the change that ends a conflict. From then on that holds what was typed; where it cannot be stored, the conflict does again. */
export function useDecision(conflict: Conflict): (change: Change) => void {
  const change = useChange()
  return (decided) => {
    settleConflict(conflict)
    void change(decided).then((isStored) => {
      const isAgain = conflict.fields.some(({ field }) => isInConflict(conflict.lane, field))
      if (!isStored && !isAgain) keepConflict(conflict)
    })
  }
}

interface Merging {
  /** What to begin with. */
  mine: string
  problemWith(text: string): string | null
  /** The change that stores this instead of both, upon what the person has seen as stored. */
  changeTo(text: string): Change
}

/** How one text is made of both; null for what is no text of a task. */
export function useMerging({ lane, fields }: Conflict): Merging | null {
  const { task: texts } = useTexts()
  const { tasks } = useBoard()
  const titleProblem = useTextProblem(TITLE_MAX, texts.titleNeeded)
  const notesProblem = useTextProblem(NOTES_MAX)
  const task = tasks.get(lane.replace(/^task:/, ''))
  const [clash, ...others] = fields
  if (task === undefined || clash === undefined || others.length > 0) return null
  const { field, mine, theirs } = clash
  if (field !== 'title' && field !== 'notes') return null
  return {
    mine: typeof mine === 'string' ? mine : '',
    problemWith: field === 'title' ? titleProblem : notesProblem,
    changeTo: (text) => {
      const tidied = tidy(field === 'title' ? text.replaceAll(/[\r\n]+/g, ' ') : text)
      return editTask({ ...task, [field]: theirs }, { [field]: tidied === '' ? null : tidied })
    },
  }
}
