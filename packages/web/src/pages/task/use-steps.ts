import { versionOnWire } from '@fivetab/domain/shape.ts'
import type { Step } from '@fivetab/domain/step.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Board } from '../../board/board.ts'
import { useBoard } from '../../board/board-context.tsx'
import { BOARD_KEY, usePendingChanges } from '../../board/pending.ts'
import { readSteps, stepsOf } from '../../board/step-changes.ts'
import { TASK } from '../../board/task-changes.ts'

interface Steps {
  /** In order; null while they are not known. */
  steps: readonly Step[] | null
  isFailed: boolean
  again(): void
}

/** The steps of a task as they are shown. They are read again with every version of the task that is not of this page's making. */
export function useSteps(task: TaskWire): Steps {
  const client = useQueryClient()
  const board = useBoard()
  const known = board.steps.get(task.id)
  const isBehind = known === undefined || versionOnWire(known.version) < versionOnWire(task.version)
  // A change of a step reads them by itself, and until then an answer would only be in its way.
  const isChanging = usePendingChanges().some(({ lane }) => lane === TASK.lane(task.id))
  const { isError, refetch } = useQuery({
    queryKey: ['steps', task.id, task.version],
    queryFn: async () => {
      const settle = await readSteps(task.id)
      client.setQueryData<Board>(BOARD_KEY, (before) => before && settle(before))
      return task.version
    },
    enabled: isBehind && !isChanging,
    gcTime: 0,
  })
  return { steps: stepsOf(board, task), isFailed: isError, again: () => void refetch() }
}
