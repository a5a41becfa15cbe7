import type { Disposition } from '@fivetab/domain/disposition.ts'
import { changeFilter } from '../../board/filter.ts'
import { type Filter, isFiltering, NO_FILTER } from '../../board/groups.ts'
import { Button } from '../../components/button.tsx'
import { Empty, Loading, Notice } from '../../components/notice.tsx'
import { inWords } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'
import styles from './list-end.module.css'
import type { useDoneTasks } from './use-done-tasks.ts'

/** Says that not everything is seen. */
export function FilterNote({ filter, found, isAll }: { filter: Filter; found: number; isAll: boolean }) {
  const { board } = useTexts()
  const isOn = isFiltering(filter)
  return (
    <div className={isOn ? styles.note : 'unseen'}>
      <p role="status">{isOn && board.found(found, isAll)}</p>
      {isOn && (
        <Button look="quiet" icon="close" onClick={() => changeFilter(NO_FILTER)}>
          {board.clearFilter}
        </Button>
      )}
    </div>
  )
}

interface ListEndProps {
  shown: Disposition
  isEmpty: boolean
  isFiltering: boolean
  done: ReturnType<typeof useDoneTasks>
}

/** What stands below the list, or in its place where there is nothing in it. */
export function ListEnd({ shown, isEmpty, isFiltering, done }: ListEndProps) {
  const texts = useTexts()
  const isDone = shown === 'done'
  if (isDone && done.isPending) return <Loading label={texts.common.loading} />
  if (isDone && done.isError) {
    return (
      <div role="alert" className={styles.end}>
        <Notice kind="danger">{inWords(done.error, texts)}</Notice>
        <Button isBusy={done.isFetching} onClick={() => void (done.data ? done.fetchNextPage() : done.refetch())}>
          {texts.common.tryAgain}
        </Button>
      </div>
    )
  }
  if (isDone && done.hasNextPage) {
    return (
      <div className={styles.end}>
        <Button isBusy={done.isFetchingNextPage} onClick={() => void done.fetchNextPage()}>
          {texts.common.loadMore}
        </Button>
      </div>
    )
  }
  if (!isEmpty) return null
  return isFiltering ? (
    <Empty icon="search" title={texts.board.nothingFound} />
  ) : (
    <Empty icon={isDone ? 'check' : 'tasks'} title={texts.board.empty[shown]} />
  )
}
