import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import {
  ALL,
  countsOf,
  type Filter,
  type Group,
  groupsOf,
  holds,
  isFiltering,
  knownFilter,
  NO_FILTER,
  NONE,
  wordsOf,
} from '../../packages/web/src/board/groups.ts'
import { itemsOf, sectionsOf } from '../../packages/web/src/pages/board/list-items.ts'
import { successorOf } from '../../packages/web/src/pages/board/successor.ts'
import { aBoard, aProject, aStatus, aTask, aWorkflow } from './a-board.ts'

const today = (id: string, fields: Partial<TaskWire> = {}) => aTask({ id, title: id, disposition: 'in_progress', ...fields })
const on = (status_id: string, workflow_id = 'article') => ({ status_id, workflow_id })

/** Two Workflows, given out of order, and so are their Statuses. */
const WORKFLOWS = [
  aWorkflow({ id: 'repair', position: 2, statuses: [aStatus('offer', 'in_progress', { workflow_id: 'repair' })] }),
  aWorkflow({
    id: 'article',
    position: 1,
    statuses: [
      aStatus('review', 'in_progress', { position: 2 }),
      aStatus('feedback', 'waiting'),
      aStatus('draft', 'in_progress', { position: 1 }),
      aStatus('printed', 'done'),
    ],
  }),
]

/** Each group with its tasks, `group: task task`. */
const shown = (groups: readonly Group[]) => groups.map(({ key, tasks }) => [key, ...tasks.map(({ id }) => id)].join(' '))

function seen(tasks: TaskWire[], filter: Partial<Filter> = {}, sort: Parameters<typeof groupsOf>[3] = 'newest'): string[] {
  return shown(groupsOf(aBoard({ workflows: WORKFLOWS, tasks }), 'in_progress', { ...NO_FILTER, ...filter }, sort))
}

/** The tasks that pass a filter, in whichever group. */
function passing(tasks: TaskWire[], filter: Partial<Filter>): string[] {
  const groups = groupsOf(aBoard({ workflows: WORKFLOWS, tasks }), 'in_progress', { ...NO_FILTER, ...filter }, 'oldest')
  return groups.flatMap(({ tasks }) => tasks.map(({ id }) => id))
}

describe('the groups of a tab', () => {
  it('are the tasks without a Status, then each Status of the tab by Workflow and position, also those that hold nothing', () => {
    const tasks = [today('a', on('review')), today('b'), today('c', on('offer', 'repair'))]

    assert.deepEqual(seen(tasks), ['without b', 'draft', 'review a', 'offer c'])
  })

  it('hold the open tasks of that tab alone', () => {
    const tasks = [today('here'), today('elsewhere', { disposition: 'waiting' }), today('archived', { archived: true })]

    assert.deepEqual(passing(tasks, {}), ['here'])
  })

  it('show a task without a Status when its Status is not known yet', () => {
    assert.deepEqual(seen([today('a', on('unheard of'))]), ['without a', 'draft', 'review', 'offer'])
  })

  it('are one where the tab has no Statuses', () => {
    const board = aBoard({ workflows: WORKFLOWS, tasks: [aTask({ id: 'a' })] })

    assert.deepEqual(shown(groupsOf(board, 'not_started', NO_FILTER, 'newest')), ['without a'])
  })

  it('of one Workflow are those that are asked for', () => {
    assert.deepEqual(seen([today('a', on('draft')), today('b'), today('c', { workflow_id: 'article' })], { workflow: 'article' }), [
      'without c',
      'draft a',
      'review',
    ])
  })
})

describe('the order of a tab', () => {
  const made = (day: number) => ({ created_at: `2026-11-0${day}T12:00:00.000Z` })
  const tasks = [
    today('second', { ...made(2), due_date: '2026-12-24' }),
    today('third', made(3)),
    today('first', { ...made(1), due_date: '2026-12-24' }),
    today('fourth', { ...made(4), due_date: '2026-11-30' }),
  ]

  it('is the newest first', () => {
    assert.deepEqual(seen(tasks, {}, 'newest')[0], 'without fourth third second first')
  })

  it('is the oldest first', () => {
    assert.deepEqual(seen(tasks, {}, 'oldest')[0], 'without first second third fourth')
  })

  it('is by due date, then the oldest, and what is never due comes last', () => {
    assert.deepEqual(seen(tasks, {}, 'due')[0], 'without fourth first second third')
  })

  it('of Done is the last completed first, whatever is chosen elsewhere', () => {
    const done = (id: string, day: number) => aTask({ id, disposition: 'done', completed_at: `2026-11-0${day}T12:00:00.000Z` })
    const board = aBoard({ tasks: [done('a', 2), done('b', 3), done('c', 1)] })

    assert.deepEqual(shown(groupsOf(board, 'done', NO_FILTER, 'oldest')), ['without b a c'])
  })
})

