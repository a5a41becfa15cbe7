import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newProject, type Project, patchProject, projectToWire, type UpdateProject } from '@fivetab/domain/project.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

function aProject(fields: Partial<Project> = {}): Project {
  return { ...newProject({ id: 'house', position: 3, now: NOW }, { name: 'House move' }), ...fields }
}

describe('a new project', () => {
  it('of a name alone is not archived and has nothing else', () => {
    assert.deepEqual(aProject(), {
      id: 'house',
      name: 'House move',
      description: null,
      archived: false,
      position: 3,
      createdAt: NOW,
      updatedAt: NOW,
      version: 1,
    })
  })

  it('takes a description', () => {
    const project = newProject({ id: 'house', position: 3, now: NOW }, { name: 'House move', description: 'By May' })

    assert.equal(project.description, 'By May')
  })
})

describe('a change of a project', () => {
  const CHANGES: [name: string, before: Project, input: UpdateProject, expected: Partial<Project>][] = [
    ['of nothing changes nothing', aProject({ description: 'By May', archived: true }), {}, {}],
    ['renames it', aProject(), { name: 'Garden' }, { name: 'Garden' }],
    ['changes its description', aProject(), { description: 'By May' }, { description: 'By May' }],
    ['clears its description', aProject({ description: 'By May' }), { description: null }, { description: null }],
    ['archives it', aProject(), { archived: true }, { archived: true }],
    ['unarchives it', aProject({ archived: true }), { archived: false }, { archived: false }],
    ['moves it to nought', aProject(), { position: 0 }, { position: 0 }],
  ]

  for (const [name, before, input, expected] of CHANGES) {
    it(name, () => {
      assert.deepEqual(patchProject(before, input), { ...before, ...expected })
    })
  }
})

describe('a project on the wire', () => {
  it('has its fields in the contract’s names', () => {
    assert.deepEqual(projectToWire(aProject({ description: 'By May', archived: true, version: 7 })), {
      object: 'project',
      id: 'house',
      name: 'House move',
      description: 'By May',
      archived: true,
      position: 3,
      created_at: '2026-11-21T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.000Z',
      version: '"7"',
    })
  })
})
