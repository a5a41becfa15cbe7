import type { ProjectWire } from '@fivetab/domain/project.ts'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { changeFilter } from '../../board/filter.ts'
import { NO_FILTER } from '../../board/groups.ts'
import { isStored } from '../../board/task-changes.ts'
import { IconButton } from '../../components/button.tsx'
import { Menu } from '../../components/menu.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './projects.module.css'

interface ProjectRowProps {
  project: ProjectWire
  openTasks: number
  /** It was just edited: the focus comes back to it. */
  takesFocus: boolean
  onEdit(): void
  onArchive(): void
  onDelete(): void
}

export function ProjectRow({ project, openTasks, takesFocus, onEdit, onArchive, onDelete }: ProjectRowProps) {
  const { projects, common } = useTexts()
  const edit = useRef<HTMLButtonElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it comes to be shown
  useEffect(() => {
    if (takesFocus) edit.current?.focus()
  }, [])
  return (
    <div className={styles.row}>
      <div className={styles.about}>
        <span className={styles.name}>{project.name}</span>
        {project.description && <p className={styles.description}>{project.description}</p>}
        <OpenTasks project={project} count={openTasks} />
      </div>
      {isStored(project) && (
        <div className={styles.actions}>
          <IconButton ref={edit} icon="edit" label={projects.edit(project.name)} onClick={onEdit} />
          <Menu
            icon="more"
            label={projects.more(project.name)}
            choices={[
              { key: 'archive', label: projects.archive, icon: 'archive', onChoose: onArchive },
              { key: 'delete', label: common.delete, icon: 'delete', isDangerous: true, onChoose: onDelete },
            ]}
          />
        </div>
      )}
    </div>
  )
}

/** How much there is to do, and the way to it. */
export function OpenTasks({ project, count }: { project: ProjectWire; count: number }) {
  const { projects } = useTexts()
  if (count === 0) return <span className={styles.count}>{projects.openTasks(0)}</span>
  return (
    <Link href="/tabs/in_progress" className={styles.count ?? ''} onClick={() => changeFilter({ ...NO_FILTER, project: project.id })}>
      {projects.openTasks(count)}
      <span className="unseen"> {projects.inProject(project.name)}</span>
    </Link>
  )
}
