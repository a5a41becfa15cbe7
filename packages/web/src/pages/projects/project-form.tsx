import type { ProjectWire } from '@fivetab/domain/project.ts'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { isInConflict } from '../../board/conflicts.ts'
import { editProject, PROJECT } from '../../board/project-changes.ts'
import { DESCRIPTION_MAX, NAME_MAX } from '../../board/text-lengths.ts'
import { Button } from '../../components/button.tsx'
import { isComposing } from '../../components/composing.ts'
import { TextArea, TextField } from '../../components/field.tsx'
import { FormActions } from '../../components/form.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './projects.module.css'

export interface TypedProject {
  name: string
  description: string
}

interface ProjectFormProps {
  project: ProjectWire
  /** What was typed before, and could not be stored. */
  typed: TypedProject | undefined
  onClose(): void
  onRefused(typed: TypedProject): void
}

/** Changing what a project is called and what is said of it, where it stands. What it was on beginning is what the change is based on. */
export function ProjectForm({ project, typed, onClose, onRefused }: ProjectFormProps) {
  const { projects, problems, common } = useTexts()
  const change = useChange()
  const [base] = useState(project)
  const [name, setName] = useState(typed?.name ?? project.name)
  const [description, setDescription] = useState(typed?.description ?? project.description ?? '')
  const [isMissing, setMissing] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])

  async function save(): Promise<void> {
    const wanted = { name: name.trim(), description: description.trim() || null }
    if (wanted.name === '') {
      setMissing(true)
      field.current?.focus()
      return
    }
    const fields = {
      ...(wanted.name !== base.name && { name: wanted.name }),
      ...(wanted.description !== base.description && { description: wanted.description }),
    }
    onClose()
    if (Object.keys(fields).length === 0 || (await change(editProject(base, fields)))) return
    const isKept = Object.keys(fields).every((field) => isInConflict(PROJECT.lane(base.id), field))
    if (!isKept) onRefused({ name, description })
  }

  return (
    <form
      aria-label={projects.edit(base.name)}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isComposing(event.nativeEvent)) onClose()
      }}
    >
      <TextField
        ref={field}
        label={projects.name}
        maxLength={NAME_MAX}
        autoComplete="off"
        value={name}
        onChange={({ target }) => setName(target.value)}
        problem={isMissing && name.trim() === '' ? problems.too_short : undefined}
      />
      <TextArea
        label={projects.description}
        maxLength={DESCRIPTION_MAX}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <FormActions>
        <Button type="submit" look="main">
          {common.save}
        </Button>
        <Button onClick={onClose}>{common.cancel}</Button>
      </FormActions>
    </form>
  )
}
