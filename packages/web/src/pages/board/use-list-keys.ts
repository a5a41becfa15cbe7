import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { RefObject } from 'react'
import { useBoard } from '../../board/board-context.tsx'
import { useTabs } from '../../board/tabs.ts'
import { isStored } from '../../board/task-changes.ts'
import type { TaskActions } from '../../board/use-task-actions.ts'
import { moveToTab } from './move-to-tab.ts'
import type { RowActions } from './task-row.tsx'
import { useKeys } from './use-keys.ts'
import { type Roving, rowOf } from './use-roving.ts'
import type { RowMenu } from './use-row-menu.ts'

interface ListKeys {
  list: RefObject<HTMLElement | null>
  roving: Roving
  menu: RowMenu
  rowActions: RowActions
  actions: TaskActions
}

/** The keys that move through the list, and those that do something to the task on which the focus is. */
export function useListKeys({ list, roving, menu, rowActions, actions }: ListKeys): void {
  const { tasks } = useBoard()
  const tabs = useTabs()

  const steps: Partial<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

  const doings: Partial<Record<string, (task: TaskWire) => void>> = {
    x: rowActions.toggle,
    e: rowActions.edit,
    F2: rowActions.edit,
    a: actions.archive,
    Delete: actions.remove,
    // What a Mac has in its place.
    Backspace: actions.remove,
    l: ({ id }) => menu.open(id, 'later'),
    m: ({ id }) => menu.open(id, 'move'),
    s: ({ id }) => menu.open(id, 'status'),
    ...Object.fromEntries(tabs.map((tab, index) => [`Shift+${index + 1}`, (task: TaskWire) => moveToTab(task, tab, actions)])),
  }

  useKeys((name, event) => {
    const by = steps[name]
    if (by !== undefined) {
      if (!isForList(event.target, list.current)) return false
      roving.step(by)
      return true
    }
    const task = tasks.get(rowOf(event.target) ?? '')
    if (task === undefined || !isStored(task)) return false
    // On a button the space bar presses the button.
    const doing = name === ' ' && event.target instanceof HTMLAnchorElement ? rowActions.toggle : doings[name]
    // A key that is held would go through the list.
    if (!event.repeat) doing?.(task)
    return doing !== undefined
  })
}

/** Arrow keys belong to whatever has the focus elsewhere, unless nothing has it or the tabs, which lie side by side. */
function isForList(target: EventTarget | null, list: HTMLElement | null): boolean {
  if (!(target instanceof Element)) return false
  return target === document.body || target.id === 'content' || (list?.contains(target) ?? false) || target.closest('[data-board]') !== null
}
