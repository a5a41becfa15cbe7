import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import styles from './form.module.css'
import { Loading, Notice } from './notice.tsx'
import { inWords } from './told.ts'

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; isError: boolean; isFetching: boolean; refetch(): unknown }
  children(data: T): ReactNode
}

/** What the service was asked for, once it is there; until then that it is on its way, or why it is not. */
export function Loaded<T>({ query: { data, error, isError, isFetching, refetch }, children }: LoadedProps<T>) {
  const texts = useTexts()
  if (data !== undefined) return children(data)
  if (!isError) return <Loading label={texts.common.loading} />
  return (
    <div role="alert" className={styles.form}>
      <Notice kind="danger">{inWords(error, texts)}</Notice>
      <div className={styles.actions}>
        <Button isBusy={isFetching} onClick={() => void refetch()}>
          {texts.common.tryAgain}
        </Button>
      </div>
    </div>
  )
}
