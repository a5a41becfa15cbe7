import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { invite, makeResetLink } from '../../packages/server/actions/links.ts'
import { UNKNOWN_ID } from '../builders.ts'
import { DAY } from '../world.ts'
import { bringAxe, findings, STILL } from './axe.ts'
import { boardOn } from './board.ts'
import { type Device, describeInBrowser, openBrowserWorld } from './device.ts'
import { openLivedIn } from './lived-in.ts'
import { presses, sees } from './seeing.ts'

/** Every page of the app, empty and in use, and whatever opens on them, can be used by everybody. */

/** Something that is to be looked at: where it is, and how one comes to see it. */
interface Sight {
  name: string
  /** A page that is opened. */
  path?: string
  /** A page that is gone to from the one before, which is faster. */
  to?: string
  /** What is done there, until all of it is to be seen. */
  come(page: Page): Promise<void>
}

const heading = (name: string) => (page: Page) => sees(page.getByRole('heading', { level: 1, name, exact: true }))
const text = (words: string | RegExp) => (page: Page) => sees(page.getByText(words).first())

/** The device of the account, with axe-core at hand. */
async function withAxe<T extends { device: Device }>(opening: Promise<T>): Promise<T> {
  const scene = await opening
  await bringAxe(scene.device)
  return scene
}

/** Looks at all of it, and fails with everything that is wrong with any of it. */
async function look({ page, open }: Device, sights: readonly Sight[]): Promise<void> {
  const found: string[] = []
  for (const { name, path, to, come } of sights) {
    if (path !== undefined) await open(path)
    if (to !== undefined) await page.evaluate((address) => history.pushState(null, '', address), to)
    await come(page)
    found.push(...(await findings(page, name)))
  }
  assert.deepEqual(found, [])
}

/** To be gone to from a page that is open. */
const PAGES: readonly Sight[] = [
  { name: 'Not started', to: '/tabs/not_started', come: heading('Not started') },
  { name: 'Today', to: '/tabs/in_progress', come: heading('Today') },
  { name: 'Waiting', to: '/tabs/waiting', come: heading('Waiting') },
  { name: 'Later', to: '/tabs/on_hold', come: heading('Later') },
  { name: 'Done', to: '/tabs/done', come: heading('Done') },
  { name: 'projects', to: '/projects', come: heading('Projects') },
  { name: 'Workflows', to: '/workflows', come: heading('Workflows') },
  { name: 'archive', to: '/archive', come: heading('Archive') },
  { name: 'account', to: '/settings/account', come: heading('Account') },
  { name: 'API access', to: '/settings/api', come: text('Make the token') },
  { name: 'tabs in the settings', to: '/settings/tabs', come: heading('Tabs') },
  { name: 'plan', to: '/settings/plan', come: heading('Plan') },
  { name: 'webhooks', to: '/settings/webhooks', come: text('Where events go') },
  { name: 'sessions', to: '/settings/sessions', come: text('This browser') },
]

