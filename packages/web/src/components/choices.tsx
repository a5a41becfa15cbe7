import { type ReactNode, useId } from 'react'
import styles from './choices.module.css'

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
    <fieldset className={styles.choices}>
      <legend className={isLabelUnseen ? 'unseen' : styles.legend}>{label}</legend>
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
    </fieldset>
  )
}
