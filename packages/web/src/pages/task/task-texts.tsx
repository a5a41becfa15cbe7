import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { tidy } from '@fivetab/domain/text.ts'
import { NOTES_MAX } from '../../board/text-lengths.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TITLE_MAX } from '../board/title-problem.ts'
import { InPlaceText } from './in-place-text.tsx'
import { useTaskKeeper } from './use-task-keeper.ts'
import { useTextProblem } from './use-text-problem.ts'

/** With a finger, a field that takes the focus by itself brings up a keyboard over half of the window. */
const HAS_KEYBOARD = window.matchMedia('(pointer: fine)').matches

export function TaskTitle({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const problemWith = useTextProblem(TITLE_MAX, texts.task.titleNeeded)
  const keeper = useTaskKeeper(task, 'title', { tidied: tidy, problemWith, valueOf: (text) => text })
  return (
    <InPlaceText
      look="title"
      field={`${task.id} title`}
      label={texts.task.title}
      placeholder={texts.task.title}
      shown={task.title}
      keeper={keeper}
      isFocusedFirst={HAS_KEYBOARD}
    />
  )
}

export function TaskNotes({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const problemWith = useTextProblem(NOTES_MAX)
  const keeper = useTaskKeeper(task, 'notes', { tidied: tidy, problemWith, valueOf: (text) => (text === '' ? null : text) })
  return (
    <InPlaceText
      look="notes"
      field={`${task.id} notes`}
      label={texts.task.notes}
      placeholder={texts.task.notesHint}
      shown={task.notes ?? ''}
      keeper={keeper}
    />
  )
}
