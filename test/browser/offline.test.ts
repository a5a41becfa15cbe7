import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { aTask } from '../builders.ts'
import { addTask, boardOn } from './board.ts'
import { describeInBrowser, openBrowserWorld } from './device.ts'
import { comesTo, presses, sees, seesNo } from './seeing.ts'

/** Without a connection, or with one that loses answers: what a person has done shows, is said not to be stored, and is stored once. */

const OFFLINE = 'Offline. What you change is sent once you are back.'

/** How long the app waits at most before it tries again, in ms. */
const LONGEST_PAUSE_MS = 15_000

/** Tasks in Today on a board that is open there. */
async function openBoard(...titles: string[]) {
  const scene = await openBrowserWorld()
  const { world } = scene
  for (const title of titles.toReversed()) await world.given(aTask({ title, disposition: 'in_progress' }))
  const { context, page, open } = await scene.signedIn()
  await open('/tabs/in_progress')
  const board = boardOn(page)
  await sees(board.tab('Today', titles.length))
  const stored = async (): Promise<string[]> => {
    const { data } = (await world.api.get('/tasks?limit=100')).body
    return data.map(({ title, disposition }: { title: string; disposition: string }) => `${title}: ${disposition}`)
  }
  /** What the log tells that the app has done, in order. */
  const done = async () => {
    const events = await world.events()
    return events.filter(({ cause }) => cause === 'app').map(({ type, data }) => `${type} ${(data as { title: string }).title}`)
  }
  return { world, context, page, board, stored, done, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() }
}

/** By keys: a menu may not have been fetched before the connection was lost. */
async function editTitle(page: Page, from: string, to: string): Promise<void> {
  await boardOn(page).title(from).press('e')
  await page.getByRole('textbox', { name: 'Edit title' }).fill(to)
  await page.keyboard.press('Enter')
}

/** The service carries out the next such request of the app, and its answer is lost. Answers with how often it was asked. */
async function loseAnswer(page: Page, method: string, path: string): Promise<() => number> {
  let asked = 0
  await page.route(`**/app${path}`, async (route: Route) => {
    if (route.request().method() !== method) return route.continue()
    asked += 1
    if (asked > 1) return route.continue()
    const reply = await route.fetch()
    assert.ok(reply.ok(), await reply.text())
    await route.abort('connectionreset')
  })
  return () => asked
}

describeInBrowser('without a connection, or with a bad one', () => {
  it('what is done shows at once, is said not to be stored, and is stored once back: in order, and nothing twice', async () => {
    await using scene = await openBoard('Edit me', 'Complete me')
    const { context, page, board, stored, done } = scene
    await context.setOffline(true)

    await addTask(page, 'Today', 'First of two')
    await addTask(page, 'Today', 'Second of two')
    await editTitle(page, 'Edit me', 'Edited')
    await board.complete('Edited').click()
    await board.complete('Complete me').click()

    await sees(page.getByText('First of two', { exact: true }), page.getByText('Second of two', { exact: true }))
    await sees(board.tab('Today', 2), board.tab('Done', 2))
    await sees(page.getByText(`${OFFLINE} 5 changes are not stored yet.`))
    assert.deepEqual(await stored(), ['Complete me: in_progress', 'Edit me: in_progress'])

    await context.setOffline(false)

    await seesNo(page.getByText(OFFLINE))
    await comesTo(['Complete me: done', 'Edited: done', 'First of two: in_progress', 'Second of two: in_progress'], async () =>
      (await stored()).sort(),
    )
    await sees(board.title('First of two'), board.title('Second of two'))
    const told = await done()
    assert.deepEqual(told.toSorted(), [
      'task.completed Complete me',
      'task.completed Edited',
      'task.created First of two',
      'task.created Second of two',
      'task.updated Edited',
    ])
    const inOrder = (...of: string[]) =>
      assert.deepEqual(
        told.filter((one) => of.includes(one)),
        of,
      )
    inOrder('task.created First of two', 'task.created Second of two')
    inOrder('task.updated Edited', 'task.completed Edited')
  })

  it('the board shows what has happened elsewhere once it is back', async () => {
    await using scene = await openBoard('Write it')
    const { world, context, page, board } = scene
    await context.setOffline(true)
    await sees(page.getByText(OFFLINE))
    await world.given(aTask({ title: 'Meanwhile', disposition: 'in_progress' }))

    await context.setOffline(false)

    await sees(board.title('Meanwhile'), board.tab('Today', 2))
    await seesNo(page.getByText(OFFLINE))
  })

  it('two devices that changed the same meanwhile: the one that was away is shown both', async () => {
    await using scene = await openBoard('Write it')
    const { world, context, page } = scene
    const { id } = (await world.api.get('/tasks')).body.data[0]
    await context.setOffline(true)
    await editTitle(page, 'Write it', 'Write it well')
    await sees(page.getByText(`${OFFLINE} 1 change is not stored yet.`))
    await world.api.patch(`/tasks/${id}`, { title: 'Write it soon' })

    await context.setOffline(false)

    const dialog = page.getByRole('dialog', { name: 'Changed by somebody else meanwhile' })
    await sees(dialog.getByText('Write it soon', { exact: true }), dialog.getByText('Write it well', { exact: true }))
  })

  it('a part of the app that was not fetched before comes with the connection, and what was there stays', async () => {
    await using scene = await openBrowserWorld()
    const { page, open } = await scene.signedIn()
    let isAway = true
    await page.route(/keys-dialog|^[^?#]*:\d+\/$/, (route) => (isAway ? route.abort() : route.continue()))
    await open('/tabs/in_progress')
    await boardOn(page).quickAdd('Today').fill('Half a title')

    await presses(page.getByRole('button', { name: 'Keys' }))
    await page.clock.runFor(LONGEST_PAUSE_MS)
    assert.equal(await page.getByRole('dialog').count(), 0)
    isAway = false

    await comesTo(true, async () => {
      await page.clock.runFor(LONGEST_PAUSE_MS)
      return page.getByRole('dialog', { name: 'Keys' }).isVisible()
    })
    await page.keyboard.press('Escape')
    assert.equal(await boardOn(page).quickAdd('Today').inputValue(), 'Half a title')
  })

  it('the browser asks before a page is left that has something to send', async () => {
    await using scene = await openBoard('Write it')
    const { context, page } = scene
    await context.setOffline(true)
    await addTask(page, 'Today', 'Not stored yet')
    await sees(page.getByText(`${OFFLINE} 1 change is not stored yet.`))

    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })

    assert.equal((await asked).type(), 'beforeunload')
  })

  it('the answer to a task that was added is lost: it makes no second one', async () => {
    await using scene = await openBoard()
    const { page, board, stored, done } = scene
    const asked = await loseAnswer(page, 'POST', '/tasks')

    await addTask(page, 'Today', 'Only once')

    await comesTo(2, asked)
    await sees(board.title('Only once'), board.tab('Today', 1))
    await comesTo(0, () => page.locator('[data-unready]').count())
    assert.deepEqual(await stored(), ['Only once: in_progress'])
    assert.deepEqual(await done(), ['task.created Only once'])
  })

  it('the answer to an edit is lost: that is no conflict with oneself', async () => {
    await using scene = await openBoard('Write it')
    const { page, board, stored, done } = scene
    const asked = await loseAnswer(page, 'PATCH', '/tasks/*')
    await editTitle(page, 'Write it', 'Write it well')

    await comesTo(true, () => asked() >= 2)
    await sees(board.title('Write it well'))
    await comesTo(['Write it well: in_progress'], stored)
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.deepEqual(await done(), ['task.updated Write it well'])
  })
})
