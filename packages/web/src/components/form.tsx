import { type ReactNode, useEffect, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import styles from './form.module.css'
import { Notice } from './notice.tsx'
import { isToldBeside } from './problems.ts'
import { inWords } from './told.ts'

interface FormProps {
  onSubmit(): void
  /** What was sent is on its way, and is not sent twice. */
  isBusy: boolean
  /** Something in it is known to be wrong, and said so beside it: it is not sent. */
  isRefused?: boolean
  /** Why it could not be done; null when nothing is known against it. */
  error: unknown
  /** The wire names of the fields that say themselves what is wrong with them. */
  fields: readonly string[]
  /** Why it could not be done, where the form has words of its own for it. */
  failure?: string | undefined
  /** What it is called, where no heading says so. */
  label?: string
  children: ReactNode
}

/** Two presses within so many ms are one: it takes a moment until the page knows that something is on its way. */
const DOUBLE_PRESS_MS = 500

/** Fields that are sent together. The service says what is wrong with them, and the first of those takes the focus. */
export function Form({ onSubmit, isBusy, isRefused = false, error, fields, failure, label, children }: FormProps) {
  const texts = useTexts()
  const form = useRef<HTMLFormElement>(null)
  const sentAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (error) focusProblem(form.current)
  }, [error])
  return (
    <form
      ref={form}
      noValidate
      aria-label={label}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (isRefused) return focusProblem(form.current)
        if (isBusy || event.timeStamp - sentAt.current < DOUBLE_PRESS_MS) return
        sentAt.current = event.timeStamp
        onSubmit()
      }}
    >
      {children}
      <div role="alert" className={styles.failure}>
        {error !== null && !isToldBeside(error, fields) && <Notice kind="danger">{failure ?? inWords(error, texts)}</Notice>}
      </div>
    </form>
  )
}

function focusProblem(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid], [data-invalid]')?.focus()
}

/** What one can do with the form, in a row. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}
