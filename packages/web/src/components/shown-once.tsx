import { type ReactNode, useEffect, useRef } from 'react'
import { announce } from './announcer.tsx'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { FormActions } from './form.tsx'
import { Notice } from './notice.tsx'
import styles from './shown-once.module.css'

interface ShownOnceProps {
  title: string
  /** That it is not shown again. */
  warning: string
  /** What the secret is called. */
  label: string
  secret: string
  copyLabel: string
  /** What the button says that puts it away. */
  done: string
  onDone(): void
  children?: ReactNode
}

/** A secret that the service tells this once and never again. The focus comes here, since it is what matters now. */
export function ShownOnce({ title, warning, label, secret, copyLabel, done, onDone, children }: ShownOnceProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
    announce(`${title}. ${warning}`)
  }, [title, warning])
  return (
    <section className={styles.once} aria-label={title}>
      <h2 ref={heading} tabIndex={-1} className={styles.title}>
        {title}
      </h2>
      <Notice kind="warning">{warning}</Notice>
      <CopyBlock label={label} text={secret} copyLabel={copyLabel} />
      {children}
      <FormActions>
        <Button onClick={onDone}>{done}</Button>
      </FormActions>
    </section>
  )
}

/** A text that is taken whole to somewhere else. */
export function CopyBlock({ label, text, copyLabel }: { label: string; text: string; copyLabel: string }) {
  return (
    <div className={styles.block}>
      <p className={styles.label}>{label}</p>
      <code className={styles.text}>{text}</code>
      <CopyButton text={text} what={copyLabel} />
    </div>
  )
}
