/** What an account may use. `activeTasks: null` is no limit. */
export interface Plan {
  key: string
  apiAccess: boolean
  activeTasks: number | null
  tokenPerMinute: number
  accountPerMinute: number
  writesPerDay: number
}

/** The plans that a new database has; an operator may change them and make others. */
export const DEFAULT_PLANS: readonly Plan[] = [
  { key: 'free', apiAccess: false, activeTasks: 100, tokenPerMinute: 300, accountPerMinute: 1_200, writesPerDay: 20_000 },
  { key: 'pro', apiAccess: true, activeTasks: 5_000, tokenPerMinute: 300, accountPerMinute: 1_200, writesPerDay: 20_000 },
  { key: 'unlimited', apiAccess: true, activeTasks: null, tokenPerMinute: 3_000, accountPerMinute: 12_000, writesPerDay: 1_000_000 },
]

/** The plan of an account that names none, and the one that a new plan starts from. */
export const DEFAULT_PLAN = 'unlimited'

/** True when an account with `activeTasks` active tasks may have one more created. */
export function allowsAnotherTask(plan: Pick<Plan, 'activeTasks'>, activeTasks: number): boolean {
  return plan.activeTasks === null || activeTasks < plan.activeTasks
}
