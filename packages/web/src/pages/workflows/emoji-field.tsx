import { useState } from 'react'
import { TextField } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { COMMON_EMOJI, emojiIn } from './emoji.ts'
import styles from './emoji-field.module.css'

/** A place for one emoji, or none: any that can be typed, and a few to choose from. */
export function EmojiField({ value, onChange }: { value: string | null; onChange(emoji: string | null): void }) {
  const { workflows } = useTexts()
  /** What was typed and is no emoji. */
  const [unfit, setUnfit] = useState<string | null>(null)

  function choose(text: string): void {
    const emoji = emojiIn(text)
    setUnfit(emoji === undefined ? text : null)
    if (emoji !== undefined && emoji !== value) onChange(emoji)
  }

  return (
    <div className={styles.place}>
      <div className={styles.typed}>
        <TextField
          label={workflows.emoji}
          autoComplete="off"
          maxLength={40}
          value={unfit ?? value ?? ''}
          onChange={({ target }) => choose(target.value)}
          onBlur={() => setUnfit(null)}
          problem={unfit === null ? undefined : workflows.noEmoji}
        />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be one more name for the same */}
      <div role="group" aria-label={workflows.commonEmoji} className={styles.common}>
        {COMMON_EMOJI.map((emoji) => (
          <button
            key={emoji}
            type="button"
            className={styles.emoji}
            aria-pressed={emoji === value}
            onClick={() => choose(emoji === value ? '' : emoji)}
          >
            {emoji}
          </button>
        ))}
      </div>
    </div>
  )
}
