/**
 * Brings the focus to an element, or to the heading of the page, where what had it is gone. A dialog that closes gives it back to what opened it first, so
 * this waits until it has.
 */
export function focusWhenLost(element?: HTMLElement | null): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const { activeElement } = document
      if (activeElement !== null && activeElement !== document.body) return
      const next = element ?? document.querySelector<HTMLElement>('h1[tabindex]')
      next?.focus()
    }),
  )
}
