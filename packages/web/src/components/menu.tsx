import { type KeyboardEvent, type ReactElement, useRef } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import button from './button.module.css'
import { Icon, type IconName } from './icon.tsx'
import styles from './menu.module.css'

export interface MenuChoice {
  key: string
  label: string
  /** What more is to be said, such as a time. */
  note?: string
  icon?: IconName
  isDangerous?: boolean
  /** A digit that chooses it while the menu is open. */
  hotkey?: string
  /** It shows another menu in the place of this one. */
  leadsOn?: boolean
  onChoose: () => void
}

interface MenuProps {
  label: string
  icon: IconName
  choices: readonly MenuChoice[]
  /** Shows the label beside the icon. */
  isLabelSeen?: boolean
}

/** A button that opens a list of things to do. */
export function Menu({ label, icon, choices, isLabelSeen = false }: MenuProps): ReactElement {
  return (
    <MenuTrigger>
      <AriaButton
        className={[button.button, isLabelSeen ? button.plain : `${button.quiet} ${button.square}`].join(' ')}
        {...(!isLabelSeen && { 'aria-label': label })}
      >
        <Icon name={icon} />
        {isLabelSeen && label}
      </AriaButton>
      <Popover className={styles.popover ?? ''} placement="bottom end">
        <Choices label={label} choices={choices} />
      </Popover>
    </MenuTrigger>
  )
}

interface MenuAtProps {
  label: string
  /** What it is opened from. */
  anchor: HTMLElement
  choices: readonly MenuChoice[]
  onClose: () => void
}

/** The same list without a button of its own, open for as long as it is in the page. */
export function MenuAt({ label, anchor, choices, onClose }: MenuAtProps): ReactElement {
  const trigger = useRef(anchor)
  trigger.current = anchor

  function chooseByKey(event: KeyboardEvent): void {
    const choice = choices.find(({ hotkey }) => hotkey !== undefined && (hotkey === event.key || event.code === `Digit${hotkey}`))
    if (choice === undefined) return
    event.preventDefault()
    event.stopPropagation()
    choice.onChoose()
    onClose()
  }

  return (
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      aria-label={label}
      className={styles.popover ?? ''}
      placement="bottom end"
    >
      <div onKeyDownCapture={chooseByKey}>
        <Choices key={label} label={label} choices={choices} onClose={onClose} />
      </div>
    </Popover>
  )
}

function Choices({ label, choices, onClose }: { label: string; choices: readonly MenuChoice[]; onClose?: () => void }) {
  return (
    <AriaMenu
      aria-label={label}
      className={styles.menu ?? ''}
      items={choices.map((choice) => ({ ...choice, id: choice.key }))}
      {...(onClose && { autoFocus: 'first', onClose })}
    >
      {(choice) => (
        <MenuItem
          textValue={choice.label}
          className={`${styles.item} ${choice.isDangerous ? styles.dangerous : ''}`}
          shouldCloseOnSelect={!choice.leadsOn}
          onAction={choice.onChoose}
        >
          {choice.icon && <Icon name={choice.icon} size={18} />}
          <span className={styles.label}>{choice.label}</span>
          {choice.note && <span className={styles.note}>{choice.note}</span>}
        </MenuItem>
      )}
    </AriaMenu>
  )
}
