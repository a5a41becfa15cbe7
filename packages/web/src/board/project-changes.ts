import { positionAfter } from '@fivetab/domain/position.ts'
import {
  type CreateProject,
  newProject,
  type ProjectWire,
  patchProject,
  projectOnWire,
  projectToWire,
  type UpdateProject,
} from '@fivetab/domain/project.ts'
import { leaveProject } from '@fivetab/domain/task.ts'
import { ask } from '../client/http.ts'
import { type Board, inOrder, showingProject, withoutProject, withProject } from './board.ts'
import { cascade } from './cascade.ts'
import type { Change } from './changes.ts'
import { remove } from './deleting.ts'
import { type Editable, edit } from './editing.ts'
import { NOT_YET } from './task-changes.ts'

/** What a person can do to a project. */

export const PROJECT: Editable<ProjectWire> = {
  lane: (id) => `project:${id}`,
  path: ({ id }) => `/projects/${id}`,
  of: (board, { id }) => board.projects.get(id),
  with: withProject,
  showing: showingProject,
}

/** Adds a project at the end. `key` makes it one however often it is sent: a UUID. New projects are sent one after another, so that they keep their order. */
export function createProject(input: CreateProject, key: string): Change {
  const id = `${NOT_YET}${key}`
  return {
    lane: PROJECT.lane(NOT_YET),
    apply: (board, now) => {
      const last = inOrder(board.projects.values()).at(-1)?.position ?? null
      return showingProject(board, projectToWire(newProject({ id, position: positionAfter(last), now }, input)))
    },
    send: async () => {
      const made = await ask<ProjectWire>('POST', '/projects', { body: input, onceKey: key })
      return (board) => withProject(board, made)
    },
  }
}

/** Changes name or description. `shown` is what the person saw on beginning. */
export function editProject(shown: ProjectWire, fields: Pick<UpdateProject, 'name' | 'description'>): Change {
  return edit(PROJECT, shown, fields, (now) => patched(now, fields))
}

/** Puts a project somewhere else in the list: the last one who does has the say. */
export function placeProject(project: ProjectWire, position: number): Change {
  return patch(project, { position })
}

/** Archives a project, or takes it out of the archive. Its tasks are as they were. */
export function archiveProject(project: ProjectWire, archived: boolean): Change {
  return patch(project, { archived })
}

function patch({ id }: ProjectWire, fields: UpdateProject): Change {
  return {
    lane: PROJECT.lane(id),
    apply: (board) => {
      const now = board.projects.get(id)
      return now === undefined ? board : showingProject(board, patched(now, fields))
    },
    send: async () => {
      const stored = await ask<ProjectWire>('PATCH', `/projects/${id}`, { body: fields })
      return (board) => withProject(board, stored)
    },
  }
}

function patched(now: ProjectWire, fields: UpdateProject): ProjectWire {
  return projectToWire(patchProject(projectOnWire(now), fields))
}

/** Deletes a project; its tasks stay and lose it. */
export function deleteProject(shown: ProjectWire): Change {
  return remove(PROJECT, shown, ['name'], (board: Board) =>
    cascade(withoutProject(board, shown.id), (task) => task.project_id === shown.id, leaveProject),
  )
}
