import { type Static, Type } from 'typebox'
import { CreatedAt, id, nullable, Position, shape, text, UpdatedAt, Version, versionOnWire, versionToWire } from './shape.ts'
import { formatTime } from './time.ts'

/** An optional grouping of tasks. Times are ms since the epoch. */
export interface Project {
  id: string
  name: string
  description: string | null
  archived: boolean
  position: number
  createdAt: number
  updatedAt: number
  version: number
}

const name = text('line', 1, 200, 'What the project is called; 1 to 200 characters.')
const description = nullable(text('lines', 0, 2_000, 'What it is about; up to 2,000 characters, or null.'))
const archived = Type.Boolean({ description: 'An archived project is hidden from lists; its tasks are as they were.' })

const example = {
  object: 'project',
  id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a01',
  name: 'House move',
  description: null,
  archived: false,
  position: 1,
  created_at: '2026-11-21T07:00:00.000Z',
  updated_at: '2026-11-21T07:00:00.000Z',
  version: '"1"',
}

export const ProjectShape = shape(
  'Project',
  'An optional grouping of tasks.',
  {
    object: Type.Literal('project'),
    id: id('The id of the project.'),
    name,
    description,
    archived,
    position: Position,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    version: Version,
  },
  example,
)

export const CreateProjectShape = shape(
  'CreateProject',
  'A new project.',
  { name, description: Type.Optional(description) },
  { name: 'House move' },
)

export const UpdateProjectShape = shape(
  'UpdateProject',
  'Only the fields that are sent change; null clears one.',
  {
    name: Type.Optional(name),
    description: Type.Optional(description),
    archived: Type.Optional(archived),
    position: Type.Optional(Position),
  },
  { archived: true },
)

export type ProjectWire = Static<typeof ProjectShape>
export type CreateProject = Static<typeof CreateProjectShape>
export type UpdateProject = Static<typeof UpdateProjectShape>

export function projectToWire(project: Project): ProjectWire {
  return {
    object: 'project',
    id: project.id,
    name: project.name,
    description: project.description,
    archived: project.archived,
    position: project.position,
    created_at: formatTime(project.createdAt),
    updated_at: formatTime(project.updatedAt),
    version: versionToWire(project.version),
  }
}

/** The project that a client sees. */
export function projectOnWire(wire: ProjectWire): Project {
  return {
    id: wire.id,
    name: wire.name,
    description: wire.description,
    archived: wire.archived,
    position: wire.position,
    createdAt: Date.parse(wire.created_at),
    updatedAt: Date.parse(wire.updated_at),
    version: versionOnWire(wire.version),
  }
}

export function newProject(made: { id: string; position: number; now: number }, input: CreateProject): Project {
  return {
    id: made.id,
    name: input.name,
    description: input.description ?? null,
    archived: false,
    position: made.position,
    createdAt: made.now,
    updatedAt: made.now,
    version: 1,
  }
}

export function patchProject(project: Project, input: UpdateProject): Project {
  return {
    ...project,
    name: input.name ?? project.name,
    description: input.description === undefined ? project.description : input.description,
    archived: input.archived ?? project.archived,
    position: input.position ?? project.position,
  }
}
