import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_TYPES, type EventType, formerValues, taskEventType } from '@fivetab/domain/event.ts'
import type { Task } from '@fivetab/domain/task.ts'
import { aTask, NOW } from './builders.ts'

describe('what happened to a task', () => {
  const open = aTask()
  const done = aTask({ disposition: 'done', completedAt: NOW })
  const archived = aTask({ archivedAt: NOW })

  const CASES: [name: string, before: Task, after: Task, expected: EventType][] = [
    ['a new title', open, { ...open, title: 'Read it' }, 'task.updated'],
    ['a new Disposition', open, { ...open, disposition: 'waiting' }, 'task.updated'],
    ['its completion', open, done, 'task.completed'],
    ['leaving done', done, open, 'task.updated'],
    ['a new title while done', done, { ...done, title: 'Read it' }, 'task.updated'],
    ['its archiving', open, archived, 'task.archived'],
    ['its archiving while done', done, { ...done, archivedAt: NOW }, 'task.archived'],
    ['its unarchiving', archived, open, 'task.unarchived'],
    ['a new title while archived', archived, { ...archived, title: 'Read it' }, 'task.updated'],
    ['its completion while archived', archived, { ...done, archivedAt: NOW }, 'task.completed'],
    ['its completion and archiving at once', open, { ...done, archivedAt: NOW }, 'task.completed'],
  ]

  for (const [name, before, after, expected] of CASES) {
    it(`${name} is ${expected}`, () => {
      assert.equal(taskEventType(before, after), expected)
    })
  }
})

describe('the former values', () => {
  const before = { title: 'Write it', notes: null, minutes: 0, archived: false }

  const CASES: [name: string, after: object, expected: object][] = [
    ['of nothing changed are none', { ...before }, {}],
    ['are those of the fields that changed', { ...before, title: 'Read it' }, { title: 'Write it' }],
    ['may be null', { ...before, notes: 'At length' }, { notes: null }],
    ['may be nought or false', { ...before, minutes: 5, archived: true }, { minutes: 0, archived: false }],
    ['tell null from nought', { ...before, notes: 0, minutes: null }, { notes: null, minutes: 0 }],
    ['leave out what was not there before', { ...before, color: 'red' }, {}],
    ['tell of a field that is gone', { title: 'Write it', notes: null, minutes: 0 }, { archived: false }],
  ]

  for (const [name, after, expected] of CASES) {
    it(name, () => {
      assert.deepEqual(formerValues(before, after), expected)
    })
  }
})

describe('the kinds of events', () => {
  it('are those that are published', () => {
    const changes = (resource: string, ...verbs: string[]) => verbs.map((verb) => `${resource}.${verb}`)

    assert.deepEqual(EVENT_TYPES, [
      ...changes('task', 'created', 'updated', 'completed', 'woke', 'archived', 'unarchived', 'deleted'),
      ...changes('project', 'created', 'updated', 'deleted'),
      ...changes('workflow', 'created', 'updated', 'deleted'),
      ...changes('status', 'created', 'updated', 'deleted'),
      ...changes('disposition', 'updated'),
      ...changes('webhook', 'disabled'),
    ])
  })
})
