import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { Tab } from '../../board/tabs.ts'
import type { TaskActions } from '../../board/use-task-actions.ts'

/** Puts a task on a tab: Done is completing it. */
export function moveToTab(task: TaskWire, tab: Tab, actions: TaskActions): void {
  if (task.disposition === tab.key) return
  if (tab.key === 'done') actions.complete(task)
  else actions.move(task, { disposition: tab.key }, tab.name)
}
