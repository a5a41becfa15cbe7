import type { Disposition } from '@fivetab/domain/disposition.ts'
import { tidy } from '@fivetab/domain/text.ts'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { useBoard, useChange } from '../../board/board-context.tsx'
import { changeFilter } from '../../board/filter.ts'
import { ALL, type Filter, holds, NONE, wordsOf } from '../../board/groups.ts'
import { onceKey } from '../../board/once-key.ts'
import { createTask } from '../../board/task-changes.ts'
import { announce } from '../../components/announcer.tsx'
import { isComposing } from '../../components/composing.ts'
import { TextField } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './quick-add.module.css'
import { titleProblem } from './title-problem.ts'

interface QuickAddProps {
  disposition: Disposition
  tabName: string
  filter: Filter
  onLeave(): void
}

/** Enter makes a task of what is typed, here and with what the filter asks for, and leaves the field ready for the next. */
export function QuickAdd({ disposition, tabName, filter, onLeave }: QuickAddProps) {
  const texts = useTexts()
  const board = useBoard()
  const change = useChange()
  const [title, setTitle] = useState('')
  const problem = titleProblem(title, texts)

  function add(event: FormEvent): void {
    event.preventDefault()
    const tidied = tidy(title)
    if (tidied === '' || problem !== undefined) return
    const project_id = chosen(filter.project, board.projects)
    const workflow_id = chosen(filter.workflow, board.workflows)
    // A search that would hide the new task has served its turn.
    if (!holds({ title: tidied, notes: null }, wordsOf(filter.words))) changeFilter({ words: '' })
    const input = { title: tidied, disposition, ...(project_id && { project_id }), ...(workflow_id && { workflow_id }) }
    setTitle('')
    announce(texts.board.added(tidied))
    void change(createTask(input, onceKey())).then((isStored) => {
      // What could not be added is not lost, unless the next is being typed already.
      if (!isStored) setTitle((now) => (now === '' ? tidied : now))
    })
  }

  function leave(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
    event.preventDefault()
    onLeave()
  }

  return (
    <form className={styles.form} onSubmit={add}>
      <TextField
        label={texts.board.add(tabName)}
        isLabelUnseen
        placeholder={texts.board.add(tabName)}
        data-quick-add
        autoComplete="off"
        enterKeyHint="done"
        value={title}
        problem={problem}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={leave}
      />
    </form>
  )
}

/** The one that the filter asks for, where it asks for one. */
function chosen(choice: string, things: ReadonlyMap<string, unknown>): string | null {
  return choice !== ALL && choice !== NONE && things.has(choice) ? choice : null
}
