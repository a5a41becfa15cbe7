import { Fragment } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './keys-dialog.module.css'

/** The keys of the board. */
export default function KeysDialog({ onClose }: { onClose(): void }) {
  const { common, keys } = useTexts()
  return (
    <Dialog title={keys.title} onClose={onClose}>
      <p className={styles.when}>{keys.when}</p>
      {keys.sections.map(({ heading, list }) => (
        <Fragment key={heading}>
          <h3 className={styles.heading}>{heading}</h3>
          <dl className={styles.keys}>
            {list.map(({ keys: names, does }) => (
              <div key={does} className={styles.one}>
                <dt className={styles.names}>
                  {names.map((name) => (
                    <kbd key={name} className={styles.key}>
                      {name}
                    </kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </Fragment>
      ))}
      <div className={styles.foot}>
        <Button onClick={onClose}>{common.close}</Button>
      </div>
    </Dialog>
  )
}
