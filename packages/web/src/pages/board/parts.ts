import { lazy, useEffect } from 'react'
import { fetched } from '../../client/parts.ts'

/** Parts of the page that are not there at first, and are fetched once nothing else is to be done, so that they open at once. */

const taskPanel = () => import('../task/task-panel.tsx')
const taskMenu = () => import('./task-menu.tsx')
const keysDialog = () => import('./keys-dialog.tsx')

export const TaskPanel = lazy(() => fetched(taskPanel))
export const TaskMenu = lazy(() => fetched(taskMenu))
export const KeysDialog = lazy(() => fetched(keysDialog))

/** Browsers without a notion of idleness get so much time to draw the page first. */
const SOON_MS = 1_000

export function usePartsAhead(): void {
  useEffect(() => {
    // One that cannot be fetched now is fetched when it is wanted.
    const fetchAll = () => void Promise.allSettled([taskPanel(), taskMenu(), keysDialog()])
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(fetchAll, SOON_MS)
      return () => clearTimeout(timer)
    }
    const handle = requestIdleCallback(fetchAll)
    return () => cancelIdleCallback(handle)
  }, [])
}
