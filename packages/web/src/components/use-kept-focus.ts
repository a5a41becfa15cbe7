import { type RefObject, useEffect, useRef } from 'react'

/**
 * Where a thing goes from a list with the focus in it, the focus goes on to the one that comes to stand in its place, and after the last of all to the
 * page's heading. Each child of the list is a thing; `ids` says which there are.
 */
export function useKeptFocus<T extends HTMLElement>(list: RefObject<T | null>, ids: readonly string[]): void {
  const place = useRef<number | null>(null)

  useEffect(() => {
    const look = ({ target }: FocusEvent) => {
      const things = [...(list.current?.children ?? [])]
      const index = things.findIndex((thing) => thing.contains(target as Node))
      place.current = index === -1 ? null : index
    }
    document.addEventListener('focusin', look)
    return () => {
      document.removeEventListener('focusin', look)
      // The whole list has gone.
      if (place.current !== null && document.activeElement === document.body) focusHeading()
    }
  }, [list])

  const all = ids.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about what the list holds
  useEffect(() => {
    if (place.current === null || document.activeElement !== document.body) return
    const things = list.current?.children ?? []
    const successor = things[Math.min(place.current, things.length - 1)]?.querySelector<HTMLElement>('a[href], button')
    if (successor) successor.focus()
    else focusHeading()
  }, [all])
}

function focusHeading(): void {
  document.querySelector<HTMLElement>('h1[tabindex]')?.focus()
}
