import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Board, withOlderTasks } from '../../board/board.ts'
import { ALL, type Filter, NONE } from '../../board/groups.ts'
import { BOARD_KEY } from '../../board/pending.ts'
import { ask, type Page } from '../../client/http.ts'

/** Done tasks are many and seldom looked at: the board gets them page by page, newest first, when somebody does. */

const PAGE_SIZE = 100
/** A search asks the service once the person has stopped typing for so long. */
const TYPING_PAUSE_MS = 300

export function useDoneTasks(isShown: boolean, filter: Filter) {
  const client = useQueryClient()
  const query = useSettled(queryOf(filter), TYPING_PAUSE_MS)
  return useInfiniteQuery({
    queryKey: ['done', query],
    queryFn: async ({ pageParam, signal }) => {
      const path = pageParam === null ? `/tasks?${query}` : `/tasks?${query}&cursor=${encodeURIComponent(pageParam)}`
      const page = await ask<Page<TaskWire>>('GET', path, { signal })
      client.setQueryData<Board>(BOARD_KEY, (board) => board && withOlderTasks(board, page.data))
      return { next: page.next_cursor }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** What the service can look for by itself; that a task has no project or no Workflow is seen here. */
function queryOf({ project, workflow, words }: Filter): string {
  const query = new URLSearchParams({ disposition: 'done', sort: '-updated_at', limit: String(PAGE_SIZE) })
  if (words.trim() !== '') query.set('q', words)
  if (project !== ALL && project !== NONE) query.set('project_id', project)
  if (workflow !== ALL && workflow !== NONE) query.set('workflow_id', workflow)
  return query.toString()
}

/** The value, once it has stayed the same for `ms`. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
