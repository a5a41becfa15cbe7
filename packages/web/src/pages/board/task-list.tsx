import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useBoard } from '../../board/board-context.tsx'
import type { Group } from '../../board/groups.ts'
import type { TaskActions } from '../../board/use-task-actions.ts'
import { usePerson } from '../../client/session.ts'
import { announce } from '../../components/announcer.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useDraggedTask } from './dragging.ts'
import { GroupSection } from './group-section.tsx'
import { itemsOf, type ListItem, sectionsOf } from './list-items.ts'
import { hasFacts } from './task-facts.tsx'
import styles from './task-list.module.css'
import { type RowActions, TaskRow } from './task-row.tsx'
import { TaskRowMenu } from './task-row-menu.tsx'
import { useListKeys } from './use-list-keys.ts'
import { useRoving } from './use-roving.ts'
import { useRowMenu } from './use-row-menu.ts'
import { useToday } from './use-today.ts'

/** Rows that are in the page beyond what is seen, on each side. */
const OVERSCAN = 8
/** What things measure before they are there to be measured, in pixels. */
const HEADING_PX = 41
const ROW_PX = 46
const ROW_WITH_FACTS_PX = 59

interface TaskListProps {
  groups: readonly Group[]
  /** There are no more tasks than these. */
  isAll: boolean
  label: string
  /** The task whose panel is open. When it closes, the focus comes back to its row. */
  openTask: string | null
  actions: TaskActions
  onOpen(task: TaskWire): void
  /** No row is left that could have the focus. */
  onEmptied(): void
}

/** The tasks of a tab. Only what is seen of it is in the page. */
export function TaskList({ groups, isAll, label, openTask, actions, onOpen, onEmptied }: TaskListProps) {
  const { board: texts } = useTexts()
  const { time_zone: timeZone } = usePerson()
  const { projects, workflows, tasks } = useBoard()
  const today = useToday(timeZone)
  const list = useRef<HTMLDivElement>(null)
  const dragged = useDraggedTask()
  const items = useMemo(() => itemsOf(groups, dragged !== null), [groups, dragged])
  const ids = useMemo(() => items.flatMap((item) => (item.kind === 'row' ? [item.task.id] : [])), [items])
  const [edited, setEdited] = useState<string | null>(null)

  const roving = useRoving(ids, list, (next) => {
    const task = next === null ? undefined : tasks.get(next)
    announce(task === undefined ? texts.nothingLeft : texts.focusMoved(task.title))
    if (task === undefined) onEmptied()
  })
  const menu = useRowMenu(list, roving)
  const virtualizer = useVirtualRows(items, list, [roving.current, dragged, edited])

  const { focus, focusAgain } = roving
  const openMenu = menu.open
  const rowActions = useMemo<RowActions>(
    () => ({
      toggle: (task) => (task.disposition === 'done' ? actions.reopen(task) : actions.complete(task)),
      open: onOpen,
      edit: (task) => {
        focus(task.id)
        setEdited(task.id)
      },
      endEdit: (task, isByKey) => {
        setEdited((now) => (now === task.id ? null : now))
        if (isByKey) focusAgain(task.id)
      },
      openMenu: (task, anchor) => openMenu(task.id, 'all', anchor),
    }),
    [actions, onOpen, focus, focusAgain, openMenu],
  )
  useListKeys({ list, roving, menu, rowActions, actions })
  useReturn(openTask, focusAgain)

  const parts = virtualizer.getVirtualItems().flatMap((virtual) => {
    const item = items[virtual.index]
    return item === undefined ? [] : [{ item, index: virtual.index }]
  })
  return (
    <>
      <div
        ref={(element) => {
          list.current = element
          virtualizer.containerRef(element)
        }}
        className={styles.list}
      >
        {sectionsOf(parts).map(({ group, parts }) => (
          <GroupSection
            key={group.key}
            group={group}
            parts={parts}
            isCounted={isAll}
            label={label}
            actions={actions}
            measure={virtualizer.measureElement}
          >
            {(task) => (
              <TaskRow
                task={task}
                isCurrent={task.id === roving.current}
                isEdited={task.id === edited}
                actions={rowActions}
                project={projects.get(task.project_id ?? '')}
                workflow={task.status_id === null ? workflows.get(task.workflow_id ?? '') : undefined}
                today={today}
                timeZone={timeZone}
              />
            )}
          </GroupSection>
        ))}
      </div>
      <TaskRowMenu menu={menu} actions={actions} onOpen={onOpen} onEdit={rowActions.edit} />
    </>
  )
}

/** `kept` are rows that stay in the page wherever it is scrolled to. */
function useVirtualRows(items: readonly ListItem[], list: { current: HTMLElement | null }, kept: readonly (string | null)[]) {
  const margin = useOffset(list)
  const places = useMemo(() => new Map(items.map((item, index) => [item.key, index])), [items])
  const keptPlaces = kept.flatMap((key) => places.get(key ?? '') ?? [])
  const [first = -1, second = -1, third = -1] = keptPlaces
  return useWindowVirtualizer<HTMLElement>({
    count: items.length,
    overscan: OVERSCAN,
    scrollMargin: margin,
    directDomUpdates: true,
    useFlushSync: false,
    estimateSize: useCallback((index: number) => sizeOf(items[index]), [items]),
    getItemKey: useCallback((index: number) => items[index]?.key ?? index, [items]),
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range)
        const headings = shown.flatMap((index) => places.get(`heading ${items[index]?.group.key}`) ?? [])
        const wanted = [first, second, third].filter((index) => index !== -1)
        const headingsOfWanted = wanted.flatMap((index) => places.get(`heading ${items[index]?.group.key}`) ?? [])
        return [...new Set([...headings, ...headingsOfWanted, ...wanted, ...shown])].sort((a, b) => a - b)
      },
      [items, places, first, second, third],
    ),
  })
}

function sizeOf(item: ListItem | undefined): number {
  if (item?.kind !== 'row') return HEADING_PX
  return hasFacts(item.task) ? ROW_WITH_FACTS_PX : ROW_PX
}

/** How far down the page the list begins, in pixels. */
function useOffset(list: { current: HTMLElement | null }): number {
  const [offset, setOffset] = useState(0)
  useEffect(() => {
    const look = () => {
      if (list.current !== null) setOffset(Math.round(list.current.getBoundingClientRect().top + window.scrollY))
    }
    const observer = new ResizeObserver(look)
    observer.observe(document.body)
    look()
    return () => observer.disconnect()
  }, [list])
  return offset
}

/** Brings the focus back once the task that was open is not any more. */
function useReturn(openTask: string | null, focusAgain: (id: string) => void): void {
  const before = useRef(openTask)
  useEffect(() => {
    if (before.current !== null && openTask === null) focusAgain(before.current)
    before.current = openTask
  }, [openTask, focusAgain])
}
