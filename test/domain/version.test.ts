import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure, refuse } from '@fivetab/domain/failure.ts'
import { isMet, type Precondition, requireVersion } from '@fivetab/domain/version.ts'

const toWire = ({ version }: { version: number }) => ({ version: `"${version}"`, title: 'Write it' })

describe('version 7', () => {
  const CASES: [name: string, precondition: Precondition, expected: boolean][] = [
    ['meets nothing expected', null, true],
    ['meets whatever it is', '*', true],
    ['meets itself', ['"7"'], true],
    ['meets a list that has it', ['"5"', '"7"', '"9"'], true],
    ['does not meet another', ['"6"'], false],
    ['does not meet a list without it', ['"6"', '"8"'], false],
    ['does not meet an empty list', [], false],
    ['does not meet one that begins with it', ['"77"'], false],
    ['does not meet one written otherwise', ['"07"'], false],
    ['does not meet one without quotes', ['7'], false],
    ['does not meet a weak one', ['W/"7"'], false],
  ]

  for (const [name, precondition, expected] of CASES) {
    it(name, () => {
      assert.equal(isMet(precondition, 7), expected)
    })

    it(`${name}, and is ${expected ? 'let through' : 'refused with the resource as it is'}`, () => {
      const act = () => requireVersion({ version: 7 }, precondition, toWire)

      if (expected) return assert.doesNotThrow(act)
      assert.throws(act, (error) => {
        assert.ok(error instanceof Failure)
        assert.equal(error.code, 'precondition_failed')
        assert.deepEqual(error.more.current, { version: '"7"', title: 'Write it' })
        assert.match(error.message, /"7"/)
        return true
      })
    })
  }
})

describe('refusing', () => {
  const title = { field: 'title', code: 'required', detail: 'A title is needed.' } as const
  const notes = { field: 'notes', code: 'too_long', detail: 'Too long.' } as const

  it('no problem does nothing', () => {
    assert.doesNotThrow(() => refuse([]))
  })

  for (const [problems, message] of [
    [[title], 'A title is needed.'],
    [[title, notes, notes], 'A title is needed. (and 2 more; see errors)'],
  ] as const) {
    it(`${problems.length} of them lists all and tells the first`, () => {
      assert.throws(
        () => refuse(problems),
        (error) => {
          assert.ok(error instanceof Failure)
          assert.deepEqual([error.code, error.message, error.more.problems], ['invalid_request', message, problems])
          return true
        },
      )
    })
  }
})
