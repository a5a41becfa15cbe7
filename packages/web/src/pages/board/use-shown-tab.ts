import type { Disposition } from '@fivetab/domain/disposition.ts'
import { useEffect, useRef } from 'react'
import { useBoard } from '../../board/board-context.tsx'
import { isDisposition } from '../../board/tabs.ts'

/** The tab that is shown: the one of the address or, under an open task, the last one or the task's own; null where the address names none. */
export function useShownTab(disposition: string | null, taskId: string | null): Disposition | null {
  const { tasks } = useBoard()
  const last = useRef<Disposition | null>(null)
  const shown = shownTab(disposition, last.current ?? tasks.get(taskId ?? '')?.disposition ?? 'in_progress')
  useEffect(() => {
    const isAnother = last.current !== null && last.current !== shown
    last.current = shown
    if (isAnother) window.scrollTo(0, 0)
  }, [shown])
  return shown
}

function shownTab(disposition: string | null, underTask: Disposition): Disposition | null {
  if (disposition === null) return underTask
  return isDisposition(disposition) ? disposition : null
}
