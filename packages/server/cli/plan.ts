import type { Plan } from '@fivetab/domain/plan.ts'
import type { Command } from 'commander'
import { listPlans, setPlan } from '../actions/plans.ts'
import { answer, asFirstOperator, asOperator, type Context, count, onOrOff, table, withJson } from './context.ts'

interface PlanOptions {
  apiAccess?: boolean
  activeTasks?: number | 'none'
  tokenPerMinute?: number
  accountPerMinute?: number
  writesPerDay?: number
}

export function planCommand(program: Command, context: Context): void {
  const plan = program.command('plan').description('show and change plans')

  withJson(plan.command('list'))
    .description('list all plans')
    .action(async (options: { json?: true }) => {
      const plans = await asOperator(context, listPlans)
      answer(context, options, plans.map(planToJson), planTable(plans))
    })

  withJson(plan.command('set'))
    .description('change a plan, or make a new one, starting from unlimited')
    .argument('<key>', 'the key of the plan')
    .option('--api-access <on|off>', 'whether the plan includes API access', onOrOff)
    .option('--active-tasks <number>', 'how many active tasks it allows, or none for no limit', (text) =>
      text === 'none' ? text : count(text),
    )
    .option('--token-per-minute <number>', 'requests a minute for each token', count)
    .option('--account-per-minute <number>', 'requests a minute for all tokens of an account', count)
    .option('--writes-per-day <number>', 'writes a UTC day for the account', count)
    .action(async (key: string, options: PlanOptions & { json?: true }) => {
      const { json: _, activeTasks, ...others } = options
      const change = { ...others, ...(activeTasks !== undefined && { activeTasks: activeTasks === 'none' ? null : activeTasks }) }
      const changed = await asFirstOperator(context, (by) => setPlan(by, key, change))
      answer(context, options, planToJson(changed), planTable([changed]))
    })
}

function planToJson(plan: Plan) {
  return {
    key: plan.key,
    api_access: plan.apiAccess,
    active_tasks: plan.activeTasks,
    token_per_minute: plan.tokenPerMinute,
    account_per_minute: plan.accountPerMinute,
    writes_per_day: plan.writesPerDay,
  }
}

function planTable(plans: readonly Plan[]): string {
  const rows = plans.map((plan) => [
    plan.key,
    plan.apiAccess ? 'on' : 'off',
    plan.activeTasks === null ? 'none' : String(plan.activeTasks),
    String(plan.tokenPerMinute),
    String(plan.accountPerMinute),
    String(plan.writesPerDay),
  ])
  return table(['PLAN', 'API', 'ACTIVE TASKS', 'A MINUTE, TOKEN', 'A MINUTE, ACCOUNT', 'WRITES A DAY'], rows)
}
