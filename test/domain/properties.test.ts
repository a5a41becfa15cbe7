import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS, STATUS_DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { Failure, refuse } from '@fivetab/domain/failure.ts'
import { newStatus, patchStatus, type Status, todayStatuses } from '@fivetab/domain/status.ts'
import { newStep, patchStep, type StatusProgress, type Step, statusSteps, totalsOf } from '@fivetab/domain/step.ts'
import {
  archiveTask,
  contradictions,
  estimateMinutes,
  followStatus,
  holdTask,
  isDue,
  leaveStatus,
  leaveWorkflow,
  moveOn,
  moveTo,
  newTask,
  patchTask,
  placeOn,
  startChecklist,
  type Task,
  type TaskInput,
  type TaskReferences,
  unarchiveTask,
  wakeTask,
  withSteps,
  workflowAfter,
} from '@fivetab/domain/task.ts'
import fc from 'fast-check'

/**
 * What always holds, whatever is done to a task in whatever order. A state is all that the rules are told of: the task, the Statuses of two
 * Workflows, its checklist, its progress and the time. It is frozen to its depth, so that a rule which changed its input would fail.
 */

const RUNS = { numRuns: 500 }
const START = Date.parse('2026-11-21T12:00:00Z')

interface State {
  readonly task: Task
  readonly statuses: readonly Status[]
  readonly progress: readonly StatusProgress[]
  readonly checklist: readonly Step[]
  readonly now: number
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) frozen(inner)
  }
  return value
}

const WORKFLOW_IDS = ['article', 'book']

function firstState(): State {
  const statuses = WORKFLOW_IDS.flatMap((workflowId) =>
    ['in_progress', 'in_progress', 'in_progress', 'waiting', 'on_hold', 'done'].map((disposition, index) =>
      newStatus(
        { id: `${workflowId}-${index}`, workflowId, position: index, now: START },
        { name: 'Stage', disposition: disposition as Status['disposition'] },
      ),
    ),
  )
  const task = newTask({ id: 'task', now: START }, { title: 'Write it' }, {}, 0, START)
  return frozen({ task, statuses, progress: [], checklist: [], now: START })
}

const STATUS_IDS = firstState().statuses.map(({ id }) => id)

function todayOf(state: State, workflowId: string | null): Status[] {
  return todayStatuses(state.statuses.filter((status) => status.workflowId === workflowId))
}

function stepsOf(state: State, task: Task): Step[] {
  return task.workflowId === null ? [...state.checklist] : statusSteps(task.id, todayOf(state, task.workflowId), state.progress)
}

/** The state with `task` in it: progress goes when the Workflow changed, and the steps are counted anew. */
function holding(state: State, task: Task): State {
  const next = { ...state, task, progress: task.workflowId === state.task.workflowId ? state.progress : [] }
  return { ...next, task: withSteps(task, stepsOf(next, task)) }
}

function referencesOf(state: State, input: TaskInput): TaskReferences {
  const references: TaskReferences = {}
  if (input.statusId) references.status = state.statuses.find(({ id }) => id === input.statusId) ?? null
  if (input.workflowId) {
    const statuses = state.statuses.filter(({ workflowId }) => workflowId === input.workflowId)
    references.workflow = WORKFLOW_IDS.includes(input.workflowId) ? { id: input.workflowId, statuses } : null
  }
  if (input.projectId) references.project = input.projectId === 'unknown' ? null : { id: input.projectId }
  return frozen(references)
}

function patched(state: State, input: TaskInput, stamp = state.now): State {
  refuse(contradictions(input, false))
  const references = referencesOf(state, input)
  const workflowId = workflowAfter(state.task, input, references)
  const stepsAfter = stepsOf({ ...state, progress: [] }, { ...state.task, workflowId }).length
  return holding(state, patchTask(state.task, frozen(input), references, stepsAfter, stamp, state.now))
}

/** One thing that happens; it may be refused. Its words show in a counterexample. */
interface Happening {
  words: string
  apply(state: State): State
}

function happening(words: string, apply: (state: State) => State): Happening {
  return { words, apply, toString: () => words } as Happening
}

