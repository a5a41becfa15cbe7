import { type CSSProperties, useId } from 'react'
import { Fieldset } from '../../components/fieldset.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './color-choice.module.css'

/** Colours that can be told apart, and from the ground of both themes. */
const COLORS = {
  gray: '#8a8f98',
  blue: '#2f6fed',
  cyan: '#0e8fa3',
  green: '#2f9e5b',
  amber: '#b7791f',
  red: '#d1453b',
  pink: '#c2488f',
  violet: '#7c5cd6',
} as const

interface ColorChoiceProps {
  label: string
  /** `#rrggbb` in small letters. */
  value: string
  onChoose(color: string): void
}

/** A colour: one of a few good ones, or any. */
export function ColorChoice({ label, value, onChoose }: ColorChoiceProps) {
  const { tabs } = useTexts().settings
  const name = useId()
  return (
    <Fieldset label={label}>
      <div className={styles.colors}>
        {Object.entries(COLORS).map(([key, color]) => (
          <input
            key={key}
            type="radio"
            name={name}
            aria-label={tabs.colors[key as keyof typeof COLORS]}
            title={tabs.colors[key as keyof typeof COLORS]}
            checked={color === value}
            onChange={() => onChoose(color)}
            className={styles.color}
            style={{ '--swatch': color } as CSSProperties}
          />
        ))}
        <label className={styles.own}>
          <input type="color" value={value} onChange={({ target }) => onChoose(target.value)} className={styles.picker} />
          {tabs.ownColor}
        </label>
      </div>
    </Fieldset>
  )
}
