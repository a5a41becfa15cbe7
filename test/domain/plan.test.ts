import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DISPOSITIONS, dispositionsToWire, STATUS_DISPOSITIONS } from '@fivetab/domain/disposition.ts'
import { allowsAnotherTask, DEFAULT_PLAN, DEFAULT_PLANS } from '@fivetab/domain/plan.ts'
import { isScope, SCOPE_NAMES } from '@fivetab/domain/scope.ts'

describe('a plan', () => {
  for (const [limit, active, expected] of [
    [3, 0, true],
    [3, 2, true],
    [3, 3, false],
    [3, 4, false],
    [1, 0, true],
    [0, 0, false],
    [null, 0, true],
    [null, 1_000_000, true],
  ] as const) {
    it(`of ${limit ?? 'no'} active tasks allows another beside ${active}: ${expected}`, () => {
      assert.equal(allowsAnotherTask({ activeTasks: limit }, active), expected)
    })
  }

  for (const [key, apiAccess, activeTasks, tokenPerMinute, accountPerMinute, writesPerDay] of [
    ['free', false, 100, 300, 1_200, 20_000],
    ['pro', true, 5_000, 300, 1_200, 20_000],
    ['unlimited', true, null, 3_000, 12_000, 1_000_000],
  ] as const) {
    it(`called ${key} has the figures that are published`, () => {
      const plan = DEFAULT_PLANS.find((one) => one.key === key)

      assert.deepEqual(plan, { key, apiAccess, activeTasks, tokenPerMinute, accountPerMinute, writesPerDay })
    })
  }

  it('is unlimited for an account that names none', () => {
    assert.equal(DEFAULT_PLAN, 'unlimited')
  })
})

describe('the Dispositions', () => {
  it('are five, in tab order, as they are first labelled', () => {
    assert.deepEqual(
      dispositionsToWire(new Map()).map(({ object, key, label, position }) => [object, key, label, position]),
      [
        ['disposition', 'not_started', 'Not started', 1],
        ['disposition', 'in_progress', 'Today', 2],
        ['disposition', 'waiting', 'Waiting', 3],
        ['disposition', 'on_hold', 'Later', 4],
        ['disposition', 'done', 'Done', 5],
      ],
    )
  })

  it('each have a colour of their own', () => {
    const colors = dispositionsToWire(new Map()).map(({ color }) => color)

    for (const color of colors) assert.match(color, /^#[0-9a-f]{6}$/)
    assert.equal(new Set(colors).size, 5)
  })

  it('all have Statuses but not_started', () => {
    assert.deepEqual(STATUS_DISPOSITIONS, DISPOSITIONS.slice(1))
  })
})

describe('the scopes', () => {
  const NAMES = ['tasks:read', 'tasks:write', 'projects:read', 'projects:write', 'workflows:read', 'workflows:write', 'webhooks:manage']

  it('are those of the contract', () => {
    assert.deepEqual(SCOPE_NAMES, NAMES)
  })

  for (const name of NAMES) {
    it(`know ${name}`, () => {
      assert.equal(isScope(name), true)
    })
  }

  for (const name of ['', 'tasks', 'tasks:', 'tasks:delete', 'Tasks:read', ' tasks:read', '*', 'toString', '__proto__', 'constructor']) {
    it(`do not know ${JSON.stringify(name)}`, () => {
      assert.equal(isScope(name), false)
    })
  }
})
