import { type KeyboardEvent, useRef } from 'react'
import { isComposing } from '../../components/composing.ts'
import { TextArea, TextField } from '../../components/field.tsx'
import type { Keeper } from '../task/drafts.ts'
import { TypingTold } from '../task/in-place-text.tsx'
import { useTyping } from '../task/use-typing.ts'
import styles from './workflows.module.css'

interface TypedFieldProps {
  /** Names it among all fields of the page. */
  field: string
  label: string
  shown: string
  keeper: Keeper
  /** Enter begins a line, and stores with Ctrl. */
  hasLines?: boolean
}

/** A labelled field that is stored on leaving it and on Enter, and left as it was on Escape. */
export function TypedField({ field, label, shown, keeper, hasLines = false }: TypedFieldProps) {
  const typing = useTyping(field, shown, keeper)
  const line = useRef<HTMLInputElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)

  function press(event: KeyboardEvent): void {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Enter' && (!hasLines || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      typing.store()
    }
    if (event.key === 'Escape') typing.goBack()
  }

  const attributes = {
    label,
    value: typing.text,
    problem: typing.problem,
    autoComplete: 'off',
    onChange: ({ target }: { target: { value: string } }) => typing.type(target.value),
    onBlur: typing.store,
    onKeyDown: press,
  }
  return (
    <div className={styles.typed}>
      {hasLines ? <TextArea {...attributes} ref={area} /> : <TextField {...attributes} ref={line} />}
      <TypingTold typing={{ ...typing, problem: undefined }} onBack={() => (line.current ?? area.current)?.focus()} />
    </div>
  )
}
