import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS, type Disposition, STATUS_DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import {
  archiveTask,
  estimateMinutes,
  followStatus,
  holdTask,
  isActive,
  isDue,
  leaveProject,
  leaveStatus,
  leaveWorkflow,
  moveTo,
  placeOn,
  startChecklist,
  type Task,
  unarchiveTask,
  wakeTask,
} from '@fivetab/domain/task.ts'
import { aStatus, aTask, EARLIER, LATER, NOW } from './builders.ts'

const STATUS_OF = {
  in_progress: aStatus('draft', 'in_progress'),
  waiting: aStatus('feedback', 'waiting'),
  on_hold: aStatus('shelved', 'on_hold'),
  done: aStatus('published', 'done'),
}

/** A task of each Disposition with all that it can carry there. */
const TASK_IN: Record<Disposition, Task> = {
  not_started: aTask({ workflowId: 'article' }),
  in_progress: aTask({ disposition: 'in_progress', workflowId: 'article', statusId: 'draft' }),
  waiting: aTask({ disposition: 'waiting', workflowId: 'article', statusId: 'feedback' }),
  on_hold: aTask({ disposition: 'on_hold', workflowId: 'article', statusId: 'shelved', onHoldUntil: LATER, leftStatusId: 'review' }),
  done: aTask({ disposition: 'done', workflowId: 'article', statusId: 'published', completedAt: EARLIER }),
}

/** What a move into another Disposition leaves of the stamp, the time to wake and the remembered Status; a `null` is a cleared one. */
const MOVES: [from: Disposition, to: Disposition, completedAt: number | null, leftStatusId: string | null][] = [
  ['not_started', 'in_progress', null, null],
  ['not_started', 'waiting', null, null],
  ['not_started', 'on_hold', null, null],
  ['not_started', 'done', NOW, null],
  ['in_progress', 'not_started', null, null],
  ['in_progress', 'waiting', null, null],
  ['in_progress', 'on_hold', null, 'draft'],
  ['in_progress', 'done', NOW, null],
  ['waiting', 'not_started', null, null],
  ['waiting', 'in_progress', null, null],
  ['waiting', 'on_hold', null, null],
  ['waiting', 'done', NOW, null],
  ['on_hold', 'not_started', null, null],
  ['on_hold', 'in_progress', null, null],
  ['on_hold', 'waiting', null, null],
  ['on_hold', 'done', NOW, null],
  ['done', 'not_started', null, null],
  ['done', 'in_progress', null, null],
  ['done', 'waiting', null, null],
  ['done', 'on_hold', null, null],
]

describe('moving a task to another Disposition', () => {
  for (const [from, to, completedAt, leftStatusId] of MOVES) {
    it(`${from} to ${to}: clears the Status, keeps the Workflow`, () => {
      const before = TASK_IN[from]

      const after = moveTo(before, to, NOW)

      assert.deepEqual(after, { ...before, disposition: to, statusId: null, completedAt, onHoldUntil: null, leftStatusId })
    })
  }

  for (const disposition of DISPOSITIONS) {
    it(`${disposition} to ${disposition}: changes nothing`, () => {
      const before = TASK_IN[disposition]

      const after = moveTo(before, disposition, NOW)

      assert.deepEqual(after, before)
    })
  }

  it('remembers no Status when it leaves Today for Later on none', () => {
    const before = aTask({ disposition: 'in_progress', workflowId: 'article' })

    const after = moveTo(before, 'on_hold', NOW)

    assert.equal(after.leftStatusId, null)
  })
})

describe('putting a task on a Status', () => {
  for (const [from, to, completedAt, leftStatusId] of MOVES) {
    if (to === 'not_started') continue
    it(`${from} to a Status in ${to}: takes its Workflow and Disposition`, () => {
      const before = { ...TASK_IN[from], workflowId: 'another' }

      const after = placeOn(before, STATUS_OF[to], NOW)

      const expected = { disposition: to, workflowId: 'article', statusId: STATUS_OF[to].id }
      assert.deepEqual(after, { ...before, ...expected, completedAt, onHoldUntil: null, leftStatusId })
    })
  }

  for (const disposition of STATUS_DISPOSITIONS) {
    it(`keeps the stamp, the time to wake and the remembered Status when it stays in ${disposition}`, () => {
      const before = TASK_IN[disposition]

      const after = placeOn(before, aStatus('second', disposition, 1, 'another'), NOW)

      assert.deepEqual(after, { ...before, workflowId: 'another', statusId: 'second' })
    })

    it(`changes nothing of a task that stands on it already, in ${disposition}`, () => {
      const before = TASK_IN[disposition]

      const after = placeOn(before, STATUS_OF[disposition], NOW)

      assert.deepEqual(after, before)
    })
  }
})

