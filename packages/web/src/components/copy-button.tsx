import { useEffect, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { announce } from './announcer.tsx'
import { Button } from './button.tsx'
import { tell } from './told.ts'

/** How long the button says that it has copied, in ms. */
const SAYS_SO_MS = 2_000

/** Copies a text. `what` is heard instead of the plain word, where a page has several of these buttons. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { common } = useTexts()
  const [copies, setCopies] = useState(0)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (copies === 0) return
    setCopied(true)
    const timer = setTimeout(() => setCopied(false), SAYS_SO_MS)
    return () => clearTimeout(timer)
  }, [copies])

  async function copy(): Promise<void> {
    if (!(await copied(text))) return void tell(common.copyFailed, { isFailure: true })
    announce(common.copied)
    setCopies((before) => before + 1)
  }

  return (
    <Button icon={isCopied ? 'check' : 'copy'} aria-label={isCopied ? undefined : what} onClick={() => void copy()}>
      {isCopied ? common.copied : common.copy}
    </Button>
  )
}

/** Browsers give the clipboard only to pages that came over TLS or from the same machine; elsewhere the old way still works. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copiedTheOldWay(text)
  }
}

function copiedTheOldWay(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  // An open dialog keeps the focus to itself.
  const place = focused?.closest('[role="dialog"]') ?? document.body
  place.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
