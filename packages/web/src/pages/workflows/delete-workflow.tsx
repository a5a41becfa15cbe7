import type { WorkflowWithStatusesWire } from '@fivetab/domain/workflow.ts'
import { useBoard, useChange } from '../../board/board-context.tsx'
import { deleteWorkflow } from '../../board/workflow-changes.ts'
import { Confirm } from '../../components/dialog.tsx'
import { tell } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'

interface DeleteWorkflowProps {
  workflow: WorkflowWithStatusesWire
  openTasks: number
  onClose(): void
  onDelete(): void
}

/** Asks first. */
export function DeleteWorkflow({ workflow, openTasks, onClose, onDelete }: DeleteWorkflowProps) {
  const { workflows, common } = useTexts()
  const board = useBoard()
  const change = useChange()
  return (
    <Confirm
      title={workflows.deleteTitle(workflow.name)}
      action={common.delete}
      onClose={onClose}
      onConfirm={() => {
        onDelete()
        const hide = tell(workflows.deletedNow(workflow.name))
        void change(deleteWorkflow(board.workflows.get(workflow.id) ?? workflow)).then((isDone) => !isDone && hide())
      }}
    >
      <p>{workflows.deleteAbout(openTasks)}</p>
    </Confirm>
  )
}
