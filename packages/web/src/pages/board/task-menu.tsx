import { inTabOrder, statusOnWire } from '@fivetab/domain/status.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { inOrder } from '../../board/board.ts'
import { useBoard } from '../../board/board-context.tsx'
import { laterChoices } from '../../board/later.ts'
import { type Tab, useTabs } from '../../board/tabs.ts'
import { isStored } from '../../board/task-changes.ts'
import type { TaskActions } from '../../board/use-task-actions.ts'
import { weekdayTime } from '../../board/when.ts'
import { usePerson } from '../../client/session.ts'
import { MenuAt, type MenuChoice } from '../../components/menu.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import { moveToTab } from './move-to-tab.ts'
import type { MenuKind } from './use-row-menu.ts'

interface TaskMenuProps {
  task: TaskWire
  kind: MenuKind
  anchor: HTMLElement
  actions: TaskActions
  onClose(): void
  onMore(kind: MenuKind): void
  onOpen(): void
  onEdit(): void
}

/** What can be done to a task, in a menu. */
export default function TaskMenu(props: TaskMenuProps) {
  const { board } = useTexts()
  const choices = { all: useAllChoices(props), move: useMoveChoices(props), later: useLaterChoices(props), status: useStatusChoices(props) }
  const labels: Record<MenuKind, string> = { all: board.menu, move: board.move, later: board.later, status: board.status }
  return <MenuAt label={labels[props.kind]} anchor={props.anchor} choices={choices[props.kind]} onClose={props.onClose} />
}

function useAllChoices({ task, actions, onMore, onOpen, onEdit }: TaskMenuProps): MenuChoice[] {
  const { board, common } = useTexts()
  const { workflows } = useBoard()
  const hasStatuses = [...workflows.values()].some(({ statuses }) => statuses.length > 0)
  const moves = useTabs()
    .filter(({ key }) => key !== task.disposition && key !== 'on_hold')
    .map(
      (tab): MenuChoice => ({ ...moveTo(tab, task, actions, board.moveTo(tab.name)), icon: tab.key === 'done' ? 'check' : 'arrowRight' }),
    )
  return [
    { key: 'open', label: board.open, icon: 'tasks', onChoose: onOpen },
    { key: 'edit', label: board.editTitle, icon: 'edit', onChoose: onEdit },
    ...moves,
    { key: 'later', label: `${board.later} …`, icon: 'clock', leadsOn: true, onChoose: () => onMore('later') },
    ...(hasStatuses
      ? [{ key: 'status', label: `${board.status} …`, icon: 'workflow', leadsOn: true, onChoose: () => onMore('status') } as const]
      : []),
    { key: 'archive', label: board.archive, icon: 'archive', onChoose: () => actions.archive(task) },
    { key: 'delete', label: common.delete, icon: 'delete', isDangerous: true, onChoose: () => actions.remove(task) },
  ]
}

function useMoveChoices({ task, actions }: TaskMenuProps): MenuChoice[] {
  return useTabs().map((tab, index) => ({ ...moveTo(tab, task, actions, tab.name), note: String(index + 1), hotkey: String(index + 1) }))
}

function moveTo(tab: Tab, task: TaskWire, actions: TaskActions, label: string): MenuChoice {
  return { key: tab.key, label, onChoose: () => moveToTab(task, tab, actions) }
}

function useLaterChoices({ task, actions, onOpen }: TaskMenuProps): MenuChoice[] {
  const { board, later } = useTexts()
  const language = useLanguage()
  const { time_zone: timeZone } = usePerson()
  const choices = laterChoices(Date.now(), timeZone).map(({ key, until }): MenuChoice => {
    const note = weekdayTime(until, { language, timeZone })
    return { key, label: later[key], note, icon: 'clock', onChoose: () => actions.putOff(task, until) }
  })
  return [
    ...choices,
    { key: 'none', label: later.noTime, icon: 'more', onChoose: () => actions.putOff(task, null) },
    { key: 'date', label: board.onDate, icon: 'calendar', onChoose: onOpen },
  ]
}

/** Those of the task's Workflow, or of all where it has none. */
function useStatusChoices({ task, actions }: TaskMenuProps): MenuChoice[] {
  const { board } = useTexts()
  const tabs = useTabs()
  const { workflows } = useBoard()
  const shown = inOrder(workflows.values()).filter(({ id }) => task.workflow_id === null || id === task.workflow_id)
  const choices = shown.flatMap((workflow) =>
    inTabOrder(workflow.statuses.map(statusOnWire))
      .filter((status) => status.id !== task.status_id && isStored(status))
      .map(({ id, name, disposition }): MenuChoice => {
        const label = task.workflow_id === null ? `${[workflow.emoji, workflow.name].filter(Boolean).join(' ')} · ${name}` : name
        const tab = tabs.find(({ key }) => key === disposition)
        return { key: id, label, note: tab?.name ?? '', onChoose: () => actions.move(task, { status_id: id }, name) }
      }),
  )
  const tabName = tabs.find(({ key }) => key === task.disposition)?.name ?? ''
  const none: MenuChoice = {
    key: 'none',
    label: board.noStatus,
    onChoose: () => actions.move(task, { status_id: null }, board.tabWithoutStatus(tabName)),
  }
  if (choices.length === 0 && task.status_id === null) return [{ key: 'nothing', label: board.noStatuses, onChoose: () => undefined }]
  return task.status_id === null ? choices : [...choices, none]
}
