import type { ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useTexts } from '../texts/texts.tsx'
import { Button, IconButton } from './button.tsx'
import styles from './dialog.module.css'

interface DialogProps {
  title: string
  children: ReactNode
  onClose: () => void
  /** At the side of a wide window, and all of a narrow one. */
  isPanel?: boolean
  /** One that asks something that cannot be undone. */
  isAlert?: boolean
  /** Shown beside the title. */
  actions?: ReactNode
}

/** What stands before the page until it is closed: by its button, by Escape, or by a press beside it. */
export function Dialog({ title, children, onClose, isPanel = false, isAlert = false, actions }: DialogProps) {
  const texts = useTexts()
  return (
    <ModalOverlay
      isOpen
      isDismissable={!isAlert}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className={`${styles.overlay} ${isPanel ? styles.beside : ''}`}
    >
      <Modal className={`${styles.modal} ${isPanel ? styles.panel : ''}`}>
        <AriaDialog role={isAlert ? 'alertdialog' : 'dialog'} className={styles.dialog ?? ''}>
          <header className={styles.head}>
            <Heading slot="title" className={styles.title ?? ''}>
              {title}
            </Heading>
            {actions}
            <IconButton icon="close" label={texts.common.close} onClick={onClose} />
          </header>
          <div className={styles.body}>{children}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

interface ConfirmProps {
  title: string
  children: ReactNode
  /** What the button that does it says. */
  action: string
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, children, action, isBusy = false, onConfirm, onClose }: ConfirmProps) {
  const texts = useTexts()
  return (
    <Dialog title={title} isAlert onClose={onClose}>
      <div className={styles.question}>{children}</div>
      <footer className={styles.foot}>
        <Button onClick={onClose}>{texts.common.cancel}</Button>
        <Button look="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </footer>
    </Dialog>
  )
}
