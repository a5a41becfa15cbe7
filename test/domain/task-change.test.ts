import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { patchTask, type Task, type TaskInput, type TaskReferences } from '@fivetab/domain/task.ts'
import { ARTICLE, aTask, EARLIER, EMPTY, LATER, NOW, statusOfArticle } from './builders.ts'

function patched(task: Task, input: TaskInput, references: TaskReferences = {}, stepsAfter = 0): Task {
  return patchTask(task, input, references, stepsAfter, NOW, NOW)
}

/** The problems that `act` is refused for, each as `field code`. */
function problemsOf(act: () => unknown): string[] {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    assert.equal(error.code, 'invalid_request')
    return (error.more.problems ?? []).map(({ field, code }) => `${field} ${code}`).sort()
  }
  return assert.fail('nothing was refused')
}

describe('a change of a task', () => {
  const onDraft = aTask({ disposition: 'in_progress', workflowId: 'article', statusId: 'draft' })
  const asleep = aTask({ disposition: 'on_hold', workflowId: 'article', onHoldUntil: LATER, leftStatusId: 'draft' })
  const done = aTask({ disposition: 'done', workflowId: 'article', statusId: 'published', completedAt: EARLIER })
  const elsewhere = aTask({ disposition: 'in_progress', workflowId: 'other', statusId: 'sketch' })
  const full = aTask({ notes: 'At length', projectId: 'house', dueDate: '2026-12-01', ownEstimateMinutes: 90 })
  const article = { workflow: ARTICLE }
  const review = { status: statusOfArticle('review') }

  const CHANGES: [name: string, task: Task, input: TaskInput, references: TaskReferences, expected: Partial<Task>][] = [
    ['of nothing changes nothing', full, {}, {}, {}],
    ['of the title', full, { title: 'Read it' }, {}, { title: 'Read it' }],
    ['of the notes', full, { notes: 'In short' }, {}, { notes: 'In short' }],
    ['of the notes to null clears them', full, { notes: null }, {}, { notes: null }],
    ['of the project', full, { projectId: 'garden' }, { project: { id: 'garden' } }, { projectId: 'garden' }],
    ['of the project to null takes it out', full, { projectId: null }, {}, { projectId: null }],
    ['of the day it is due', full, { dueDate: '2027-01-01' }, {}, { dueDate: '2027-01-01' }],
    ['of the day it is due to null', full, { dueDate: null }, {}, { dueDate: null }],
    ['of the estimate', full, { estimateMinutes: 0 }, {}, { ownEstimateMinutes: 0 }],
    ['of the estimate to null', full, { estimateMinutes: null }, {}, { ownEstimateMinutes: null }],

    ['to another Disposition leaves the Status', onDraft, { disposition: 'waiting' }, {}, { disposition: 'waiting', statusId: null }],
    ['to the Disposition it has changes nothing', onDraft, { disposition: 'in_progress' }, {}, {}],
    ['to done, of a done task, changes nothing', done, { disposition: 'done' }, {}, {}],
    ['out of done clears the stamp', done, { disposition: 'waiting' }, {}, { disposition: 'waiting', statusId: null, completedAt: null }],
    [
      'from Today to Later remembers the Status',
      onDraft,
      { disposition: 'on_hold' },
      {},
      { disposition: 'on_hold', statusId: null, leftStatusId: 'draft' },
    ],
    [
      'from Today to Later with a null Status remembers it too',
      onDraft,
      { disposition: 'on_hold', statusId: null },
      {},
      { disposition: 'on_hold', statusId: null, leftStatusId: 'draft' },
    ],
    [
      'from Today to a Later Status remembers the Status',
      onDraft,
      { statusId: 'shelved' },
      { status: statusOfArticle('shelved') },
      { disposition: 'on_hold', statusId: 'shelved', leftStatusId: 'draft' },
    ],
    [
      'out of Later forgets the time to wake and the Status',
      asleep,
      { disposition: 'waiting' },
      {},
      { disposition: 'waiting', onHoldUntil: null, leftStatusId: null },
    ],

    ['to a Status of its Workflow', onDraft, { statusId: 'review' }, review, { statusId: 'review' }],
    ['to the Status it stands on changes nothing', onDraft, { statusId: 'draft' }, { status: statusOfArticle('draft') }, {}],
    [
      'to a Status takes Workflow and Disposition',
      elsewhere,
      { statusId: 'feedback' },
      { status: statusOfArticle('feedback') },
      { disposition: 'waiting', workflowId: 'article', statusId: 'feedback' },
    ],
    [
      'to a Status, its Workflow and its Disposition, all agreeing',
      elsewhere,
      { statusId: 'review', workflowId: 'article', disposition: 'in_progress' },
      { ...review, ...article },
      { workflowId: 'article', statusId: 'review' },
    ],
    ['to no Status keeps Workflow and Disposition', onDraft, { statusId: null }, {}, { statusId: null }],

    [
      'to another Workflow lands on its first Status',
      elsewhere,
      { workflowId: 'article' },
      article,
      { workflowId: 'article', statusId: 'draft' },
    ],
    [
      'to another Workflow without a fitting Status lands on none',
      elsewhere,
      { workflowId: 'empty' },
      { workflow: EMPTY },
      { workflowId: 'empty', statusId: null },
    ],
    [
      'to another Workflow and no Status lands on none',
      elsewhere,
      { workflowId: 'article', statusId: null },
      article,
      { workflowId: 'article', statusId: null },
    ],
    [
      'to another Workflow and Disposition lands on its first Status there',
      elsewhere,
      { workflowId: 'article', disposition: 'waiting' },
      article,
      { disposition: 'waiting', workflowId: 'article', statusId: 'feedback' },
    ],
    [
      'of a done task to another Workflow keeps the stamp',
      { ...done, workflowId: 'other' },
      { workflowId: 'article' },
      article,
      { workflowId: 'article', statusId: 'announced' },
    ],
    [
      'of a task put off to another Workflow keeps the time to wake',
      { ...asleep, workflowId: 'other' },
      { workflowId: 'article' },
      article,
      { workflowId: 'article', statusId: 'shelved' },
    ],
    [
      'to another Workflow and Later remembers the Status it left',
      elsewhere,
      { workflowId: 'article', disposition: 'on_hold' },
      article,
      { disposition: 'on_hold', workflowId: 'article', statusId: 'shelved', leftStatusId: 'sketch' },
    ],
    ['to the Workflow it is on moves nothing', { ...onDraft, statusId: 'review' }, { workflowId: 'article' }, article, {}],
    ['to the Workflow it is on moves nothing, on no Status', { ...onDraft, statusId: null }, { workflowId: 'article' }, article, {}],
    [
      'to the Workflow and the Disposition it has moves nothing',
      { ...onDraft, statusId: 'review' },
      { workflowId: 'article', disposition: 'in_progress' },
      article,
      {},
    ],
    [
      'to the Workflow it is on and another Disposition lands on its first Status there',
      onDraft,
      { workflowId: 'article', disposition: 'waiting' },
      article,
      { disposition: 'waiting', statusId: 'feedback' },
    ],
    ['to the Workflow it is on and no Status', onDraft, { workflowId: 'article', statusId: null }, article, { statusId: null }],
    ['to no Workflow leaves the Status too', onDraft, { workflowId: null }, {}, { workflowId: null, statusId: null }],
    ['to no Workflow and no Status', onDraft, { workflowId: null, statusId: null }, {}, { workflowId: null, statusId: null }],
    [
      'to no Workflow and another Disposition',
      onDraft,
      { workflowId: null, disposition: 'done' },
      {},
      { disposition: 'done', workflowId: null, statusId: null, completedAt: NOW },
    ],
    [
      'to no Workflow and Later remembers the Status it left',
      onDraft,
      { workflowId: null, disposition: 'on_hold' },
      {},
      { disposition: 'on_hold', workflowId: null, statusId: null, leftStatusId: 'draft' },
    ],

    ['of the time to wake, of a task in Later', asleep, { onHoldUntil: LATER + 1 }, {}, { onHoldUntil: LATER + 1 }],
    ['of the time to wake to null, of a task in Later', asleep, { onHoldUntil: null }, {}, { onHoldUntil: null }],
    ['of the time to wake to null, of a task elsewhere, changes nothing', onDraft, { onHoldUntil: null }, {}, {}],
    [
      'to Later and a time to wake',
      onDraft,
      { disposition: 'on_hold', onHoldUntil: NOW + 1 },
      {},
      { disposition: 'on_hold', statusId: null, onHoldUntil: NOW + 1, leftStatusId: 'draft' },
    ],
    [
      'to a Later Status and a time to wake',
      full,
      { statusId: 'shelved', onHoldUntil: LATER },
      { status: statusOfArticle('shelved') },
      { disposition: 'on_hold', workflowId: 'article', statusId: 'shelved', onHoldUntil: LATER },
    ],
  ]

  for (const [name, task, input, references, expected] of CHANGES) {
    it(name, () => {
      assert.deepEqual(patched(task, input, references), { ...task, ...expected })
    })
  }
})

