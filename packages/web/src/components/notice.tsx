import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import styles from './notice.module.css'

/** What a person should know before going on. */
export function Notice({ kind = 'info', children }: { kind?: 'info' | 'good' | 'warning' | 'danger'; children: ReactNode }) {
  return (
    <div className={`${styles.notice} ${styles[kind]}`}>
      <Icon name={kind === 'good' ? 'check' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}

/** What stands where there is nothing yet. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} size={36} />
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  )
}

/** Something is on its way. */
export function Loading({ label }: { label: string }) {
  return (
    <div className={styles.empty} role="status">
      <span className={styles.spinner} />
      <span>{label}</span>
    </div>
  )
}
