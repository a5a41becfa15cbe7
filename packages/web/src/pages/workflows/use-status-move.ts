import type { StatusWire } from '@fivetab/domain/status.ts'
import { useChange } from '../../board/board-context.tsx'
import { useTabs } from '../../board/tabs.ts'
import { tellDone } from '../../board/undo.ts'
import { placeStatus, type StatusPlace } from '../../board/workflow-changes.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Puts a Status into another Disposition, says that its tasks have gone along, and offers to take it back. */
export function useStatusMove(): (status: StatusWire, place: StatusPlace, openTasks: number) => void {
  const { workflows } = useTexts()
  const change = useChange()
  const tabs = useTabs()
  return (status, place, openTasks) => {
    const to = tabs.find(({ key }) => key === place.disposition)?.name ?? ''
    const { disposition, position } = status
    const withdraw = tellDone(
      workflows.moved(status.name, to, openTasks),
      () => void change(placeStatus(status, { disposition, position })),
    )
    void change(placeStatus(status, place)).then((isDone) => !isDone && withdraw())
  }
}