describe('a change of a task is refused', () => {
  const onDraft = aTask({ disposition: 'in_progress', workflowId: 'article', statusId: 'draft' })
  const asleep = aTask({ disposition: 'on_hold', onHoldUntil: LATER })
  const shelved = statusOfArticle('shelved')
  const review = statusOfArticle('review')

  const REFUSALS: [name: string, task: Task, input: TaskInput, references: TaskReferences, stepsAfter: number, problems: string[]][] = [
    ['with an unknown Status', onDraft, { statusId: 'x' }, { status: null }, 0, ['status_id unknown_reference']],
    ['with an unknown Workflow', onDraft, { workflowId: 'x' }, { workflow: null }, 0, ['workflow_id unknown_reference']],
    ['with an unknown project', onDraft, { projectId: 'x' }, { project: null }, 0, ['project_id unknown_reference']],
    [
      'with every unknown reference at once',
      onDraft,
      { statusId: 'x', workflowId: 'x', projectId: 'x' },
      { status: null, workflow: null, project: null },
      0,
      ['project_id unknown_reference', 'status_id unknown_reference', 'workflow_id unknown_reference'],
    ],
    [
      'to a Status and another Workflow',
      onDraft,
      { statusId: 'review', workflowId: 'empty' },
      { status: review, workflow: EMPTY },
      0,
      ['workflow_id conflict'],
    ],
    [
      'to a Status and another Disposition',
      onDraft,
      { statusId: 'review', disposition: 'done' },
      { status: review },
      0,
      ['disposition conflict'],
    ],
    [
      'to a Status, another Workflow and another Disposition',
      onDraft,
      { statusId: 'review', workflowId: 'empty', disposition: 'done' },
      { status: review, workflow: EMPTY },
      0,
      ['disposition conflict', 'workflow_id conflict'],
    ],
    ['to a time to wake outside Later', onDraft, { onHoldUntil: LATER }, {}, 0, ['on_hold_until conflict']],
    ['to a time to wake and out of Later', asleep, { onHoldUntil: LATER, disposition: 'waiting' }, {}, 0, ['on_hold_until conflict']],
    [
      'to a time to wake and a Status outside Later',
      asleep,
      { onHoldUntil: LATER, statusId: 'review' },
      { status: review },
      0,
      ['on_hold_until conflict'],
    ],
    ['to a time to wake that is now', asleep, { onHoldUntil: NOW }, {}, 0, ['on_hold_until invalid_value']],
    ['to a time to wake that has passed', asleep, { onHoldUntil: EARLIER }, {}, 0, ['on_hold_until invalid_value']],
    ['to a time to wake that is the epoch', asleep, { onHoldUntil: 0 }, {}, 0, ['on_hold_until invalid_value']],
    ['to a time to wake that is the epoch, outside Later', onDraft, { onHoldUntil: 0 }, {}, 0, ['on_hold_until conflict']],
    [
      'to a Later Status and a time that has passed',
      onDraft,
      { statusId: 'shelved', onHoldUntil: EARLIER },
      { status: shelved },
      0,
      ['on_hold_until invalid_value'],
    ],
    ['to an estimate where it has steps', onDraft, { estimateMinutes: 5 }, {}, 1, ['estimate_minutes conflict']],
    [
      'with all that is wrong about it: a time to wake and an estimate',
      onDraft,
      { onHoldUntil: LATER, estimateMinutes: 5 },
      {},
      1,
      ['estimate_minutes conflict', 'on_hold_until conflict'],
    ],
    [
      'with all that is wrong about it: an unknown project, a time that has passed and an estimate',
      asleep,
      { projectId: 'x', onHoldUntil: EARLIER, estimateMinutes: 5 },
      { project: null },
      1,
      ['estimate_minutes conflict', 'on_hold_until invalid_value', 'project_id unknown_reference'],
    ],
  ]

  for (const [name, task, input, references, stepsAfter, problems] of REFUSALS) {
    it(name, () => {
      assert.deepEqual(
        problemsOf(() => patched(task, input, references, stepsAfter)),
        problems,
      )
    })
  }
})
