import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Board } from '../../packages/web/src/board/board.ts'
import { Conflict } from '../../packages/web/src/board/changes.ts'
import {
  createStatus,
  createWorkflow,
  deleteStatus,
  deleteWorkflow,
  editWorkflow,
  placeStatus,
  placeWorkflow,
  renameStatus,
  statusesIn,
} from '../../packages/web/src/board/workflow-changes.ts'
import { aBoard, aStatus, aTask, aWorkflow, changedMeanwhile, knownFrom, NOW, serviceAnswering } from './a-board.ts'

const DRAFT = aStatus('draft', 'in_progress', { position: 1 })
const REVIEW = aStatus('review', 'in_progress', { position: 2 })
const PUBLISHED = aStatus('published', 'done', { position: 4 })
const ARTICLE = aWorkflow({ statuses: [REVIEW, PUBLISHED, DRAFT] })

function namesIn(board: Board, disposition: Parameters<typeof statusesIn>[1]): string[] {
  const workflow = board.workflows.get('article')
  return workflow === undefined ? [] : statusesIn(workflow, disposition).map(({ name }) => name)
}

describe('a new Workflow', () => {
  const input = {
    name: 'Talk',
    statuses: [
      { name: 'Outline', disposition: 'in_progress' as const },
      { name: 'Given', disposition: 'done' as const },
      { name: 'Slides', disposition: 'in_progress' as const },
    ],
  }

  it('shows at the end at once, with its Statuses in order', () => {
    const after = createWorkflow(input, 'k').apply(aBoard({ workflows: [aWorkflow({ position: 6 })] }), NOW)
    const talk = [...after.workflows.values()].find(({ name }) => name === 'Talk')

    assert.equal(talk?.position, 7)
    assert.deepEqual(talk && statusesIn(talk, 'in_progress').map(({ name }) => name), ['Outline', 'Slides'])
    assert.deepEqual(talk && statusesIn(talk, 'done').map(({ name }) => name), ['Given'])
  })

  it('is sent whole, with its key', async (test) => {
    const asked = serviceAnswering(test, { status: 201, body: aWorkflow({ id: 'talk' }) })

    await createWorkflow(input, 'k').send(knownFrom(aBoard({})))

    assert.deepEqual(asked, [{ method: 'POST', path: '/app/workflows', body: input, ifMatch: null, onceKey: 'k' }])
  })
})

describe('an edit of a Workflow', () => {
  it('shows at once and leaves its Statuses alone', () => {
    const after = editWorkflow(ARTICLE, { emoji: '✍️' }).apply(aBoard({ workflows: [ARTICLE] }), NOW)

    assert.deepEqual(after.workflows.get('article'), { ...ARTICLE, emoji: '✍️' })
  })

  it('goes on where a change of a Status has made a new version of it', async (test) => {
    const newer = { ...ARTICLE, statuses: [DRAFT], version: '"2"' }
    const asked = serviceAnswering(test, changedMeanwhile(newer), { status: 200, body: { ...newer, name: 'Essay', version: '"3"' } })
    const known = knownFrom(aBoard({ workflows: [ARTICLE] }))

    const settle = await editWorkflow(ARTICLE, { name: 'Essay' }).send(known)

    assert.deepEqual(
      asked.map(({ ifMatch }) => ifMatch),
      ['"1"', '"2"'],
    )
    assert.partialDeepStrictEqual(settle(known.board()).workflows.get('article'), { name: 'Essay', statuses: [DRAFT] })
  })

  it('is a conflict with another name that somebody else has given it', async (test) => {
    serviceAnswering(test, changedMeanwhile({ ...ARTICLE, name: 'Report', version: '"2"' }))

    await assert.rejects(editWorkflow(ARTICLE, { name: 'Essay' }).send(knownFrom(aBoard({ workflows: [ARTICLE] }))), Conflict)
  })
})

describe('a Workflow that is put somewhere else', () => {
  it('goes there whatever version it has', async (test) => {
    const asked = serviceAnswering(test, { status: 200, body: aWorkflow({ position: 0, version: '"5"' }) })

    await placeWorkflow(ARTICLE, 0).send(knownFrom(aBoard({ workflows: [ARTICLE] })))

    assert.deepEqual(asked, [{ method: 'PATCH', path: '/app/workflows/article', body: { position: 0 }, ifMatch: null, onceKey: null }])
  })
})

