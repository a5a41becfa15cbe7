import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Device } from './device.ts'
import { isWithin } from './seeing.ts'

/** What axe-core finds on a page, by the rules of WCAG 2.2 AA and by its own of good practice: in both themes, on a narrow window and on a wide one. */

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

const RULES: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}

/** Those that look at colours. Everything else is the same in both themes. */
const COLOURS: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }, resultTypes: ['violations'] }

const NARROW = { width: 360, height: 740 }
/** What is placed beside something else follows it within so many ms when the window has another size. */
const SETTLED_MS = 2_000

const WIDE = { width: 1280, height: 800 }

/** A browser that is looked at: nothing moves by itself in it. */
export const STILL: BrowserContextOptions = { viewport: WIDE, reducedMotion: 'reduce', colorScheme: 'light' }

/** Has axe-core at hand on every page that is opened from now on. */
export async function bringAxe({ context }: Device): Promise<void> {
  await context.addInitScript(SOURCE)
}

/** All that is wrong with what the page shows now, which is called `name`. The window is left as it was. */
export async function findings(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  const look = async (what: string, options: RunOptions) => {
    found.push(...(await violations(page, options)).map((violation) => `${name} (${what}): ${violation}`))
  }
  await look('light, wide', RULES)
  await page.emulateMedia({ colorScheme: 'dark' })
  await look('dark, wide', COLOURS)
  await page.setViewportSize(NARROW)
  if (!(await isWithin(SETTLED_MS, () => fitsWindow(page)))) found.push(`${name} (narrow): it has to be scrolled sideways`)
  await look('dark, narrow', RULES)
  await page.emulateMedia({ colorScheme: 'light' })
  await look('light, narrow', COLOURS)
  await page.setViewportSize(WIDE)
  return found
}

async function violations(page: Page, options: RunOptions): Promise<string[]> {
  const results = await page.evaluate(
    (asked) => (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(asked),
    options,
  )
  return results.violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

function fitsWindow(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')
}
