import assert from 'node:assert/strict'
import { after, afterEach, before, describe } from 'node:test'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { openPasswords } from '../../packages/server/actions/passwords.ts'
import { setPassword } from '../../packages/server/actions/people.ts'
import { BUILT_APP } from '../../packages/server/service.ts'
import { openWorld, type World, type WorldOptions } from '../world.ts'
import { CHROMIUM, leftOut } from './chromium.ts'
import { PATIENCE_MS } from './seeing.ts'

/** The app as people have it: a real browser, on a world of the test's own. */

assert.ok(CHROMIUM !== null || !process.env.CI, leftOut() ?? '')

/**
 * What a browser without a window need not prepare for one, which takes a third of the time. Of two such lists the last one counts, so those are in it that
 * Playwright turns off and that matter here.
 */
const TURNED_OFF = [
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
]

let browser: Browser | null = null
/** What browsers have complained of during the test. */
const complaints: string[] = []
/** Those that no test has closed, because it failed before it could. */
const openWorlds = new Set<AsyncDisposable>()

/** Tests in a browser, which are left out where there is none. None of their browsers may complain of anything but a network that is away. */
export function describeInBrowser(name: string, body: () => void): void {
  describe(name, { skip: CHROMIUM === null }, () => {
    before(async () => {
      browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ['--no-sandbox', `--disable-features=${TURNED_OFF}`] })
    })
    afterEach(() => assert.deepEqual(complaints.splice(0), []))
    after(async () => {
      await Promise.allSettled([...openWorlds].map((one) => one[Symbol.asyncDispose]()))
      await browser?.close()
    })
    body()
  })
}

/** A browser of somebody, with one page in it. */
export interface Device {
  context: BrowserContext
  page: Page
  /** Opens a page of the app. */
  open(path: string): Promise<void>
}

export interface BrowserWorld extends AsyncDisposable {
  world: World
  /** The password of the world's account. */
  password: string
  /** A browser of a stranger. */
  newDevice(options?: BrowserContextOptions): Promise<Device>
  /** A browser in which the world's account is signed in. */
  signedIn(options?: BrowserContextOptions): Promise<Device>
}

/** Hashing a password takes its time, so all worlds of a file share what does it. */
const passwords = openPasswords((count) => crypto.getRandomValues(new Uint8Array(count)))

/** A browser of somebody who is at the service at `baseURL`, in a world of which it is `time` (ms since the epoch); null is the real one. */
export async function openDevice(baseURL: string, time: number | null, options: BrowserContextOptions = {}): Promise<Device> {
  if (browser === null) throw new Error('There is no browser here.')
  const context = await browser.newContext({ baseURL, locale: 'en-GB', timezoneId: 'Europe/London', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  if (time !== null) await page.clock.setFixedTime(time)
  watch(page)
  return { context, page, open: async (path) => void (await page.goto(path)) }
}

/** Takes down errors of scripts, whatever the policy of the page forbids, and dialogs, which no page of ours opens. */
function watch(page: Page): void {
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    // The browser's own question, whether to leave a page on which something is not stored.
    if (dialog.type() === 'beforeunload') return void dialog.accept()
    complaints.push(`${dialog.type()}: ${dialog.message()}`)
    void dialog.dismiss()
  })
}

/**
 * A world with browsers. Its time stands still at the world's own, in the browsers too; theirs moves on by `world.advance` only for pages opened after it.
 */
export async function openBrowserWorld(options: WorldOptions = {}): Promise<BrowserWorld> {
  const world = await openWorld('sqlite', { webApp: BUILT_APP, ...options })
  const devices: Device[] = []
  const password = 'correct horse battery'
  await setPassword(world.operator, passwords, world.account.email, password)

  async function newDevice(contextOptions: BrowserContextOptions = {}): Promise<Device> {
    const device = await openDevice(world.service.url, world.clock(), contextOptions)
    devices.push(device)
    return device
  }

  const scene: BrowserWorld = {
    world,
    password,
    newDevice,
    signedIn: async (contextOptions) => {
      const device = await newDevice(contextOptions)
      const reply = await device.context.request.post('/app/sign_in', {
        data: { email: world.account.email, password },
        headers: { Origin: world.service.url },
      })
      assert.equal(reply.status(), 200, await reply.text())
      return device
    },
    [Symbol.asyncDispose]: async () => {
      openWorlds.delete(scene)
      await Promise.all(devices.map(({ context }) => context.close()))
      await world[Symbol.asyncDispose]()
    },
  }
  openWorlds.add(scene)
  return scene
}