describe('a filter', () => {
  const tasks = [
    today('a', { project_id: 'house' }),
    today('b', { workflow_id: 'article', title: 'Straße fegen' }),
    today('c', { notes: 'Call Ὀδυσσεύς\nabout the BOXES' }),
  ]

  it('takes the tasks of a project, or those without one', () => {
    assert.deepEqual(passing(tasks, { project: 'house' }), ['a'])
    assert.deepEqual(passing(tasks, { project: NONE }), ['b', 'c'])
  })

  it('takes the tasks of a Workflow, or those without one', () => {
    assert.deepEqual(passing(tasks, { workflow: 'article' }), ['b'])
    assert.deepEqual(passing(tasks, { workflow: NONE }), ['a', 'c'])
  })

  it('takes those with all words in title or notes, in any order and any case', () => {
    assert.deepEqual(passing(tasks, { words: 'boxes CALL' }), ['c'])
    assert.deepEqual(passing(tasks, { words: '  fegen   straße ' }), ['b'])
    assert.deepEqual(passing(tasks, { words: 'boxes fegen' }), [])
  })

  it('compares words as the service does', () => {
    assert.deepEqual(passing(tasks, { words: 'ὈΔΥΣΣΕΎΣ' }), ['c'])
    assert.equal(holds({ title: 'ﬁle ①', notes: null }, wordsOf('FILE 1')), true)
  })

  it('of blanks alone is none', () => {
    assert.equal(isFiltering({ ...NO_FILTER, words: '   ' }), false)
    assert.equal(isFiltering({ ...NO_FILTER, words: ' x ' }), true)
    assert.equal(isFiltering({ ...NO_FILTER, project: NONE }), true)
  })

  it('forgets a project and a Workflow that are deleted', () => {
    const board = aBoard({ projects: [aProject()], workflows: WORKFLOWS })

    assert.deepEqual(knownFilter(board, { project: 'house', workflow: 'article', words: 'x' }), {
      project: 'house',
      workflow: 'article',
      words: 'x',
    })
    assert.deepEqual(knownFilter(board, { project: 'gone', workflow: 'gone', words: 'x' }), { project: ALL, workflow: ALL, words: 'x' })
    assert.deepEqual(knownFilter(board, { project: NONE, workflow: NONE, words: '' }), { project: NONE, workflow: NONE, words: '' })
  })
})

describe('the counts of the tabs', () => {
  it('leave out what is archived, and take what is done from the service', () => {
    const tasks = [
      aTask({ id: 'a' }),
      today('b'),
      today('c', { archived: true }),
      aTask({ id: 'd', disposition: 'done' }),
      aTask({ id: 'e', disposition: 'done', archived: true }),
    ]

    assert.deepEqual(countsOf(aBoard({ tasks, doneTotal: 7 })), { not_started: 1, in_progress: 1, waiting: 0, on_hold: 0, done: 7 })
  })
})

describe('the list of a tab', () => {
  const group = (key: string, ...ids: string[]): Group => ({ key, on: null, tasks: ids.map((id) => today(id)) })
  const laidOut = (groups: Group[], areEmptyShown: boolean) => itemsOf(groups, areEmptyShown).map(({ key }) => key)

  it('has no heading over tasks that are all without a Status', () => {
    assert.deepEqual(laidOut([group('without', 'a', 'b'), group('draft')], false), ['a', 'b'])
  })

  it('has a heading over each group, and leaves out those that hold nothing', () => {
    assert.deepEqual(laidOut([group('without'), group('draft', 'a'), group('review')], false), ['heading draft', 'a'])
  })

  it('shows groups that hold nothing while something can be dropped onto them', () => {
    assert.deepEqual(laidOut([group('without', 'a'), group('draft')], true), ['heading without', 'a', 'heading draft'])
    assert.deepEqual(laidOut([group('without')], true), [])
  })

  it('keeps together in the page what belongs together', () => {
    const items = itemsOf([group('without', 'a', 'b'), group('draft', 'c')], false)

    const sections = sectionsOf(items.map((item) => ({ item })))

    assert.deepEqual(
      sections.map(({ group, parts }) => [group.key, parts.length]),
      [
        ['without', 3],
        ['draft', 2],
      ],
    )
  })
})

describe('the focus, when its task leaves the list', () => {
  it('goes to the next that is still there', () => {
    assert.equal(successorOf('b', ['a', 'b', 'c', 'd'], ['a', 'd']), 'd')
  })

  it('goes to the one before, where none comes after', () => {
    assert.equal(successorOf('d', ['a', 'b', 'c', 'd'], ['a', 'b']), 'b')
  })

  it('goes nowhere in a list without tasks, or in another one', () => {
    assert.equal(successorOf('a', ['a'], []), null)
    assert.equal(successorOf('x', ['a', 'b'], ['a', 'b']), null)
  })
})
