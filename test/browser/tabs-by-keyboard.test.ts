import assert from 'node:assert/strict'
import { it } from 'node:test'
import { aStep, aTask, aWorkflow, statusOf } from '../builders.ts'
import { boardOn } from './board.ts'
import { describeInBrowser, openBrowserWorld } from './device.ts'
import { comesTo, hasFocus, sees, seesNo } from './seeing.ts'

/** Tasks in Today, each newer than the one before it and so above it, on a board that is open there and that no mouse ever touches. */
async function openBoard(...titles: string[]) {
  const scene = await openBrowserWorld()
  const { world } = scene
  const tasks = new Map<string, string>()
  for (const title of titles.toReversed()) tasks.set(title, (await world.given(aTask({ title, disposition: 'in_progress' }))).id)
  const { page, open } = await scene.signedIn()
  await open('/tabs/in_progress')
  const board = boardOn(page)
  await sees(board.tab('Today', titles.length))
  /** The task of this title as it is stored. */
  const stored = async (title: string) => (await world.api.get(`/tasks/${tasks.get(title)}`)).body
  /** Presses keys one after the other. */
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  return { world, page, board, press, stored, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() }
}

describeInBrowser('the tabs by keyboard', () => {
  it('a task is added with n, and Escape leads back to the list', async () => {
    await using scene = await openBoard('Write it')
    const { page, board, press } = scene

    await press('n')
    await hasFocus(board.quickAdd('Today'))
    await page.keyboard.type('Call Ada')
    await press('Enter')
    await page.keyboard.type('Call Bob')
    await press('Enter')
    await sees(board.title('Call Bob'), board.title('Call Ada'))
    await press('Escape')

    await comesTo(['Call Bob', 'Call Ada', 'Write it'], board.titles)
    await hasFocus(board.title('Call Bob'))
  })

  it('j and k go from task to task, the digits to the tabs, and the arrow keys from one tab to the next', async () => {
    await using scene = await openBoard('First', 'Second', 'Third')
    const { board, press } = scene

    await press('j')
    await hasFocus(board.title('First'))
    await press('j', 'ArrowDown')
    await hasFocus(board.title('Third'))
    await press('k')
    await hasFocus(board.title('Second'))

    await press('3')
    await hasFocus(board.tab('Waiting', 0))
    await press('ArrowRight')
    await hasFocus(board.tab('Later', 0))
    await press('Home')
    await sees(board.quickAdd('Not started'))
    await press('End')
    await sees(board.tab('Done', 0).and(board.tab('Done').and(scene.page.locator('[aria-selected=true]'))))
  })

  it('x completes a task, the focus goes to the next, and u takes it back', async () => {
    await using scene = await openBoard('First', 'Second')
    const { board, press, stored } = scene
    await press('j')
    await hasFocus(board.title('First'))

    await press('x')
    await hasFocus(board.title('Second'))
    await comesTo('done', async () => (await stored('First')).disposition)
    await press('u')

    await comesTo(['First', 'Second'], board.titles)
    await comesTo('in_progress', async () => (await stored('First')).disposition)
    await press('x')
    await sees(board.tab('Done', 1))
    await comesTo('done', async () => (await stored('Second')).disposition)
  })

  it('e edits the title where it stands: Enter stores it, Escape leaves it as it was, and both lead back to it', async () => {
    await using scene = await openBoard('First', 'Second')
    const { page, board, press, stored } = scene
    await press('j', 'e')
    await hasFocus(page.getByRole('textbox', { name: 'Edit title' }))

    await page.keyboard.type('First of all')
    await press('Enter')
    await hasFocus(board.title('First of all'))
    await press('F2')
    await page.keyboard.type('Something else')
    await press('Escape')

    await hasFocus(board.title('First of all'))
    await comesTo('First of all', async () => (await stored('First')).title)
  })

  it('Shift with a digit, and m with one, move a task to that tab', async () => {
    await using scene = await openBoard('First', 'Second')
    const { board, press, stored } = scene

    await press('j', 'Shift+Digit3')
    await sees(board.tab('Waiting', 1))
    await hasFocus(board.title('Second'))
    await press('m')
    await sees(board.choice('Later 4'))
    await press('4')

    await sees(board.tab('Later', 1), board.tab('Today', 0))
    await comesTo(['waiting', 'on_hold'], async () => [(await stored('First')).disposition, (await stored('Second')).disposition])
    await hasFocus(board.tab('Today', 0))
  })

  it('l offers times to put a task off until, and s the Statuses', async () => {
    await using scene = await openBoard('First', 'Second')
    const { world, board, press, stored } = scene
    const workflow = await world.given(aWorkflow())

    await press('j', 'l')
    await hasFocus(board.choice('Tonight Sat 18:00'))
    await press('ArrowDown', 'Enter')
    await sees(board.tab('Later', 1))
    await comesTo('2026-11-22T08:00:00.000Z', async () => (await stored('First')).on_hold_until)
    await hasFocus(board.title('Second'))
    await press('s')
    await hasFocus(board.choice(/^Article · Draft/))
    await press('ArrowDown', 'Enter')

    await hasFocus(board.group('Article · Review').getByRole('link', { name: 'Second' }))
    await comesTo(statusOf(workflow, 'Review').id, async () => (await stored('Second')).status_id)
  })

  it('a archives a task, Delete deletes it, and u takes back the one after the other', async () => {
    await using scene = await openBoard('First', 'Second', 'Third')
    const { board, press, stored } = scene

    await press('j', 'a')
    await hasFocus(board.title('Second'))
    await comesTo(true, async () => (await stored('First')).archived)
    await press('Delete')
    await hasFocus(board.title('Third'))
    await press('u')
    await comesTo(['Second', 'Third'], board.titles)
    await press('u')

    await comesTo(['First', 'Second', 'Third'], board.titles)
    await comesTo(false, async () => (await stored('First')).archived)
    assert.equal((await stored('Second')).title, 'Second')
  })

  it('Enter opens a task, Escape closes it, and the focus is where it was', async () => {
    await using scene = await openBoard('First', 'Second')
    const { board, press } = scene
    await press('j', 'j', 'Enter')
    await hasFocus(board.panel().getByRole('textbox', { name: 'Title' }))

    await press('Escape')

    await seesNo(board.panel())
    await hasFocus(board.title('Second'))
  })

  it('steps are added, ticked, and put in order with the arrow keys', async () => {
    await using scene = await openBoard('Write it')
    const { world, page, board, press, stored } = scene
    const task = await stored('Write it')
    for (const name of ['Plan', 'Draft']) await world.given(aStep(task, { name }))
    const names = () => board.panel().getByRole('textbox', { name: 'Name of the step' }).evaluateAll(valuesOf)
    await press('j', 'Enter')
    await comesTo(['Plan', 'Draft'], names)

    await board.panel().getByRole('textbox', { name: 'Add a step' }).focus()
    await page.keyboard.type('Publish')
    await press('Enter')
    await comesTo(['Plan', 'Draft', 'Publish'], names)
    const handle = page.getByRole('button', { name: 'Move Publish: drag it, or use the arrow keys' })
    await handle.focus()
    await press('ArrowUp')
    await comesTo(['Plan', 'Publish', 'Draft'], names)
    await hasFocus(handle)
    await press('ArrowUp')
    await comesTo(['Publish', 'Plan', 'Draft'], names)
    await press('Tab', 'Space')

    await sees(board.panel().getByRole('checkbox', { name: 'Publish', checked: true }))
    await comesTo(
      [
        ['Publish', true],
        ['Plan', false],
        ['Draft', false],
      ],
      async () => {
        const { data } = (await world.api.get(`/tasks/${task.id}/steps`)).body
        return data.map(({ name, completed }: { name: string; completed: boolean }) => [name, completed])
      },
    )
  })

  it('a slash searches, and Escape leads back to everything', async () => {
    await using scene = await openBoard('Call Ada', 'Write it')
    const { page, board, press } = scene
    await press('/')
    await hasFocus(page.getByLabel('Search', { exact: true }))

    await page.keyboard.type('ada')
    await comesTo(['Call Ada'], board.titles)
    await press('Escape')

    await comesTo(['Call Ada', 'Write it'], board.titles)
    await hasFocus(board.title('Call Ada'))
  })

  it('a question mark lists the keys, and no key does anything to the board while the list is open', async () => {
    await using scene = await openBoard('First')
    const { page, board, press } = scene
    await press('j', '?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await sees(keys.getByText('Put it off'))

    await press('x', 'a', '3')
    await press('Escape')

    await seesNo(keys)
    await sees(board.tab('Today', 1), board.title('First'))
  })

  it('keys that are typed into a field are nothing but text', async () => {
    await using scene = await openBoard('First')
    const { page, board, press } = scene
    await press('n')

    await page.keyboard.type('x a 3 ? / u')

    assert.equal(await board.quickAdd('Today').inputValue(), 'x a 3 ? / u')
    await sees(board.tab('Today', 1))
  })
})

function valuesOf(fields: Element[]): string[] {
  return fields.map((field) => (field as HTMLTextAreaElement).value)
}
