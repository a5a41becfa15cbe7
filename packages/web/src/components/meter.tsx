import type { CSSProperties } from 'react'
import styles from './meter.module.css'

interface MeterProps {
  label: string
  value: number
  max: number
  /** The same in words, which stand beneath it. */
  words: string
  isNearlyFull: boolean
}

/** How much of something is used. Browsers draw meters each in their own way, so theirs is for those who hear the page, and ours is seen. */
export function Meter({ label, value, max, words, isNearlyFull }: MeterProps) {
  // Where nothing is allowed, all of it is used.
  const [used, limit] = max === 0 ? [1, 1] : [Math.min(value, max), max]
  return (
    <div className={styles.meter}>
      <meter className="unseen" aria-label={label} aria-valuetext={words} min={0} max={limit} value={used} />
      <div className={styles.track} aria-hidden="true">
        <div
          className={`${styles.bar} ${isNearlyFull ? styles.nearlyFull : ''}`}
          style={{ '--share': `${(used / limit) * 100}%` } as CSSProperties}
        />
      </div>
      <p className={styles.words}>{words}</p>
    </div>
  )
}
