import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newStatus } from '@fivetab/domain/status.ts'
import { contradictions, type TaskInput, type TaskReferences, workflowAfter } from '@fivetab/domain/task.ts'

const LATER = Date.parse('2026-11-22T12:00:00Z')
const REVIEW = newStatus({ id: 'review', workflowId: 'article', position: 1, now: 0 }, { name: 'Review', disposition: 'in_progress' })

describe('an input contradicts itself', () => {
  const ROWS: [name: string, input: TaskInput, isNew: boolean, problems: string[]][] = [
    ['never, when it is empty, new', {}, true, []],
    ['never, when it is empty, a change', {}, false, []],
    ['in a change to a Status and no Workflow', { statusId: 's', workflowId: null }, false, ['workflow_id conflict']],
    ['not in a new task on a Status and no Workflow', { statusId: 's', workflowId: null }, true, []],
    ['not in a change to no Status and no Workflow', { statusId: null, workflowId: null }, false, []],
    ['in a time to wake with another Disposition', { onHoldUntil: LATER, disposition: 'done' }, false, ['on_hold_until conflict']],
    ['in a time to wake, the epoch, with another Disposition', { onHoldUntil: 0, disposition: 'done' }, false, ['on_hold_until conflict']],
    ['in a new task with a time to wake and no Disposition', { onHoldUntil: LATER }, true, ['on_hold_until conflict']],
    ['not in a change of the time to wake alone', { onHoldUntil: LATER }, false, []],
    ['not in a new task with a time to wake on a Status', { onHoldUntil: LATER, statusId: 's' }, true, []],
    ['not in a time to wake with Later', { onHoldUntil: LATER, disposition: 'on_hold' }, true, []],
    ['not in no time to wake with another Disposition', { onHoldUntil: null, disposition: 'done' }, false, []],
    [
      'in two ways at once',
      { statusId: 's', workflowId: null, onHoldUntil: LATER, disposition: 'waiting' },
      false,
      ['on_hold_until conflict', 'workflow_id conflict'],
    ],
  ]

  for (const [name, input, isNew, problems] of ROWS) {
    it(name, () => {
      const found = contradictions(input, isNew).map(({ field, code }) => `${field} ${code}`)

      assert.deepEqual(found.sort(), problems)
    })
  }
})

describe('the Workflow that a task comes to be on', () => {
  const ROWS: [name: string, input: TaskInput, references: TaskReferences, expected: string | null][] = [
    ['is its own when nothing is said', {}, {}, 'other'],
    ['is the one that is sent', { workflowId: 'article' }, { workflow: { id: 'article', statuses: [] } }, 'article'],
    ['is none when null is sent', { workflowId: null }, {}, null],
    ['is that of the Status that is sent', { statusId: 'review' }, { status: REVIEW }, 'article'],
    ['is its own when it is taken off its Status', { statusId: null }, {}, 'other'],
  ]

  for (const [name, input, references, expected] of ROWS) {
    it(name, () => {
      assert.equal(workflowAfter({ workflowId: 'other' }, input, references), expected)
    })
  }
})
