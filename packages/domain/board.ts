import { type Static, Type } from 'typebox'
import { DispositionShape } from './disposition.ts'
import { ProjectShape } from './project.ts'
import { ref, shape } from './shape.ts'
import { TaskShape } from './task-shape.ts'
import { WorkflowWithStatusesShape } from './workflow.ts'

/** All that the app's five tabs are made of, in one answer. The app's own: no contract. */

/** How many open tasks a board shows at most; the rest is found by searching. */
export const MAX_BOARD_TASKS = 10_000

export const BoardShape = shape(
  'Board',
  'The five tabs, and everything that is open.',
  {
    object: Type.Literal('board'),
    latest_sequence: Type.Integer({
      minimum: 0,
      description: 'How far the log had come before anything else was read: what happened after it is told by the events after it.',
    }),
    dispositions: Type.Array(ref(DispositionShape), { description: 'The five, in tab order.' }),
    projects: Type.Array(ref(ProjectShape), { description: 'All of them, archived ones too, by position.' }),
    workflows: Type.Array(ref(WorkflowWithStatusesShape), { description: 'All of them with their Statuses, by position.' }),
    tasks: Type.Array(ref(TaskShape), { description: 'Those that are neither done nor archived, oldest first; at most 10,000.' }),
    has_more: Type.Boolean({ description: 'Whether there are more open tasks than these.' }),
    done_total: Type.Integer({ minimum: 0, description: 'How many tasks are done and not archived.' }),
  },
  {
    object: 'board',
    latest_sequence: 42,
    dispositions: [],
    projects: [],
    workflows: [],
    tasks: [],
    has_more: false,
    done_total: 0,
  },
)

export type BoardWire = Static<typeof BoardShape>
