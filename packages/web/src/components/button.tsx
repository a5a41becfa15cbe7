import type { ButtonHTMLAttributes, Ref } from 'react'
import styles from './button.module.css'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'main' | 'danger' | 'quiet'
  icon?: IconName
  /** It does something, and takes no second press meanwhile. */
  isBusy?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function Button({ look = 'plain', icon, isBusy = false, className, children, type = 'button', onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={[styles.button, styles[look], className].filter(Boolean).join(' ')}
      aria-busy={isBusy || undefined}
      // Not `disabled`, which would take the focus away.
      aria-disabled={isBusy || rest['aria-disabled'] || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  icon: IconName
  /** What it does, for those who hear it, and for whoever points at it. */
  label: string
}

export function IconButton({ icon, label, look = 'quiet', className, ...rest }: IconButtonProps) {
  return (
    <Button {...rest} look={look} className={[styles.square, className].filter(Boolean).join(' ')} aria-label={label} title={label}>
      <Icon name={icon} />
    </Button>
  )
}
