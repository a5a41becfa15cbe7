import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { aProject, aTask } from '../builders.ts'
import { boardOn } from './board.ts'
import { describeInBrowser, openBrowserWorld } from './device.ts'
import { comesTo, hasFocus, presses, sees, seesNo } from './seeing.ts'

/** Two change the same: nothing that was typed is lost, and nobody's words are written over unseen. */

/** What is said of a conflict that is left for later. */
const ASIDE = '1 change of yours clashes with what was changed elsewhere, and is not stored.'

/** A task called “Write it” on a board; `isUntold` where the page does not hear of what happens elsewhere, and so learns it from a refusal. */
async function openBoard({ isUntold = false } = {}) {
  const scene = await openBrowserWorld()
  const { world } = scene
  const task = await world.given(aTask({ title: 'Write it', disposition: 'in_progress', notes: 'As agreed' }))
  const { page, open } = await scene.signedIn()
  const refusals: number[] = []
  page.on('response', (response) => {
    if (response.status() === 412) refusals.push(412)
  })
  if (isUntold) await page.route('**/app/events/stream*', (route) => route.abort())
  await open('/tabs/in_progress')
  const board = boardOn(page)
  await sees(board.title('Write it'))
  const path = `/tasks/${task.id}`
  const stored = async () => (await world.api.get(path)).body
  const elsewhere = async (fields: Record<string, unknown>) => assert.equal((await world.api.patch(path, fields)).status, 200)
  return { world, page, board, stored, elsewhere, refusals, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() }
}

type Scene = Awaited<ReturnType<typeof openBoard>>

const dialogOn = (page: Page) => page.getByRole('dialog', { name: 'Changed by somebody else meanwhile' })

/** Edits the title in its row, and stores it. `meanwhile` happens while it is being typed. */
async function editTitle({ page, board }: Scene, title: string, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
  await board.title('Write it').press('e')
  const field = page.getByRole('textbox', { name: 'Edit title' })
  await hasFocus(field)
  await meanwhile()
  await field.fill(title)
  await field.press('Enter')
}

/** Edits the title while somebody else does, and waits until both are shown. */
async function clash(scene: Scene) {
  await editTitle(scene, 'Write it well', () => scene.elsewhere({ title: 'Write it soon' }))
  const dialog = dialogOn(scene.page)
  await sees(dialog.getByText('Write it soon', { exact: true }), dialog.getByText('Write it well', { exact: true }))
  return dialog
}

