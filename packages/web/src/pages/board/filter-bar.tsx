import type { KeyboardEvent } from 'react'
import { inOrder } from '../../board/board.ts'
import { useBoard } from '../../board/board-context.tsx'
import { changeFilter, chooseSort, useSort } from '../../board/filter.ts'
import { ALL, type Filter, NONE, SORTS, type Sort } from '../../board/groups.ts'
import { isStored } from '../../board/task-changes.ts'
import { isComposing } from '../../components/composing.ts'
import { SelectField, TextField } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './filter-bar.module.css'

/** The longest search that the service takes, in characters. */
const SEARCH_MAX = 200

interface FilterBarProps {
  id: string
  filter: Filter
  /** Done tasks have an order of their own. */
  hasSort: boolean
  onLeave(): void
}

/** What of the board is to be seen, and in which order. */
export function FilterBar({ id, filter, hasSort, onLeave }: FilterBarProps) {
  const { board: texts } = useTexts()
  const sort = useSort()
  const { projects, workflows } = useBoard()
  const shownProjects = inOrder(projects.values()).filter(
    (project) => isStored(project) && (!project.archived || project.id === filter.project),
  )

  function leave(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
    event.preventDefault()
    changeFilter({ words: '' })
    onLeave()
  }

  return (
    <search id={id} className={styles.bar}>
      <TextField
        type="search"
        label={texts.search}
        placeholder={texts.searchHint}
        data-search
        autoComplete="off"
        maxLength={SEARCH_MAX}
        value={filter.words}
        onChange={(event) => changeFilter({ words: event.target.value })}
        onKeyDown={leave}
      />
      <SelectField label={texts.project} value={filter.project} onChange={(event) => changeFilter({ project: event.target.value })}>
        <option value={ALL}>{texts.allProjects}</option>
        <option value={NONE}>{texts.noProject}</option>
        {shownProjects.map((project) => (
          <option key={project.id} value={project.id}>
            {project.name}
          </option>
        ))}
      </SelectField>
      <SelectField label={texts.workflow} value={filter.workflow} onChange={(event) => changeFilter({ workflow: event.target.value })}>
        <option value={ALL}>{texts.allWorkflows}</option>
        <option value={NONE}>{texts.noWorkflow}</option>
        {inOrder([...workflows.values()].filter(isStored)).map((workflow) => (
          <option key={workflow.id} value={workflow.id}>
            {[workflow.emoji, workflow.name].filter(Boolean).join(' ')}
          </option>
        ))}
      </SelectField>
      {hasSort && (
        <SelectField label={texts.sort} value={sort} onChange={(event) => chooseSort(event.target.value as Sort)}>
          {SORTS.map((one) => (
            <option key={one} value={one}>
              {texts.sorts[one]}
            </option>
          ))}
        </SelectField>
      )}
    </search>
  )
}
