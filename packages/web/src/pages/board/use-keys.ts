import { useEffect, useRef } from 'react'

/** What a person types, where that goes to the page: into no field, in no dialog, with no key held that belongs to the browser. */

const FIELDS = 'input, textarea, select, [contenteditable]'
const DIALOGS = '[role="dialog"], [role="alertdialog"]'

/** `act` answers whether the key meant something to it. `name` is the letter or the name of the key; `Shift+1` to `Shift+5` wherever those are on the keyboard. */
export function useKeys(act: (name: string, event: KeyboardEvent) => boolean): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const name = nameOf(event)
      if (name !== null && latest.current(name, event)) event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function nameOf(event: KeyboardEvent): string | null {
  const { key, code, shiftKey, altKey, ctrlKey, metaKey, isComposing, defaultPrevented, target } = event
  if (altKey || ctrlKey || metaKey || isComposing || defaultPrevented) return null
  if (target instanceof Element && target.closest(FIELDS)) return null
  if (document.querySelector(DIALOGS)) return null
  if (/^[1-5]$/.test(key) || key === '?' || key === '/') return key
  const digit = /^Digit([1-5])$/.exec(code)
  if (shiftKey) return digit ? `Shift+${digit[1]}` : null
  return key.length === 1 ? key.toLowerCase() : key
}
