import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inOrder } from '../../packages/web/src/board/board.ts'
import { Conflict } from '../../packages/web/src/board/changes.ts'
import { archiveProject, createProject, deleteProject, editProject, placeProject } from '../../packages/web/src/board/project-changes.ts'
import { aBoard, aProject, aTask, changedMeanwhile, knownFrom, NOT_FOUND, NOW, serviceAnswering } from './a-board.ts'

const namesOn = (board: ReturnType<typeof aBoard>) => inOrder(board.projects.values()).map(({ name }) => name)

describe('a new project', () => {
  it('shows at the end at once', () => {
    const board = aBoard({ projects: [aProject({ position: 7 }), aProject({ id: 'garden', name: 'Garden', position: 3 })] })

    assert.deepEqual(namesOn(createProject({ name: 'Tax' }, 'k').apply(board, NOW)), ['Garden', 'House move', 'Tax'])
  })

  it('is sent with its key, and is the one that the service made', async (test) => {
    const made = aProject({ id: 'tax', name: 'Tax' })
    const asked = serviceAnswering(test, { status: 201, body: made })

    const settle = await createProject({ name: 'Tax' }, 'k').send(knownFrom(aBoard({})))

    assert.deepEqual(asked, [{ method: 'POST', path: '/app/projects', body: { name: 'Tax' }, ifMatch: null, onceKey: 'k' }])
    assert.deepEqual([...settle(aBoard({})).projects.values()], [made])
  })

  it('is a creation to whoever waits for those', () => {
    assert.match(createProject({ name: 'Tax' }, 'k').lane, /:new:/)
  })
})

describe('an edit of a project', () => {
  it('shows at once, with the version that is stored', () => {
    const shown = editProject(aProject(), { name: 'Removal' }).apply(aBoard({ projects: [aProject()] }), NOW)

    assert.deepEqual(shown.projects.get('house'), aProject({ name: 'Removal' }))
  })

  it('keeps what somebody else has changed besides', async (test) => {
    const newer = aProject({ description: 'By May', version: '"2"' })
    const stored = aProject({ name: 'Removal', description: 'By May', version: '"3"' })
    const asked = serviceAnswering(test, changedMeanwhile(newer), { status: 200, body: stored })
    const known = knownFrom(aBoard({ projects: [aProject()] }))

    const settle = await editProject(aProject(), { name: 'Removal' }).send(known)

    assert.deepEqual(
      asked.map(({ ifMatch, body }) => [ifMatch, body]),
      [
        ['"1"', { name: 'Removal' }],
        ['"2"', { name: 'Removal' }],
      ],
    )
    assert.deepEqual(settle(known.board()).projects.get('house'), stored)
  })

  it('is a conflict with another name that somebody else has given it', async (test) => {
    serviceAnswering(test, changedMeanwhile(aProject({ name: 'Flat', version: '"2"' })))
    const known = knownFrom(aBoard({ projects: [aProject()] }))

    await assert.rejects(editProject(aProject(), { name: 'Removal' }).send(known), (error) => {
      assert.ok(error instanceof Conflict)
      assert.deepEqual(error.fields, [{ field: 'name', mine: 'Removal', theirs: 'Flat' }])
      return true
    })
  })
})

describe('a project that is put somewhere else', () => {
  it('shows there at once', () => {
    const board = aBoard({ projects: [aProject({ position: 1 }), aProject({ id: 'garden', name: 'Garden', position: 2 })] })

    assert.deepEqual(namesOn(placeProject(aProject(), 3).apply(board, NOW)), ['Garden', 'House move'])
  })

  it('goes there whatever version it has', async (test) => {
    const asked = serviceAnswering(test, { status: 200, body: aProject({ position: 3, version: '"9"' }) })

    await placeProject(aProject(), 3).send(knownFrom(aBoard({ projects: [aProject()] })))

    assert.deepEqual(asked, [{ method: 'PATCH', path: '/app/projects/house', body: { position: 3 }, ifMatch: null, onceKey: null }])
  })
})

describe('archiving a project', () => {
  it('leaves its tasks as they were', () => {
    const task = aTask({ project_id: 'house' })
    const after = archiveProject(aProject(), true).apply(aBoard({ projects: [aProject()], tasks: [task] }), NOW)

    assert.equal(after.projects.get('house')?.archived, true)
    assert.deepEqual(after.tasks.get('task'), task)
  })
})

describe('deleting a project', () => {
  const board = aBoard({
    projects: [aProject()],
    tasks: [aTask({ project_id: 'house', due_date: '2026-12-01' }), aTask({ id: 'other', project_id: 'garden' })],
  })

  it('takes it from its tasks and leaves them otherwise as they were', () => {
    const after = deleteProject(aProject()).apply(board, NOW)

    assert.equal(after.projects.size, 0)
    assert.deepEqual(after.tasks.get('task'), aTask({ due_date: '2026-12-01' }))
    assert.equal(after.tasks.get('other')?.project_id, 'garden')
  })

  it('goes on where somebody else has changed what the person did not go by', async (test) => {
    const asked = serviceAnswering(test, changedMeanwhile(aProject({ position: 5, version: '"2"' })), { status: 204 })

    const settle = await deleteProject(aProject()).send(knownFrom(board))

    assert.deepEqual(
      asked.map(({ method, ifMatch }) => [method, ifMatch]),
      [
        ['DELETE', '"1"'],
        ['DELETE', '"2"'],
      ],
    )
    assert.equal(settle(board).projects.size, 0)
  })

  it('stops where it has another name by now, and shows that', async (test) => {
    serviceAnswering(test, changedMeanwhile(aProject({ name: 'Keep this', version: '"2"' })))
    const known = knownFrom(board)

    await assert.rejects(deleteProject(aProject()).send(known), { name: 'Refused' })

    assert.equal(known.board().projects.get('house')?.name, 'Keep this')
  })

  it('is done where somebody else has deleted it', async (test) => {
    serviceAnswering(test, NOT_FOUND)

    const settle = await deleteProject(aProject()).send(knownFrom(board))

    assert.equal(settle(board).projects.size, 0)
  })
})
