import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useStanding } from '../board/board-context.tsx'
import { useUnsaved } from '../board/pending.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './shell.module.css'

/** What all pages have around them: where one can go, and whether what is seen is what is stored. */
export function Shell({ children }: { children: ReactNode }) {
  const { shell } = useTexts()
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {shell.skip}
      </a>
      <header className={styles.head}>
        <Link href="/" className={styles.brand ?? ''}>
          <img src="/icons/icon.svg" alt="" width="28" height="28" />
          <span className={styles.name}>Fivetab</span>
        </Link>
        <Navigation />
      </header>
      <InStep />
      <main id="content" tabIndex={-1} className={styles.content}>
        {children}
      </main>
    </div>
  )
}

const PLACES: readonly {
  path: string
  text: 'board' | 'projects' | 'workflows' | 'archive' | 'settings'
  icon: IconName
  under: readonly string[]
}[] = [
  { path: '/', text: 'board', icon: 'tasks', under: ['/tabs/', '/tasks/'] },
  { path: '/projects', text: 'projects', icon: 'project', under: ['/projects'] },
  { path: '/workflows', text: 'workflows', icon: 'workflow', under: ['/workflows'] },
  { path: '/archive', text: 'archive', icon: 'archive', under: ['/archive'] },
  { path: '/settings', text: 'settings', icon: 'settings', under: ['/settings'] },
]

function Navigation() {
  const { shell } = useTexts()
  const [location] = useLocation()
  return (
    <nav aria-label={shell.main}>
      <ul className={styles.places}>
        {PLACES.map(({ path, text, icon, under }) => (
          <li key={path}>
            <Link
              href={path}
              className={styles.place ?? ''}
              aria-current={under.some((start) => location.startsWith(start)) ? 'page' : undefined}
              title={shell[text]}
            >
              <Icon name={icon} />
              <span className={styles.placeName}>{shell[text]}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** A connection that is lost for a moment only is nobody's concern. */
const PATIENCE_MS = 1_500

/** Says when what is seen may not be what is stored. */
function InStep() {
  const { shell } = useTexts()
  const standing = useStanding()
  const isOnline = useOnline()
  const { count, isHeldUp } = useUnsaved()
  const isApart = useLasting(!isOnline || standing === 'interrupted' || isHeldUp, PATIENCE_MS)
  return (
    <div role="status" className={styles.standing}>
      {isApart && (
        <p className={styles.apart}>
          <Icon name="offline" size={18} />
          {isOnline ? shell.interrupted : shell.offline} {count > 0 && shell.unsaved(count)}
        </p>
      )}
    </div>
  )
}

function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine)
  useEffect(() => {
    const look = () => setOnline(navigator.onLine)
    window.addEventListener('online', look)
    window.addEventListener('offline', look)
    return () => {
      window.removeEventListener('online', look)
      window.removeEventListener('offline', look)
    }
  }, [])
  return isOnline
}

/** True once `value` has been true for so long. */
function useLasting(value: boolean, ms: number): boolean {
  const [lasts, setLasts] = useState(false)
  useEffect(() => {
    if (!value) return setLasts(false)
    const timer = setTimeout(() => setLasts(true), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return value && lasts
}
