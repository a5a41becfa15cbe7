import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { type ReactNode, useId, useRef } from 'react'
import { type Group, WITHOUT } from '../../board/groups.ts'
import { isStored } from '../../board/task-changes.ts'
import type { TaskActions } from '../../board/use-task-actions.ts'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import { useTaskTarget } from './dragging.ts'
import styles from './group-section.module.css'
import type { ListItem } from './list-items.ts'

interface GroupSectionProps {
  group: Group
  /** What of it is in the page. */
  parts: readonly { item: ListItem; index: number }[]
  /** It is known how many tasks it has. */
  isCounted: boolean
  /** What the tab is called, and the list where the group has no heading. */
  label: string
  actions: TaskActions
  measure: (element: HTMLElement | null) => void
  children(task: TaskWire): ReactNode
}

/** The tasks on one Status, under its name. Dropping a task here puts it on the Status. */
export function GroupSection({ group, parts, isCounted, label, actions, measure, children }: GroupSectionProps) {
  const { board } = useTexts()
  const language = useLanguage()
  const id = useId()
  const element = useRef<HTMLElement>(null)
  const name = nameOfGroup(group, board.withoutStatus)
  const isOver = useTaskTarget(element, {
    takes: (task) => (task.status_id ?? WITHOUT) !== group.key && (group.on === null || isStored(group.on.status)),
    drop: (task) => actions.move(task, { status_id: group.on?.status.id ?? null }, group.on ? name : board.tabWithoutStatus(label)),
  })
  const heading = parts.find(({ item }) => item.kind === 'heading')
  const rows = parts.flatMap(({ item, index }) => (item.kind === 'row' ? [{ ...item, index }] : []))
  return (
    <section ref={element} data-over={isOver || undefined} aria-labelledby={heading && id} className={styles.section}>
      {heading && (
        <div ref={measure} data-index={heading.index} className={styles.place}>
          <div className={styles.head} data-empty={group.tasks.length === 0 || undefined}>
            <h2 id={id} className={styles.name}>
              {name}
            </h2>
            {isCounted && <span className={styles.count}>{group.tasks.length.toLocaleString(language)}</span>}
          </div>
        </div>
      )}
      <ul {...(heading ? { 'aria-labelledby': id } : { 'aria-label': label })}>
        {rows.map(({ key, task, place, index }) => (
          <li
            key={key}
            ref={measure}
            data-index={index}
            data-first={place === 1 || undefined}
            data-last={place === group.tasks.length || undefined}
            aria-setsize={group.tasks.length}
            aria-posinset={place}
            className={`${styles.place} ${styles.item}`}
          >
            {children(task)}
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOfGroup({ on }: Group, withoutStatus: string): string {
  if (on === null) return withoutStatus
  return `${[on.workflow.emoji, on.workflow.name].filter(Boolean).join(' ')} · ${on.status.name}`
}
