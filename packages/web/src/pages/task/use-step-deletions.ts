import type { Step } from '@fivetab/domain/step.ts'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { deleteStep } from '../../board/step-changes.ts'
import { announce } from '../../components/announcer.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { dropDraft } from './drafts.ts'
import { stepFields } from './step-fields.ts'

/** A step is deleted for good so long after it was taken off the list. */
const DELETED_AFTER_MS = 8_000

export interface Deletion {
  step: Step
  /** `isMeant` false takes it back. */
  end(isMeant: boolean): void
}

export interface Deletions {
  /** Those that can be taken back. */
  open: readonly Deletion[]
  begin(step: Step): void
}

/** Deletions of steps, each of which can be taken back for a while, as long as the panel is open. */
export function useStepDeletions(taskId: string): Deletions {
  const { steps } = useTexts()
  const change = useChange()
  const [open, setOpen] = useState<readonly Deletion[]>([])
  const latest = useRef(open)
  latest.current = open

  useEffect(() => {
    const goOn = () => {
      for (const { end } of latest.current) end(true)
    }
    window.addEventListener('pagehide', goOn)
    return () => {
      window.removeEventListener('pagehide', goOn)
      goOn()
    }
  }, [])

  function begin(step: Step): void {
    const decided = new Promise<boolean>((resolve) => {
      const end = (isMeant: boolean) => {
        clearTimeout(timer)
        setOpen((before) => before.filter((one) => one.step.id !== step.id))
        if (isMeant) for (const field of stepFields(taskId, step.id)) dropDraft(field)
        else announce(steps.back(step.name))
        resolve(isMeant)
      }
      const timer = setTimeout(end, DELETED_AFTER_MS, true)
      setOpen((before) => [...before, { step, end }])
    })
    announce(steps.deleted(step.name))
    void change(deleteStep(taskId, step.id, decided))
  }

  return { open, begin }
}
