import { useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { onceKey } from '../../board/once-key.ts'
import { createProject } from '../../board/project-changes.ts'
import { NAME_MAX } from '../../board/text-lengths.ts'
import { announce } from '../../components/announcer.tsx'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './projects.module.css'

/** A name and Enter make a project. A name that could not be stored comes back. */
export function NewProject() {
  const { projects, common } = useTexts()
  const change = useChange()
  const [name, setName] = useState('')

  async function add(): Promise<void> {
    const wanted = name.trim()
    if (wanted === '') return
    setName('')
    announce(projects.added(wanted))
    const isDone = await change(createProject({ name: wanted }, onceKey()))
    if (!isDone) setName((typed) => typed || wanted)
  }

  return (
    <form
      aria-label={projects.new}
      className={styles.new}
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <TextField
        label={projects.new}
        isLabelUnseen
        placeholder={projects.new}
        maxLength={NAME_MAX}
        autoComplete="off"
        enterKeyHint="done"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Button type="submit" icon="add">
        {common.add}
      </Button>
    </form>
  )
}
