import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { byPosition, positionAfter } from '@fivetab/domain/position.ts'
import { inTabOrder, newStatus, patchStatus, type Status, statusToWire, todayStatuses, type UpdateStatus } from '@fivetab/domain/status.ts'
import {
  newWorkflow,
  patchWorkflow,
  type UpdateWorkflow,
  type Workflow,
  workflowToWire,
  workflowWithStatusesToWire,
} from '@fivetab/domain/workflow.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

function aStatus(fields: Partial<Status> = {}): Status {
  const made = { id: 'draft', workflowId: 'article', position: 1, now: NOW }
  return { ...newStatus(made, { name: 'Draft', disposition: 'in_progress' }), ...fields }
}

function aWorkflow(fields: Partial<Workflow> = {}): Workflow {
  return { ...newWorkflow({ id: 'article', position: 1, now: NOW }, { name: 'Article' }), ...fields }
}

const idsOf = (things: readonly { id: string }[]) => things.map(({ id }) => id)

describe('siblings', () => {
  it('are ordered by position, then by id', () => {
    const siblings = [
      { id: 'd', position: 10 },
      { id: 'c', position: 2 },
      { id: 'b', position: 2 },
      { id: 'a', position: 2.5 },
      { id: 'e', position: -1 },
    ]

    assert.deepEqual(idsOf(siblings.sort(byPosition)), ['e', 'b', 'c', 'a', 'd'])
  })

  it('that are the same are neither before nor after each other', () => {
    assert.equal(byPosition({ id: 'a', position: 1 }, { id: 'a', position: 1 }), 0)
  })

  for (const [last, expected] of [
    [null, 1],
    [1, 2],
    [0, 1],
    [2.5, 3.5],
    [-3, -2],
  ] as const) {
    it(`have the next one after ${last} at ${expected}`, () => {
      assert.equal(positionAfter(last), expected)
    })
  }
})

describe('a new Status', () => {
  it('is what it was made of, at its first version', () => {
    const made = { id: 'draft', workflowId: 'article', position: 3, now: NOW }

    assert.deepEqual(newStatus(made, { name: 'Draft', disposition: 'waiting' }), {
      id: 'draft',
      workflowId: 'article',
      name: 'Draft',
      disposition: 'waiting',
      position: 3,
      createdAt: NOW,
      updatedAt: NOW,
      version: 1,
    })
  })
})

describe('a change of a Status', () => {
  const CHANGES: [name: string, input: UpdateStatus, expected: Partial<Status>][] = [
    ['of nothing changes nothing', {}, {}],
    ['renames it', { name: 'Sketch' }, { name: 'Sketch' }],
    ['moves it', { position: 2.5 }, { position: 2.5 }],
    ['moves it to nought', { position: 0 }, { position: 0 }],
    ['of its Disposition puts it last there', { disposition: 'waiting' }, { disposition: 'waiting', position: 9 }],
    ['of its Disposition puts it where it says', { disposition: 'waiting', position: 0 }, { disposition: 'waiting', position: 0 }],
    ['to the Disposition it has leaves it in its place', { disposition: 'in_progress' }, {}],
  ]

  for (const [name, input, expected] of CHANGES) {
    it(name, () => {
      const before = aStatus()

      assert.deepEqual(patchStatus(before, input, 9), { ...before, ...expected })
    })
  }
})

describe('the Statuses of a Workflow', () => {
  const statuses = Object.freeze([
    aStatus({ id: 'published', disposition: 'done', position: 1 }),
    aStatus({ id: 'shelved', disposition: 'on_hold', position: 0 }),
    aStatus({ id: 'review', position: 2 }),
    aStatus({ id: 'publish', position: 10 }),
    aStatus({ id: 'feedback', disposition: 'waiting', position: -1 }),
    aStatus({ id: 'draft', position: 2 }),
    aStatus({ id: 'announced', disposition: 'done', position: 1 }),
  ])

  it('stand in tab order, then by position, then by id', () => {
    assert.deepEqual(idsOf(inTabOrder(statuses)), ['draft', 'review', 'publish', 'feedback', 'shelved', 'announced', 'published'])
  })

  it('that are Today Statuses stand by position, then by id', () => {
    assert.deepEqual(idsOf(todayStatuses(statuses)), ['draft', 'review', 'publish'])
  })

  it('may be none', () => {
    assert.deepEqual([inTabOrder([]), todayStatuses([])], [[], []])
  })
})

describe('a new Workflow', () => {
  const made = { id: 'article', position: 3, now: NOW }

  it('of a name alone has nothing else', () => {
    assert.deepEqual(newWorkflow(made, { name: 'Article' }), {
      id: 'article',
      name: 'Article',
      emoji: null,
      description: null,
      position: 3,
      createdAt: NOW,
      updatedAt: NOW,
      version: 1,
    })
  })

  it('takes an emoji and a description', () => {
    const workflow = newWorkflow(made, { name: 'Article', emoji: '✍️', description: 'For the press' })

    assert.partialDeepStrictEqual(workflow, { emoji: '✍️', description: 'For the press' })
  })
})

describe('a change of a Workflow', () => {
  const CHANGES: [name: string, input: UpdateWorkflow, expected: Partial<Workflow>][] = [
    ['of nothing changes nothing', {}, {}],
    ['renames it', { name: 'Essay' }, { name: 'Essay' }],
    ['changes its emoji', { emoji: '📰' }, { emoji: '📰' }],
    ['clears its emoji', { emoji: null }, { emoji: null }],
    ['changes its description', { description: 'Short' }, { description: 'Short' }],
    ['empties its description', { description: '' }, { description: '' }],
    ['clears its description', { description: null }, { description: null }],
    ['moves it', { position: 0 }, { position: 0 }],
  ]

  for (const [name, input, expected] of CHANGES) {
    it(name, () => {
      const before = aWorkflow({ emoji: '✍️', description: 'For the press' })

      assert.deepEqual(patchWorkflow(before, input), { ...before, ...expected })
    })
  }
})

describe('on the wire', () => {
  it('a Status has its fields in the contract’s names', () => {
    assert.deepEqual(statusToWire(aStatus({ version: 7, updatedAt: NOW + 1 })), {
      object: 'status',
      id: 'draft',
      workflow_id: 'article',
      name: 'Draft',
      disposition: 'in_progress',
      position: 1,
      created_at: '2026-11-21T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.001Z',
      version: '"7"',
    })
  })

  it('a Workflow has its fields in the contract’s names, and no Statuses', () => {
    assert.deepEqual(workflowToWire(aWorkflow({ emoji: '✍️', version: 7 })), {
      object: 'workflow',
      id: 'article',
      name: 'Article',
      emoji: '✍️',
      description: null,
      position: 1,
      created_at: '2026-11-21T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.000Z',
      version: '"7"',
    })
  })

  it('a Workflow with its Statuses has them in tab order', () => {
    const statuses = [aStatus({ id: 'feedback', disposition: 'waiting' }), aStatus({ id: 'draft' })]

    const wire = workflowWithStatusesToWire(aWorkflow(), statuses)

    assert.partialDeepStrictEqual(wire, workflowToWire(aWorkflow()))
    assert.deepEqual(idsOf(wire.statuses), ['draft', 'feedback'])
  })
})
