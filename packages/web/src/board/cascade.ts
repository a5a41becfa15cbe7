import type { Task } from '@fivetab/domain/task.ts'
import { type TaskWire, taskOnWire, taskToWire } from '@fivetab/domain/task-shape.ts'
import { type Board, isDone } from './board.ts'

/** The board with `rule` applied to the tasks that a change of something else concerns, until the service has told of each of them. */
export function cascade(board: Board, isConcerned: (task: TaskWire) => boolean, rule: (task: Task) => Task): Board {
  const changed = [...board.tasks.values()].filter(isConcerned).map((task) => {
    return { ...taskToWire(rule(taskOnWire(task))), version: task.version }
  })
  if (changed.length === 0) return board
  const doneBefore = changed.filter(({ id }) => isDone(board.tasks.get(id) as TaskWire)).length
  return {
    ...board,
    tasks: new Map([...board.tasks, ...changed.map((task) => [task.id, task] as const)]),
    doneTotal: board.doneTotal + changed.filter(isDone).length - doneBefore,
  }
}