function after(state: State, happenings: readonly Happening[]): State {
  let current = state
  for (const { apply } of happenings) {
    try {
      current = frozen(apply(current))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }
  return current
}

function ticked(state: State, index: number, completed: boolean, minutes: number): State {
  const steps = stepsOf(state, state.task)
  const step = steps[index % steps.length]
  if (step === undefined) return state
  const changed = patchStep(frozen(step), { completed, minutes }, state.now)
  const stepsNow = frozen(steps.map((one) => (one.id === step.id ? changed : one)))
  const progress = [
    ...state.progress.filter(({ statusId }) => statusId !== step.id),
    { statusId: step.id, completedAt: changed.completedAt, minutes },
  ]
  const counted = frozen(withSteps(state.task, stepsNow))
  const task = step.completedAt === null && changed.completedAt !== null ? moveOn(counted, stepsNow, changed) : counted
  return step.kind === 'status' ? { ...state, task, progress } : { ...state, task, checklist: stepsNow }
}

function withStep(state: State, minutes: number): State {
  if (state.task.workflowId !== null) return state
  const { checklist, now } = state
  const step = newStep(
    { id: `step-${checklist.length}-${now}`, taskId: 'task', position: checklist.length, now },
    { name: 'Buy boxes', minutes },
  )
  return holding({ ...state, checklist: [...checklist, step] }, checklist.length === 0 ? startChecklist(state.task) : state.task)
}

function withStatusMoved(state: State, id: string, disposition: Status['disposition']): State {
  const status = state.statuses.find((one) => one.id === id)
  if (status === undefined) return state
  const moved = frozen(patchStatus(status, { disposition }, 99))
  const statuses = state.statuses.map((one) => (one.id === id ? moved : one))
  return holding({ ...state, statuses }, followStatus(state.task, moved, state.now))
}

function withoutStatus(state: State, id: string): State {
  const statuses = state.statuses.filter((one) => one.id !== id)
  return holding({ ...state, statuses }, state.task.statusId === id ? leaveStatus(state.task) : state.task)
}

const aDisposition = fc.constantFrom(...DISPOSITIONS)
const aStatusId = fc.constantFrom(...STATUS_IDS)
const minutes = fc.nat({ max: 600 })
const aTimeToWake = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 100 }).map((ahead) => START + ahead) },
  { weight: 1, arbitrary: fc.constantFrom(0, START, START - 1) },
)

/** Any change that a person may ask for, with ids that stand for something and ids that do not. */
const anInput: fc.Arbitrary<TaskInput> = fc.record(
  {
    title: fc.constantFrom('Write it', 'Read it'),
    notes: fc.constantFrom(null, 'At length'),
    disposition: aDisposition,
    statusId: fc.oneof({ weight: 8, arbitrary: aStatusId }, { weight: 3, arbitrary: fc.constantFrom(null, 'unknown') }),
    workflowId: fc.constantFrom(null, 'article', 'book', 'book', 'article', 'unknown'),
    projectId: fc.constantFrom(null, 'house', 'house', 'unknown'),
    dueDate: fc.constantFrom(null, '2026-12-01'),
    onHoldUntil: fc.option(aTimeToWake),
    estimateMinutes: fc.option(minutes),
  },
  { requiredKeys: [] },
)

/** A change of one or two fields: more often than any change, one that is carried out. */
const aSmallInput: fc.Arbitrary<TaskInput> = fc
  .tuple(anInput, fc.subarray(['disposition', 'statusId', 'workflowId', 'onHoldUntil'] as const, { minLength: 1, maxLength: 2 }))
  .map(([input, fields]) => Object.fromEntries(Object.entries(input).filter(([field]) => fields.includes(field as never))))

const aChange = fc.oneof(aSmallInput, anInput)

