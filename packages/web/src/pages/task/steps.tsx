import { MAX_STEPS, type Step, totalsOf } from '@fivetab/domain/step.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { type CSSProperties, type RefObject, useId, useLayoutEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useBoard, useChange } from '../../board/board-context.tsx'
import { isStepStored, updateStep } from '../../board/step-changes.ts'
import { useTabs } from '../../board/tabs.ts'
import { minutesInWords } from '../../board/when.ts'
import { Button } from '../../components/button.tsx'
import { Loading } from '../../components/notice.tsx'
import { Sortable } from '../../components/sortable.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import { AddStep } from './add-step.tsx'
import { ChecklistStep, StatusStep } from './step-row.tsx'
import styles from './steps.module.css'
import { type Deletion, type Deletions, useStepDeletions } from './use-step-deletions.ts'
import { useSteps } from './use-steps.ts'

/** The steps of a task: the Today Statuses of its Workflow, or a checklist of its own. */
export function Steps({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const id = useId()
  const { steps, isFailed, again } = useSteps(task)
  return (
    <section aria-labelledby={id} className={styles.section}>
      <div className={styles.head}>
        <h3 id={id}>{texts.steps.heading}</h3>
        {steps !== null && steps.length > 0 && <Progress steps={steps} />}
      </div>
      {steps === null && !isFailed && <Loading label={texts.common.loading} />}
      {steps === null && isFailed && (
        <div role="alert" className={styles.failed}>
          <p>{texts.steps.notLoaded}</p>
          <Button onClick={again}>{texts.common.tryAgain}</Button>
        </div>
      )}
      {steps !== null && (task.workflow_id === null ? <Checklist task={task} steps={steps} /> : <StatusSteps task={task} steps={steps} />)}
    </section>
  )
}

function Progress({ steps }: { steps: readonly Step[] }) {
  const texts = useTexts()
  const language = useLanguage()
  const { stepsTotal, stepsCompleted, stepsMinutes } = totalsOf(steps)
  return (
    <>
      <p className={styles.progress}>
        {texts.steps.progress(stepsCompleted, stepsTotal)}
        {stepsMinutes > 0 && ` · ${minutesInWords(stepsMinutes, language)}`}
      </p>
      <div aria-hidden="true" className={styles.bar} style={{ '--done': stepsCompleted / stepsTotal } as CSSProperties} />
    </>
  )
}

function Checklist({ task, steps }: { task: TaskWire; steps: readonly Step[] }) {
  const texts = useTexts()
  const change = useChange()
  const adding = useRef<HTMLInputElement>(null)
  const deletions = useStepDeletions(task.id)
  return (
    <>
      <Sortable
        kind={`step of ${task.id}`}
        label={texts.steps.heading}
        items={steps}
        nameOf={({ name }) => name}
        onMove={(id, position) => isStepStored({ id }) && void change(updateStep(task.id, id, { position }))}
      >
        {(step) => <ChecklistStep task={task} steps={steps} step={step} onDelete={() => deletions.begin(step)} />}
      </Sortable>
      <Deleted deletions={deletions} adding={adding} />
      {steps.length >= MAX_STEPS ? <p className={styles.note}>{texts.steps.full(MAX_STEPS)}</p> : <AddStep task={task} ref={adding} />}
    </>
  )
}

/** What was deleted just now, and can be taken back. */
function Deleted({ deletions, adding }: { deletions: Deletions; adding: RefObject<HTMLInputElement | null> }) {
  return (
    <ul className={styles.deletions}>
      {deletions.open.map((deletion) => (
        <DeletedStep key={deletion.step.id} deletion={deletion} adding={adding} />
      ))}
    </ul>
  )
}

function DeletedStep({ deletion, adding }: { deletion: Deletion; adding: RefObject<HTMLInputElement | null> }) {
  const { common, steps } = useTexts()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  // It takes the focus that its step had, and gives it on when it goes.
  useLayoutEffect(() => {
    const undo = button.current
    undo?.focus()
    return () => {
      if (document.activeElement === undo) adding.current?.focus()
    }
  }, [adding])
  return (
    <li className={styles.deletion}>
      <span id={id}>{steps.deleted(deletion.step.name)}</span>
      <Button ref={button} look="quiet" icon="restore" aria-describedby={id} onClick={() => deletion.end(false)}>
        {common.undo}
      </Button>
    </li>
  )
}

/** They are named and put in order in the Workflow. */
function StatusSteps({ task, steps }: { task: TaskWire; steps: readonly Step[] }) {
  const texts = useTexts()
  const tabs = useTabs()
  const workflow = useBoard().workflows.get(task.workflow_id ?? '')
  if (workflow === undefined) return null
  const today = tabs.find(({ key }) => key === 'in_progress')?.name ?? texts.dispositions.in_progress
  const about = steps.length === 0 ? texts.steps.noneInWorkflow(workflow.name, today) : texts.steps.ofWorkflow(workflow.name, today)
  return (
    <>
      <ul>
        {steps.map((step) => (
          <li key={step.id}>
            <StatusStep task={task} steps={steps} step={step} />
          </li>
        ))}
      </ul>
      <p className={styles.note}>
        {about} <Link href={`/workflows/${workflow.id}`}>{texts.steps.toWorkflow}</Link>
      </p>
    </>
  )
}
