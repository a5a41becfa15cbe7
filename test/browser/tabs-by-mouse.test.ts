import assert from 'node:assert/strict'
import { it } from 'node:test'
import { aProject, aTask, aWorkflow, statusOf } from '../builders.ts'
import { addTask, boardOn } from './board.ts'
import { describeInBrowser, openBrowserWorld } from './device.ts'
import { drag } from './dragging.ts'
import { comesTo, presses, sees, seesNo } from './seeing.ts'

/** So long a deletion can be taken back, in ms. */
const TAKEN_BACK_MS = 6_000

/** A task in Today, on a board that is open there. */
async function openBoard(title = 'Write it', path = '/tabs/in_progress') {
  const scene = await openBrowserWorld()
  const task = await scene.world.given(aTask({ title, disposition: 'in_progress' }))
  const device = await scene.signedIn()
  await device.open(path)
  const stored = async () => (await scene.world.api.get(`/tasks/${task.id}`)).body
  const dispose = () => scene[Symbol.asyncDispose]()
  return { scene, world: scene.world, ...device, board: boardOn(device.page), task, stored, [Symbol.asyncDispose]: dispose }
}

describeInBrowser('the tabs by mouse', () => {
  it('a task is added to the tab that is shown, and the field is ready for the next', async () => {
    await using scene = await openBoard()
    const { page, board, world } = scene
    await board.tab('Waiting').click()

    await addTask(page, 'Waiting', 'Hear from Ada')
    await addTask(page, 'Waiting', 'Hear from Bob')

    await sees(board.title('Hear from Ada'), board.title('Hear from Bob'), board.tab('Waiting', 2), board.tab('Today', 1))
    assert.equal(await board.quickAdd('Waiting').inputValue(), '')
    const { data } = (await world.api.get('/tasks?disposition=waiting')).body
    assert.deepEqual(
      data.map(({ title }: { title: string }) => title),
      ['Hear from Ada', 'Hear from Bob'],
    )
  })

  it('a task is completed, and taken back to the very Status it was on', async () => {
    await using scene = await openBoard()
    const { page, board, world } = scene
    const task = await world.given(aTask({ title: 'Edit the piece', onStatus: 'Review' }))

    await board.group('Article · Review').getByRole('button', { name: 'Complete “Edit the piece”' }).click()
    await seesNo(board.title('Edit the piece'))
    await sees(board.tab('Done', 1), board.told('“Edit the piece” is done.'))
    await comesTo('done', async () => (await world.api.get(`/tasks/${task.id}`)).body.disposition)
    await board.undo().click()

    await sees(board.group('Article · Review').getByRole('link', { name: 'Edit the piece' }), board.tab('Done', 0))
    await comesTo(task.status_id, async () => (await world.api.get(`/tasks/${task.id}`)).body.status_id)
    assert.equal(await page.getByRole('alert').textContent(), '')
  })

  it('a done task is opened again', async () => {
    await using scene = await openBoard()
    const { board, stored } = scene
    await board.complete('Write it').click()
    await board.tab('Done', 1).click()

    await board.reopen('Write it').click()

    await sees(board.tab('Done', 0), board.tab('Today', 1))
    await comesTo('in_progress', async () => (await stored()).disposition)
  })

  it('a title is edited where it stands: leaving the field stores it, Escape leaves it as it was', async () => {
    await using scene = await openBoard()
    const { page, board, stored } = scene
    const field = page.getByRole('textbox', { name: 'Edit title' })

    await board.row('Write it').dblclick({ position: { x: 300, y: 8 } })
    await field.fill('Write it well')
    await page.getByRole('tabpanel').click({ position: { x: 300, y: 300 } })
    await sees(board.title('Write it well'))
    await comesTo('Write it well', async () => (await stored()).title)

    await board.more('Write it well').click()
    await presses(board.choice('Edit title'))
    await field.fill('Write it badly')
    await field.press('Escape')

    await sees(board.title('Write it well'))
    assert.equal((await stored()).title, 'Write it well')
  })

  it('a task is put off until a time that suits, by the clocks of the person', async () => {
    await using scene = await openBoard()
    const { page, board, stored } = scene
    await board.more('Write it').click()
    await presses(board.choice('Later …'))
    await sees(board.choice('Tonight Sat 18:00'), board.choice('Next week Mon 08:00'), board.choice('No time'))

    await presses(board.choice('Tomorrow Sun 08:00'))

    await sees(board.told('“Write it” is put off until tomorrow 08:00.'), board.tab('Later', 1))
    await comesTo('2026-11-22T08:00:00.000Z', async () => (await stored()).on_hold_until)
    await board.tab('Later').click()
    await sees(board.row('Write it').getByText('until tomorrow 08:00'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await sees(board.tab('Today', 1))
    await comesTo('in_progress', async () => (await stored()).disposition)
  })

  it('a task is archived, found in the archive, and taken out again', async () => {
    await using scene = await openBoard()
    const { page, board, stored } = scene
    await board.more('Write it').click()
    await presses(board.choice('Archive'))
    await seesNo(board.title('Write it'))
    await comesTo(true, async () => (await stored()).archived)

    await page.getByRole('link', { name: 'Archive' }).click()
    await board
      .row('Write it')
      .getByRole('button', { name: /^Take out/ })
      .click()

    await sees(page.getByText('Nothing is archived.'))
    await comesTo(false, async () => (await stored()).archived)
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await sees(board.title('Write it'))
  })

  it('a task that is deleted can be taken back for a while, and then it is gone for good', async () => {
    await using scene = await openBoard()
    const { page, board, world, task } = scene
    const remove = async () => {
      await board.more('Write it').click()
      await presses(board.choice('Delete'))
      await seesNo(board.title('Write it'))
    }

    await remove()
    await board.undo().click()
    await sees(board.title('Write it'), board.tab('Today', 1))
    await page.clock.runFor(TAKEN_BACK_MS)
    assert.equal((await world.api.get(`/tasks/${task.id}`)).status, 200)

    await remove()
    await page.clock.runFor(TAKEN_BACK_MS)
    await comesTo(404, async () => (await world.api.get(`/tasks/${task.id}`)).status)
    await seesNo(board.title('Write it'))
  })

  it('a task is dragged from tab to tab', async () => {
    await using scene = await openBoard()
    const { page, board, stored } = scene

    await drag(page, board.row('Write it'), board.tab('Waiting'))

    await sees(board.tab('Waiting', 1), board.tab('Today', 0), board.told('“Write it” is now in Waiting.'))
    await comesTo('waiting', async () => (await stored()).disposition)
  })

  it('a task is dragged onto a Status, also one on which nothing was', async () => {
    await using scene = await openBoard()
    const { page, board, world, stored } = scene
    const workflow = await world.given(aWorkflow())
    await world.given(aTask({ title: 'Edit the piece', status_id: statusOf(workflow, 'Draft').id }))
    await sees(board.heading('Article · Draft'))

    await drag(page, board.row('Write it'), board.heading('Article · Review'))

    await sees(board.group('Article · Review').getByRole('link', { name: 'Write it' }))
    await comesTo(statusOf(workflow, 'Review').id, async () => (await stored()).status_id)
  })

  it('steps are added and ticked, and put in order by dragging', async () => {
    await using scene = await openBoard()
    const { page, board, world, task } = scene
    await board.title('Write it').click()
    const steps = board.panel().getByRole('list', { name: 'Steps' })
    const names = () => board.panel().getByRole('textbox', { name: 'Name of the step' }).evaluateAll(valuesOf)
    for (const name of ['Plan', 'Draft', 'Publish']) {
      await board.panel().getByRole('textbox', { name: 'Add a step' }).fill(name)
      await page.keyboard.press('Enter')
    }
    await comesTo(['Plan', 'Draft', 'Publish'], names)

    await steps.getByRole('checkbox', { name: 'Plan' }).click()
    await sees(steps.getByRole('checkbox', { name: 'Plan', checked: true }))
    await sees(board.panel().getByText('1 of 3'))
    const handle = (name: string) => page.getByRole('button', { name: `Move ${name}: drag it, or use the arrow keys` })
    await drag(page, handle('Publish'), steps.getByRole('listitem').filter({ has: handle('Plan') }), 'top')

    await comesTo(['Publish', 'Plan', 'Draft'], names)
    await comesTo(['Publish', 'Plan', 'Draft'], async () => {
      const { data } = (await world.api.get(`/tasks/${task.id}/steps`)).body
      return data.map(({ name }: { name: string }) => name)
    })
  })

  it('a tick of the step that the task is on moves it on to its next Status', async () => {
    await using scene = await openBoard()
    const { board, world } = scene
    const task = await world.given(aTask({ title: 'Edit the piece', onStatus: 'Draft' }))
    await board.title('Edit the piece').click()

    await board.panel().getByRole('checkbox', { name: 'Draft' }).click()

    await comesTo('Review', () => board.panel().getByLabel('Status').evaluate(chosenOf))
    await comesTo('Review', async () => statusNameOf(world, (await world.api.get(`/tasks/${task.id}`)).body))
    await board.panel().getByRole('button', { name: 'Close' }).click()
    await sees(board.group('Article · Review').getByRole('link', { name: 'Edit the piece' }))
  })

  it('the panel changes where a task belongs, when it is due, and what it takes', async () => {
    await using scene = await openBoard()
    const { page, board, world, stored } = scene
    const project = await world.given(aProject({ name: 'House move' }))
    await board.title('Write it').click()
    const panel = board.panel()

    await panel.getByLabel('Project').selectOption('House move')
    await panel.getByLabel('Tab').selectOption('Waiting')
    await panel.getByLabel('Due').fill('2026-11-23')
    await panel.getByLabel('Estimate in minutes').fill('90')
    await panel.getByLabel('Notes').fill('With two lines\nof notes')
    await panel.getByRole('button', { name: 'Close' }).click()

    await comesTo([project.id, 'waiting', '2026-11-23', 90, 'With two lines\nof notes'], async () => {
      const { project_id, disposition, due_date, estimate_minutes, notes } = await stored()
      return [project_id, disposition, due_date, estimate_minutes, notes]
    })
    await board.tab('Waiting').click()
    await sees(board.row('Write it').getByText('House move'), board.row('Write it').getByText('due Monday'))
    await sees(page.getByText('1 hr 30 min'))
  })

  it('the filter and the search show what is looked for, and everything again', async () => {
    await using scene = await openBoard()
    const { page, board, world } = scene
    const project = await world.given(aProject({ name: 'House move' }))
    await world.given(aTask({ title: 'Order boxes', disposition: 'in_progress', project_id: project.id }))
    await sees(board.title('Order boxes'), board.title('Write it'))

    await page.getByRole('button', { name: 'Search and filter' }).click()
    await page.getByLabel('Project').selectOption('House move')
    await comesTo(['Order boxes'], board.titles)
    await page.getByRole('button', { name: 'Show everything' }).click()
    await page.getByLabel('Search', { exact: true }).fill('WRITE')
    await comesTo(['Write it'], board.titles)
    await page.getByLabel('Search', { exact: true }).fill('nothing like it')

    await sees(page.getByText('Nothing here is like that.'))
  })

  it('names and colours of tabs that are changed in the settings show on the board', async () => {
    await using scene = await openBoard('Write it', '/settings/tabs')
    const { page, board, world } = scene
    const today = page.getByRole('region', { name: 'Today' })

    await today.getByLabel('Name').fill('Right now')
    await today.getByRole('radio', { name: 'pink' }).check()
    await page.getByRole('button', { name: 'Save the tabs' }).click()
    await sees(board.told('The tabs are saved.'))
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()

    await sees(board.tab('Right now', 1), page.getByRole('heading', { level: 1, name: 'Right now' }))
    const stored = (await world.api.get('/dispositions')).body.data[1]
    assert.equal(stored.label, 'Right now')
    const color = await board.tab('Right now').evaluate((tab) => tab.style.getPropertyValue('--tab-color'))
    assert.equal(color, stored.color)
  })
})

function valuesOf(fields: Element[]): string[] {
  return fields.map((field) => (field as HTMLTextAreaElement).value)
}

function chosenOf(select: Element): string | undefined {
  return (select as HTMLSelectElement).selectedOptions[0]?.textContent ?? undefined
}

async function statusNameOf(world: Awaited<ReturnType<typeof openBoard>>['world'], task: { workflow_id: string; status_id: string }) {
  const { data } = (await world.api.get(`/workflows/${task.workflow_id}/statuses`)).body
  return data.find(({ id }: { id: string }) => id === task.status_id)?.name
}
