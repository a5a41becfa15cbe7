import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS, STATUS_DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import { newTask, type Task, type TaskInput, type TaskReferences } from '@fivetab/domain/task.ts'
import { ARTICLE, EMPTY, LATER, NOW, statusOfArticle } from './builders.ts'

const FIRST_IN = { not_started: null, in_progress: 'draft', waiting: 'feedback', on_hold: 'shelved', done: 'announced' }

function created(input: TaskInput, references: TaskReferences = {}, stepsAfter = 0): Task {
  return newTask({ id: 'task', now: NOW }, { title: 'Write it', ...input }, references, stepsAfter, NOW)
}

describe('a new task', () => {
  it('of a title alone is not started and has nothing else', () => {
    assert.deepEqual(created({}), {
      id: 'task',
      title: 'Write it',
      notes: null,
      disposition: 'not_started',
      statusId: null,
      workflowId: null,
      projectId: null,
      dueDate: null,
      onHoldUntil: null,
      completedAt: null,
      ownEstimateMinutes: null,
      stepsTotal: 0,
      stepsCompleted: 0,
      stepsMinutes: 0,
      leftStatusId: null,
      archivedAt: null,
      createdAt: NOW,
      updatedAt: NOW,
      version: 1,
    })
  })

  it('takes null for a field that was not sent', () => {
    const nulls = {
      notes: null,
      statusId: null,
      workflowId: null,
      projectId: null,
      dueDate: null,
      onHoldUntil: null,
      estimateMinutes: null,
    }

    assert.deepEqual(created(nulls), created({}))
  })

  it('takes what it is given', () => {
    const input = { notes: 'At length', disposition: 'waiting', projectId: 'house', dueDate: '2026-12-01', estimateMinutes: 90 } as const

    const { estimateMinutes, ...rest } = input
    assert.partialDeepStrictEqual(created(input, { project: { id: 'house' } }), { ...rest, ownEstimateMinutes: estimateMinutes })
  })

  it('in done is stamped', () => {
    assert.equal(created({ disposition: 'done' }).completedAt, NOW)
  })

  it('in Later takes a time to wake, and remembers no Status', () => {
    const task = created({ disposition: 'on_hold', onHoldUntil: LATER })

    assert.partialDeepStrictEqual(task, { disposition: 'on_hold', onHoldUntil: LATER, leftStatusId: null })
  })

  for (const disposition of DISPOSITIONS) {
    it(`with a Workflow lands on its first Status for ${disposition}`, () => {
      const task = created({ workflowId: 'article', disposition }, { workflow: ARTICLE })

      assert.partialDeepStrictEqual(task, { disposition, workflowId: 'article', statusId: FIRST_IN[disposition] })
    })
  }

  it('with a Workflow that has no Status for its Disposition is on none', () => {
    const task = created({ workflowId: 'empty', disposition: 'waiting' }, { workflow: EMPTY })

    assert.partialDeepStrictEqual(task, { disposition: 'waiting', workflowId: 'empty', statusId: null })
  })

  it('with a Workflow and a null Status lands as if the Status was not sent', () => {
    const task = created({ workflowId: 'article', statusId: null, disposition: 'in_progress' }, { workflow: ARTICLE })

    assert.equal(task.statusId, 'draft')
  })

  for (const disposition of STATUS_DISPOSITIONS) {
    const status = statusOfArticle(FIRST_IN[disposition])
    it(`on a Status in ${disposition} takes its Workflow and Disposition`, () => {
      const task = created({ statusId: status.id }, { status })

      const completedAt = disposition === 'done' ? NOW : null
      assert.partialDeepStrictEqual(task, { disposition, workflowId: 'article', statusId: status.id, completedAt })
    })
  }

  it('on a Later Status takes a time to wake', () => {
    const status = statusOfArticle('shelved')

    assert.equal(created({ statusId: status.id, onHoldUntil: LATER }, { status }).onHoldUntil, LATER)
  })

  it('is refused an estimate where its Workflow gives it steps', () => {
    assert.throws(
      () => created({ workflowId: 'article', estimateMinutes: 5 }, { workflow: ARTICLE }, 2),
      (error) => {
        assert.ok(error instanceof Failure)
        assert.equal(error.code, 'invalid_request')
        assert.partialDeepStrictEqual(error.more.problems, [{ field: 'estimate_minutes', code: 'conflict' }])
        return true
      },
    )
  })
})
