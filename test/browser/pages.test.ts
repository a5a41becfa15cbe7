import assert from 'node:assert/strict'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'
import { de } from '../../packages/web/src/texts/de.ts'
import { en } from '../../packages/web/src/texts/en.ts'
import { aTask, aWorkflow, type Resource } from '../builders.ts'
import { boardOn } from './board.ts'
import { describeInBrowser, openBrowserWorld } from './device.ts'
import { comesTo, sees } from './seeing.ts'

/** The pages one by one: their addresses, their titles, what they load, and the language they speak. */

/** All that the board loads until it can be used, in bytes as they are sent. */
const FIRST_LOAD_MAX = 150_000

interface Known {
  task: Resource
  workflow: Resource
}

/** What each page is called, by its address. */
const PAGES: readonly [path: string | ((known: Known) => string), title: string][] = [
  ['/', 'Today · Fivetab'],
  ['/tabs/not_started', 'Not started · Fivetab'],
  ['/tabs/in_progress', 'Today · Fivetab'],
  ['/tabs/waiting', 'Waiting · Fivetab'],
  ['/tabs/on_hold', 'Later · Fivetab'],
  ['/tabs/done', 'Done · Fivetab'],
  [({ task }) => `/tasks/${task.id}`, 'Write it · Fivetab'],
  ['/projects', 'Projects · Fivetab'],
  ['/workflows', 'Workflows · Fivetab'],
  [({ workflow }) => `/workflows/${workflow.id}`, 'Article · Fivetab'],
  ['/archive', 'Archive · Fivetab'],
  ['/settings', 'Account · Fivetab'],
  ['/settings/account', 'Account · Fivetab'],
  ['/settings/api', 'API access · Fivetab'],
  ['/settings/tabs', 'Tabs · Fivetab'],
  ['/settings/plan', 'Plan · Fivetab'],
  ['/settings/webhooks', 'Webhooks · Fivetab'],
  ['/settings/sessions', 'Sessions · Fivetab'],
]

const STRANGERS_PAGES: readonly [path: string, title: string][] = [
  ['/', 'Sign in · Fivetab'],
  ['/settings/api', 'Sign in · Fivetab'],
  ['/sign-in', 'Sign in · Fivetab'],
  ['/sign-up', 'Make an account · Fivetab'],
  ['/reset-password', 'Set a new password · Fivetab'],
]

/** Waits until the page has this title and one heading above all others, also while something stands before it. */
async function isCalled(page: Page, title: string): Promise<void> {
  await comesTo([title, 1], async () => [await page.title(), await page.locator('h1').count()])
}

/** The names of all texts of a catalogue, with those inside others after a dot, and what kind of thing each is. */
function textsOf(catalogue: object, before = ''): string[] {
  return Object.entries(catalogue).flatMap(([name, text]) => {
    const path = `${before}${name}`
    if (Array.isArray(text)) return [`${path}: ${text.length} of ${typeof text[0]}`]
    return typeof text === 'object' && text !== null ? textsOf(text, `${path}.`) : [`${path}: ${typeof text}`]
  })
}

