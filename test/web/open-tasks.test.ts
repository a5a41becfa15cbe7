import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTasksBy } from '../../packages/web/src/board/open-tasks.ts'
import { aBoard, aTask } from './a-board.ts'

describe('counting open tasks', () => {
  it('leaves out those that are done or archived', () => {
    const tasks = [
      aTask({ id: 'a', project_id: 'house' }),
      aTask({ id: 'b', project_id: 'house', disposition: 'on_hold' }),
      aTask({ id: 'c', project_id: 'house', disposition: 'done' }),
      aTask({ id: 'd', project_id: 'house', archived: true }),
      aTask({ id: 'e' }),
    ]

    assert.deepEqual(
      openTasksBy(aBoard({ tasks }), ({ project_id }) => project_id),
      new Map([
        ['house', 2],
        [null, 1],
      ]),
    )
  })
})
