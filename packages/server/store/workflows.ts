import type { Workflow } from '@fivetab/domain/workflow.ts'
import { type PageRequest, pageStatement } from './pages.ts'
import { rowStatements } from './rows.ts'
import type { Reader, Value, Writer } from './store.ts'

interface WorkflowRow {
  id: string
  name: string
  emoji: string | null
  description: string | null
  position: number
  created_at: number
  updated_at: number
  version: number
}

const SQL = rowStatements('workflows', [
  'id',
  'name',
  'emoji',
  'description',
  'position',
  'created_at',
  'updated_at',
  'version',
] satisfies (keyof WorkflowRow)[])

function workflowFromRow(row: WorkflowRow): Workflow {
  return {
    id: row.id,
    name: row.name,
    emoji: row.emoji,
    description: row.description,
    position: row.position,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

function workflowToValues(workflow: Workflow): Value[] {
  return [
    workflow.id,
    workflow.name,
    workflow.emoji,
    workflow.description,
    workflow.position,
    workflow.createdAt,
    workflow.updatedAt,
    workflow.version,
  ]
}

export async function workflowById(reader: Reader, accountId: string, id: string): Promise<Workflow | undefined> {
  const row = await reader.one<WorkflowRow>(`${SQL.select} where account_id = $1 and id = $2`, [accountId, id])
  return row && workflowFromRow(row)
}

export async function insertWorkflow(writer: Writer, accountId: string, workflow: Workflow): Promise<void> {
  await writer.put(SQL.insert, [accountId, ...workflowToValues(workflow)])
}

export async function updateWorkflow(writer: Writer, accountId: string, workflow: Workflow): Promise<void> {
  await writer.put(SQL.update, [accountId, ...workflowToValues(workflow)])
}

export async function deleteWorkflow(writer: Writer, accountId: string, id: string): Promise<void> {
  await writer.put(SQL.delete, [accountId, id])
}

/** The greatest position among the account's Workflows; null when it has none. */
export async function lastWorkflowPosition(reader: Reader, accountId: string): Promise<number | null> {
  const row = await reader.one<{ last: number | null }>('select max(position) as last from workflows where account_id = $1', [accountId])
  return row?.last ?? null
}

/** Up to `limit` + 1 Workflows of a page. */
export async function workflowPage(reader: Reader, accountId: string, page: PageRequest): Promise<Workflow[]> {
  const { sql, values } = pageStatement(SQL.select, { conditions: ['account_id = $1'], values: [accountId] }, page)
  return (await reader.all<WorkflowRow>(sql, values)).map(workflowFromRow)
}
