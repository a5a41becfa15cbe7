import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { type MouseEvent, memo, useRef } from 'react'
import { isStored } from '../../board/task-changes.ts'
import { IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useTaskDragged } from './dragging.ts'
import { type FactsProps, hasFacts, TaskFacts } from './task-facts.tsx'
import styles from './task-row.module.css'
import { TitleEditor } from './title-editor.tsx'

/** What can be done in a row; it stays the same from one look of the list to the next. */
export interface RowActions {
  toggle(task: TaskWire): void
  open(task: TaskWire): void
  edit(task: TaskWire): void
  endEdit(task: TaskWire, isByKey: boolean): void
  openMenu(task: TaskWire, anchor: HTMLElement): void
}

interface TaskRowProps extends FactsProps {
  /** The Tab key comes to this row. */
  isCurrent: boolean
  isEdited: boolean
  actions: RowActions
}

/** One task in the list. It is drawn anew only when something of it has changed. */
export const TaskRow = memo(function TaskRow({ task, isCurrent, isEdited, actions, ...facts }: TaskRowProps) {
  const { board } = useTexts()
  const element = useRef<HTMLDivElement>(null)
  const isReady = isStored(task)
  const isDragged = useTaskDragged(element, task, isReady && !isEdited)
  const isDone = task.disposition === 'done'
  const tabIndex = isCurrent ? 0 : -1

  function edit(event: MouseEvent): void {
    if (isReady && !isEdited && !(event.target as Element).closest('a, button')) actions.edit(task)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the menu and a key do the same
    <div
      ref={element}
      className={styles.row}
      data-row={task.id}
      data-done={isDone || undefined}
      data-dragged={isDragged || undefined}
      data-unready={!isReady || undefined}
      onDoubleClick={edit}
    >
      <button
        type="button"
        className={styles.tick}
        aria-label={isDone ? board.reopen(task.title) : board.complete(task.title)}
        aria-disabled={!isReady || undefined}
        tabIndex={tabIndex}
        // The second press of a double one is meant for the same task, and comes to the next.
        onClick={({ detail }) => isReady && detail < 2 && actions.toggle(task)}
      >
        <span className={styles.circle}>
          <Icon name="check" size={16} />
        </span>
      </button>
      <div className={styles.main}>
        {isEdited ? (
          <TitleEditor task={task} onClose={(isByKey) => actions.endEdit(task, isByKey)} />
        ) : (
          <Title task={task} tabIndex={tabIndex} onOpen={actions.open} />
        )}
        {hasFacts(task) && <TaskFacts task={task} {...facts} />}
      </div>
      <IconButton
        icon="more"
        label={board.menuOf(task.title)}
        className={styles.more}
        aria-haspopup="menu"
        aria-disabled={!isReady || undefined}
        tabIndex={tabIndex}
        data-more
        onClick={(event) => isReady && actions.openMenu(task, event.currentTarget)}
      />
    </div>
  )
})

function Title({ task, tabIndex, onOpen }: { task: TaskWire; tabIndex: number; onOpen(task: TaskWire): void }) {
  if (!isStored(task)) {
    return (
      <span data-title className={styles.title} tabIndex={-1}>
        {task.title}
      </span>
    )
  }

  function open(event: MouseEvent): void {
    // A new tab or window is the browser's own affair.
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onOpen(task)
  }

  return (
    <a href={`/tasks/${task.id}`} data-title draggable={false} className={styles.title} tabIndex={tabIndex} onClick={open}>
      {task.title}
    </a>
  )
}
