import { type ReactNode, useId } from 'react'
import styles from './choices.module.css'
import { Fieldset } from './fieldset.tsx'

interface ChoicesProps<T extends string> {
  label: string
  isLabelUnseen?: boolean
  value: T
  choices: readonly { value: T; label: ReactNode; lang?: string }[]
  onChoose(value: T): void
}

/** One of a few, all of which are seen. */
export function Choices<T extends string>({ label, isLabelUnseen = false, value, choices, onChoose }: ChoicesProps<T>) {
  const name = useId()
  return (
    <Fieldset label={label} isLabelUnseen={isLabelUnseen}>
      <div className={styles.row}>
        {choices.map((choice) => (
          <label key={choice.value} className={styles.choice} lang={choice.lang}>
            <input
              type="radio"
              name={name}
              checked={choice.value === value}
              onChange={() => onChoose(choice.value)}
              className={styles.radio}
            />
            {choice.label}
          </label>
        ))}
      </div>
    </Fieldset>
  )
}
