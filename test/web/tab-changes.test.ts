import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Board } from '../../packages/web/src/board/board.ts'
import { changeTab, firstTab } from '../../packages/web/src/board/tab-changes.ts'
import { aBoard, knownFrom, NOW, serviceAnswering } from './a-board.ts'

const tabOn = ({ dispositions }: Board, key: string) => dispositions.find((one) => one.key === key)

describe('a change of a tab', () => {
  it('shows at once, and leaves the others as they are', () => {
    const board = aBoard({})
    const shown = changeTab('waiting', { label: 'Blocked' }).apply(board, NOW)

    assert.deepEqual(tabOn(shown, 'waiting'), { ...firstTab('waiting'), label: 'Blocked' })
    assert.deepEqual(
      shown.dispositions.filter(({ key }) => key !== 'waiting'),
      board.dispositions.filter(({ key }) => key !== 'waiting'),
    )
  })

  it('of the colour keeps the label', () => {
    const labelled = changeTab('done', { label: 'Finished' }).apply(aBoard({}), NOW)

    assert.deepEqual(tabOn(changeTab('done', { color: '#112233' }).apply(labelled, NOW), 'done'), {
      ...firstTab('done'),
      label: 'Finished',
      color: '#112233',
    })
  })

  it('to nothing is back to how it was at first', () => {
    const changed = changeTab('done', { label: 'Finished', color: '#112233' }).apply(aBoard({}), NOW)

    assert.deepEqual(tabOn(changeTab('done', { label: null, color: null }).apply(changed, NOW), 'done'), firstTab('done'))
  })

  it('is sent as it is, and shows what the service has stored', async (test) => {
    const stored = { ...firstTab('done'), label: 'Finished' }
    const asked = serviceAnswering(test, { status: 200, body: stored })

    const settle = await changeTab('done', { label: ' Finished ' }).send(knownFrom(aBoard({})))

    assert.deepEqual(asked, [
      { method: 'PATCH', path: '/app/dispositions/done', body: { label: ' Finished ' }, ifMatch: null, onceKey: null },
    ])
    assert.deepEqual(tabOn(settle(aBoard({})), 'done'), stored)
  })
})
