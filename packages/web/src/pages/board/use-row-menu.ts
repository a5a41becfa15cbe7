import { type RefObject, useCallback, useMemo, useRef, useState } from 'react'
import type { Roving } from './use-roving.ts'

/** What a menu of a row offers: everything, or one kind of thing, for which there is a key. */
export type MenuKind = 'all' | 'move' | 'later' | 'status'

interface OpenMenu {
  taskId: string
  kind: MenuKind
  anchor: HTMLElement
}

export interface RowMenu {
  shown: OpenMenu | null
  /** Opens it at its button in the row, or at `anchor`. */
  open(taskId: string, kind: MenuKind, anchor?: HTMLElement): void
  close(): void
  /** Closes it, and leaves the focus to what is opened instead. */
  leave(): void
}

/** One menu for all rows: only one is open at a time, and a menu in each would be slow. */
export function useRowMenu(list: RefObject<HTMLElement | null>, { focusAgain }: Roving): RowMenu {
  const [shown, setShown] = useState<OpenMenu | null>(null)
  const latest = useRef(shown)
  latest.current = shown

  const open = useCallback(
    (taskId: string, kind: MenuKind, anchor?: HTMLElement) => {
      const row = list.current?.querySelector(`[data-row="${CSS.escape(taskId)}"]`)
      const at = anchor ?? row?.querySelector<HTMLElement>('[data-more]')
      if (at) setShown({ taskId, kind, anchor: at })
    },
    [list],
  )
  const leave = useCallback(() => setShown(null), [])
  const close = useCallback(() => {
    const taskId = latest.current?.taskId
    setShown(null)
    // While the menu is there, nothing else can have the focus.
    if (taskId !== undefined) requestAnimationFrame(() => focusAgain(taskId))
  }, [focusAgain])
  return useMemo(() => ({ shown, open, close, leave }), [shown, open, close, leave])
}
