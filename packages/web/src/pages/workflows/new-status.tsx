import type { StatusWire } from '@fivetab/domain/status.ts'
import { useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { onceKey } from '../../board/once-key.ts'
import type { Tab } from '../../board/tabs.ts'
import { NAME_MAX } from '../../board/text-lengths.ts'
import { createStatus } from '../../board/workflow-changes.ts'
import { announce } from '../../components/announcer.tsx'
import { IconButton } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './status-group.module.css'

/** A name and Enter make a Status at the end of this Disposition. A name that could not be stored comes back. */
export function NewStatus({ workflowId, tab }: { workflowId: string; tab: Tab & { key: StatusWire['disposition'] } }) {
  const { workflows } = useTexts()
  const change = useChange()
  const [name, setName] = useState('')

  async function add(): Promise<void> {
    const wanted = name.trim()
    if (wanted === '') return
    setName('')
    announce(workflows.statusAdded(wanted, tab.name))
    const isDone = await change(createStatus(workflowId, { name: wanted, disposition: tab.key }, onceKey()))
    if (!isDone) setName((typed) => typed || wanted)
  }

  return (
    <form
      aria-label={workflows.newStatusIn(tab.name)}
      className={styles.new}
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <TextField
        label={workflows.newStatusIn(tab.name)}
        isLabelUnseen
        placeholder={workflows.newStatus}
        maxLength={NAME_MAX}
        autoComplete="off"
        enterKeyHint="done"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <IconButton type="submit" icon="add" label={workflows.newStatusIn(tab.name)} />
    </form>
  )
}