describeInBrowser('accessibility', () => {
  it('axe-core finds nothing on any page of an account that is lived in', async () => {
    await using scene = await withAxe(openLivedIn(STILL))
    const { device, lived } = scene

    await device.open('/')
    await look(device, [
      ...PAGES,
      { name: 'a Workflow', to: `/workflows/${lived.workflow.id}`, come: text('These are the steps of each task on this Workflow') },
      { name: 'a webhook', to: `/settings/webhooks?webhook=${lived.webhook.id}`, come: text('Delivered') },
    ])
  })

  it('axe-core finds nothing on any page of an account that is empty, nor where there is no such page', async () => {
    await using scene = await openBrowserWorld()
    const device = await scene.signedIn(STILL)
    await bringAxe(device)

    await device.open('/')
    await look(device, [
      ...PAGES,
      { name: 'no such task', to: `/tasks/${UNKNOWN_ID}`, come: text('This task is not there any more.') },
      { name: 'no such Workflow', to: `/workflows/${UNKNOWN_ID}`, come: heading('No such Workflow') },
      { name: 'no such webhook', to: `/settings/webhooks?webhook=${UNKNOWN_ID}`, come: text('This webhook is not there any more.') },
      { name: 'no such page', to: '/settings/nowhere', come: text('There is no such page.') },
    ])
  })

  it('axe-core finds nothing on the pages of strangers, with their forms and refusals', async () => {
    await using scene = await openBrowserWorld()
    const { operator, account } = scene.world
    const device = await scene.newDevice(STILL)
    await bringAxe(device)
    const [invitation, reset] = [await invite(operator, { lifetimeMs: DAY }), await makeResetLink(operator, account.email, DAY)]

    await look(device, [
      { name: 'sign in', path: '/sign-in', come: heading('Sign in') },
      {
        name: 'a wrong password',
        come: async (page) => {
          await page.getByLabel('E-mail address').fill(account.email)
          await page.getByRole('button', { name: 'Sign in' }).click()
          await sees(page.getByRole('alert').first())
        },
      },
      { name: 'sign up without a link', path: '/sign-up', come: heading('Make an account') },
      { name: 'sign up by a link', path: `/sign-up?by=mail#link=${invitation.value}`, come: text('You are invited.') },
      { name: 'sign up by a wrong link', path: '/sign-up?by=chat#link=none', come: text('This link was used already') },
      { name: 'new password', path: `/reset-password?by=mail#link=${reset.value}`, come: text('Everywhere else you are signed out.') },
      { name: 'new password without a link', path: '/reset-password', come: text('It takes a link to set a new password.') },
    ])
  })

  it('axe-core finds nothing on the board with anything open that can be: a field, the filter, menus, the keys', async () => {
    await using scene = await withAxe(openLivedIn(STILL))
    const { page } = scene.device
    const board = boardOn(page)
    const closed = () => page.keyboard.press('Escape')

    await look(scene.device, [
      {
        name: 'a title that is too long',
        path: '/tabs/in_progress',
        come: async () => {
          await board.quickAdd('Today').fill('too long '.repeat(60))
          await sees(page.getByText('A title has at most 500 characters'))
        },
      },
      {
        name: 'filter',
        come: async () => {
          await board.quickAdd('Today').fill('')
          await page.getByRole('button', { name: 'Search and filter' }).click()
          await page.getByLabel('Search', { exact: true }).fill('library')
          await sees(page.getByText(/tasks? found/))
        },
      },
      {
        name: 'a title that is edited',
        come: async () => {
          await page.getByRole('button', { name: 'Show everything' }).click()
          await page.getByRole('button', { name: 'Search and filter' }).click()
          await board.title('Water the plants').press('e')
          await sees(page.getByRole('textbox', { name: 'Edit title' }))
        },
      },
      {
        name: 'menu',
        come: async () => {
          await closed()
          await board.more('Water the plants').click()
          await sees(board.choice('Later …'))
        },
      },
      {
        name: 'Later',
        come: async () => {
          await board.choice('Later …').click()
          await sees(board.choice(/^Tomorrow/))
        },
      },
      {
        name: 'Statuses',
        come: async () => {
          await closed()
          await board.title('Water the plants').press('s')
          await sees(board.choice(/Revise/))
        },
      },
      {
        name: 'what can be taken back',
        come: async () => {
          await closed()
          await board.complete('Water the plants').click()
          await sees(board.undo())
        },
      },
      {
        name: 'keys',
        come: async () => {
          await page.keyboard.press('?')
          await sees(page.getByRole('dialog', { name: 'Keys' }))
        },
      },
    ])
  })

  it('axe-core finds nothing in the panel of a task, with its choices open, and with a conflict before it', async () => {
    await using scene = await withAxe(openLivedIn(STILL))
    const { device, lived } = scene
    const panel = boardOn(device.page).panel()
    const { api } = scene.world

    await look(device, [
      { name: 'a task on a Workflow', path: `/tasks/${lived.onWorkflow.id}`, come: () => sees(panel.getByRole('checkbox').first()) },
      { name: 'an archived task', path: `/tasks/${lived.archived.id}`, come: text('This task is in the archive.') },
      { name: 'a task with steps', path: `/tasks/${lived.withSteps.id}`, come: () => sees(panel.getByRole('checkbox').first()) },
      {
        name: 'times to put it off until, and a step that was deleted',
        come: async () => {
          await panel.getByRole('button', { name: 'Later' }).click()
          await panel.getByRole('button', { name: 'Delete Send it round' }).click()
          await sees(panel.getByText('A time of your own'), panel.getByText('“Send it round” is deleted.'))
        },
      },
      {
        name: 'what was changed elsewhere while it is typed',
        come: async (page) => {
          await panel.getByRole('textbox', { name: 'Notes' }).fill('Five pages at most.')
          await api.patch(`/tasks/${lived.withSteps.id}`, { notes: 'Six pages at most.' })
          await sees(page.getByText('Changed elsewhere meanwhile.'))
        },
      },
      {
        name: 'a conflict',
        come: async (page) => {
          await panel.getByRole('textbox', { name: 'Title' }).focus()
          await presses(page.getByRole('button', { name: 'Write one from both' }))
          await sees(page.getByRole('textbox', { name: 'One from both' }))
        },
      },
      {
        name: 'a conflict that is left for later',
        come: async (page) => {
          await page.getByRole('button', { name: 'Decide later' }).click()
          await sees(page.getByRole('button', { name: 'Look at it' }).first())
        },
      },
    ])
  })

  it('axe-core finds nothing in the dialogs and forms of projects, Workflows and settings', async () => {
    await using scene = await withAxe(openLivedIn(STILL))
    const { device, lived } = scene
    const { page } = device
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first()
    const opens = (name: string | RegExp, shown: () => Promise<void>) => async () => {
      await presses(button(name))
      await shown()
    }
    const dialog = (role: 'dialog' | 'alertdialog') => () => sees(page.getByRole(role))

    await device.open('/')
    // No page twice in a row, so that each is as it is when one comes to it.
    await look(device, [
      {
        name: 'a project that is edited',
        to: '/projects',
        come: opens('Edit Kitchen', () => sees(page.getByRole('form', { name: 'Edit Kitchen' }))),
      },
      { name: 'new Workflow', to: '/workflows', come: opens('New Workflow', dialog('dialog')) },
      {
        name: 'deletion of a project',
        to: '/projects',
        come: async () => {
          await presses(button('More for Kitchen'))
          await presses(page.getByRole('menuitem', { name: 'Delete' }))
          await dialog('alertdialog')()
        },
      },
      {
        name: 'menu of a Status',
        to: `/workflows/${lived.workflow.id}`,
        come: opens('More for Draft', () => sees(page.getByRole('menu'))),
      },
      {
        name: 'deletion of a Status',
        come: async () => {
          await page.getByRole('menuitem', { name: 'Delete' }).click()
          await dialog('alertdialog')()
        },
      },
      { name: 'revocation of a token', to: '/settings/api', come: opens('Revoke Backup script', dialog('alertdialog')) },
      { name: 'deletion of the account', to: '/settings/account', come: opens('Delete the account …', dialog('alertdialog')) },
      {
        name: 'a form that a link has filled in',
        to: '/settings/api?name=Backup&scopes=tasks:read,none:such',
        come: text('The link also asks for'),
      },
      {
        name: 'form of a webhook',
        to: '/settings/webhooks',
        come: async () => {
          await presses(button('New webhook'))
          await page.getByText('Only some').click()
          await sees(page.getByText('Everything about tasks'))
        },
      },
      {
        name: 'a token without a name, and for too long',
        to: '/settings/api',
        come: async () => {
          await page.getByLabel('Works for').selectOption('Another number of days')
          await page.getByLabel('Days', { exact: true }).fill('900')
          await button('Make the token').click()
          await sees(page.getByText('A whole number from 1 to 366, please.'))
        },
      },
      {
        name: 'new secret of a webhook',
        to: `/settings/webhooks?webhook=${lived.webhook.id}`,
        come: opens('New secret', dialog('alertdialog')),
      },
      {
        name: 'a token that is made',
        to: '/settings/api',
        come: async () => {
          await page.getByLabel('Name', { exact: true }).fill('My script')
          await button('Read and change everything').click()
          await button('Make the token').click()
          await sees(page.getByText('Copy it now: it is not shown again.', { exact: true }))
        },
      },
      {
        name: 'what was sent to a webhook',
        to: `/settings/webhooks?webhook=${lived.webhook.id}`,
        come: async () => {
          await presses(page.getByRole('listitem').getByText('Failed', { exact: true }))
          await sees(page.getByText('Answer 410'))
        },
      },
      { name: 'signing out everywhere', to: '/settings/sessions', come: opens('Sign out everywhere', dialog('alertdialog')) },
      {
        name: 'no connection',
        to: '/tabs/in_progress',
        come: async () => {
          await sees(boardOn(page).quickAdd('Today'))
          await device.context.setOffline(true)
          await sees(page.getByText('Offline.'))
        },
      },
    ])
  })
})
