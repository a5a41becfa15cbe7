import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { inOrder } from '../../board/board.ts'
import { useBoard, useChange } from '../../board/board-context.tsx'
import { isDisposition, useTabs } from '../../board/tabs.ts'
import { editTask, isStored, moveTask } from '../../board/task-changes.ts'
import { SelectField } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Where a task belongs: each choice is one from a list. What is chosen for nothing has no id. */

const NONE = ''

export function TabField({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const tabs = useTabs()
  const change = useChange()
  return (
    <SelectField
      label={texts.task.tab}
      value={task.disposition}
      onChange={({ target }) => isDisposition(target.value) && void change(moveTask(task, { disposition: target.value }))}
    >
      {tabs.map(({ key, name }) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

/** An archived project is offered only to the task that is in it. */
export function ProjectField({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const { projects } = useBoard()
  const change = useChange()
  const offered = inOrder(projects.values()).filter((project) => isStored(project) && (!project.archived || project.id === task.project_id))
  return (
    <SelectField
      label={texts.task.project}
      value={task.project_id ?? NONE}
      onChange={({ target }) => void change(editTask(task, { project_id: idIn(target.value) }))}
    >
      <option value={NONE}>{texts.task.noProject}</option>
      {offered.map(({ id, name, archived }) => (
        <option key={id} value={id}>
          {archived ? texts.task.archivedProject(name) : name}
        </option>
      ))}
    </SelectField>
  )
}

export function WorkflowField({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const { workflows } = useBoard()
  const change = useChange()
  const hasProgress = task.workflow_id !== null && (task.steps_completed > 0 || (task.steps_total > 0 && task.estimate_minutes !== 0))
  return (
    <SelectField
      label={texts.task.workflow}
      value={task.workflow_id ?? NONE}
      help={hasProgress && texts.task.stepsBeginAnew}
      onChange={({ target }) => void change(moveTask(task, { workflow_id: idIn(target.value) }))}
    >
      <option value={NONE}>{texts.task.noWorkflow}</option>
      {inOrder([...workflows.values()].filter(isStored)).map(({ id, name, emoji }) => (
        <option key={id} value={id}>
          {emoji === null ? name : `${emoji} ${name}`}
        </option>
      ))}
    </SelectField>
  )
}

/** The Statuses of the task's Workflow, tab by tab. */
export function StatusField({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const tabs = useTabs()
  const { workflows } = useBoard()
  const change = useChange()
  const workflow = workflows.get(task.workflow_id ?? NONE)
  if (workflow === undefined) return null
  const groups = tabs.map(({ key, name }) => ({
    key,
    name,
    statuses: inOrder(workflow.statuses.filter((one) => one.disposition === key && isStored(one))),
  }))
  return (
    <SelectField
      label={texts.task.status}
      value={task.status_id ?? NONE}
      onChange={({ target }) => void change(moveTask(task, { status_id: idIn(target.value) }))}
    >
      <option value={NONE}>{texts.task.noStatus}</option>
      {groups
        .filter(({ statuses }) => statuses.length > 0)
        .map(({ key, name, statuses }) => (
          <optgroup key={key} label={name}>
            {statuses.map((status) => (
              <option key={status.id} value={status.id}>
                {status.name}
              </option>
            ))}
          </optgroup>
        ))}
    </SelectField>
  )
}

function idIn(value: string): string | null {
  return value === NONE ? null : value
}
