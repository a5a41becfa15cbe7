import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { newStatus, type Status } from '@fivetab/domain/status.ts'
import { newStep, nextOpenStep, patchStep, type Step, statusSteps, stepToWire, totalsOf, type UpdateStep } from '@fivetab/domain/step.ts'
import { moveOn, withSteps } from '@fivetab/domain/task.ts'
import { aTask, EARLIER, NOW } from './builders.ts'

function aStep(fields: Partial<Step> = {}): Step {
  return { ...newStep({ id: 'step', taskId: 'task', position: 1, now: EARLIER }, { name: 'Buy boxes' }), ...fields }
}

function aToday(id: string, position: number): Status {
  return newStatus({ id, workflowId: 'article', position, now: EARLIER }, { name: `${id}s`, disposition: 'in_progress' })
}

describe('a new checklist step', () => {
  it('of a name alone is open and takes no time', () => {
    assert.deepEqual(newStep({ id: 'step', taskId: 'task', position: 3, now: NOW }, { name: 'Buy boxes' }), {
      id: 'step',
      taskId: 'task',
      kind: 'subtask',
      name: 'Buy boxes',
      completedAt: null,
      minutes: 0,
      position: 3,
    })
  })

  it('may come ticked, and with its time', () => {
    const step = newStep({ id: 'step', taskId: 'task', position: 3, now: NOW }, { name: 'Buy boxes', minutes: 30, completed: true })

    assert.partialDeepStrictEqual(step, { completedAt: NOW, minutes: 30 })
  })
})

describe('a change of a step', () => {
  const ticked = aStep({ completedAt: EARLIER })
  const ofStatus = aStep({ kind: 'status' })

  const CHANGES: [name: string, step: Step, input: UpdateStep, expected: Partial<Step>][] = [
    ['of nothing changes nothing', ticked, {}, {}],
    ['ticks it', aStep(), { completed: true }, { completedAt: NOW }],
    ['unticks it', ticked, { completed: false }, { completedAt: null }],
    ['keeps the time of the first tick', ticked, { completed: true }, {}],
    ['unticks nothing that is open', aStep(), { completed: false }, {}],
    ['sets its minutes', aStep(), { minutes: 45 }, { minutes: 45 }],
    ['sets its minutes to nought', aStep({ minutes: 45 }), { minutes: 0 }, { minutes: 0 }],
    ['renames it', aStep(), { name: 'Buy crates' }, { name: 'Buy crates' }],
    ['moves it', aStep(), { position: 1.5 }, { position: 1.5 }],
    ['moves it to nought', aStep(), { position: 0 }, { position: 0 }],
    ['ticks and times that of a Workflow', ofStatus, { completed: true, minutes: 5 }, { completedAt: NOW, minutes: 5 }],
  ]

  for (const [name, step, input, expected] of CHANGES) {
    it(name, () => {
      assert.deepEqual(patchStep(step, input, NOW), { ...step, ...expected })
    })
  }

  for (const [input, fields] of [
    [{ name: 'Other' }, ['name']],
    [{ position: 2 }, ['position']],
    [{ name: 'Other', position: 0, completed: true }, ['name', 'position']],
  ] as const) {
    it(`of the ${fields.join(' and ')} of a Workflow's step is refused`, () => {
      assert.throws(
        () => patchStep(ofStatus, input, NOW),
        (error) => {
          assert.ok(error instanceof Failure)
          assert.equal(error.code, 'invalid_request')
          assert.deepEqual(
            error.more.problems?.map(({ field, code }) => [field, code]),
            fields.map((field) => [field, 'conflict']),
          )
          return true
        },
      )
    })
  }
})

describe('the steps of a task on a Workflow', () => {
  it('are its Today Statuses in order, with what the task has done of each', () => {
    const progress = [{ statusId: 'review', completedAt: NOW, minutes: 20 }]

    const steps = statusSteps('task', [aToday('draft', 1), aToday('review', 2)], progress)

    assert.deepEqual(steps, [
      { id: 'draft', taskId: 'task', kind: 'status', name: 'drafts', completedAt: null, minutes: 0, position: 1 },
      { id: 'review', taskId: 'task', kind: 'status', name: 'reviews', completedAt: NOW, minutes: 20, position: 2 },
    ])
  })

  it('leave out what was done of a Status that is a Today Status no more', () => {
    const steps = statusSteps('task', [aToday('draft', 1)], [{ statusId: 'gone', completedAt: NOW, minutes: 20 }])

    assert.deepEqual(totalsOf(steps), { stepsTotal: 1, stepsCompleted: 0, stepsMinutes: 0 })
  })
})

