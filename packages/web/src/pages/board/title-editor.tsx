import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { tidy } from '@fivetab/domain/text.ts'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { editTask } from '../../board/task-changes.ts'
import { isComposing } from '../../components/composing.ts'
import { TextField } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './title-editor.module.css'
import { titleProblem } from './title-problem.ts'

/** The title of a task, to be changed where it stands. Enter and leaving the field save it, Escape leaves it as it was. */
export function TitleEditor({ task, onClose }: { task: TaskWire; onClose(isByKey: boolean): void }) {
  const texts = useTexts()
  const change = useChange()
  // What the person saw on beginning: whatever somebody else has changed since then is held against it.
  const [shown] = useState(task)
  const [title, setTitle] = useState(shown.title)
  const problem = titleProblem(title, texts)
  const field = useRef<HTMLInputElement>(null)
  const save = useRef(() => {})
  save.current = () => {
    save.current = () => {}
    const tidied = tidy(title)
    if (tidied !== '' && tidied !== shown.title && problem === undefined) void change(editTask(shown, { title: tidied }))
  }

  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])

  // A row that somebody else moves away takes its field along, but not what was typed.
  useEffect(() => () => save.current(), [])

  function finish(event: FormEvent): void {
    event.preventDefault()
    if (problem !== undefined) return
    save.current()
    onClose(true)
  }

  function leave(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
    event.preventDefault()
    save.current = () => {}
    onClose(true)
  }

  return (
    <form className={styles.form} onSubmit={finish}>
      <TextField
        ref={field}
        label={texts.board.editTitle}
        isLabelUnseen
        autoComplete="off"
        enterKeyHint="done"
        value={title}
        problem={problem}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={leave}
        onBlur={() => {
          if (problem !== undefined) return
          save.current()
          onClose(false)
        }}
      />
    </form>
  )
}
