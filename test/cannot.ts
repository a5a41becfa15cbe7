import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/** Says that a test cannot be made here; where tests are run for everyone, that is a failure. */
export function cannot(t: TestContext, reason: string): void {
  assert.equal(process.env.CI, undefined, reason)
  t.skip(reason)
}
