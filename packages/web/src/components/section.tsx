import { type ReactNode, useId } from 'react'
import styles from './section.module.css'

interface SectionProps {
  title: string
  /** What one should know before going into it. */
  about?: ReactNode
  /** Shown beside the title. */
  actions?: ReactNode
  /** What cannot be undone stands apart. */
  isDangerous?: boolean
  children?: ReactNode
}

/** A part of a page, under its own heading. */
export function Section({ title, about, actions, isDangerous = false, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={`${styles.section} ${isDangerous ? styles.dangerous : ''}`}>
      <header className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {actions}
      </header>
      {about && <div className={styles.about}>{about}</div>}
      {children && <div className={styles.body}>{children}</div>}
    </section>
  )
}
