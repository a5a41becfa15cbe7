import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { aProject, aStep, aTask, aWorkflow, type Resource } from '../builders.ts'
import type { World } from '../world.ts'
import { addTask, boardOn } from './board.ts'
import { describeInBrowser, openBrowserWorld } from './device.ts'
import { HOSTILE } from './hostile.ts'
import { comesTo, hasFocus, presses, sees } from './seeing.ts'

/**
 * Whatever people call their things is shown as it is, and is nothing but text. That no dialog came up and that the page's policy had nothing to forbid is looked
 * at when a test is over; here, that nothing was run and nothing became an element.
 */

/** So high that all of a list of 50 is in the page. */
const HIGH = { viewport: { width: 1280, height: 6_000 } }

/** Elements that no page of the app has. */
const FOREIGN = [
  'a[href^="javascript:" i]',
  'a[href^="data:" i]',
  '[onerror], [onload], [onfocus], [onmouseover], [ontoggle]',
  'iframe, object, embed, base, template, video, math, marquee',
  'meta[http-equiv]',
  'body script, body style, #root img:not([src="/icons/icon.svg"])',
].join(', ')

async function assertNothingRan(page: Page): Promise<void> {
  assert.equal(await page.evaluate('window.hacked'), undefined)
  const foreign = await page.locator(FOREIGN).evaluateAll((elements) => elements.map((element) => element.outerHTML))
  assert.deepEqual(
    foreign.filter((html) => !html.includes('nonce=')),
    [],
  )
}

/** Waits until these texts are shown there, each as it is, in any order. */
async function showsAll(shown: Locator, expected: readonly string[] = HOSTILE): Promise<void> {
  await comesTo(expected.toSorted(), async () => (await shown.evaluateAll(textsOf)).sort())
}

/** What is written in fields, and in whatever else. */
function textsOf(elements: Element[]): string[] {
  return elements.map((element) => {
    const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
    return isField ? element.value : (element.textContent ?? '').trim()
  })
}

async function forEach(make: (text: string, index: number) => Promise<unknown>): Promise<void> {
  for (const [index, text] of HOSTILE.entries()) await make(text, index)
}

/** Tasks in Today, each in a project and on a Status of its Workflow, all of which are called the same. */
async function aHostileBoard(world: World): Promise<Resource[]> {
  const tasks: Resource[] = []
  await forEach(async (text) => {
    const project = await world.given(aProject({ name: text, description: text }))
    const workflow = await world.given(aWorkflow({ name: text, description: text, statuses: [{ name: text, disposition: 'in_progress' }] }))
    const status_id = workflow.statuses[0].id
    tasks.push(await world.given(aTask({ title: text, notes: `${text}\n${text}`, project_id: project.id, status_id })))
  })
  return tasks
}

