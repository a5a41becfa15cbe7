import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { Suspense, useEffect } from 'react'
import { useBoard } from '../../board/board-context.tsx'
import type { TaskActions } from '../../board/use-task-actions.ts'
import { TaskMenu } from './parts.ts'
import type { RowMenu } from './use-row-menu.ts'

interface TaskRowMenuProps {
  menu: RowMenu
  actions: TaskActions
  onOpen(task: TaskWire): void
  onEdit(task: TaskWire): void
}

/** The menu of the row that it was opened for, as long as its task is there. */
export function TaskRowMenu({ menu, actions, onOpen, onEdit }: TaskRowMenuProps) {
  const { shown, open, close, leave } = menu
  const { tasks } = useBoard()
  const task = shown === null ? undefined : tasks.get(shown.taskId)
  const isGone = shown !== null && task === undefined
  useEffect(() => {
    if (isGone) close()
  }, [isGone, close])
  if (shown === null || task === undefined) return null
  return (
    <Suspense fallback={null}>
      <TaskMenu
        task={task}
        kind={shown.kind}
        anchor={shown.anchor}
        actions={actions}
        onClose={close}
        onMore={(kind) => open(task.id, kind, shown.anchor)}
        onOpen={() => {
          leave()
          onOpen(task)
        }}
        onEdit={() => {
          leave()
          onEdit(task)
        }}
      />
    </Suspense>
  )
}
