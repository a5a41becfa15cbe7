import { useTexts } from '../texts/texts.tsx'
import { Button, IconButton } from './button.tsx'
import styles from './tellings.module.css'
import { dismiss, useTellings } from './told.ts'

/** Where the app says things in passing. What went wrong interrupts those who hear the page, the rest waits for a pause. */
export function Tellings() {
  const texts = useTexts()
  const tellings = useTellings()
  return (
    // An open dialog makes the rest of the page inert, but for what is marked so.
    <section className={styles.region} aria-label={texts.shell.messages} data-react-aria-top-layer>
      {(['status', 'alert'] as const).map((role) => (
        <div key={role} role={role} className={styles.list}>
          {tellings
            .filter(({ isFailure }) => isFailure === (role === 'alert'))
            .map(({ id, text, undo, isFailure }) => (
              <div key={id} className={`${styles.telling} ${isFailure ? styles.failure : ''}`}>
                <span className={styles.text}>{text}</span>
                {undo && (
                  <Button
                    look="quiet"
                    className={styles.action}
                    onClick={() => {
                      dismiss(id)
                      undo()
                    }}
                  >
                    {texts.common.undo}
                  </Button>
                )}
                <IconButton icon="close" label={texts.common.dismiss} className={styles.action} onClick={() => dismiss(id)} />
              </div>
            ))}
        </div>
      ))}
    </section>
  )
}
