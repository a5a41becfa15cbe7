import { MAX_ESTIMATE_MINUTES } from '@fivetab/domain/shape.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { isDate } from '@fivetab/domain/time.ts'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { dayInWords, minutesInWords } from '../../board/when.ts'
import { usePerson } from '../../client/session.ts'
import { IconButton } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import { TypingTold } from './in-place-text.tsx'
import styles from './task-panel.module.css'
import { useTaskKeeper } from './use-task-keeper.ts'
import { type Typing, useTyping } from './use-typing.ts'

/** A year in which nobody plans anything is one that was not typed to its end. */
const FIRST_DAY = '1900-01-01'
/** What a field for a date holds while a part of the date is missing. */
const INCOMPLETE = 'incomplete'

function isDay(text: string): boolean {
  return isDate(text) && text >= FIRST_DAY
}

/** A day chosen from the calendar is stored at once; one that is typed, part by part, when the field is left or on Enter. */
export function DueField({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const language = useLanguage()
  const { time_zone: timeZone } = usePerson()
  const input = useRef<HTMLInputElement>(null)
  const isByKeys = useRef(false)
  const keeper = useTaskKeeper(task, 'due_date', {
    tidied: (text) => text,
    problemWith: (text) => (text === '' || isDay(text) ? null : texts.task.wrongDate),
    valueOf: (text) => (text === '' ? null : text),
  })
  const typing = useTyping(`${task.id} due_date`, task.due_date ?? '', keeper)
  const inWords = (day: string) => dayInWords(day, Date.now(), { language, timeZone }, texts.board.days)

  function clear(): void {
    typing.type('')
    typing.store()
    input.current?.focus()
  }

  return (
    <div className={styles.field}>
      <div className={styles.clearable}>
        <TextField
          ref={input}
          type="date"
          max="9999-12-31"
          label={texts.task.due}
          help={isDay(typing.text) && inWords(typing.text)}
          problem={typing.problem}
          value={typing.text === INCOMPLETE ? '' : typing.text}
          onPointerDown={() => {
            isByKeys.current = false
          }}
          onKeyDown={(event) => {
            isByKeys.current = true
            pressIn(typing, event)
          }}
          onChange={({ target }) => {
            typing.type(target.validity.badInput ? INCOMPLETE : target.value)
            if (!isByKeys.current) typing.store()
          }}
          onBlur={typing.store}
        />
        {task.due_date !== null && <IconButton icon="close" label={texts.task.clearDue} onClick={clear} />}
      </div>
      <TypingTold typing={{ ...typing, problem: undefined }} inWords={inWords} onBack={() => input.current?.focus()} />
    </div>
  )
}

/** The estimate of a whole task; of one with steps it is their sum. */
export function EstimateField({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const language = useLanguage()
  const input = useRef<HTMLInputElement>(null)
  const keeper = useTaskKeeper(task, 'estimate_minutes', {
    tidied: tidyNumber,
    problemWith: (text) => (isMinutes(text) ? null : texts.task.wrongMinutes),
    valueOf: (text) => (text === '' ? null : Number(text)),
  })
  const typing = useTyping(`${task.id} estimate_minutes`, task.estimate_minutes?.toString() ?? '', keeper)
  const inWords = (minutes: string) => minutesInWords(Number(minutes), language)
  if (task.steps_total > 0) return <StepsEstimate>{inWords(String(task.estimate_minutes ?? 0))}</StepsEstimate>
  return (
    <div className={styles.field}>
      <TextField
        ref={input}
        inputMode="numeric"
        autoComplete="off"
        label={texts.task.estimate}
        help={Number(typing.text) >= 60 && isMinutes(typing.text) && inWords(typing.text)}
        problem={typing.problem}
        value={typing.text}
        onChange={({ target }) => typing.type(target.value)}
        onKeyDown={(event) => pressIn(typing, event)}
        onBlur={typing.store}
      />
      <TypingTold typing={{ ...typing, problem: undefined }} inWords={inWords} onBack={() => input.current?.focus()} />
    </div>
  )
}

function StepsEstimate({ children }: { children: ReactNode }) {
  const { task } = useTexts()
  return (
    <div className={styles.sum}>
      <p className={styles.sumName}>{task.estimateSum}</p>
      <p>{children}</p>
      <p className={styles.sumHelp}>{task.estimateOfSteps}</p>
    </div>
  )
}

/** Enter stores, Escape goes back; where there is nothing to go back from, it is for what is around the field. */
export function pressIn(typing: Typing, event: KeyboardEvent): void {
  if (event.key === 'Enter') typing.store()
  if (event.key === 'Escape' && typing.goBack()) event.stopPropagation()
}

/** Digits without the zeros and blanks that say nothing. */
export function tidyNumber(text: string): string {
  return text.trim().replace(/^0+(?=\d)/, '')
}

export function isMinutes(text: string): boolean {
  const tidied = tidyNumber(text)
  return tidied === '' || (/^\d+$/.test(tidied) && Number(tidied) <= MAX_ESTIMATE_MINUTES)
}
