import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { usePerson } from '../../client/session.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'

/** When what has happened to a task. */
export function TaskHistory({ task }: { task: TaskWire }) {
  const { task: texts } = useTexts()
  const language = useLanguage()
  const { time_zone: timeZone } = usePerson()
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const times: [name: string, time: string | null][] = [
    [texts.created, task.created_at],
    [texts.changed, task.updated_at],
    [texts.completed, task.completed_at],
    [texts.archivedAt, task.archived_at],
  ]
  return (
    <Facts>
      {times.map(
        ([name, time]) =>
          time !== null && (
            <Fact key={name} name={name}>
              <time dateTime={time}>{format.format(Date.parse(time))}</time>
            </Fact>
          ),
      )}
    </Facts>
  )
}
