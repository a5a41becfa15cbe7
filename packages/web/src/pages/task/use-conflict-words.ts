import { useBoard } from '../../board/board-context.tsx'
import { useTabs } from '../../board/tabs.ts'
import { dayInWords, minutesInWords } from '../../board/when.ts'
import { usePerson } from '../../client/session.ts'
import { useLanguage, useTexts } from '../../texts/texts.tsx'

interface ConflictWords {
  /** What the thing is called that was changed by two; null when it is not known. */
  name: string | null
  fieldName(field: string): string
  /** Null for nothing. */
  valueInWords(field: string, value: unknown): string | null
}

/** What a conflict is about, for the person. `lane` names the thing, as `task:<id>`. */
export function useConflictWords(lane: string): ConflictWords {
  const texts = useTexts()
  const language = useLanguage()
  const board = useBoard()
  const tabs = useTabs()
  const { time_zone: timeZone } = usePerson()
  const [kind, id = ''] = lane.split(':')
  const fields: Partial<Record<string, string>> = texts.conflict.fields

  function nameOf(): string | null {
    if (kind === 'task') return board.tasks.get(id)?.title ?? null
    if (kind === 'project') return board.projects.get(id)?.name ?? null
    if (kind === 'workflow') return board.workflows.get(id)?.name ?? null
    const statuses = [...board.workflows.values()].flatMap((workflow) => workflow.statuses)
    if (kind === 'status') return statuses.find((status) => status.id === id)?.name ?? null
    return null
  }

  function valueInWords(field: string, value: unknown): string | null {
    if (value === null || value === undefined || value === '') return null
    if (field === 'due_date') return dayInWords(String(value), Date.now(), { language, timeZone }, texts.board.days)
    if (field === 'estimate_minutes') return minutesInWords(Number(value), language)
    if (field === 'project_id') return board.projects.get(String(value))?.name ?? String(value)
    if (field === 'disposition') return tabs.find(({ key }) => key === value)?.name ?? String(value)
    return String(value)
  }

  return { name: nameOf(), fieldName: (field) => fields[field] ?? field, valueInWords }
}
