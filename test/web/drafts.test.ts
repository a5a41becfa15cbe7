import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  draftOf,
  draftsWith,
  dropDraft,
  type Keeper,
  restoreDraft,
  storeDraft,
  typeInto,
} from '../../packages/web/src/pages/task/drafts.ts'

/** A place for texts that takes what it is given or, where it is told to, does not; `decide` ends the storing that is going on. */
function aKeeper() {
  const taken: string[] = []
  let decide: (isSettled: boolean) => void = () => undefined
  const keeper: Keeper = {
    tidied: (text) => text.trim(),
    problemWith: (text) => (text.trim() === '' ? 'It must not be empty.' : null),
    store: (text) => {
      taken.push(text)
      return new Promise((resolve) => {
        decide = resolve
      })
    },
  }
  return { keeper, taken, decide: (isSettled: boolean) => decide(isSettled) }
}

describe('what is typed', () => {
  it('stays upon what was seen when typing began, whatever becomes of that meanwhile', () => {
    const first = aKeeper().keeper

    typeInto('a', 'One', 'Old', first)
    typeInto('a', 'One more', 'Changed elsewhere', aKeeper().keeper)

    assert.deepEqual(draftOf('a'), { text: 'One more', seen: 'Old', keeper: first, standing: 'typing' })
  })

  it('is there until it is stored, and then no more', async () => {
    const { keeper, taken, decide } = aKeeper()
    typeInto('b', ' New ', 'Old', keeper)

    const storing = storeDraft('b')
    assert.partialDeepStrictEqual(draftOf('b'), { text: ' New ', standing: 'sending' })
    decide(true)
    await storing

    assert.deepEqual(taken, ['New'])
    assert.equal(draftOf('b'), undefined)
  })

  it('is kept when it could not be stored, and can be stored once more', async () => {
    const { keeper, taken, decide } = aKeeper()
    typeInto('c', 'New', 'Old', keeper)

    const storing = storeDraft('c')
    decide(false)
    await storing
    assert.partialDeepStrictEqual(draftOf('c'), { text: 'New', standing: 'refused' })
    void storeDraft('c')

    assert.deepEqual(taken, ['New', 'New'])
  })

  it('while something is being stored is not lost when that ends', async () => {
    const { keeper, decide } = aKeeper()
    typeInto('d', 'New', 'Old', keeper)

    const storing = storeDraft('d')
    typeInto('d', 'Newer', 'New', keeper)
    decide(true)
    await storing

    assert.partialDeepStrictEqual(draftOf('d'), { text: 'Newer', seen: 'New', standing: 'typing' })
  })

  it('is stored once, however often that is asked for', () => {
    const { keeper, taken } = aKeeper()
    typeInto('e', 'New', 'Old', keeper)

    void storeDraft('e')
    void storeDraft('e')

    assert.deepEqual(taken, ['New'])
  })

  it('and says nothing new is not stored, and not kept', async () => {
    const { keeper, taken } = aKeeper()
    typeInto('f', 'Old ', 'Old', keeper)

    await storeDraft('f')

    assert.deepEqual(taken, [])
    assert.equal(draftOf('f'), undefined)
  })

  it('and cannot be stored as it is, is kept and not sent', async () => {
    const { keeper, taken } = aKeeper()
    typeInto('g', ' ', 'Old', keeper)

    await storeDraft('g')

    assert.deepEqual(taken, [])
    assert.partialDeepStrictEqual(draftOf('g'), { text: ' ', standing: 'refused' })
  })

  it('comes back as it was after it was dropped', () => {
    const { keeper } = aKeeper()
    typeInto('h', 'New', 'Old', keeper)
    const draft = draftOf('h')
    assert.ok(draft)

    dropDraft('h')
    assert.equal(draftOf('h'), undefined)
    restoreDraft('h', draft)

    assert.deepEqual(draftOf('h'), draft)
  })

  it('is found by the task that it was typed for', () => {
    const { keeper } = aKeeper()
    typeInto('task-1 title', 'New', 'Old', keeper)
    typeInto('task-12 title', 'New', 'Old', keeper)

    assert.deepEqual(draftsWith('task-1 '), ['task-1 title'])
  })
})
