import { useId } from 'react'
import { useTabs } from '../../board/tabs.ts'
import { Fieldset } from '../../components/fieldset.tsx'
import type { Texts } from '../../texts/en.ts'
import { useTexts } from '../../texts/texts.tsx'
import styles from './workflows.module.css'

export type Start = keyof Texts['workflows']['starts']

/** Which Statuses a new Workflow begins with; each choice shows its own. */
export function StartChoice({ value, onChoose }: { value: Start; onChoose(start: Start): void }) {
  const { workflows } = useTexts()
  const tabs = useTabs()
  const group = useId()
  return (
    <Fieldset label={workflows.start}>
      <div className={styles.starts}>
        {(Object.keys(workflows.starts) as Start[]).map((start) => (
          <label key={start} className={styles.start}>
            <input type="radio" name={group} className={styles.radio} checked={start === value} onChange={() => onChoose(start)} />
            <span>
              <span className={styles.startName}>{workflows.starts[start].name}</span>
              {tabs.map(({ key, name }) => {
                const statuses = key === 'in_progress' || key === 'waiting' || key === 'done' ? workflows.starts[start][key] : []
                return (
                  statuses.length > 0 && (
                    <span key={key} className={styles.startStatuses}>
                      {name}: {statuses.join(key === 'in_progress' ? ' → ' : ', ')}
                    </span>
                  )
                )
              })}
            </span>
          </label>
        ))}
      </div>
    </Fieldset>
  )
}
