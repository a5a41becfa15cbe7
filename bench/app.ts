import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { CHROMIUM, leftOut } from '../test/browser/chromium.ts'
import { startFivetab, stopAll } from './contestants.ts'
import { median } from './figures.ts'
import { environmentOf, seed } from './seed.ts'

/**
 * How fast the app is in a browser, on a board with 2,000 tasks in Today: until something is seen, how long after a key or a click it shows, and how
 * smoothly the list scrolls. `npm run bench:app`; `-- 500` for another number of tasks.
 */

const TASKS = Number(process.argv[2] ?? 2_000)
const SEEDED = 100
const ROUNDS = 5
const AT_ONCE = 16
const EMAIL = 'bench@example.org'
const PASSWORD = 'correct horse battery'
const PAGE = '/tabs/in_progress'
/** A phone's processor, set against this one. */
const SLOWED_BY = 4

if (CHROMIUM === null) throw new Error(leftOut() ?? '')

const folder = mkdtempSync(join(tmpdir(), 'fivetab-bench-app-'))
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
try {
  const place = { dataDir: folder, databaseUrl: null }
  const { token } = await seed(place, SEEDED)
  const command = ['packages/server/fivetab.js', 'account', 'set-password', EMAIL]
  execFileSync(process.execPath, command, { env: environmentOf(place), input: `${PASSWORD}\n` })
  const service = await startFivetab({ place, token, accountId: '', tasks: SEEDED, accounts: 1 })
  const [url] = service.urls
  await addTasks(url, token)
  for (const slowedBy of [1, SLOWED_BY]) {
    console.log(`\n${slowedBy === 1 ? 'This machine' : `A processor ${slowedBy} times slower`}, ${TASKS} tasks in Today:`)
    const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } })
    await context.request.post('/app/sign_in', { data: { email: EMAIL, password: PASSWORD }, headers: { Origin: url } })
    await measureLoading(context, slowedBy)
    await measureUse(context, slowedBy)
    await context.close()
  }
} finally {
  await browser.close()
  await stopAll()
  rmSync(folder, { recursive: true, force: true })
}

async function addTasks(url: string, token: string): Promise<void> {
  let next = 1
  const add = async () => {
    for (let number = next++; number <= TASKS; number = next++) {
      const body = JSON.stringify({ title: `Task ${number}, which is to be done`, notes: 'With a note.', disposition: 'in_progress' })
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const { status } = await fetch(`${url}/v1/tasks`, { method: 'POST', headers, body })
      if (status !== 201) throw new Error(`A task was answered with ${status}.`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, add))
}

async function openPage(context: BrowserContext, slowedBy: number): Promise<Page> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowedBy })
  await page.addInitScript(watch)
  return page
}

/** In the page: notes when the first task is seen, and how long each key and click takes until what it does is painted. */
function watch(): void {
  const seen = { firstTask: 0, latencies: [] as number[] }
  Object.assign(globalThis, { seen })
  new MutationObserver((_, observer) => {
    if (document.querySelector('[data-row]') === null) return
    observer.disconnect()
    requestAnimationFrame(() => {
      seen.firstTask = performance.now()
    })
  }).observe(document, { childList: true, subtree: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
      if (entry.interactionId > 0) seen.latencies.push(entry.duration)
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
}

async function measureLoading(context: BrowserContext, slowedBy: number): Promise<void> {
  const [paints, tasks, bytes]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round <= ROUNDS; round++) {
    const page = await openPage(context, slowedBy)
    await page.goto(PAGE)
    await page.waitForFunction(() => (globalThis as unknown as { seen: { firstTask: number } }).seen.firstTask > 0)
    const found = await page.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      task: (globalThis as unknown as { seen: { firstTask: number } }).seen.firstTask,
      bytes: performance.getEntriesByType('resource').reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0),
    }))
    await page.close()
    if (round === 0) bytes.push(found.bytes)
    paints.push(found.paint)
    tasks.push(found.task)
  }
  const [coldPaint = 0, ...warmPaints] = paints
  const [coldTask = 0, ...warmTasks] = tasks
  print('first contentful paint, cold / with a warm cache', `${ms(coldPaint)} / ${ms(median(warmPaints))}`)
  print('first task on the screen, cold / warm', `${ms(coldTask)} / ${ms(median(warmTasks))}`)
  print('bytes loaded, cold (compressed)', `${Math.round((bytes[0] ?? 0) / 1000)} kB`)
}

async function measureUse(context: BrowserContext, slowedBy: number): Promise<void> {
  const page = await openPage(context, slowedBy)
  await page.goto(PAGE)
  await page.locator('[data-row]').first().waitFor()
  const drawn = await page.locator('[data-row]').count()
  await use(page, 'a tick, until it shows', async () => {
    for (let count = 0; count < 10; count++) {
      await page.locator('[data-row] button').first().click()
      await page.waitForTimeout(200)
    }
  })
  await use(page, 'typing and adding a task', async () => {
    const field = page.locator('main input').first()
    await field.click()
    for (let count = 0; count < 3; count++) {
      await page.keyboard.type('Milk and eggs', { delay: 20 })
      await page.keyboard.press('Enter')
    }
  })
  await use(page, 'from tab to tab', async () => {
    for (const tab of [0, 1, 2, 1, 0, 1]) {
      await page.getByRole('tab').nth(tab).click()
      await page.waitForTimeout(200)
    }
  })
  const frames = await scroll(page)
  print('rows in the page', `${drawn} of ${TASKS}, at most ${frames.mostRows} while scrolling`)
  print('frames while scrolling: median / p95 / longest', `${ms(frames.median)} / ${ms(frames.p95)} / ${ms(frames.longest)}`)
  await page.close()
}

/** Latencies are from the event to the next paint after it, in steps of 8 ms; those under 16 ms are not told by the browser and count as 16. */
async function use(page: Page, what: string, act: () => Promise<void>): Promise<void> {
  const latencies = () => page.evaluate(() => (globalThis as unknown as { seen: { latencies: number[] } }).seen.latencies.splice(0))
  await page.waitForTimeout(300)
  await latencies()
  await act()
  await page.waitForTimeout(300)
  const told = (await latencies()).sort((a, b) => a - b)
  const [middle, longest] = told.length === 0 ? [16, 16] : [median(told), told.at(-1) as number]
  print(`${what}: median / longest`, `${ms(middle)} / ${ms(longest)}`)
}

async function scroll(page: Page): Promise<{ median: number; p95: number; longest: number; mostRows: number }> {
  await page.mouse.move(640, 500)
  const frames = page.evaluate(async () => {
    const intervals: number[] = []
    let [last, mostRows] = [performance.now(), 0]
    const until = last + 3_000
    while (last < until) {
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
      intervals.push(now - last)
      last = now
      mostRows = Math.max(mostRows, document.querySelectorAll('[data-row]').length)
    }
    return { intervals: intervals.slice(1).sort((a, b) => a - b), mostRows }
  })
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(0, 1_500)
    await page.waitForTimeout(40)
  }
  const { intervals, mostRows } = await frames
  const at = (share: number) => intervals[Math.min(intervals.length - 1, Math.floor(intervals.length * share))] ?? 0
  return { median: at(0.5), p95: at(0.95), longest: at(1), mostRows }
}

function ms(time: number): string {
  return `${Math.round(time)} ms`
}

function print(what: string, figure: string): void {
  console.log(`  ${what.padEnd(52)} ${figure}`)
}
