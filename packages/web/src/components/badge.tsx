import type { ReactNode } from 'react'
import styles from './badge.module.css'

/** A word on what state something is in; the colour says nothing that the word does not. */
export function Badge({ look, children }: { look: 'plain' | 'good' | 'warning' | 'danger' | 'info'; children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[look]}`}>{children}</span>
}
