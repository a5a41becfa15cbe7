import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Locator } from 'playwright-core'

/** Looking at a page as a person does, who waits until what is expected is there, and not forever. */

/** How long a test waits for what it expects to see, in ms; the machine may be busy. */
export const PATIENCE_MS = 15_000

/** How often it looks again. */
const LOOK_EVERY_MS = 15

/** Waits until each of these is to be seen: one thing, and not several. */
export async function sees(...things: readonly Locator[]): Promise<void> {
  for (const thing of things) await isSeen(thing, true)
}

/** Waits until none of these is to be seen. */
export async function seesNo(...things: readonly Locator[]): Promise<void> {
  for (const thing of things) await isSeen(thing, false)
}

/** @throws Error that says what was on the page instead */
async function isSeen(thing: Locator, wanted: boolean): Promise<void> {
  if (await isWithin(PATIENCE_MS, async () => (await thing.isVisible()) === wanted)) return
  const seen = await thing.page().locator('body').ariaSnapshot()
  throw new Error(`${wanted ? 'This was not' : 'This was'} to be seen: ${thing}\n\nWhat was:\n${seen}`)
}

/** Waits until `read` answers with `expected`, and fails with what it answered last. */
export async function comesTo<T>(expected: T, read: () => T | Promise<T>): Promise<void> {
  let found: T | undefined
  const isAsExpected = async () => {
    found = await read()
    return isDeepStrictEqual(found, expected)
  }
  if (!(await isWithin(PATIENCE_MS, isAsExpected))) assert.deepEqual(found, expected)
}

/** Waits until the keyboard is at this. */
export async function hasFocus(thing: Locator): Promise<void> {
  await sees(thing)
  await comesTo(true, () => thing.evaluate((element) => element === element.ownerDocument.activeElement))
}

/** Presses what is to be seen before long. Playwright's own click would look for it less and less often. */
export async function presses(thing: Locator): Promise<void> {
  await sees(thing)
  await thing.click()
}

/** Waits until it is so, for so long at most, and says whether it is. */
export async function isWithin(ms: number, isSo: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > deadline) return false
    await pause(LOOK_EVERY_MS)
  }
  return true
}
