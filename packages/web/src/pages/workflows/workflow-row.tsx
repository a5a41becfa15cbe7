import type { WorkflowWithStatusesWire } from '@fivetab/domain/workflow.ts'
import { Link } from 'wouter'
import { isStored } from '../../board/task-changes.ts'
import { statusesIn } from '../../board/workflow-changes.ts'
import { IconButton } from '../../components/button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './workflows.module.css'

interface WorkflowRowProps {
  workflow: WorkflowWithStatusesWire
  openTasks: number
  onDelete(): void
}

export function WorkflowRow({ workflow, openTasks, onDelete }: WorkflowRowProps) {
  const { workflows } = useTexts()
  const steps = statusesIn(workflow, 'in_progress')
  return (
    <div className={styles.row}>
      <span className={styles.emoji}>{workflow.emoji}</span>
      <div className={styles.about}>
        {isStored(workflow) ? (
          <Link href={`/workflows/${workflow.id}`} className={styles.name ?? ''}>
            {workflow.name}
          </Link>
        ) : (
          <span className={styles.name}>{workflow.name}</span>
        )}
        {steps.length > 0 && <p className={styles.steps}>{steps.map(({ name }) => name).join(' → ')}</p>}
        <p className={styles.count}>{workflows.openTasks(openTasks)}</p>
      </div>
      {isStored(workflow) && <IconButton icon="delete" label={workflows.deleteNamed(workflow.name)} onClick={onDelete} />}
    </div>
  )
}
