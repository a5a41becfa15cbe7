import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { isComposing } from '../../components/composing.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Keeper } from './drafts.ts'
import styles from './in-place-text.module.css'
import { type Typing, useTyping } from './use-typing.ts'

interface InPlaceTextProps {
  /** Names it among all fields of the page, also when the panel was closed in between. */
  field: string
  label: string
  shown: string
  keeper: Keeper
  look: 'title' | 'notes' | 'step'
  placeholder?: string
  /** It takes the focus when it comes, behind what is in it. */
  isFocusedFirst?: boolean
}

/**
 * Text that is edited where it stands: stored on leaving it and on Enter (with Ctrl where Enter begins a line), left as it was on Escape. As tall as what is in
 * it.
 */
export function InPlaceText({ field, label, shown, keeper, look, placeholder = '', isFocusedFirst = false }: InPlaceTextProps) {
  const typing = useTyping(field, shown, keeper)
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const hasLines = look === 'notes'

  useEffect(() => {
    if (isFocusedFirst) focusBehindText(area.current)
  }, [isFocusedFirst])

  function press(event: KeyboardEvent): void {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Enter' && (!hasLines || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      typing.store()
    }
    // Escape is for what is around it only when there is nothing to go back from.
    if (event.key === 'Escape' && typing.goBack()) event.stopPropagation()
  }

  return (
    <div className={styles.place}>
      <div className={`${styles.text} ${styles[look]}`} data-text={`${typing.text || placeholder} `}>
        <textarea
          ref={area}
          rows={1}
          aria-label={label}
          aria-describedby={`${id}-told`}
          aria-invalid={typing.problem ? true : undefined}
          className={styles.area}
          placeholder={placeholder}
          value={typing.text}
          onChange={({ target }) => typing.type(hasLines ? target.value : target.value.replaceAll(/[\r\n]+/g, ' '))}
          onBlur={typing.store}
          onKeyDown={press}
        />
      </div>
      <div id={`${id}-told`}>
        <TypingTold typing={typing} onBack={() => focusBehindText(area.current)} />
      </div>
    </div>
  )
}

function focusBehindText(area: HTMLTextAreaElement | null): void {
  area?.focus()
  area?.setSelectionRange(area.value.length, area.value.length)
}

interface TypingToldProps {
  typing: Typing
  /** What was typed is back in its field. */
  onBack(): void
  inWords?(text: string): ReactNode
}

/** What there is to say beside a field in which somebody types. */
export function TypingTold({ typing, onBack, inWords = (text) => text }: TypingToldProps) {
  const { task } = useTexts()
  return (
    <>
      {typing.problem && (
        <p className={styles.problem} role="alert">
          {typing.problem}
        </p>
      )}
      {typing.isRefused && <p className={styles.problem}>{task.notStored}</p>}
      {typing.theirs !== null && (
        <div className={styles.told} role="status">
          <p>{task.changedElsewhere}</p>
          <p className={styles.theirs}>{typing.theirs === '' ? <em>{task.emptyNow}</em> : inWords(typing.theirs)}</p>
          <Button onMouseDown={keepFocus} onClick={() => void typing.goBack()}>
            {task.takeTheirs}
          </Button>
        </div>
      )}
      {typing.wasPutAway && (
        <div className={styles.told} role="status">
          <p>{task.putAway}</p>
          <Button
            onClick={() => {
              typing.getBack()
              onBack()
            }}
          >
            {task.getBack}
          </Button>
        </div>
      )}
    </>
  )
}

/** A field that is left stores what is in it, and that is the opposite of what this is for. */
function keepFocus(event: { preventDefault(): void }): void {
  event.preventDefault()
}