describeInBrowser('the pages', () => {
  it('open by their addresses, each with a title and one heading above all others', async () => {
    await using scene = await openBrowserWorld()
    const { given } = scene.world
    const known: Known = { task: await given(aTask({ disposition: 'waiting' })), workflow: await given(aWorkflow()) }
    const { page, open } = await scene.signedIn()

    for (const [path, title] of PAGES) {
      await open(typeof path === 'string' ? path : path(known))
      await isCalled(page, title)
    }
  })

  it('of strangers open by their addresses, and all others lead to signing in', async () => {
    await using scene = await openBrowserWorld()
    const { page, open } = await scene.newDevice()

    for (const [path, title] of STRANGERS_PAGES) {
      await open(path)
      await isCalled(page, title)
    }
  })

  it('say so where there is none, and lead back', async () => {
    await using scene = await openBrowserWorld()
    const { page, open } = await scene.signedIn()

    await open('/settings/nowhere')
    await sees(page.getByRole('heading', { level: 1, name: 'There is no such page.' }))
    await page.getByRole('link', { name: 'To your tasks' }).click()

    await sees(boardOn(page).tab('Today', 0))
    await open('/tabs/nowhere')
    await isCalled(page, 'Today · Fivetab')
  })

  it('speak German to a browser that asks for it, and to one that does not where the person says so', async () => {
    await using scene = await openBrowserWorld()
    const [german, english] = [await scene.signedIn({ locale: 'de-AT' }), await scene.signedIn()]

    await german.open('/tabs/in_progress')
    await sees(german.page.getByRole('tab', { name: 'Heute' }), german.page.getByRole('link', { name: de.shell.settings }))
    assert.equal(await german.page.locator('html').getAttribute('lang'), 'de')
    await english.open('/settings/account')
    await english.page.getByRole('radio', { name: 'Deutsch' }).check()
    await sees(english.page.getByRole('heading', { level: 1, name: de.settings.pages.account }))
    await english.page.reload()

    await sees(english.page.getByRole('heading', { level: 1, name: de.settings.pages.account }))
  })

  it('keep to the theme that the person has chosen, whatever the system has', async () => {
    await using scene = await openBrowserWorld()
    const { page, open } = await scene.signedIn({ colorScheme: 'light' })
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    await open('/settings/account')
    const light = await ground()

    await page.getByRole('radio', { name: 'Dark' }).check()
    const dark = await ground()
    await page.reload()

    assert.notEqual(dark, light)
    await sees(page.getByRole('radio', { name: 'Dark', checked: true }))
    assert.equal(await ground(), dark)
    await page.getByRole('radio', { name: 'As the system' }).check()
    assert.equal(await ground(), light)
  })

  it('have every text in every language', () => {
    assert.deepEqual(textsOf(de), textsOf(en))
  })

  it('load less than 150 kB before the board can be used, nothing from elsewhere, and keep what has its content in its name', async () => {
    await using scene = await openBrowserWorld()
    const { page, open } = await scene.signedIn()
    // Parts that open later are fetched once the browser has nothing else to do; this one always has.
    await page.addInitScript('window.requestIdleCallback = () => 0')
    const responses: Response[] = []
    page.on('response', (response) => responses.push(response))

    await open('/tabs/in_progress')
    await sees(boardOn(page).tab('Today', 0))

    const first = responses.filter((response) => !response.url().includes('/app/events/stream'))
    const sizes = await Promise.all(first.map(async (response) => [response.url(), gzipSync(await response.body()).length] as const))
    const total = sizes.reduce((sum, [, size]) => sum + size, 0)
    assert.ok(total < FIRST_LOAD_MAX, `${total} bytes: ${JSON.stringify(sizes)}`)
    for (const response of responses) {
      assert.equal(new URL(response.url()).origin, scene.world.service.url)
      assert.ok(response.ok(), response.url())
      const isAsset = new URL(response.url()).pathname.startsWith('/assets/')
      if (isAsset) assert.equal((await response.allHeaders())['cache-control'], 'public, max-age=31536000, immutable', response.url())
    }
  })

  it('of a former build, a part of which is gone, begin anew as the present one', async () => {
    await using scene = await openBrowserWorld()
    const { page, open } = await scene.signedIn()
    await open('/tabs/in_progress')
    await sees(boardOn(page).tab('Today', 0))
    await page.evaluate('window.isFormer = true')
    let isFormer = true
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isFormer = false
    })
    const next = { body: '<script type="module" src="/assets/index-next.js"></script>', contentType: 'text/html' }
    await page.route(/projects-page[^/]*\.js$/, (route) => (isFormer ? route.fulfill({ status: 404 }) : route.continue()))
    await page.route(/:\d+\/$/, (route) => (isFormer ? route.fulfill(next) : route.continue()))

    await page.getByRole('link', { name: 'Projects' }).click()

    await sees(page.getByRole('heading', { level: 1, name: 'Projects' }))
    assert.equal(await page.evaluate('window.isFormer'), undefined)
  })
})
