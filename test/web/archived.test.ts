import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { archivedOn } from '../../packages/web/src/pages/archive/archived.ts'
import { aBoard, aTask } from './a-board.ts'

describe('the archived tasks of a board', () => {
  const archived = { archived: true, archived_at: '2026-11-20T12:00:00.000Z' }
  const board = aBoard({
    tasks: [aTask({ id: 'a', ...archived }), aTask({ id: 'c', ...archived }), aTask({ id: 'b' }), aTask({ id: 'd', ...archived })],
  })

  it('are in the order in which they were made, the newest first', () => {
    assert.deepEqual(
      archivedOn(board, null).map(({ id }) => id),
      ['d', 'c', 'a'],
    )
  })

  it('are seen down to where the archive was read, and not beyond a gap', () => {
    assert.deepEqual(
      archivedOn(board, 'c').map(({ id }) => id),
      ['d', 'c'],
    )
  })
})