describe('following a Status that moved', () => {
  it('takes the task along into the new Disposition', () => {
    const after = followStatus(TASK_IN.waiting, { ...STATUS_OF.waiting, disposition: 'done' }, NOW)

    assert.deepEqual(after, { ...TASK_IN.waiting, disposition: 'done', completedAt: NOW })
  })

  it('clears the stamp of a task taken out of done', () => {
    const after = followStatus(TASK_IN.done, { ...STATUS_OF.done, disposition: 'waiting' }, NOW)

    assert.deepEqual(after, { ...TASK_IN.done, disposition: 'waiting', completedAt: null })
  })

  it('forgets the time to wake and the remembered Status of a task taken out of Later', () => {
    const after = followStatus(TASK_IN.on_hold, { ...STATUS_OF.on_hold, disposition: 'in_progress' }, NOW)

    assert.deepEqual(after, { ...TASK_IN.on_hold, disposition: 'in_progress', onHoldUntil: null, leftStatusId: null })
  })

  it('remembers the Status that took the task from Today to Later', () => {
    const after = followStatus(TASK_IN.in_progress, { ...STATUS_OF.in_progress, disposition: 'on_hold' }, NOW)

    assert.deepEqual(after, { ...TASK_IN.in_progress, disposition: 'on_hold', leftStatusId: 'draft' })
  })

  it('leaves a task alone that stands elsewhere, though it remembers the Status', () => {
    const before = { ...TASK_IN.on_hold, leftStatusId: 'draft' }

    const after = followStatus(before, { ...STATUS_OF.in_progress, disposition: 'waiting' }, NOW)

    assert.deepEqual(after, before)
  })
})

describe('taking a task off', () => {
  for (const disposition of DISPOSITIONS) {
    it(`its Status keeps the rest, in ${disposition}`, () => {
      const before = TASK_IN[disposition]

      assert.deepEqual(leaveStatus(before), { ...before, statusId: null })
    })

    it(`its Workflow clears the Status too and keeps the rest, in ${disposition}`, () => {
      const before = TASK_IN[disposition]

      assert.deepEqual(leaveWorkflow(before), { ...before, workflowId: null, statusId: null })
    })
  }

  it('its project keeps the rest', () => {
    const before = aTask({ projectId: 'house' })

    assert.deepEqual(leaveProject(before), { ...before, projectId: null })
  })
})

describe('putting a task off', () => {
  it('sets the time to wake and remembers the Today Status that it left', () => {
    const after = holdTask(TASK_IN.in_progress, LATER, NOW, NOW)

    assert.deepEqual(after, { ...TASK_IN.in_progress, disposition: 'on_hold', statusId: null, onHoldUntil: LATER, leftStatusId: 'draft' })
  })

  it('without a time leaves it in Later until somebody moves it', () => {
    const after = holdTask(TASK_IN.in_progress, null, NOW, NOW)

    assert.partialDeepStrictEqual(after, { disposition: 'on_hold', onHoldUntil: null, leftStatusId: 'draft' })
  })

  it('again changes the time to wake and nothing else', () => {
    const after = holdTask(TASK_IN.on_hold, LATER + 1, NOW, NOW)

    assert.deepEqual(after, { ...TASK_IN.on_hold, onHoldUntil: LATER + 1 })
  })

  it('again without a time clears the time to wake and nothing else', () => {
    const after = holdTask(TASK_IN.on_hold, null, NOW, NOW)

    assert.deepEqual(after, { ...TASK_IN.on_hold, onHoldUntil: null })
  })

  it('clears the stamp of a done task', () => {
    const after = holdTask(TASK_IN.done, LATER, NOW, NOW)

    assert.partialDeepStrictEqual(after, { disposition: 'on_hold', completedAt: null, onHoldUntil: LATER })
  })

  it('takes a time one millisecond ahead of the clock', () => {
    const after = holdTask(aTask(), NOW + 1, NOW, NOW)

    assert.equal(after.onHoldUntil, NOW + 1)
  })

  it('measures the future by the clock, not by the stamp of the turn', () => {
    const after = holdTask(aTask(), NOW + 1, NOW + 10, NOW)

    assert.equal(after.onHoldUntil, NOW + 1)
  })

  for (const [name, until] of Object.entries({ 'the present': NOW, 'the past': EARLIER, 'the epoch': 0 })) {
    it(`to ${name} is refused`, () => {
      assert.throws(
        () => holdTask(aTask(), until, NOW, NOW),
        (error) => {
          assert.ok(error instanceof Failure)
          assert.equal(error.code, 'invalid_request')
          assert.partialDeepStrictEqual(error.more.problems, [{ field: 'until', code: 'invalid_value' }])
          return true
        },
      )
    })
  }
})

describe('a task whose time to wake', () => {
  for (const [name, onHoldUntil, expected] of [
    ['is not set', null, false],
    ['is a millisecond ahead', NOW + 1, false],
    ['is now', NOW, true],
    ['has passed', EARLIER, true],
  ] as const) {
    it(`${name} is ${expected ? '' : 'not '}due`, () => {
      assert.equal(isDue(aTask({ disposition: 'on_hold', onHoldUntil }), NOW), expected)
    })
  }
})

