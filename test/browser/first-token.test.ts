import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Locator } from 'playwright-core'
import { invite } from '../../packages/server/actions/links.ts'
import { aDatabase } from '../database.ts'
import { type ServiceProcess, serve } from '../fivetab.ts'
import { DAY } from '../world.ts'
import { addTask, boardOn } from './board.ts'
import { type Device, describeInBrowser, openBrowserWorld, openDevice } from './device.ts'
import { comesTo, hasFocus, sees, seesNo } from './seeing.ts'

/** How somebody comes to the app, and from there to the API. */

const USED = 'This link was used already or has expired. Ask whoever gave it to you for a new one.'
const VALUE = /^svc_pat_\S+$/
const LINK = /http:\S+\/sign-up#link=\S+/

async function printedLink({ printed }: ServiceProcess): Promise<string> {
  await comesTo(true, () => printed.some((line) => LINK.test(line)))
  return LINK.exec(printed.join('\n'))?.[0] ?? ''
}

async function fillIn({ page }: Device, email: string, action: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: action }).click()
}

/** Fills in the form for a token of this name, that can read everything. */
async function makeToken({ page }: Device, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Read everything' }).click()
  await page.getByRole('button', { name: 'Make the token' }).click()
}

async function valueIn(shown: Locator): Promise<string> {
  return (await shown.textContent()) ?? ''
}

describeInBrowser('from the first start to the first token', () => {
  it('the printed link leads to a task on the board, and to a token that sees that very task', async () => {
    await using home = await aDatabase('sqlite')
    await using service = await serve(home)
    const device = await openDevice(service.url, null, { permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = device
    const board = boardOn(page)

    await page.goto(await printedLink(service))
    await sees(page.getByRole('heading', { level: 1, name: 'Make the first account' }))
    await fillIn(device, 'ada@example.org', 'Make the first account')
    await sees(board.tab('Not started', 0))
    await addTask(page, 'Not started', 'Water the plants')
    await sees(board.title('Water the plants'), board.tab('Not started', 1))

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'API access' }).click()
    await makeToken(device, 'My script')
    const made = page.getByRole('region', { name: '“My script” is made' })
    await hasFocus(made.getByRole('heading', { name: '“My script” is made' }))
    const shown = await valueIn(made.getByText(VALUE))
    await made.getByRole('button', { name: 'Copy the token' }).click()
    await comesTo(shown, () => page.evaluate(() => navigator.clipboard.readText()))

    const reply = await fetch(`${service.url}/v1/tasks`, { headers: { Authorization: `Bearer ${shown}` } })
    const { data } = (await reply.json()) as { data: { title: string }[] }
    assert.deepEqual(
      data.map(({ title }) => title),
      ['Water the plants'],
    )
    await device.context.close()
  })

  it('a link leaves nothing of itself in the address, and once it is used the page says so plainly', async () => {
    await using scene = await openBrowserWorld()
    const { value } = await invite(scene.world.operator, { lifetimeMs: DAY })
    const [guest, latecomer] = [await scene.newDevice(), await scene.newDevice()]

    await guest.open(`/sign-up#link=${value}`)
    await sees(guest.page.getByText('You are invited.'))
    assert.equal(guest.page.url(), `${scene.world.service.url}/sign-up`)
    await fillIn(guest, 'ada@example.org', 'Make the account')
    await sees(boardOn(guest.page).tab('Not started', 0))
    await latecomer.open(`/sign-up#link=${value}`)

    await sees(latecomer.page.getByRole('alert').getByText(USED))
    await seesNo(latecomer.page.getByRole('form'))
  })

  it('the value of a token is shown once, and not after the page was loaded anew', async () => {
    await using scene = await openBrowserWorld()
    const device = await scene.signedIn()
    const { page } = device
    await device.open('/settings/api')
    await makeToken(device, 'My script')
    const shown = await valueIn(page.getByText(VALUE))

    await page.reload()

    await sees(page.getByRole('listitem').filter({ hasText: 'My script' }))
    await seesNo(page.getByText('svc_pat_'))
    const { data } = await (await device.context.request.get('/app/tokens')).json()
    assert.ok(!JSON.stringify(data).includes(shown.slice(-20)))
  })

  it('a link to the form fills it in, and makes nothing', async () => {
    await using scene = await openBrowserWorld()
    const { context, page, open } = await scene.signedIn()
    const tokens = async () => (await (await context.request.get('/app/tokens')).json()).data.length
    const before = await tokens()

    await open('/settings/api?name=Backup&scopes=tasks:read,projects:read,everything:write')

    await sees(page.getByText('A link has filled in this form. Make the token only if you trust who gave you the link.'))
    await sees(page.getByText('The link also asks for what does not exist here: everything:write.'))
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Backup')
    for (const scope of ['tasks:read', 'projects:read']) await sees(page.getByRole('checkbox', { name: scope, checked: true }))
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 2)
    assert.equal(await tokens(), before)
  })
})
