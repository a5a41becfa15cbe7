import type { ProjectWire } from '@fivetab/domain/project.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { WorkflowWire } from '@fivetab/domain/workflow.ts'
import type { ReactNode } from 'react'
import { dayIn } from '../../board/later.ts'
import { dayInWords, minutesInWords, timeInWords } from '../../board/when.ts'
import { Icon, type IconName } from '../../components/icon.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import styles from './task-facts.module.css'

export interface FactsProps {
  task: TaskWire
  project: ProjectWire | undefined
  /** The Workflow of a task that is on none of its Statuses; elsewhere the heading says it. */
  workflow: WorkflowWire | undefined
  /** A moment of the present day, in ms since the epoch. */
  today: number
  timeZone: string
}

export function hasFacts(task: TaskWire): boolean {
  const { project_id, workflow_id, status_id, due_date, on_hold_until, completed_at, steps_total, estimate_minutes, notes } = task
  const isOnWorkflowAlone = workflow_id !== null && status_id === null
  return Boolean(project_id || isOnWorkflowAlone || due_date || on_hold_until || completed_at || steps_total || estimate_minutes || notes)
}

/** The small things that there are to know of a task in a list. */
export function TaskFacts({ task, project, workflow, today, timeZone }: FactsProps) {
  const { board } = useTexts()
  const language = useLanguage()
  const locale = { language, timeZone }
  const inWords = (day: string) => dayInWords(day, today, locale, board.days)
  const { disposition, due_date, on_hold_until, completed_at, steps_total, steps_completed, estimate_minutes, notes } = task
  const isOverdue = due_date !== null && due_date < dayIn(timeZone, today) && disposition !== 'done'
  return (
    <ul className={styles.facts} aria-label={board.facts}>
      {project && <Fact icon="project">{project.name}</Fact>}
      {workflow && <Fact icon="workflow">{[workflow.emoji, workflow.name].filter(Boolean).join(' ')}</Fact>}
      {completed_at && <Fact icon="check">{board.doneOn(inWords(dayIn(timeZone, Date.parse(completed_at))))}</Fact>}
      {due_date && (
        <Fact icon="calendar" isUrgent={isOverdue}>
          {isOverdue ? board.overdue(inWords(due_date)) : board.due(inWords(due_date))}
        </Fact>
      )}
      {on_hold_until && <Fact icon="clock">{board.wakes(timeInWords(Date.parse(on_hold_until), today, locale, board.days))}</Fact>}
      {steps_total > 0 && (
        <Fact icon="check">
          <span aria-hidden="true">
            {steps_completed}/{steps_total}
          </span>
          <span className="unseen">{board.steps(steps_completed, steps_total)}</span>
        </Fact>
      )}
      {estimate_minutes !== null && estimate_minutes > 0 && (
        <Fact icon="estimate">
          <span className="unseen">{board.estimate} </span>
          {minutesInWords(estimate_minutes, language)}
        </Fact>
      )}
      {notes && (
        <Fact icon="notes">
          <span className="unseen">{board.hasNotes}</span>
        </Fact>
      )}
    </ul>
  )
}

function Fact({ icon, isUrgent = false, children }: { icon: IconName; isUrgent?: boolean; children: ReactNode }) {
  return (
    <li className={`${styles.fact} ${isUrgent ? styles.urgent : ''}`}>
      <Icon name={icon} size={14} />
      <span className={styles.text}>{children}</span>
    </li>
  )
}
