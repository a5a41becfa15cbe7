import type { StatusDisposition } from '@fivetab/domain/disposition.ts'
import type { Status } from '@fivetab/domain/status.ts'
import { rowStatements } from './rows.ts'
import type { Reader, Value, Writer } from './store.ts'

interface StatusRow {
  id: string
  workflow_id: string
  name: string
  disposition: StatusDisposition
  position: number
  created_at: number
  updated_at: number
  version: number
}

const SQL = rowStatements('statuses', [
  'id',
  'workflow_id',
  'name',
  'disposition',
  'position',
  'created_at',
  'updated_at',
  'version',
] satisfies (keyof StatusRow)[])

function statusFromRow(row: StatusRow): Status {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    name: row.name,
    disposition: row.disposition,
    position: row.position,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

function statusToValues(status: Status): Value[] {
  return [
    status.id,
    status.workflowId,
    status.name,
    status.disposition,
    status.position,
    status.createdAt,
    status.updatedAt,
    status.version,
  ]
}

export async function statusById(reader: Reader, accountId: string, id: string): Promise<Status | undefined> {
  const row = await reader.one<StatusRow>(`${SQL.select} where account_id = $1 and id = $2`, [accountId, id])
  return row && statusFromRow(row)
}

/** The Statuses of a Workflow, by id. */
export async function statusesOf(reader: Reader, accountId: string, workflowId: string): Promise<Status[]> {
  const rows = await reader.all<StatusRow>(`${SQL.select} where account_id = $1 and workflow_id = $2 order by id`, [accountId, workflowId])
  return rows.map(statusFromRow)
}

/** The Statuses of these Workflows, by id. */
export async function statusesOfEach(reader: Reader, accountId: string, workflowIds: readonly string[]): Promise<Status[]> {
  if (workflowIds.length === 0) return []
  const places = workflowIds.map((_, index) => `$${index + 2}`).join(', ')
  const rows = await reader.all<StatusRow>(`${SQL.select} where account_id = $1 and workflow_id in (${places}) order by id`, [
    accountId,
    ...workflowIds,
  ])
  return rows.map(statusFromRow)
}

export async function insertStatus(writer: Writer, accountId: string, status: Status): Promise<void> {
  await writer.put(SQL.insert, [accountId, ...statusToValues(status)])
}

export async function updateStatus(writer: Writer, accountId: string, status: Status): Promise<void> {
  await writer.put(SQL.update, [accountId, ...statusToValues(status)])
}

export async function deleteStatus(writer: Writer, accountId: string, id: string): Promise<void> {
  await writer.put(SQL.delete, [accountId, id])
}
