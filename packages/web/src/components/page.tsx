import { type ReactNode, useEffect, useRef } from 'react'
import styles from './page.module.css'

interface PageProps {
  /** What the browser calls it, and its heading where that is nothing else. */
  title: string
  heading?: ReactNode
  /** What one should know before anything else. */
  about?: ReactNode
  /** Where it belongs to. */
  above?: ReactNode
  /** Shown beside the heading. */
  actions?: ReactNode
  children: ReactNode
}

/** A page under its heading. */
export function Page({ title, heading = title, about, above, actions, children }: PageProps) {
  const first = useRef<HTMLHeadingElement>(null)
  useEffect(() => beginAt(first.current), [])
  return (
    <div className={styles.page}>
      <title>{`${title} · Fivetab`}</title>
      <header>
        {above}
        <div className={styles.head}>
          <h1 ref={first} tabIndex={-1} className={styles.title}>
            {heading}
          </h1>
          {actions}
        </div>
        {about && <div className={styles.about}>{about}</div>}
      </header>
      {children}
    </div>
  )
}

let isFirstPage = true

/** A page that one has come to by a link begins at its top; where that link is gone, its heading has the focus. */
function beginAt(heading: HTMLElement | null): void {
  if (!isFirstPage) {
    window.scrollTo(0, 0)
    if (document.activeElement === document.body) heading?.focus()
  }
  isFirstPage = false
}
