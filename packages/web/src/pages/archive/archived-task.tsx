import type { ProjectWire } from '@fivetab/domain/project.ts'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { Link } from 'wouter'
import { useTabs } from '../../board/tabs.ts'
import { useTaskActions } from '../../board/use-task-actions.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { When } from '../../components/when.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './archive.module.css'

/** An archived task: what it is, and the way back to its tab. */
export function ArchivedTask({ task, project }: { task: TaskWire; project: ProjectWire | undefined }) {
  const { archive } = useTexts()
  const actions = useTaskActions()
  const tab = useTabs().find(({ key }) => key === task.disposition)
  return (
    <li className={styles.task}>
      <div className={styles.what}>
        <Link href={`/tasks/${task.id}`} className={styles.title ?? ''}>
          {task.title}
        </Link>
        <p className={styles.facts}>
          {task.archived_at !== null && (
            <span>
              {archive.archived} <When at={task.archived_at} />
            </span>
          )}
          <span>{tab?.name}</span>
          {project && <span>{project.name}</span>}
        </p>
      </div>
      <div className={styles.actions}>
        <Button icon="restore" onClick={() => actions.unarchive(task)}>
          <span>
            {archive.unarchive}
            <span className="unseen">: {task.title}</span>
          </span>
        </Button>
        <IconButton icon="delete" label={archive.deleteNamed(task.title)} onClick={() => actions.remove(task)} />
      </div>
    </li>
  )
}
