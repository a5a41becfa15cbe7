import { type Disposition, type DispositionWire, dispositionToWire, patchTab, type UpdateDisposition } from '@fivetab/domain/disposition.ts'
import { ask } from '../client/http.ts'
import { type Board, withDisposition } from './board.ts'
import type { Change } from './changes.ts'

/** Gives a tab another label or colour; null is back to how it was at first. The last one who does has the say. */
export function changeTab(key: Disposition, fields: UpdateDisposition): Change {
  return {
    lane: `disposition:${key}`,
    apply: (board) => withDisposition(board, patched(board, key, fields)),
    send: async () => {
      const stored = await ask<DispositionWire>('PATCH', `/dispositions/${key}`, { body: fields })
      return (board) => withDisposition(board, stored)
    },
  }
}

/** The tab of a Disposition as it is when nobody has changed it. */
export function firstTab(key: Disposition): DispositionWire {
  return dispositionToWire(key, undefined)
}

function patched({ dispositions }: Board, key: Disposition, fields: UpdateDisposition): DispositionWire {
  return dispositionToWire(
    key,
    patchTab(
      key,
      dispositions.find((one) => one.key === key),
      fields,
    ),
  )
}
