import { type ReactNode, useId } from 'react'
import styles from './field.module.css'

interface FieldsetProps {
  label: string
  /** The label is heard and not seen, where the page says by itself what it is. */
  isLabelUnseen?: boolean
  /** What is wrong with what is chosen. */
  problem?: string | undefined
  children: ReactNode
}

/** Several choices that belong together. */
export function Fieldset({ label, isLabelUnseen = false, problem, children }: FieldsetProps) {
  const id = useId()
  return (
    <fieldset
      className={styles.fieldset}
      aria-describedby={problem ? id : undefined}
      // So that the focus can be brought to it; `aria-invalid` is nothing that a group can have.
      tabIndex={problem ? -1 : undefined}
      data-invalid={problem ? true : undefined}
    >
      <legend className={isLabelUnseen ? 'unseen' : styles.label}>{label}</legend>
      {problem && (
        <div id={id} className={styles.problem} role="alert">
          {problem}
        </div>
      )}
      {children}
    </fieldset>
  )
}
