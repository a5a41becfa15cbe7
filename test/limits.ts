import assert from 'node:assert/strict'
import { setPlan } from '../packages/server/actions/plans.ts'
import type { Reply } from './client.ts'
import { assertProblem, type World } from './world.ts'

/** The limits of a plan: how a test sets them, and what answers say of them. */

/** Changes the plan of the world's first account. */
export const limit = (world: World, change: Parameters<typeof setPlan>[2]) => setPlan(world.operator, 'unlimited', change)

/** What a reply says of the limits: limit, left, seconds to the end of the window. */
export function rateOf({ headers }: Reply): (number | undefined)[] {
  return ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers[`ratelimit-${name}`]
    return value === undefined ? undefined : Number(value)
  })
}

/** Asserts a 429 whose words match `rule`, and that says to try again in `retryAfter` seconds. */
export function assertLimited(reply: Reply, rule: RegExp, retryAfter: number): void {
  assert.match(assertProblem(reply, 429, 'rate_limited').detail as string, rule)
  assert.equal(reply.headers['retry-after'], String(retryAfter))
}
