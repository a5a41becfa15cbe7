import { type InputHTMLAttributes, type ReactNode, type Ref, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react'
import styles from './field.module.css'

/** A named place to type or choose, with what helps and what is wrong with what is in it. */

interface FieldProps {
  label: string
  /** The label is heard and not seen, where the page says by itself what it is. */
  isLabelUnseen?: boolean
  help?: ReactNode
  /** What is wrong with it. */
  problem?: string | undefined
}

type Described<Props> = FieldProps & Omit<Props, 'id'>

function useDescription({ help, problem }: Pick<FieldProps, 'help' | 'problem'>) {
  const id = useId()
  const described = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return { id, attributes: { id, 'aria-describedby': described || undefined, 'aria-invalid': problem ? true : undefined } }
}

function Framed({ id, label, isLabelUnseen, help, problem, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelUnseen ? 'unseen' : styles.label}>
        {label}
      </label>
      {children}
      {help && (
        <div id={`${id}-help`} className={styles.help}>
          {help}
        </div>
      )}
      {problem && (
        <div id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </div>
      )}
    </div>
  )
}

export function TextField({
  label,
  isLabelUnseen,
  help,
  problem,
  beside,
  ref,
  ...input
}: Described<InputHTMLAttributes<HTMLInputElement>> & {
  /** What stands within its frame, at its end. */
  beside?: ReactNode
  ref?: Ref<HTMLInputElement>
}) {
  const { id, attributes } = useDescription({ help, problem })
  const field = <input type="text" {...input} {...attributes} ref={ref} className={styles.input} />
  return (
    <Framed {...{ id, label, isLabelUnseen: isLabelUnseen ?? false, help, problem }}>
      {beside ? (
        <div className={styles.beside}>
          {field}
          {beside}
        </div>
      ) : (
        field
      )}
    </Framed>
  )
}

export function TextArea({
  label,
  isLabelUnseen,
  help,
  problem,
  ref,
  ...input
}: Described<TextareaHTMLAttributes<HTMLTextAreaElement>> & { ref?: Ref<HTMLTextAreaElement> }) {
  const { id, attributes } = useDescription({ help, problem })
  return (
    <Framed {...{ id, label, isLabelUnseen: isLabelUnseen ?? false, help, problem }}>
      <textarea rows={3} {...input} {...attributes} ref={ref} className={`${styles.input} ${styles.area}`} />
    </Framed>
  )
}

export function SelectField({
  label,
  isLabelUnseen,
  help,
  problem,
  children,
  ...select
}: Described<SelectHTMLAttributes<HTMLSelectElement>> & { ref?: Ref<HTMLSelectElement> }) {
  const { id, attributes } = useDescription({ help, problem })
  return (
    <Framed {...{ id, label, isLabelUnseen: isLabelUnseen ?? false, help, problem }}>
      <select {...select} {...attributes} className={`${styles.input} ${styles.select}`}>
        {children}
      </select>
    </Framed>
  )
}

export function Checkbox({
  label,
  help,
  ...input
}: Pick<FieldProps, 'help'> & { label: ReactNode } & Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'type'>) {
  const { id, attributes } = useDescription({ help, problem: undefined })
  return (
    <div className={styles.choice}>
      <input type="checkbox" {...input} {...attributes} className={styles.checkbox} />
      <label htmlFor={id}>{label}</label>
      {help && (
        <div id={`${id}-help`} className={styles.help}>
          {help}
        </div>
      )}
    </div>
  )
}