const aHappening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: aDisposition.map((to) => happening(`move to ${to}`, (s) => holding(s, moveTo(s.task, to, s.now)))) },
  {
    weight: 3,
    arbitrary: aStatusId.map((id) =>
      happening(`place on ${id}`, (s) => {
        const status = s.statuses.find((one) => one.id === id)
        return status ? holding(s, placeOn(s.task, status, s.now)) : s
      }),
    ),
  },
  { weight: 6, arbitrary: aChange.map((input) => happening(`change ${JSON.stringify(input)}`, (s) => patched(s, input))) },
  {
    weight: 3,
    arbitrary: fc
      .option(aTimeToWake)
      .map((until) => happening(`hold until ${until}`, (s) => holding(s, holdTask(s.task, until, s.now, s.now)))),
  },
  fc.constant(happening('archive', (s) => holding(s, archiveTask(s.task, s.now)))),
  fc.constant(happening('unarchive', (s) => holding(s, unarchiveTask(s.task)))),
  {
    weight: 3,
    arbitrary: fc.nat({ max: 60 }).map((ms) =>
      happening(`${ms} ms pass, and it wakes if it is due`, (state) => {
        const s = { ...state, now: state.now + ms }
        return isDue(s.task, s.now) ? holding(s, wakeTask(s.task, frozen(todayOf(s, s.task.workflowId)), s.now)) : s
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat({ max: 5 }), fc.boolean(), minutes)
      .map(([index, completed, time]) =>
        happening(`step ${index} ticked: ${completed}, ${time} min`, (s) => ticked(s, index, completed, time)),
      ),
  },
  minutes.map((time) => happening(`add a step of ${time} min`, (s) => withStep(s, time))),
  fc.constant(happening('remove the last step', (s) => holding({ ...s, checklist: s.checklist.slice(0, -1) }, s.task))),
  {
    weight: 2,
    arbitrary: fc
      .tuple(aStatusId, fc.constantFrom(...STATUS_DISPOSITIONS))
      .map(([id, to]) => happening(`Status ${id} moves to ${to}`, (s) => withStatusMoved(s, id, to))),
  },
  aStatusId.map((id) => happening(`Status ${id} is deleted`, (s) => withoutStatus(s, id))),
  fc.constant(happening('leave the Workflow', (s) => holding(s, leaveWorkflow(s.task)))),
)

const aHistory = fc.array(aHappening, { maxLength: 25 })

/** Asserts that `holds` after every one of the happenings of any history. */
function assertAlways(holds: (state: State) => void): void {
  fc.assert(
    fc.property(aHistory, (history) => {
      let state = firstState()
      for (const one of history) {
        state = after(state, [one])
        holds(state)
      }
    }),
    RUNS,
  )
}

/** Asserts that `rule` gives an equal task wherever any history has brought one. */
function assertChangesNothing(rule: (state: State) => Task): void {
  fc.assert(
    fc.property(aHistory, (history) => {
      const state = after(firstState(), history)

      assert.deepEqual(rule({ ...state, now: state.now + 1 }), state.task)
    }),
    RUNS,
  )
}

describe('whatever happens to a task', () => {
  it('it has exactly one of the five Dispositions', () => {
    assertAlways(({ task }) => assert.ok(DISPOSITIONS.includes(task.disposition)))
  })

  it('its Status implies its Workflow and its Disposition', () => {
    assertAlways(({ task, statuses }) => {
      if (task.statusId === null) return
      const status = statuses.find(({ id }) => id === task.statusId)
      assert.deepEqual([task.workflowId, task.disposition], [status?.workflowId, status?.disposition])
    })
  })

  it('it has a time to wake only in Later', () => {
    assertAlways(({ task }) => assert.ok(task.onHoldUntil === null || task.disposition === 'on_hold', JSON.stringify(task)))
  })

  it('it remembers a Status to go back to only in Later', () => {
    assertAlways(({ task }) => assert.ok(task.leftStatusId === null || task.disposition === 'on_hold', JSON.stringify(task)))
  })

  it('it has a time of completion exactly when it is done, and never one to come', () => {
    assertAlways(({ task, now }) => {
      assert.equal(task.completedAt !== null, task.disposition === 'done')
      assert.ok(task.completedAt === null || task.completedAt <= now)
    })
  })

  it('its estimate is the sum of its steps once it has any', () => {
    assertAlways((state) => {
      const steps = stepsOf(state, state.task)
      const sum = steps.reduce((total, step) => total + step.minutes, 0)

      assert.partialDeepStrictEqual(state.task, totalsOf(steps))
      assert.equal(estimateMinutes(state.task), steps.length > 0 ? sum : state.task.ownEstimateMinutes)
    })
  })

  it('it stays the task that it was made as', () => {
    const { id, createdAt, version, updatedAt } = firstState().task

    assertAlways(({ task }) => assert.partialDeepStrictEqual(task, { id, createdAt, version, updatedAt }))
  })

  it('it keeps the same fields', () => {
    const fields = Object.keys(firstState().task).sort()

    assertAlways(({ task }) => assert.deepEqual(Object.keys(task).sort(), fields))
  })

  it('it stands, once it woke, in Today and on a Today Status of its Workflow or on none', () => {
    fc.assert(
      fc.property(aHistory, (history) => {
        const state = after(firstState(), [...history, happening('hold', (s) => holding(s, holdTask(s.task, s.now + 1, s.now, s.now)))])
        const today = todayOf(state, state.task.workflowId)

        const woken = wakeTask(state.task, today, state.now + 1)

        assert.deepEqual([woken.disposition, woken.onHoldUntil, woken.leftStatusId], ['in_progress', null, null])
        assert.equal(woken.statusId, today.find(({ id }) => id === state.task.leftStatusId)?.id ?? null)
      }),
      RUNS,
    )
  })
})

describe('a change that has nothing to change', () => {
  it('is one of no fields', () => {
    assertChangesNothing((state) => patched(state, {}).task)
  })

  it('is one to all that the task is already', () => {
    assertChangesNothing((state) => {
      const { title, notes, disposition, statusId, workflowId, projectId, dueDate, ownEstimateMinutes, stepsTotal } = state.task
      const estimate = stepsTotal > 0 ? {} : { estimateMinutes: ownEstimateMinutes }

      return patched(state, { title, notes, disposition, statusId, workflowId, projectId, dueDate, ...estimate }).task
    })
  })

  it('is a move to the Disposition it has', () => {
    assertChangesNothing(({ task, now }) => moveTo(task, task.disposition, now))
  })

  it('is a change to the Workflow it is on', () => {
    assertChangesNothing((state) => patched(state, { workflowId: state.task.workflowId }).task)
  })

  it('is putting it on the Status it stands on', () => {
    assertChangesNothing((state) => {
      const status = state.statuses.find(({ id }) => id === state.task.statusId)
      return status ? placeOn(state.task, status, state.now) : state.task
    })
  })

  it('is following a Status that did not move', () => {
    assertChangesNothing(({ task, statuses, now }) => statuses.reduce((followed, status) => followStatus(followed, status, now), task))
  })

  it('is counting its steps once more', () => {
    assertChangesNothing((state) => withSteps(state.task, stepsOf(state, state.task)))
  })

  it('is archiving an archived one, or unarchiving one that is not', () => {
    assertChangesNothing(({ task, now }) => (task.archivedAt === null ? unarchiveTask(task) : archiveTask(task, now)))
  })
})

describe('doing the same once more changes nothing', () => {
  it('of a change of any fields', () => {
    fc.assert(
      fc.property(aHistory, aChange, (history, input) => {
        const state = after(firstState(), history)
        const once = after(state, [happening('change', (s) => patched(s, input))])
        fc.pre(once !== state)

        const twice = patched(once, input, once.now + 1)

        assert.deepEqual(twice.task, once.task)
      }),
      RUNS,
    )
  })

  const RULES: [name: string, rule: (state: State) => Task][] = [
    ...DISPOSITIONS.map((to): [string, (state: State) => Task] => [`of a move to ${to}`, ({ task, now }) => moveTo(task, to, now)]),
    ['of putting it off until a time', ({ task, now }) => holdTask(task, START + 1_000_000, now, now)],
    ['of putting it off without a time', ({ task, now }) => holdTask(task, null, now, now)],
    ['of archiving', ({ task, now }) => archiveTask(task, now)],
    ['of unarchiving', ({ task }) => unarchiveTask(task)],
    ['of leaving its Status', ({ task }) => leaveStatus(task)],
    ['of leaving its Workflow', ({ task }) => leaveWorkflow(task)],
    ['of clearing its estimate for a checklist', ({ task }) => startChecklist(task)],
  ]

  for (const [name, rule] of RULES) {
    it(name, () => {
      fc.assert(
        fc.property(aHistory, (history) => {
          const state = after(firstState(), history)
          const once = frozen(rule(state))

          assert.deepEqual(rule({ ...state, task: once, now: state.now + 1 }), once)
        }),
        RUNS,
      )
    })
  }
})
