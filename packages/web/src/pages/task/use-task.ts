import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Board, withOlderTasks } from '../../board/board.ts'
import { useBoard } from '../../board/board-context.tsx'
import { BOARD_KEY } from '../../board/pending.ts'
import { isStored } from '../../board/task-changes.ts'
import { ask, Refused } from '../../client/http.ts'

export interface Found {
  task: TaskWire | null
  /** There is no such task, or none any more. */
  isGone: boolean
  isFailed: boolean
  again(): void
}

/** The task of this id, from the board; one that is not there, such as a done one, is asked for and put on it. */
export function useTask(id: string): Found {
  const client = useQueryClient()
  const { tasks, gone } = useBoard()
  const task = tasks.get(id)
  const isAsked = task === undefined && !gone.has(id) && isStored({ id })
  const { data, isError, refetch } = useQuery({
    queryKey: ['task', id],
    queryFn: async () => {
      const asked = await taskOf(id)
      if (asked !== null) client.setQueryData<Board>(BOARD_KEY, (board) => board && withOlderTasks(board, [asked]))
      return { isGone: asked === null }
    },
    enabled: isAsked,
    gcTime: 0,
  })
  return {
    task: task !== undefined && isStored(task) ? task : null,
    isGone: task === undefined && (!isAsked || data?.isGone === true),
    isFailed: isAsked && isError,
    again: () => void refetch(),
  }
}

/** Null where there is none, or nothing that could be one's id. */
async function taskOf(id: string): Promise<TaskWire | null> {
  try {
    return await ask<TaskWire>('GET', `/tasks/${encodeURIComponent(id)}`)
  } catch (error) {
    if (error instanceof Refused && ['not_found', 'invalid_request'].includes(error.problem.code)) return null
    throw error
  }
}
