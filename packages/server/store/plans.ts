import type { Plan } from '@fivetab/domain/plan.ts'
import type { Reader, Writer } from './store.ts'

export interface PlanRow {
  key: string
  api_access: number
  active_tasks: number | null
  token_per_minute: number
  account_per_minute: number
  writes_per_day: number
}

export function planFromRow(row: PlanRow): Plan {
  return {
    key: row.key,
    apiAccess: row.api_access === 1,
    activeTasks: row.active_tasks,
    tokenPerMinute: row.token_per_minute,
    accountPerMinute: row.account_per_minute,
    writesPerDay: row.writes_per_day,
  }
}

function planToValues(plan: Plan) {
  return [plan.key, Number(plan.apiAccess), plan.activeTasks, plan.tokenPerMinute, plan.accountPerMinute, plan.writesPerDay]
}

export async function planByKey(reader: Reader, key: string): Promise<Plan | undefined> {
  const row = await reader.one<PlanRow>('select * from plans where key = $1', [key])
  return row && planFromRow(row)
}

export async function allPlans(reader: Reader): Promise<Plan[]> {
  const rows = await reader.all<PlanRow>('select * from plans order by key', [])
  return rows.map(planFromRow)
}

export async function insertPlan(writer: Writer, plan: Plan): Promise<void> {
  await writer.put(
    'insert into plans (key, api_access, active_tasks, token_per_minute, account_per_minute, writes_per_day) values ($1, $2, $3, $4, $5, $6)',
    planToValues(plan),
  )
}

export async function updatePlan(writer: Writer, plan: Plan): Promise<void> {
  await writer.put(
    'update plans set api_access = $2, active_tasks = $3, token_per_minute = $4, account_per_minute = $5, writes_per_day = $6 where key = $1',
    planToValues(plan),
  )
}
