import type { Locator, Page } from 'playwright-core'

/** The board as people find their way on it: by what is written there. */
export interface BoardOn {
  /** The tab of this name, whatever it counts; with a count, the one that has so many tasks. */
  tab(name: string, count?: number): Locator
  /** The field in which a task is added to the tab of this name. */
  quickAdd(tab: string): Locator
  /** The title of a task that is stored, which leads to it. */
  title(title: string): Locator
  /** All that is shown of the task. */
  row(title: string): Locator
  /** The titles that are in the page, from top to bottom. */
  titles(): Promise<string[]>
  /** The circle that completes the task. */
  complete(title: string): Locator
  reopen(title: string): Locator
  /** The button that opens the task's menu. */
  more(title: string): Locator
  /** What an open menu offers. */
  choice(name: string | RegExp): Locator
  /** Tasks on the Status, under its name: `Article · Draft`. */
  group(name: string): Locator
  /** The name of the Status above its tasks. */
  heading(name: string): Locator
  /** What is said in passing, and can be taken back. */
  told(text: string): Locator
  undo(): Locator
  /** The task that is open beside the board. */
  panel(): Locator
}

export function boardOn(page: Page): BoardOn {
  const title = (text: string) => page.getByRole('link', { name: text, exact: true })
  return {
    tab: (name, count) => page.getByRole('tab', { name: count === undefined ? beginningWith(name) : `${name} ${tasks(count)}` }),
    quickAdd: (tab) => page.getByRole('textbox', { name: `Add a task to ${tab}` }),
    title,
    row: (text) => page.getByRole('listitem').filter({ has: title(text) }),
    titles: () => page.getByRole('tabpanel').locator('[data-title]').allInnerTexts(),
    complete: (text) => page.getByRole('button', { name: `Complete “${text}”`, exact: true }),
    reopen: (text) => page.getByRole('button', { name: `Open “${text}” again`, exact: true }),
    more: (text) => page.getByRole('button', { name: `What to do with “${text}”`, exact: true }),
    choice: (name) => page.getByRole('menuitem', { name }),
    group: (name) => page.getByRole('region', { name, exact: true }),
    heading: (name) => page.getByRole('heading', { level: 2, name, exact: true }),
    told: (text) => page.getByRole('region', { name: 'Messages' }).getByText(text, { exact: true }),
    undo: () => page.getByRole('button', { name: 'Undo', exact: true }),
    panel: () => page.getByRole('dialog', { name: 'Task' }),
  }
}

function tasks(count: number): string {
  return `${count} ${count === 1 ? 'task' : 'tasks'}`
}

function beginningWith(name: string): RegExp {
  return new RegExp(`^${RegExp.escape(name)} `)
}

/** Types a task into the tab of this name, and Enter. */
export async function addTask(page: Page, tab: string, title: string): Promise<void> {
  const field = boardOn(page).quickAdd(tab)
  await field.fill(title)
  await field.press('Enter')
}
