import { useEffect, useRef } from 'react'
import { isComposing } from '../../components/composing.ts'

/** What a person types, where that goes to the page: into no field, in no dialog, with no key held that belongs to the browser. */

const FIELDS = 'input, textarea, select, [contenteditable]'
const DIALOGS = '[role="dialog"], [role="alertdialog"]'

/**
 * `act` answers whether the key meant something to it. `name` is the letter or the name of the key; the keys of digits are `1` to `5` and `Shift+1` to
 * `Shift+5`, whatever they write.
 */
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
  const { key, code, shiftKey, altKey, ctrlKey, metaKey, defaultPrevented, target } = event
  if (altKey || ctrlKey || metaKey || isComposing(event) || defaultPrevented) return null
  if (target instanceof Element && target.closest(FIELDS)) return null
  if (document.querySelector(DIALOGS)) return null
  if (key === '?' || key === '/') return key
  // On a French keyboard these keys have digits only with Shift.
  const digit = /^Digit([1-5])$/.exec(code)?.[1]
  if (digit !== undefined) return shiftKey ? `Shift+${digit}` : digit
  if (shiftKey) return null
  // In a script without these letters, such as the Cyrillic, it is the key that has one of them elsewhere.
  const letter = /^[^ -~]$/.test(key) ? (/^Key([A-Z])$/.exec(code)?.[1] ?? key) : key
  return letter.length === 1 ? letter.toLowerCase() : letter
}
