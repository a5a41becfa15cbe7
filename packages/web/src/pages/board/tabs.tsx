import type { Disposition } from '@fivetab/domain/disposition.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { type CSSProperties, type KeyboardEvent, useRef } from 'react'
import { Link } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import type { Tab } from '../../board/tabs.ts'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import { useTaskTarget } from './dragging.ts'
import styles from './tabs.module.css'

export const PANEL_ID = 'tasks'

export function tabId(key: Disposition): string {
  return `tab-${key}`
}

export function pathOfTab(key: Disposition): string {
  return `/tabs/${key}`
}

interface TabsProps {
  tabs: readonly Tab[]
  counts: Record<Disposition, number>
  shown: Disposition
  onDrop(task: TaskWire, tab: Tab): void
}

/** The five tabs: each is a link, the arrow keys go from one to the next, and tasks can be dropped onto them. */
export function Tabs({ tabs, counts, shown, onDrop }: TabsProps) {
  const { board } = useTexts()
  return (
    <div role="tablist" aria-label={board.tabs} className={styles.tabs} onKeyDown={(event) => moveByKey(event, tabs, shown)}>
      {tabs.map((tab) => (
        <OneTab key={tab.key} tab={tab} count={counts[tab.key]} isShown={tab.key === shown} onDrop={onDrop} />
      ))}
    </div>
  )
}

function moveByKey(event: KeyboardEvent, tabs: readonly Tab[], shown: Disposition): void {
  const index = tabs.findIndex(({ key }) => key === shown)
  const places: Partial<Record<string, number>> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: tabs.length - 1 }
  const place = places[event.key]
  if (place === undefined || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const to = tabs.at(place % tabs.length)
  if (to !== undefined) goToTab(to.key)
}

/** Shows a tab, and puts the focus on it. */
export function goToTab(key: Disposition): void {
  document.getElementById(tabId(key))?.focus()
  navigate(pathOfTab(key))
}

function OneTab({ tab, count, isShown, onDrop }: { tab: Tab; count: number; isShown: boolean } & Pick<TabsProps, 'onDrop'>) {
  const { board } = useTexts()
  const language = useLanguage()
  const element = useRef<HTMLAnchorElement>(null)
  const isOver = useTaskTarget(element, {
    takes: (task) => task.disposition !== tab.key || task.archived,
    drop: (task) => onDrop(task, tab),
  })
  return (
    <Link
      ref={element}
      href={pathOfTab(tab.key)}
      id={tabId(tab.key)}
      role="tab"
      aria-selected={isShown}
      aria-controls={isShown ? PANEL_ID : undefined}
      tabIndex={isShown ? 0 : -1}
      draggable={false}
      className={styles.tab ?? ''}
      data-over={isOver || undefined}
      style={{ '--tab-color': tab.color } as CSSProperties}
    >
      <span className={styles.name}>{tab.name}</span>
      <span className={styles.count}>
        {count.toLocaleString(language)}
        <span className="unseen"> {board.tasksOf(count)}</span>
      </span>
    </Link>
  )
}
