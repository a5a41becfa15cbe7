import { lazy, Suspense, useEffect } from 'react'
import { takeUpConflicts, useConflicts } from '../../board/conflicts.ts'
import { fetched } from '../../client/parts.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { hasDrafts, storeDrafts } from './drafts.ts'
import styles from './unsettled.module.css'

const ConflictDialog = lazy(() => fetched(() => import('./conflict-dialog.tsx')))

/** What was typed and could not be stored as it is: shown when it happens, and never out of sight until it is decided. */
export function Unsettled() {
  const { conflict } = useTexts()
  const conflicts = useConflicts()
  const aside = conflicts.filter(({ isAside }) => isAside).length
  useLeavingWarning(conflicts.length > 0)
  return (
    <>
      <div role="status">
        {aside > 0 && (
          <div className={styles.waiting}>
            <Icon name="warning" size={18} />
            <p className={styles.text}>{conflict.waiting(aside)}</p>
            <Button onClick={takeUpConflicts}>{conflict.look}</Button>
          </div>
        )}
      </div>
      {aside < conflicts.length && (
        <Suspense>
          <ConflictDialog />
        </Suspense>
      )}
    </>
  )
}

/** A page that is closed loses what was typed and is not stored. */
function useLeavingWarning(hasConflicts: boolean): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (hasConflicts || hasDrafts()) event.preventDefault()
      // While the person is asked, there is time for it.
      storeDrafts()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [hasConflicts])
}
