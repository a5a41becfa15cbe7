import { Failure } from '@fivetab/domain/failure.ts'
import { DEFAULT_PLAN, type Plan } from '@fivetab/domain/plan.ts'
import { allPlans, insertPlan, planByKey, updatePlan } from '../store/plans.ts'
import type { Operator } from './operator.ts'

const KEY = /^[a-z][a-z0-9_-]{0,39}$/

export function listPlans(by: Operator): Promise<Plan[]> {
  return allPlans(by.store)
}

/**
 * Changes a plan, or makes one that is new, starting from `unlimited`.
 * @throws Failure `invalid_request` for a key or a number that cannot be
 */
export function setPlan(by: Operator, key: string, change: Partial<Omit<Plan, 'key'>>): Promise<Plan> {
  if (!KEY.test(key))
    throw new Failure(
      'invalid_request',
      `"${key}" is no key for a plan: lower-case letters, digits, "-" and "_", at most 40, a letter first.`,
    )
  return by.store.transact(async (writer) => {
    const before = await planByKey(writer, key)
    const start = before ?? (await planByKey(writer, DEFAULT_PLAN))
    if (start === undefined) throw new Error(`The plan ${DEFAULT_PLAN} is missing from the database.`)
    const plan: Plan = { ...start, ...change, key }
    await (before === undefined ? insertPlan(writer, plan) : updatePlan(writer, plan))
    return plan
  })
}
