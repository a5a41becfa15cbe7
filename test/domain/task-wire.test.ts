import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Task, TaskInput } from '@fivetab/domain/task.ts'
import { TASK_WIRE_FORM, taskFromWire, taskToWire, type UpdateTask } from '@fivetab/domain/task-shape.ts'
import { aTask, NOW } from './builders.ts'

describe('a task on the wire', () => {
  it('has every field of the contract, null for what it has not, and no other', () => {
    assert.deepEqual(taskToWire(aTask()), {
      object: 'task',
      id: 'task',
      title: 'Write it',
      notes: null,
      disposition: 'not_started',
      status_id: null,
      workflow_id: null,
      project_id: null,
      due_date: null,
      on_hold_until: null,
      completed_at: null,
      estimate_minutes: null,
      steps_total: 0,
      steps_completed: 0,
      archived: false,
      archived_at: null,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
      version: '"1"',
    })
  })

  const SHOWN: [name: string, fields: Partial<Task>, expected: object][] = [
    ['its ids', { statusId: 's', workflowId: 'w', projectId: 'p' }, { status_id: 's', workflow_id: 'w', project_id: 'p' }],
    ['its texts', { title: 'Read it', notes: 'At length' }, { title: 'Read it', notes: 'At length' }],
    ['the day it is due as it is', { dueDate: '2026-12-01' }, { due_date: '2026-12-01' }],
    ['when it wakes', { disposition: 'on_hold', onHoldUntil: NOW }, { disposition: 'on_hold', on_hold_until: '2026-11-21T12:00:00.000Z' }],
    ['when it was completed', { disposition: 'done', completedAt: NOW + 5 }, { completed_at: '2026-11-21T12:00:00.005Z' }],
    ['when it was archived', { archivedAt: NOW }, { archived: true, archived_at: '2026-11-21T12:00:00.000Z' }],
    ['when it last changed', { updatedAt: NOW + 999, version: 12 }, { updated_at: '2026-11-21T12:00:00.999Z', version: '"12"' }],
    ['its own estimate while it has no steps', { ownEstimateMinutes: 90 }, { estimate_minutes: 90 }],
    [
      'the sums of its steps once it has any',
      { ownEstimateMinutes: 90, stepsTotal: 3, stepsCompleted: 2, stepsMinutes: 0 },
      { estimate_minutes: 0, steps_total: 3, steps_completed: 2 },
    ],
  ]

  for (const [name, fields, expected] of SHOWN) {
    it(`shows ${name}`, () => {
      assert.partialDeepStrictEqual(taskToWire(aTask(fields)), expected)
    })
  }

  it('does not show the Status that it remembers', () => {
    assert.deepEqual(taskToWire(aTask({ leftStatusId: 'draft' })), taskToWire(aTask()))
  })
})

describe('the form in which tasks are kept', () => {
  it('has this number, which whoever changes the form has to raise', () => {
    const form =
      '{"object":"task","id":"task","title":"Write it","notes":null,"disposition":"not_started","status_id":null,"workflow_id":null,"project_id":null,' +
      '"due_date":null,"on_hold_until":null,"completed_at":null,"estimate_minutes":null,"steps_total":0,"steps_completed":0,"archived":false,' +
      '"archived_at":null,"created_at":"2026-11-20T12:00:00.000Z","updated_at":"2026-11-20T12:00:00.000Z","version":"\\"1\\""}'

    const whole = aTask({
      notes: 'At length',
      dueDate: '2026-12-01',
      onHoldUntil: NOW,
      completedAt: NOW,
      archivedAt: NOW,
      ownEstimateMinutes: 5,
    })
    const formOfWhole = form
      .replace('"notes":null', '"notes":"At length"')
      .replace('"due_date":null', '"due_date":"2026-12-01"')
      .replace('"estimate_minutes":null', '"estimate_minutes":5')
      .replace('"archived":false', '"archived":true')
      .replace(/"(on_hold_until|completed_at|archived_at)":null/g, '"$1":"2026-11-21T12:00:00.000Z"')

    assert.deepEqual([TASK_WIRE_FORM, ...[aTask(), whole].map((task) => JSON.stringify(taskToWire(task)))], [1, form, formOfWhole])
  })
})

describe('the body of a change', () => {
  const READ: [name: string, body: UpdateTask, expected: TaskInput][] = [
    ['of nothing says nothing', {}, {}],
    [
      'says every field by its own name',
      {
        title: 'Read it',
        notes: 'At length',
        disposition: 'on_hold',
        status_id: 's',
        workflow_id: 'w',
        project_id: 'p',
        due_date: '2026-12-01',
        on_hold_until: '2026-11-21T13:00:00.500+01:00',
        estimate_minutes: 0,
      },
      {
        title: 'Read it',
        notes: 'At length',
        disposition: 'on_hold',
        statusId: 's',
        workflowId: 'w',
        projectId: 'p',
        dueDate: '2026-12-01',
        onHoldUntil: NOW + 500,
        estimateMinutes: 0,
      },
    ],
    [
      'says null where it is sent',
      { notes: null, status_id: null, workflow_id: null, project_id: null, due_date: null, on_hold_until: null, estimate_minutes: null },
      { notes: null, statusId: null, workflowId: null, projectId: null, dueDate: null, onHoldUntil: null, estimateMinutes: null },
    ],
    ['keeps empty text', { notes: '' }, { notes: '' }],
    ['keeps the epoch', { on_hold_until: '1970-01-01T00:00:00Z' }, { onHoldUntil: 0 }],
  ]

  for (const [name, body, expected] of READ) {
    it(name, () => {
      assert.deepEqual(taskFromWire(body), expected)
    })
  }
})
