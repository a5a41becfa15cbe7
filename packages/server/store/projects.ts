import type { Project } from '@fivetab/domain/project.ts'
import { type Filter, filterBy, type PageRequest, pageStatement } from './pages.ts'
import { rowStatements } from './rows.ts'
import type { Reader, Value, Writer } from './store.ts'

interface ProjectRow {
  id: string
  name: string
  description: string | null
  archived: number
  position: number
  created_at: number
  updated_at: number
  version: number
}

const SQL = rowStatements('projects', [
  'id',
  'name',
  'description',
  'archived',
  'position',
  'created_at',
  'updated_at',
  'version',
] satisfies (keyof ProjectRow)[])

function projectFromRow(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    archived: row.archived === 1,
    position: row.position,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

function projectToValues(project: Project): Value[] {
  return [
    project.id,
    project.name,
    project.description,
    Number(project.archived),
    project.position,
    project.createdAt,
    project.updatedAt,
    project.version,
  ]
}

export async function projectById(reader: Reader, accountId: string, id: string): Promise<Project | undefined> {
  const row = await reader.one<ProjectRow>(`${SQL.select} where account_id = $1 and id = $2`, [accountId, id])
  return row && projectFromRow(row)
}

export async function insertProject(writer: Writer, accountId: string, project: Project): Promise<void> {
  await writer.put(SQL.insert, [accountId, ...projectToValues(project)])
}

export async function updateProject(writer: Writer, accountId: string, project: Project): Promise<void> {
  await writer.put(SQL.update, [accountId, ...projectToValues(project)])
}

export async function deleteProject(writer: Writer, accountId: string, id: string): Promise<void> {
  await writer.put(SQL.delete, [accountId, id])
}

/** The greatest position among the account's projects; null when it has none. */
export async function lastProjectPosition(reader: Reader, accountId: string): Promise<number | null> {
  const row = await reader.one<{ last: number | null }>('select max(position) as last from projects where account_id = $1', [accountId])
  return row?.last ?? null
}

/** Up to `limit` + 1 projects of a page. */
export async function projectPage(reader: Reader, accountId: string, includeArchived: boolean, page: PageRequest): Promise<Project[]> {
  const filter: Filter = { conditions: [], values: [] }
  filterBy(filter, 'account_id = ?', accountId)
  if (!includeArchived) filter.conditions.push('archived = 0')
  const { sql, values } = pageStatement(SQL.select, filter, page)
  return (await reader.all<ProjectRow>(sql, values)).map(projectFromRow)
}
