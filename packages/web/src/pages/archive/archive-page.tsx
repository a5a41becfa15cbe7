import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef } from 'react'
import { type Board, withOlderTasks } from '../../board/board.ts'
import { useBoard } from '../../board/board-context.tsx'
import { BOARD_KEY } from '../../board/pending.ts'
import { ask, type Page as PageOf } from '../../client/http.ts'
import { Button } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { useTold } from '../../components/told.ts'
import { useKeptFocus } from '../../components/use-kept-focus.ts'
import { useTexts } from '../../texts/texts.tsx'
import styles from './archive.module.css'
import { archivedOn } from './archived.ts'
import { ArchivedTask } from './archived-task.tsx'

const TASKS_A_PAGE = 50

/** Archived tasks, newest first, in pages. They are put on the board, where they follow the log like all others. */
export default function ArchivePage() {
  const { archive } = useTexts()
  const pages = useArchive()
  return (
    <Page title={archive.title} about={archive.about}>
      <Loaded query={pages}>{({ reach }) => <ArchivedTasks pages={pages} reach={reach} />}</Loaded>
    </Page>
  )
}

function ArchivedTasks({ pages, reach }: { pages: ReturnType<typeof useArchive>; reach: string | null }) {
  const { archive, common } = useTexts()
  const board = useBoard()
  const { tellFailure } = useTold()
  const list = useRef<HTMLUListElement>(null)
  const tasks = archivedOn(board, reach)
  useKeptFocus(
    list,
    tasks.map(({ id }) => id),
  )
  const focusFrom = useFocusFrom(list, tasks.length)

  async function showMore(): Promise<void> {
    focusFrom(tasks.length)
    const { error } = await pages.fetchNextPage()
    if (!error) return
    focusFrom(null)
    tellFailure(error)
  }

  if (tasks.length === 0 && !pages.hasNextPage) return <Empty icon="archive" title={archive.none} />
  return (
    <>
      <ul ref={list} className={styles.list}>
        {tasks.map((task) => (
          <ArchivedTask key={task.id} task={task} project={board.projects.get(task.project_id ?? '')} />
        ))}
      </ul>
      {pages.hasNextPage && (
        <div className={styles.more}>
          <Button isBusy={pages.isFetchingNextPage} onClick={() => void showMore()}>
            {common.loadMore}
          </Button>
        </div>
      )}
    </>
  )
}

/** Once the list has a thing at the index that this is called with, that has the focus; null for none. */
function useFocusFrom(list: RefObject<HTMLElement | null>, length: number): (index: number | null) => void {
  const from = useRef<number | null>(null)
  useEffect(() => {
    if (from.current === null || length <= from.current) return
    list.current?.children[from.current]?.querySelector('a')?.focus()
    from.current = null
  }, [list, length])
  return (index) => {
    from.current = index
  }
}

/** How far the archive was read: `reach` is the id of the last task of the last page, or null where that was the end of all. */
function useArchive() {
  const client = useQueryClient()
  return useInfiniteQuery({
    queryKey: ['archive'],
    queryFn: async ({ signal, pageParam }) => {
      const cursor = pageParam === null ? '' : `&cursor=${encodeURIComponent(pageParam)}`
      const page = await ask<PageOf<TaskWire>>('GET', `/archive?limit=${TASKS_A_PAGE}${cursor}`, { signal })
      client.setQueryData<Board>(BOARD_KEY, (board) => board && withOlderTasks(board, page.data))
      return { cursor: page.next_cursor, last: page.data.at(-1)?.id ?? null }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    select: ({ pages }) => {
      const end = pages.at(-1)
      return { reach: end?.cursor ? end.last : null }
    },
    // What changes later is told by the log.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}
