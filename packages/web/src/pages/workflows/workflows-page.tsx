import type { WorkflowWithStatusesWire } from '@fivetab/domain/workflow.ts'
import { useState } from 'react'
import { inOrder } from '../../board/board.ts'
import { useBoard, useChange } from '../../board/board-context.tsx'
import { openTasksBy } from '../../board/open-tasks.ts'
import { isStored } from '../../board/task-changes.ts'
import { placeWorkflow } from '../../board/workflow-changes.ts'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Sortable } from '../../components/sortable.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { NewWorkflow } from './new-workflow.tsx'
import { WorkflowRow } from './workflow-row.tsx'
import styles from './workflows.module.css'

/** All Workflows, in the order that the person has put them in. */
export default function WorkflowsPage() {
  const { workflows: texts } = useTexts()
  const board = useBoard()
  const change = useChange()
  const [isAdding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<WorkflowWithStatusesWire | null>(null)
  const counts = openTasksBy(board, ({ workflow_id }) => workflow_id)

  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        <Button look="main" icon="add" onClick={() => setAdding(true)}>
          {texts.new}
        </Button>
      }
    >
      <div className={styles.card}>
        {board.workflows.size === 0 ? (
          <Empty icon="workflow" title={texts.none}>
            <p>{texts.noneAbout}</p>
          </Empty>
        ) : (
          <Sortable
            kind="workflow"
            label={texts.title}
            items={inOrder(board.workflows.values())}
            nameOf={({ name }) => name}
            onMove={(id, position) => {
              const workflow = board.workflows.get(id)
              if (workflow && isStored(workflow)) void change(placeWorkflow(workflow, position))
            }}
          >
            {(workflow) => (
              <WorkflowRow workflow={workflow} openTasks={counts.get(workflow.id) ?? 0} onDelete={() => setDeleting(workflow)} />
            )}
          </Sortable>
        )}
      </div>
      {isAdding && <NewWorkflow onClose={() => setAdding(false)} />}
      {deleting !== null && (
        <DeleteWorkflow
          workflow={deleting}
          openTasks={counts.get(deleting.id) ?? 0}
          onClose={() => setDeleting(null)}
          onDelete={() => setDeleting(null)}
        />
      )}
    </Page>
  )
}
