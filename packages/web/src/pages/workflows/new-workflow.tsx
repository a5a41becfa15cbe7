import type { CreateStatus } from '@fivetab/domain/status.ts'
import { useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { onceKey } from '../../board/once-key.ts'
import { NAME_MAX } from '../../board/text-lengths.ts'
import { createWorkflow } from '../../board/workflow-changes.ts'
import { announce } from '../../components/announcer.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { FormActions } from '../../components/form.tsx'
import type { Texts } from '../../texts/en.ts'
import { useTexts } from '../../texts/texts.tsx'
import { EmojiField } from './emoji-field.tsx'
import { type Start, StartChoice } from './start-choice.tsx'
import styles from './workflows.module.css'

/** Makes a Workflow: its name, and what it begins with. Everything else is done in its editor. */
export function NewWorkflow({ onClose }: { onClose(): void }) {
  const { workflows, problems, common } = useTexts()
  const change = useChange()
  const [name, setName] = useState('')
  const [emoji, setEmoji] = useState<string | null>(null)
  const [start, setStart] = useState<Start>('simple')
  const [isMissing, setMissing] = useState(false)

  function add(): void {
    const wanted = name.trim()
    setMissing(wanted === '')
    if (wanted === '') return
    onClose()
    announce(workflows.added(wanted))
    void change(createWorkflow({ name: wanted, emoji, statuses: statusesOf(start, workflows) }, onceKey()))
  }

  return (
    <Dialog title={workflows.new} onClose={onClose}>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <TextField
          label={workflows.name}
          maxLength={NAME_MAX}
          autoComplete="off"
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
          problem={isMissing && name.trim() === '' ? problems.too_short : undefined}
        />
        <EmojiField value={emoji} onChange={setEmoji} />
        <StartChoice value={start} onChoose={setStart} />
        <FormActions>
          <Button type="submit" look="main">
            {common.add}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </FormActions>
      </form>
    </Dialog>
  )
}

function statusesOf(start: Start, { starts }: Texts['workflows']): CreateStatus[] {
  const { in_progress, waiting, done } = starts[start]
  return [
    ...in_progress.map((name) => ({ name, disposition: 'in_progress' as const })),
    ...waiting.map((name) => ({ name, disposition: 'waiting' as const })),
    ...done.map((name) => ({ name, disposition: 'done' as const })),
  ]
}
