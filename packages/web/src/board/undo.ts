import { tell } from '../components/told.ts'

/** What was done last and can be taken back. */

/** How much can be taken back by key, one after the other. */
const KEPT = 20

const doings: Doing[] = []

interface Doing {
  undo: () => void
}

/** Says that something was done, and offers to take it back. Answers with what withdraws the offer. */
export function tellDone(text: string, undo: () => void, shownMs?: number): () => void {
  const doing: Doing = { undo: () => undefined }
  const withdraw = () => {
    takeFrom(doing)
    hide()
  }
  doing.undo = () => {
    withdraw()
    undo()
  }
  const hide = tell(text, { undo: doing.undo, ...(shownMs !== undefined && { shownMs }) })
  doings.push(doing)
  if (doings.length > KEPT) doings.shift()
  return withdraw
}

/** Takes back what was done last. False where there is nothing. */
export function undoLast(): boolean {
  const last = doings.at(-1)
  last?.undo()
  return last !== undefined
}

function takeFrom(doing: Doing): void {
  const index = doings.indexOf(doing)
  if (index !== -1) doings.splice(index, 1)
}
