import type { Dialect } from '../dialect.ts'
import { eventsTable, stepTables, TASK_INDEXES, tasksTable } from './0001-foundation.ts'

/**
 * Tasks and events lie in the order in which they came, and their keys in an index. Such wide rows, laid in the order of their keys, make a deep
 * tree of which few rows fit on a page, and each of more than a quarter of a page is torn apart: reading a list took fifteen times as long.
 */
export const wideRows = (dialect: Dialect): string[] => [
  // An engine that knows no other order has them so already.
  ...(dialect.inKeyOrder === '' ? [] : laidAnew(dialect)),
  'drop index tasks_to_wake',
  'create index tasks_to_wake on tasks (on_hold_until, account_id, id) where on_hold_until is not null',
  ...dialect.expect([
    ['tasks', 'sqlite_autoindex_tasks_1', [1_000_000, 150, 1]],
    ['tasks', 'tasks_by_update', [1_000_000, 150, 1, 1]],
    ['tasks', 'tasks_listed', [200_000, 150, 1]],
    ['tasks', 'tasks_by_due_date', [200_000, 200, 2, 1]],
    ['tasks', 'tasks_by_disposition', [1_000_000, 1_000, 200, 1]],
    ['tasks', 'tasks_by_status', [1_000_000, 1_000, 10, 1]],
    ['tasks', 'tasks_by_workflow', [1_000_000, 1_000, 50, 1]],
    ['tasks', 'tasks_by_project', [1_000_000, 1_000, 20, 1]],
    ['tasks', 'tasks_to_wake', [1_000, 2, 1, 1]],
  ]),
]

function laidAnew(dialect: Dialect): string[] {
  const asTheyCame = { ...dialect, inKeyOrder: '' } as const
  // What points to tasks comes along: a table cannot be dropped while others point to it.
  const [checklistSteps = '', statusProgress = '', ...stepIndexes] = stepTables(dialect)
  const tables: [name: string, definition: string, order: string][] = [
    ['tasks', tasksTable(asTheyCame), 'id'],
    ['events', eventsTable(asTheyCame), 'sequence'],
    ['checklist_steps', checklistSteps, 'task_id'],
    ['status_progress', statusProgress, 'task_id'],
  ]
  const indexes = [...TASK_INDEXES, ...stepIndexes]
  return [
    ...indexes.map((statement) => `drop index ${statement.split(' ')[2]}`),
    ...tables.map(([name]) => `alter table ${name} rename to former_${name}`),
    ...tables.flatMap(([name, definition, order]) => [
      definition,
      `insert into ${name} select * from former_${name} order by account_id, ${order}`,
    ]),
    ...tables.toReversed().map(([name]) => `drop table former_${name}`),
    ...indexes,
  ]
}
