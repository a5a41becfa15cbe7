import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { tidy } from '@fivetab/domain/text.ts'
import { type FormEvent, type KeyboardEvent, type Ref, useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { onceKey } from '../../board/once-key.ts'
import { addStep } from '../../board/step-changes.ts'
import { STEP_NAME_MAX } from '../../board/text-lengths.ts'
import { announce } from '../../components/announcer.tsx'
import { isComposing } from '../../components/composing.ts'
import { TextField } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { draftOf, dropDraft, type Keeper, typeInto } from './drafts.ts'
import styles from './steps.module.css'
import { useTextProblem } from './use-text-problem.ts'
import { useDraft } from './use-typing.ts'

/** Enter adds a step and leaves the field ready for the next. What is typed and not added waits in it, also while the panel is closed. */
export function AddStep({ task, ref }: { task: TaskWire; ref: Ref<HTMLInputElement> }) {
  const texts = useTexts()
  const change = useChange()
  const field = `${task.id} new step`
  const name = useDraft(field)?.text ?? ''
  const problemWith = useTextProblem(STEP_NAME_MAX)
  const [wasTried, setTried] = useState(false)
  const problem = problemWith(name)
  const keeper: Keeper = { tidied: tidy, problemWith, store: async () => false }

  function add(event: FormEvent): void {
    event.preventDefault()
    const tidied = tidy(name)
    setTried(true)
    if (tidied === '' || problem !== null) return
    setTried(false)
    dropDraft(field)
    announce(texts.steps.added(tidied))
    void change(addStep(task.id, { name: tidied }, onceKey())).then((isStored) => {
      // What could not be added is not lost, unless the next is being typed already.
      if (!isStored && draftOf(field) === undefined) typeInto(field, tidied, '', keeper)
    })
  }

  function leave(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || name === '' || isComposing(event.nativeEvent)) return
    dropDraft(field)
    event.stopPropagation()
  }

  return (
    <form noValidate className={styles.add} onSubmit={add}>
      <TextField
        ref={ref}
        label={texts.steps.add}
        isLabelUnseen
        placeholder={texts.steps.add}
        autoComplete="off"
        enterKeyHint="done"
        value={name}
        problem={(wasTried && problem) || undefined}
        onChange={({ target }) => (target.value === '' ? dropDraft(field) : typeInto(field, target.value, '', keeper))}
        onKeyDown={leave}
      />
    </form>
  )
}
