import type { Disposition } from '@fivetab/domain/disposition.ts'
import { Suspense, useEffect, useRef, useState } from 'react'
import { type Filter, isFiltering } from '../../board/groups.ts'
import type { Tab } from '../../board/tabs.ts'
import { undoLast } from '../../board/undo.ts'
import { announce } from '../../components/announcer.tsx'
import { IconButton } from '../../components/button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { FilterBar } from './filter-bar.tsx'
import { focusList, focusQuickAdd, focusSearch } from './focus.ts'
import { KeysDialog } from './parts.ts'
import { QuickAdd } from './quick-add.tsx'
import { goToTab } from './tabs.tsx'
import styles from './toolbar.module.css'
import { useKeys } from './use-keys.ts'

const FILTER_ID = 'filter'

interface ToolbarProps {
  shown: Disposition
  tabs: readonly Tab[]
  filter: Filter
}

/** What stands above the list, and the keys for it. */
export function Toolbar({ shown, tabs, filter }: ToolbarProps) {
  const { board: texts } = useTexts()
  const search = useSearch()
  const [areKeysShown, setKeysShown] = useState(false)
  const tabName = tabs.find(({ key }) => key === shown)?.name ?? ''
  const isDone = shown === 'done'

  const doings: Partial<Record<string, () => void>> = {
    n: focusQuickAdd,
    '/': search.open,
    u: () => undoLast() || announce(texts.nothingToUndo),
    '?': () => setKeysShown(true),
    ...Object.fromEntries(tabs.map(({ key }, index) => [String(index + 1), () => goToTab(key)])),
  }
  useKeys((key) => {
    doings[key]?.()
    return doings[key] !== undefined
  })

  return (
    <>
      <div className={styles.toolbar}>
        {!isDone && <QuickAdd disposition={shown} tabName={tabName} filter={filter} onLeave={focusList} />}
        <IconButton
          icon="search"
          label={texts.searchAndFilter}
          aria-expanded={search.isOpen}
          aria-controls={search.isOpen ? FILTER_ID : undefined}
          className={styles.tool}
          data-on={isFiltering(filter) || undefined}
          onClick={search.toggle}
        />
        <IconButton icon="keyboard" label={texts.showKeys} className={`${styles.tool} ${styles.keys}`} onClick={() => setKeysShown(true)} />
      </div>
      {search.isOpen && <FilterBar id={FILTER_ID} filter={filter} hasSort={!isDone} onLeave={focusList} />}
      {areKeysShown && (
        <Suspense fallback={null}>
          <KeysDialog onClose={() => setKeysShown(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The filter is out of the way until it is wanted; by key, the search has the focus then. */
function useSearch() {
  const [isOpen, setOpen] = useState(false)
  const isFocusWanted = useRef(false)
  useEffect(() => {
    if (isOpen && isFocusWanted.current) focusSearch()
    isFocusWanted.current = false
  }, [isOpen])
  return {
    isOpen,
    toggle: () => setOpen((before) => !before),
    open: () => {
      isFocusWanted.current = true
      setOpen(true)
      focusSearch()
    },
  }
}
