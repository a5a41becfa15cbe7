import type { Locator, Page } from 'playwright-core'
import { sees } from './seeing.ts'

/** Dragging with the mouse, as the browser itself does it. */

/** So far the mouse has to go, in pixels, until it is a drag. */
const BEGIN_PX = 12
/** In so many moves it comes to where it is going. */
const MOVES = 6
/** How far from its edge a thing is taken hold of where it is not its middle, in pixels. */
const INSET_PX = 4

/** Drags `thing` onto `target`, or to its upper or lower edge. What is to be seen only while something is dragged can be a target, too. */
export async function drag(page: Page, thing: Locator, target: Locator, edge: 'top' | 'bottom' | null = null): Promise<void> {
  await sees(thing)
  const from = await boxOf(thing)
  const begin = { x: from.x + from.width / 2, y: from.y + from.height / 2 }
  await page.mouse.move(begin.x, begin.y)
  await page.mouse.down()
  await page.mouse.move(begin.x + BEGIN_PX, begin.y + BEGIN_PX, { steps: MOVES })
  await sees(target)
  // It may have made room for something since it came.
  const to = await boxOf(target)
  const y = { top: to.y + INSET_PX, middle: to.y + to.height / 2, bottom: to.y + to.height - INSET_PX }[edge ?? 'middle']
  await page.mouse.move(to.x + to.width / 2, y, { steps: MOVES })
  await page.mouse.up()
}

async function boxOf(thing: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await thing.scrollIntoViewIfNeeded()
  const box = await thing.boundingBox()
  if (box === null) throw new Error('There is nothing to be dragged, or nowhere to drag it to.')
  return box
}
