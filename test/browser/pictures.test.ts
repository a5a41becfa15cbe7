import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { STILL } from './axe.ts'
import { boardOn } from './board.ts'
import { describeInBrowser } from './device.ts'
import { openLivedIn } from './lived-in.ts'
import { sees } from './seeing.ts'

/** Pictures of the main pages for the documentation, where SCREENSHOTS names the folder that they go to. */

const { SCREENSHOTS: folder } = process.env

/** Taken for nobody, they show all the same that they can be taken. */
async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0)
  await page.screenshot({ ...(folder && { path: join(folder, `${name}.png`) }), animations: 'disabled', caret: 'hide' })
}

describeInBrowser('pictures', () => {
  it('show the main pages in use', async () => {
    if (folder) mkdirSync(folder, { recursive: true })
    await using scene = await openLivedIn(STILL)
    const { page, open } = scene.device
    const board = boardOn(page)

    await open('/tabs/in_progress')
    await sees(board.title('Water the plants'))
    await picture(page, 'board')
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, 'board-dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 360, height: 740 })
    await picture(page, 'board-narrow')
    await page.setViewportSize({ width: 1280, height: 860 })
    await board.title('Plan the winter newsletter').click()
    await sees(board.panel().getByRole('checkbox', { name: 'Collect ideas' }))
    await picture(page, 'task')
    await open(`/workflows/${scene.lived.workflow.id}`)
    await sees(page.getByRole('list', { name: 'Statuses in Today' }))
    await picture(page, 'workflow')
    await open('/settings/api')
    await page.getByLabel('Name', { exact: true }).fill('Wall calendar')
    await page.getByRole('button', { name: 'Read everything' }).click()
    await sees(page.getByText('It works until'))
    await picture(page, 'api-access')
  })
})