describe('waking a task', () => {
  const asleep = aTask({ disposition: 'on_hold', workflowId: 'article', onHoldUntil: NOW, leftStatusId: 'draft' })

  it('returns it to the Today Status that it left', () => {
    const after = wakeTask(asleep, [aStatus('review', 'in_progress'), STATUS_OF.in_progress], NOW)

    assert.deepEqual(after, { ...asleep, disposition: 'in_progress', statusId: 'draft', onHoldUntil: null, leftStatusId: null })
  })

  it('returns it to Today on no Status when the one it left is a Today Status no more', () => {
    const after = wakeTask(asleep, [aStatus('review', 'in_progress')], NOW)

    assert.deepEqual(after, { ...asleep, disposition: 'in_progress', statusId: null, onHoldUntil: null, leftStatusId: null })
  })

  it('returns it to Today on no Status when it left none', () => {
    const after = wakeTask({ ...asleep, leftStatusId: null }, [STATUS_OF.in_progress], NOW)

    assert.partialDeepStrictEqual(after, { disposition: 'in_progress', statusId: null, workflowId: 'article' })
  })

  it('returns it to Today on no Status when it is on no Workflow any more', () => {
    const after = wakeTask(leaveWorkflow(asleep), [], NOW)

    assert.partialDeepStrictEqual(after, { disposition: 'in_progress', statusId: null, workflowId: null })
  })

  it('takes it off the Later Status that it stood on', () => {
    const after = wakeTask({ ...asleep, statusId: 'shelved', leftStatusId: null }, [STATUS_OF.in_progress], NOW)

    assert.equal(after.statusId, null)
  })

  it('leaves an archived one archived', () => {
    const after = wakeTask({ ...asleep, archivedAt: EARLIER }, [STATUS_OF.in_progress], NOW)

    assert.partialDeepStrictEqual(after, { disposition: 'in_progress', archivedAt: EARLIER })
  })

  it('knows the Status still after it was put off a second time', () => {
    const twice = holdTask(holdTask(TASK_IN.in_progress, LATER, NOW, NOW), LATER + 1, NOW, NOW)

    const after = wakeTask(twice, [STATUS_OF.in_progress], LATER + 1)

    assert.equal(after.statusId, 'draft')
  })

  it('knows the Status no more after it was moved out of Later and back', () => {
    const back = holdTask(moveTo(asleep, 'waiting', NOW), LATER, NOW, NOW)

    const after = wakeTask(back, [STATUS_OF.in_progress], LATER)

    assert.equal(after.statusId, null)
  })
})

describe('archiving a task', () => {
  for (const disposition of DISPOSITIONS) {
    it(`stamps the time and changes nothing else, in ${disposition}`, () => {
      const before = TASK_IN[disposition]

      assert.deepEqual(archiveTask(before, NOW), { ...before, archivedAt: NOW })
    })

    it(`is undone by unarchiving it, in ${disposition}`, () => {
      const before = TASK_IN[disposition]

      assert.deepEqual(unarchiveTask(archiveTask(before, NOW)), before)
    })
  }

  it('changes nothing of an archived one', () => {
    const before = aTask({ archivedAt: EARLIER })

    assert.deepEqual(archiveTask(before, NOW), before)
  })

  it('back changes nothing of one that is not archived', () => {
    const before = aTask()

    assert.deepEqual(unarchiveTask(before), before)
  })
})

describe('a task counts as active', () => {
  for (const disposition of DISPOSITIONS) {
    const expected = disposition !== 'done'
    it(`in ${disposition}: ${expected}`, () => {
      assert.equal(isActive(TASK_IN[disposition]), expected)
    })

    it(`in ${disposition}, archived: false`, () => {
      assert.equal(isActive({ ...TASK_IN[disposition], archivedAt: EARLIER }), false)
    })
  }
})

describe('the estimate of a task', () => {
  for (const [name, fields, expected] of [
    ['is its own while it has no steps', { ownEstimateMinutes: 90 }, 90],
    ['is none while it has no steps and no own', {}, null],
    ['is the sum of its steps once it has any', { ownEstimateMinutes: 90, stepsTotal: 2, stepsMinutes: 25 }, 25],
    ['is nought when its steps take no time', { ownEstimateMinutes: 90, stepsTotal: 1, stepsMinutes: 0 }, 0],
  ] as const) {
    it(name, () => {
      assert.equal(estimateMinutes(aTask(fields)), expected)
    })
  }

  it('is cleared by the first checklist step', () => {
    const before = aTask({ ownEstimateMinutes: 90 })

    assert.deepEqual(startChecklist(before), { ...before, ownEstimateMinutes: null })
  })
})
