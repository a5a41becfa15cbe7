import { type InputHTMLAttributes, type ReactNode, type Ref, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { TextField } from './field.tsx'
import { Icon } from './icon.tsx'
import styles from './password-field.module.css'

interface PasswordFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'type' | 'value' | 'onChange'> {
  label: string
  value: string
  onChange(value: string): void
  /** What password managers go by: whether it is the one so far, or a new one. */
  autoComplete: 'current-password' | 'new-password'
  help?: ReactNode
  problem?: string | undefined
  ref?: Ref<HTMLInputElement>
}

/** A place for a password, which can be looked at while it is typed. */
export function PasswordField({ onChange, ...rest }: PasswordFieldProps) {
  const { passwordField } = useTexts()
  const [isShown, setShown] = useState(false)
  const toggle = isShown ? passwordField.hide : passwordField.show
  return (
    <TextField
      {...rest}
      type={isShown ? 'text' : 'password'}
      // Words that are no words: nothing corrects them, and nothing sends them away to be looked at.
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
      beside={
        <button type="button" className={styles.eye} aria-label={toggle} title={toggle} onClick={() => setShown(!isShown)}>
          <Icon name={isShown ? 'hidden' : 'shown'} />
        </button>
      }
    />
  )
}
