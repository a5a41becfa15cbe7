import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_PATTERNS, EVENT_TYPES, type EventType, typesOf } from '@fivetab/domain/event.ts'
import fc from 'fast-check'
import { choosingAll, hasKind, hasType, isAll, withKind, withType } from '../../packages/web/src/pages/settings/event-choice.ts'

const typesFor = (patterns: readonly string[]) => EVENT_TYPES.filter((type) => patterns.some((pattern) => typesOf(pattern).includes(type)))
const someTypes = fc.array(fc.tuple(fc.constantFrom(...EVENT_TYPES), fc.boolean()), { maxLength: 30 })

describe('choosing the events of a webhook', () => {
  it('is choosing all, or to begin with those of tasks', () => {
    assert.deepEqual(choosingAll(true), ['*'])
    assert.equal(isAll(choosingAll(true)), true)
    assert.deepEqual(choosingAll(false), ['task.*'])
    assert.equal(isAll(choosingAll(false)), false)
  })

  it('takes a whole kind in place of its single types', () => {
    assert.deepEqual(withKind(['task.created', 'project.updated', 'task.woke'], 'task', true), ['task.*', 'project.updated'])
  })

  it('leaves a whole kind out', () => {
    assert.deepEqual(withKind(['task.*', 'project.updated'], 'task', false), ['project.updated'])
    assert.deepEqual(withKind(['task.created', 'project.updated'], 'task', false), ['project.updated'])
  })

  it('names the others of a kind one by one when one of them is left out', () => {
    assert.deepEqual(withType(['project.*', 'task.woke'], 'project.updated', false), ['task.woke', 'project.created', 'project.deleted'])
  })

  it('keeps single types single when they are all of a kind, since a kind may get more', () => {
    const all = withType(['project.created', 'project.deleted'], 'project.updated', true)

    assert.deepEqual(all, ['project.created', 'project.updated', 'project.deleted'])
    assert.equal(hasKind(all, 'project'), false)
  })

  it('comes to the types that were chosen last, in patterns that the service knows, whatever came before', () => {
    fc.assert(
      fc.property(someTypes, (presses) => {
        const wanted = new Set<EventType>(typesFor(['task.*']))
        let patterns = choosingAll(false)
        for (const [type, isWanted] of presses) {
          patterns = withType(patterns, type, isWanted)
          if (isWanted) wanted.add(type)
          else wanted.delete(type)
        }
        assert.deepEqual(
          typesFor(patterns),
          EVENT_TYPES.filter((type) => wanted.has(type)),
        )
        assert.deepEqual(
          EVENT_TYPES.filter((type) => hasType(patterns, type)),
          typesFor(patterns),
        )
        assert.ok(patterns.every((pattern) => EVENT_PATTERNS.includes(pattern)))
      }),
    )
  })
})
