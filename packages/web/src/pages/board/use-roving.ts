import { type RefObject, useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { successorOf } from './successor.ts'

/** One row of the list is where the keyboard is. It stays so however the list is scrolled or changes, and when it leaves the list, another takes its place. */

export interface Roving {
  /** The row that the Tab key comes to. */
  current: string | null
  /** Moves the focus to a row, whether it is in the page already or not. */
  focus(id: string): void
  /** Moves the focus on by so many rows. */
  step(by: number): void
  /** Moves it back to the row of this id or, where it is gone, to the one that took its place. */
  focusAgain(id: string): void
}

/** `lost` is told when the row with the focus has left the list, and which one has it now. */
export function useRoving(ids: readonly string[], list: RefObject<HTMLElement | null>, lost: (next: string | null) => void): Roving {
  const [chosen, setChosen] = useState<string | null>(null)
  const [, lookAgain] = useReducer((times: number) => times + 1, 0)
  const wanted = useRef<string | null>(null)
  const before = useRef(ids)
  const focused = useFocusedRow(setChosen)
  const tellLost = useRef(lost)
  tellLost.current = lost

  const current = chosen ?? ids[0] ?? null
  const latest = useRef({ ids, current })
  latest.current = { ids, current }

  useLayoutEffect(() => {
    if (chosen !== null && !ids.includes(chosen)) {
      const next = successorOf(chosen, before.current, ids)
      setChosen(next)
      if (focused.current === chosen && isFocusNowhere()) {
        wanted.current = next
        tellLost.current(next)
      }
    }
    before.current = ids
  }, [ids, chosen, focused])

  useLayoutEffect(() => {
    // A row that goes to another group is another element there.
    if (wanted.current === null && focused.current === current && current !== null && isFocusNowhere()) wanted.current = current
    if (wanted.current === null) return
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.current)}"]`)
    const title = row?.querySelector<HTMLElement>('[data-title]')
    if (!row || !title) return
    wanted.current = null
    title.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  })

  const focus = useCallback((id: string) => {
    wanted.current = id
    setChosen(id)
    lookAgain()
  }, [])

  const step = useCallback(
    (by: number) => {
      const { ids, current } = latest.current
      const index = ids.indexOf(current ?? '')
      const isWithin = focused.current !== null && !isFocusNowhere()
      const to = ids[isWithin ? Math.min(Math.max(index + by, 0), ids.length - 1) : Math.max(index, 0)]
      if (to !== undefined) focus(to)
    },
    [focus, focused],
  )

  const focusAgain = useCallback(
    (id: string) => {
      const { ids, current } = latest.current
      const to = ids.includes(id) ? id : current
      if (to === null) tellLost.current(null)
      else focus(to)
    },
    [focus],
  )

  return { current, focus, step, focusAgain }
}

export function rowOf(target: EventTarget | null): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
  return row?.dataset.row ?? null
}

/** A dialog that opens takes the focus out of the page behind it before it gives it to anything: it is on its way then, and not lost. */
function isFocusNowhere(): boolean {
  if (document.activeElement !== null && document.activeElement !== document.body) return false
  return document.querySelector('[role="dialog"], [role="alertdialog"]') === null
}

/** The row that has the focus, or had it until it was taken out of the page; an element that is taken out says nothing. */
function useFocusedRow(choose: (id: string) => void): RefObject<string | null> {
  const row = useRef<string | null>(null)
  useEffect(() => {
    const look = (event: Event) => {
      row.current = rowOf(event.target)
      if (row.current !== null) choose(row.current)
    }
    document.addEventListener('focusin', look)
    document.addEventListener('pointerdown', look)
    return () => {
      document.removeEventListener('focusin', look)
      document.removeEventListener('pointerdown', look)
    }
  }, [choose])
  return row
}