describeInBrowser('two changes', () => {
  it('of the same are both shown, and “Take mine” stores what was typed', async () => {
    await using scene = await openBoard({ isUntold: true })
    const dialog = await clash(scene)
    assert.deepEqual(scene.refusals, [412])
    assert.equal((await scene.stored()).title, 'Write it soon')

    await dialog.getByRole('button', { name: 'Take mine' }).click()

    await seesNo(dialog)
    await sees(scene.board.title('Write it well'))
    await comesTo('Write it well', async () => (await scene.stored()).title)
  })

  it('of the same are both shown, and “Keep what is stored” does', async () => {
    await using scene = await openBoard({ isUntold: true })
    const dialog = await clash(scene)

    await dialog.getByRole('button', { name: 'Keep what is stored' }).click()

    await seesNo(dialog)
    await sees(scene.board.title('Write it soon'))
    assert.equal((await scene.stored()).title, 'Write it soon')
  })

  it('of the same are made into one', async () => {
    await using scene = await openBoard({ isUntold: true })
    const dialog = await clash(scene)

    await dialog.getByRole('button', { name: 'Write one from both' }).click()
    const field = dialog.getByRole('textbox', { name: 'One from both' })
    await hasFocus(field)
    assert.equal(await field.inputValue(), 'Write it well')
    await field.fill('Write it well, and soon')
    await dialog.getByRole('button', { name: 'Store this' }).click()

    await seesNo(dialog)
    await comesTo('Write it well, and soon', async () => (await scene.stored()).title)
  })

  it('of the same can be left for later, are said to wait, and are still there with all that was typed', async () => {
    await using scene = await openBoard({ isUntold: true })
    const { page, stored } = scene
    const dialog = await clash(scene)
    await dialog.getByRole('button', { name: 'Write one from both' }).click()
    await dialog.getByRole('textbox', { name: 'One from both' }).fill('Write it, some')

    await page.keyboard.press('Escape')
    await seesNo(dialog)
    await page.getByRole('link', { name: 'Projects' }).click()
    await sees(page.getByText(ASIDE))
    await page.getByRole('button', { name: 'Look at it' }).click()

    assert.equal(await dialog.getByRole('textbox', { name: 'One from both' }).inputValue(), 'Write it, some')
    await dialog.getByRole('button', { name: 'Take mine' }).click()
    await seesNo(page.getByText(ASIDE))
    await comesTo('Write it well', async () => (await stored()).title)
  })

  it('of the same are shown as well where the page has heard of the other while this one was being typed', async () => {
    await using scene = await openBoard()
    const { page, stored, elsewhere } = scene

    await editTitle(scene, 'Write it well', async () => {
      await elsewhere({ title: 'Write it soon', due_date: '2026-11-23' })
      await sees(page.getByText('due Monday'))
    })

    await sees(dialogOn(page).getByText('Write it soon', { exact: true }), dialogOn(page).getByText('Write it well', { exact: true }))
    assert.equal((await stored()).title, 'Write it soon')
  })

  it('of the same are said beside the field in a panel, where the other can be taken, and what was typed be got back', async () => {
    await using scene = await openBoard()
    const { page, board, stored, elsewhere } = scene
    await board.title('Write it').click()
    const notes = board.panel().getByRole('textbox', { name: 'Notes' })
    await notes.fill('As I think')

    await elsewhere({ notes: 'As they think' })
    await sees(board.panel().getByText('As they think', { exact: true }))
    assert.equal(await notes.inputValue(), 'As I think')
    await board.panel().getByRole('button', { name: 'Take that' }).click()
    await comesTo('As they think', () => notes.inputValue())
    await board.panel().getByRole('button', { name: 'Get it back' }).click()

    await comesTo('As I think', () => notes.inputValue())
    await hasFocus(notes)
    assert.equal((await stored()).notes, 'As they think')
    await page.keyboard.press('Tab')
    await sees(dialogOn(page))
  })

  it('of the very same words are no conflict', async () => {
    await using scene = await openBoard({ isUntold: true })
    const { page, stored, elsewhere, refusals } = scene

    await editTitle(scene, 'Write it well', () => elsewhere({ title: 'Write it well' }))

    await comesTo([412], () => refusals)
    await sees(scene.board.title('Write it well'))
    await comesTo('Write it well', async () => (await stored()).title)
    assert.equal(await dialogOn(page).count(), 0)
  })

  it('of a project are shown with its name, and decided in the same way', async () => {
    await using scene = await openBoard({ isUntold: true })
    const { world, page } = scene
    const project = await world.given(aProject({ name: 'House move' }))
    await page.reload()
    await page.getByRole('link', { name: 'Projects' }).click()
    await page.getByRole('button', { name: 'Edit House move' }).click()
    await world.api.patch(`/projects/${project.id}`, { name: 'Flat move' })
    await page.getByRole('textbox', { name: 'Name' }).fill('Castle move')
    await page.getByRole('button', { name: 'Save' }).click()

    await sees(dialogOn(page).getByText('Flat move', { exact: true }), dialogOn(page).getByText('Castle move', { exact: true }))
    await dialogOn(page).getByRole('button', { name: 'Take mine' }).click()

    await comesTo('Castle move', async () => (await world.api.get(`/projects/${project.id}`)).body.name)
  })

  it('of different fields are both kept, and nobody is asked', async () => {
    await using scene = await openBoard({ isUntold: true })
    const { page, board, stored, elsewhere, refusals } = scene

    await editTitle(scene, 'Write it well', () => elsewhere({ due_date: '2026-11-23', notes: 'As they think' }))

    await comesTo([412], () => refusals)
    await sees(board.title('Write it well'), page.getByText('due Monday'))
    await comesTo(['Write it well', '2026-11-23', 'As they think'], async () => {
      const { title, due_date, notes } = await stored()
      return [title, due_date, notes]
    })
    assert.equal(await dialogOn(page).count(), 0)
  })

  it('that move a task are no conflict: the last who moves it has the say', async () => {
    await using scene = await openBoard({ isUntold: true })
    const { page, board, stored, elsewhere } = scene
    await elsewhere({ title: 'Write it soon', disposition: 'waiting' })

    await board.more('Write it').click()
    await presses(board.choice('Move to Not started'))

    await comesTo(['Write it soon', 'not_started'], async () => {
      const { title, disposition } = await stored()
      return [title, disposition]
    })
    await sees(board.tab('Not started', 1))
    assert.equal(await dialogOn(page).count(), 0)
  })
})
