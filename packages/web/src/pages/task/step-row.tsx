import { type Step, totalsOf, type UpdateStep } from '@fivetab/domain/step.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { tidy } from '@fivetab/domain/text.ts'
import { useId } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { isStepStored, updateStep } from '../../board/step-changes.ts'
import { STEP_NAME_MAX } from '../../board/text-lengths.ts'
import { announce } from '../../components/announcer.tsx'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { InPlaceText } from './in-place-text.tsx'
import { minutesField, nameField } from './step-fields.ts'
import styles from './steps.module.css'
import { isMinutes, pressIn, tidyNumber } from './task-numbers.tsx'
import { useTextProblem } from './use-text-problem.ts'
import { useTyping } from './use-typing.ts'

interface StepProps {
  task: TaskWire
  /** All steps of the task. */
  steps: readonly Step[]
  step: Step
}

/** A step of the task's own checklist. */
export function ChecklistStep({ task, steps, step, onDelete }: StepProps & { onDelete(): void }) {
  const texts = useTexts()
  const change = useStepChange({ task, steps, step })
  const problemWith = useTextProblem(STEP_NAME_MAX, texts.steps.nameNeeded)
  if (!isStepStored(step)) return <StepOnItsWay step={step} />
  return (
    <div className={styles.step} data-done={step.completedAt !== null || undefined}>
      <Tick step={step} onTick={(completed) => void change({ completed })} />
      <InPlaceText
        look="step"
        field={nameField(task.id, step.id)}
        label={texts.steps.name}
        shown={step.name}
        keeper={{ tidied: tidy, problemWith, store: (name) => change({ name }) }}
      />
      <Minutes task={task} steps={steps} step={step} />
      <IconButton icon="delete" label={texts.steps.delete(step.name)} onClick={onDelete} />
    </div>
  )
}

/** A step that the service has not made yet. */
function StepOnItsWay({ step }: { step: Step }) {
  return (
    <div className={styles.step}>
      <Tick step={step} />
      <p className={styles.name}>{step.name}</p>
    </div>
  )
}

/** A step that is a Today Status of the task's Workflow. */
export function StatusStep({ task, steps, step }: StepProps) {
  const texts = useTexts()
  const id = useId()
  const change = useStepChange({ task, steps, step })
  const isHere = task.status_id === step.id
  return (
    <div className={styles.step} data-done={step.completedAt !== null || undefined} aria-current={isHere ? 'step' : undefined}>
      <Tick id={id} step={step} onTick={(completed) => void change({ completed })} />
      <label htmlFor={id} className={styles.name}>
        {step.name} {isHere && <Badge look="info">{texts.steps.isHere}</Badge>}
      </label>
      <Minutes task={task} steps={steps} step={step} />
    </div>
  )
}

/** A box that is easier to hit than it looks. */
function Tick({ id, step, onTick }: { id?: string; step: Step; onTick?: (isTicked: boolean) => void }) {
  return (
    <label className={styles.tick}>
      <input
        id={id}
        type="checkbox"
        aria-label={step.name}
        checked={step.completedAt !== null}
        disabled={onTick === undefined}
        onChange={({ target }) => onTick?.(target.checked)}
      />
    </label>
  )
}

function Minutes({ task, steps, step }: StepProps) {
  const texts = useTexts()
  const change = useStepChange({ task, steps, step })
  const typing = useTyping(minutesField(task.id, step.id), step.minutes === 0 ? '' : String(step.minutes), {
    tidied: (text) => (tidyNumber(text) === '0' ? '' : tidyNumber(text)),
    problemWith: (text) => (isMinutes(text) ? null : texts.task.wrongMinutes),
    store: (text) => change({ minutes: Number(text) }),
  })
  return (
    <span className={styles.minutes}>
      <input
        inputMode="numeric"
        autoComplete="off"
        aria-label={texts.steps.minutes(step.name)}
        aria-invalid={typing.problem ? true : undefined}
        title={typing.problem}
        placeholder={texts.steps.minutesShort}
        value={typing.text}
        onChange={({ target }) => typing.type(target.value)}
        onKeyDown={(event) => pressIn(typing, event)}
        onBlur={typing.store}
      />
      {typing.problem && (
        <span role="alert" className={styles.minutesProblem}>
          {typing.problem}
        </span>
      )}
    </span>
  )
}

/** Changes a step, and says how far the task has come where that is news. */
function useStepChange({ task, steps, step }: StepProps): (fields: UpdateStep) => Promise<boolean> {
  const texts = useTexts()
  const change = useChange()
  return (fields) => {
    if (fields.completed !== undefined) {
      const others = totalsOf(steps.filter(({ id }) => id !== step.id)).stepsCompleted
      announce(texts.steps.heard(others + Number(fields.completed), steps.length))
    }
    return change(updateStep(task.id, step.id, fields))
  }
}