describe('the sums of steps', () => {
  it('of none are nought', () => {
    assert.deepEqual(totalsOf([]), { stepsTotal: 0, stepsCompleted: 0, stepsMinutes: 0 })
  })

  it('count all, the ticked ones, and the minutes of all', () => {
    const steps = [aStep({ minutes: 10 }), aStep({ minutes: 20, completedAt: NOW }), aStep({ minutes: 5, completedAt: 0 })]

    assert.deepEqual(totalsOf(steps), { stepsTotal: 3, stepsCompleted: 2, stepsMinutes: 35 })
  })

  it('become the task’s own', () => {
    const before = aTask({ stepsTotal: 9, stepsCompleted: 8, stepsMinutes: 7 })

    const after = withSteps(before, [aStep({ minutes: 10 })])

    assert.deepEqual(after, { ...before, stepsTotal: 1, stepsCompleted: 0, stepsMinutes: 10 })
  })
})

/** Steps a, b, c… in this order of position, listed backwards; an upper-case letter is a ticked one. */
function stepsOf(pattern: string, kind: Step['kind'] = 'status'): Step[] {
  return [...pattern]
    .map((letter, index) =>
      aStep({ id: letter.toLowerCase(), kind, position: index + 1, completedAt: letter === letter.toUpperCase() ? NOW : null }),
    )
    .reverse()
}

function stepIn(steps: readonly Step[], id: string): Step {
  const step = steps.find((one) => one.id === id)
  assert.ok(step)
  return step
}

describe('the next open step', () => {
  for (const [pattern, from, expected, name] of [
    ['Abc', 'a', 'b', 'is the one after it'],
    ['ABc', 'a', 'c', 'is the first open one after it'],
    ['aBc', 'b', 'c', 'is one after it before any ahead of it'],
    ['abC', 'c', 'a', 'is the first open one when none is open after it'],
    ['AbC', 'c', 'b', 'is the first open one, past ticked ones'],
    ['ABC', 'b', null, 'is none when all are ticked'],
    ['A', 'a', null, 'is none when there is no other'],
  ] as const) {
    it(`${name}: ${pattern}, from ${from}, is ${expected}`, () => {
      const steps = stepsOf(pattern)

      assert.equal(nextOpenStep(steps, stepIn(steps, from))?.id ?? null, expected)
    })
  }

  it('is found by id among those of one position', () => {
    const steps = [aStep({ id: 'c' }), aStep({ id: 'a' }), aStep({ id: 'b', completedAt: NOW })]

    assert.equal(nextOpenStep(steps, stepIn(steps, 'b'))?.id, 'c')
  })

  it('is never the step itself, though that is open', () => {
    const steps = stepsOf('a')

    assert.equal(nextOpenStep(steps, stepIn(steps, 'a')), null)
  })
})

describe('ticking a step moves a task', () => {
  const inToday = (statusId: string | null) => aTask({ disposition: 'in_progress', workflowId: 'article', statusId })

  for (const [pattern, standsOn, ticked, expected, name] of [
    ['Abc', 'a', 'a', 'b', 'on from the Status it stands on'],
    ['abC', 'c', 'c', 'a', 'back to the first open one from the last'],
    ['ABC', 'b', 'b', 'b', 'nowhere when none is open'],
    ['aBc', 'a', 'b', 'a', 'nowhere when the step is another'],
    ['aBc', null, 'b', 'c', 'on from any step when it stands on none'],
    ['ABC', null, 'b', null, 'nowhere when it stands on none and none is open'],
  ] as const) {
    it(`${name}: ${pattern}, on ${standsOn}, ticked ${ticked}`, () => {
      const steps = stepsOf(pattern)
      const before = inToday(standsOn)

      const after = moveOn(before, steps, stepIn(steps, ticked))

      assert.deepEqual(after, { ...before, statusId: expected })
    })
  }

  for (const disposition of ['not_started', 'waiting', 'on_hold', 'done'] as const) {
    it(`nowhere in ${disposition}`, () => {
      const steps = stepsOf('Abc')
      const before = aTask({ disposition, workflowId: 'article' })

      assert.deepEqual(moveOn(before, steps, stepIn(steps, 'a')), before)
    })
  }

  it('nowhere when the step is one of its own checklist', () => {
    const steps = stepsOf('Abc', 'subtask')
    const before = aTask({ disposition: 'in_progress' })

    assert.deepEqual(moveOn(before, steps, stepIn(steps, 'a')), before)
  })
})

describe('a step on the wire', () => {
  it('of the checklist has no Status', () => {
    assert.deepEqual(stepToWire(aStep({ minutes: 30 })), {
      object: 'step',
      id: 'step',
      task_id: 'task',
      kind: 'subtask',
      name: 'Buy boxes',
      status_id: null,
      completed: false,
      completed_at: null,
      minutes: 30,
      position: 1,
    })
  })

  it('of a Workflow names its Status by its own id, and tells when it was ticked', () => {
    const wire = stepToWire(aStep({ kind: 'status', completedAt: NOW }))

    assert.partialDeepStrictEqual(wire, { id: 'step', status_id: 'step', completed: true, completed_at: '2026-11-21T12:00:00.000Z' })
  })
})