describeInBrowser('hostile titles', () => {
  it('are text on the board: as titles, projects and Statuses, in the filter, in menus, and in what is said', async () => {
    await using scene = await openBrowserWorld()
    await aHostileBoard(scene.world)
    const { page, open } = await scene.signedIn(HIGH)
    await open('/tabs/in_progress')
    const board = boardOn(page)
    const [first = ''] = HOSTILE

    await showsAll(page.locator('[data-title]'))
    await showsAll(
      page.getByRole('heading', { level: 2 }),
      HOSTILE.map((text) => `${text} · ${text}`),
    )
    await showsAll(page.getByRole('list', { name: 'Details', exact: true }).locator('li:first-child'))

    await page.getByRole('button', { name: 'Search and filter' }).click()
    await showsAll(page.getByLabel('Project').locator('option:not([value=all]):not([value=none])'))
    await showsAll(page.getByLabel('Workflow').locator('option:not([value=all]):not([value=none])'))
    await page.getByLabel('Search', { exact: true }).fill('onerror=window')
    await sees(page.getByText(/tasks found/))
    await page.getByRole('button', { name: 'Show everything' }).click()

    await board.title(first).press('e')
    await hasFocus(page.getByRole('textbox', { name: 'Edit title' }))
    assert.equal(await page.getByRole('textbox', { name: 'Edit title' }).inputValue(), first)
    await page.keyboard.press('Escape')
    await board.title(first).press('x')
    await sees(board.told(`“${first}” is done.`))
    await assertNothingRan(page)
  })

  it('are text when they are typed, from the moment of Enter on', async () => {
    await using scene = await openBrowserWorld()
    const { page, open } = await scene.signedIn(HIGH)
    await open('/tabs/in_progress')

    await forEach((text) => addTask(page, 'Today', text))

    await showsAll(page.locator('a[data-title]'))
    await assertNothingRan(page)
  })

  it('are text in menus that offer Statuses', async () => {
    await using scene = await openBrowserWorld()
    const statuses = HOSTILE.map((name) => ({ name, disposition: 'waiting' }))
    await scene.world.given(aWorkflow({ name: HOSTILE[5], statuses }))
    await scene.world.given(aTask({ title: 'Write it', disposition: 'in_progress' }))
    const { page, open } = await scene.signedIn(HIGH)
    await open('/tabs/in_progress')

    await boardOn(page).title('Write it').press('s')

    await showsAll(
      page.getByRole('menuitem'),
      HOSTILE.map((text) => `${HOSTILE[5]} · ${text}Waiting`),
    )
    await page.getByRole('menuitem').nth(20).click()
    await sees(page.getByText(`“Write it” is now in ${HOSTILE[20]}.`))
    await assertNothingRan(page)
  })

  it('are text in the panel of a task: its title, notes, steps, and all there is to choose from', async () => {
    await using scene = await openBrowserWorld()
    const { world } = scene
    const [hostile] = await aHostileBoard(world)
    const plain = await world.given(aTask({ title: HOSTILE[7], notes: HOSTILE.join('\n') }))
    await forEach((name) => world.given(aStep(plain, { name })))
    const { page, open } = await scene.signedIn(HIGH)
    await open(`/tasks/${plain.id}`)
    const panel = boardOn(page).panel()

    await showsAll(panel.getByRole('textbox', { name: 'Title', exact: true }), [HOSTILE[7] ?? ''])
    await showsAll(panel.getByRole('textbox', { name: 'Notes', exact: true }), [HOSTILE.join('\n')])
    await showsAll(panel.getByRole('textbox', { name: 'Name of the step' }))
    await showsAll(panel.getByLabel('Project').locator('option:not([value=""])'))
    await showsAll(panel.getByLabel('Workflow').locator('option:not([value=""])'))
    await presses(panel.getByRole('button', { name: `Delete ${HOSTILE[9]}`, exact: true }))
    await sees(panel.getByText(`“${HOSTILE[9]}” is deleted.`))
    await assertNothingRan(page)
    await open(`/tasks/${hostile.id}`)

    await sees(panel.getByRole('checkbox', { name: HOSTILE[0] ?? '', exact: true }))
    await assertNothingRan(page)
  })

  it('are text on the pages of projects and of Workflows, and in the archive', async () => {
    await using scene = await openBrowserWorld()
    const { world } = scene
    const tasks = await aHostileBoard(world)
    for (const { id } of tasks) await world.api.post(`/tasks/${id}/archive`)
    const { page, open } = await scene.signedIn(HIGH)
    const links = page.getByRole('main').getByRole('link')

    await open('/projects')
    await showsAll(page.getByRole('list', { name: 'Projects' }).getByRole('listitem').locator('p'))
    await page.getByRole('button', { name: `Edit ${HOSTILE[3]}`, exact: true }).click()
    await showsAll(page.getByRole('form', { name: `Edit ${HOSTILE[3]}` }).getByRole('textbox'), [HOSTILE[3] ?? '', HOSTILE[3] ?? ''])
    await assertNothingRan(page)
    await open('/workflows')
    await showsAll(links)
    await assertNothingRan(page)
    await links.nth(4).click()
    await sees(page.getByRole('heading', { level: 1, name: HOSTILE[4] ?? '' }))
    assert.equal(await page.title(), `${HOSTILE[4]} · Fivetab`)
    await page.getByRole('button', { name: `Delete ${HOSTILE[4]}`, exact: true }).click()
    await sees(page.getByRole('alertdialog', { name: `Delete “${HOSTILE[4]}”?` }))
    await assertNothingRan(page)
    await open('/archive')
    await showsAll(links)
    await assertNothingRan(page)
  })

  it('are text in the settings: of tokens, webhooks, tabs and the person', async () => {
    await using scene = await openBrowserWorld()
    const { world } = scene
    const visitor = await world.signIn()
    const added = async (reply: Promise<{ status: number; text: string }>) => {
      const { status, text } = await reply
      assert.ok(status < 300, text)
    }
    await forEach((name) => added(visitor.post('/tokens', { name, scopes: ['tasks:read'], lifetime_days: 30 })))
    const descriptions = HOSTILE.slice(0, 10)
    for (const description of descriptions)
      await added(visitor.post('/webhooks', { url: 'https://1.1.1.1/hook', description, event_types: ['*'] }))
    const labels = HOSTILE.filter((text) => text.length <= 40).slice(0, 5)
    for (const [index, key] of ['not_started', 'in_progress', 'waiting', 'on_hold', 'done'].entries())
      await added(visitor.patch(`/dispositions/${key}`, { label: labels[index] }))
    await added(visitor.patch('/me', { name: HOSTILE[1] }))
    const { page, open } = await scene.signedIn(HIGH)

    await open(`/settings/api?name=${encodeURIComponent(HOSTILE[2] ?? '')}&scopes=${encodeURIComponent(HOSTILE[3] ?? '')}`)
    for (const name of HOSTILE) await sees(page.getByRole('main').getByText(name, { exact: true }))
    await assertNothingRan(page)
    await open('/settings/webhooks')
    for (const description of descriptions) await sees(page.getByRole('main').getByText(description, { exact: true }))
    await assertNothingRan(page)
    await open('/settings/tabs')
    await showsAll(page.getByLabel('Name', { exact: true }), labels)
    await assertNothingRan(page)
    await open('/settings/account')
    await showsAll(page.getByLabel('Name', { exact: true }), [HOSTILE[1] ?? ''])
    await assertNothingRan(page)
    await open('/tabs/in_progress')
    for (const label of labels) await sees(boardOn(page).tab(label))
    await assertNothingRan(page)
  })

  it('of others are text in a conflict, too', async () => {
    await using scene = await openBrowserWorld()
    const { world } = scene
    const task = await world.given(aTask({ title: 'Write it', disposition: 'in_progress' }))
    const { page, open } = await scene.signedIn()
    await page.route('**/app/events/stream*', (route) => route.abort())
    await open('/tabs/in_progress')
    await boardOn(page).title('Write it').press('e')
    await world.api.patch(`/tasks/${task.id}`, { title: HOSTILE[0] })
    await page.getByRole('textbox', { name: 'Edit title' }).fill(HOSTILE[5] ?? '')
    await page.keyboard.press('Enter')

    await sees(
      page.getByRole('dialog').getByText(HOSTILE[0] ?? '', { exact: true }),
      page.getByRole('dialog').getByText(HOSTILE[5] ?? '', { exact: true }),
    )
    await assertNothingRan(page)
  })
})