describe('deleting a Workflow', () => {
  it('leaves its tasks where they are, on no Workflow, no Status and with none of its steps', () => {
    const task = aTask({ disposition: 'in_progress', workflow_id: 'article', status_id: 'draft', steps_total: 2, steps_completed: 1 })

    const after = deleteWorkflow(ARTICLE).apply(aBoard({ workflows: [ARTICLE], tasks: [task] }), NOW)

    assert.equal(after.workflows.size, 0)
    assert.deepEqual(after.tasks.get('task'), aTask({ disposition: 'in_progress' }))
  })
})

describe('a new Status', () => {
  it('shows at once at the end of its Disposition', () => {
    const after = createStatus('article', { name: 'Proof', disposition: 'in_progress' }, 'k').apply(aBoard({ workflows: [ARTICLE] }), NOW)

    assert.deepEqual(namesIn(after, 'in_progress'), ['draft', 'review', 'Proof'])
  })

  it('is sent after those that were added to its Workflow before, and is a creation to whoever waits for those', () => {
    const [first, second] = ['k', 'l'].map((key) => createStatus('article', { name: 'Proof', disposition: 'done' }, key).lane)

    assert.equal(first, second)
    assert.match(first ?? '', /:new:/)
  })
})

describe('an edit of a Status', () => {
  it('is sent with its own version, and not that of its Workflow', async (test) => {
    const newer = { ...ARTICLE, version: '"8"' }
    const asked = serviceAnswering(test, { status: 200, body: { ...DRAFT, name: 'Sketch', version: '"2"' } })
    const known = knownFrom(aBoard({ workflows: [newer] }))

    const settle = await renameStatus(DRAFT, 'Sketch').send(known)

    assert.deepEqual(asked, [
      { method: 'PATCH', path: '/app/workflows/article/statuses/draft', body: { name: 'Sketch' }, ifMatch: '"1"', onceKey: null },
    ])
    assert.deepEqual(namesIn(settle(known.board()), 'in_progress'), ['Sketch', 'review'])
  })
})

describe('a Status that is put somewhere else', () => {
  const board = aBoard({
    workflows: [ARTICLE],
    tasks: [
      aTask({ disposition: 'in_progress', workflow_id: 'article', status_id: 'review' }),
      aTask({ id: 'other', disposition: 'in_progress', workflow_id: 'article', status_id: 'draft' }),
    ],
    doneTotal: 3,
  })

  it('in its Disposition takes no task anywhere', () => {
    const after = placeStatus(REVIEW, { position: 0 }).apply(board, NOW)

    assert.deepEqual(namesIn(after, 'in_progress'), ['review', 'draft'])
    assert.deepEqual(after.tasks, board.tasks)
  })

  it('in another one takes its tasks along, by the rules of a task that moves', () => {
    const after = placeStatus(REVIEW, { disposition: 'done' }).apply(board, NOW)

    assert.deepEqual(namesIn(after, 'done'), ['published', 'review'])
    assert.partialDeepStrictEqual(after.tasks.get('task'), {
      disposition: 'done',
      status_id: 'review',
      completed_at: new Date(NOW).toISOString(),
    })
    assert.deepEqual(after.tasks.get('other'), board.tasks.get('other'))
    assert.equal(after.doneTotal, 4)
  })

  it('stays there with its tasks once the service has answered, before the log has told of each', async (test) => {
    serviceAnswering(test, { status: 200, body: { ...REVIEW, disposition: 'waiting', version: '"2"' } })

    const settle = await placeStatus(REVIEW, { disposition: 'waiting' }).send(knownFrom(board))

    assert.equal(settle(board).tasks.get('task')?.disposition, 'waiting')
  })
})

describe('deleting a Status', () => {
  it('leaves its tasks in their Workflow and Disposition', () => {
    const task = aTask({ disposition: 'in_progress', workflow_id: 'article', status_id: 'review' })

    const after = deleteStatus(REVIEW).apply(aBoard({ workflows: [ARTICLE], tasks: [task] }), NOW)

    assert.deepEqual(namesIn(after, 'in_progress'), ['draft'])
    assert.deepEqual(after.tasks.get('task'), { ...task, status_id: null })
  })

  it('stops where somebody else has moved it to another Disposition', async (test) => {
    serviceAnswering(test, changedMeanwhile({ ...REVIEW, disposition: 'done', version: '"2"' }))

    await assert.rejects(deleteStatus(REVIEW).send(knownFrom(aBoard({ workflows: [ARTICLE] }))), { name: 'Refused' })
  })
})
