import type { Disposition } from '@fivetab/domain/disposition.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { Suspense, useDeferredValue, useMemo } from 'react'
import { Redirect } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import type { Board } from '../../board/board.ts'
import { useBoard } from '../../board/board-context.tsx'
import { useFilter, useSort } from '../../board/filter.ts'
import { countsOf, type Filter, type Group, groupsOf, isFiltering, knownFilter } from '../../board/groups.ts'
import { useTabs } from '../../board/tabs.ts'
import { useTaskActions } from '../../board/use-task-actions.ts'
import { Notice } from '../../components/notice.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './board-page.module.css'
import { focusTab } from './focus.ts'
import { FilterNote, ListEnd } from './list-end.tsx'
import { moveToTab } from './move-to-tab.ts'
import { TaskPanel, usePartsAhead } from './parts.ts'
import { PANEL_ID, pathOfTab, Tabs, tabId } from './tabs.tsx'
import { TaskList } from './task-list.tsx'
import { Toolbar } from './toolbar.tsx'
import { useDoneTasks } from './use-done-tasks.ts'
import { useShownTab } from './use-shown-tab.ts'

const openTask = ({ id }: TaskWire) => navigate(`/tasks/${id}`)

/** The five tabs. A task that is open stands before the tab that was shown last. */
export function BoardPage({ disposition, taskId }: { disposition: string | null; taskId: string | null }) {
  const shown = useShownTab(disposition, taskId)
  usePartsAhead()
  if (shown === null) return <Redirect to="/" replace />
  return (
    <>
      <BoardTabs shown={shown} taskId={taskId} />
      {taskId !== null && (
        <Suspense fallback={null}>
          <TaskPanel id={taskId} onClose={() => navigate(pathOfTab(shown), { replace: true })} />
        </Suspense>
      )}
    </>
  )
}

function BoardTabs({ shown, taskId }: { shown: Disposition; taskId: string | null }) {
  const { board: texts } = useTexts()
  const board = useBoard()
  const tabs = useTabs()
  const actions = useTaskActions()
  const filter = knownFilter(board, useFilter())
  const groups = useGroups(board, shown, filter)
  const counts = useMemo(() => countsOf(board), [board])
  const done = useDoneTasks(shown === 'done', filter)
  const found = groups.reduce((sum, { tasks }) => sum + tasks.length, 0)
  const isAll = shown === 'done' ? !done.hasNextPage : !board.hasMore
  const name = tabs.find(({ key }) => key === shown)?.name ?? ''
  return (
    <div className={styles.page} data-board>
      <title>{`${board.tasks.get(taskId ?? '')?.title ?? name} · Fivetab`}</title>
      <h1 className="unseen">{name}</h1>
      <Tabs tabs={tabs} counts={counts} shown={shown} onDrop={(task, tab) => moveToTab(task, tab, actions)} />
      <div role="tabpanel" id={PANEL_ID} aria-labelledby={tabId(shown)} className={styles.panel}>
        <Toolbar shown={shown} tabs={tabs} filter={filter} />
        <FilterNote filter={filter} found={found} isAll={isAll} />
        {board.hasMore && shown !== 'done' && <Notice kind="warning">{texts.hasMore}</Notice>}
        <TaskList
          key={shown}
          groups={groups}
          isAll={isAll}
          label={name}
          openTask={taskId}
          actions={actions}
          onOpen={openTask}
          onEmptied={focusTab}
        />
        <ListEnd shown={shown} isEmpty={found === 0} isFiltering={isFiltering(filter)} done={done} />
      </div>
    </div>
  )
}

/** While a search is being typed, the list may come a moment later than the letters. */
function useGroups(board: Board, shown: Disposition, { project, workflow, words }: Filter): Group[] {
  const sought = useDeferredValue(words)
  const sort = useSort()
  return useMemo(() => groupsOf(board, shown, { project, workflow, words: sought }, sort), [board, shown, project, workflow, sought, sort])
}
