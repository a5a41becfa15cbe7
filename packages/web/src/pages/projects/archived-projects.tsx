import type { ProjectWire } from '@fivetab/domain/project.ts'
import { useRef } from 'react'
import { IconButton } from '../../components/button.tsx'
import { useKeptFocus } from '../../components/use-kept-focus.ts'
import { useTexts } from '../../texts/texts.tsx'
import { OpenTasks } from './project-row.tsx'
import styles from './projects.module.css'

interface ArchivedProjectsProps {
  projects: readonly ProjectWire[]
  counts: ReadonlyMap<string | null, number>
  onUnarchive(project: ProjectWire): void
  onDelete(project: ProjectWire): void
}

export function ArchivedProjects({ projects, counts, onUnarchive, onDelete }: ArchivedProjectsProps) {
  const { projects: texts } = useTexts()
  const list = useRef<HTMLUListElement>(null)
  useKeptFocus(
    list,
    projects.map(({ id }) => id),
  )
  return (
    <ul ref={list} aria-label={texts.archived}>
      {projects.map((project) => (
        <li key={project.id} className={styles.row}>
          <div className={styles.about}>
            <span className={styles.name}>{project.name}</span>
            <OpenTasks project={project} count={counts.get(project.id) ?? 0} />
          </div>
          <div className={styles.actions}>
            <IconButton icon="restore" label={texts.unarchive(project.name)} onClick={() => onUnarchive(project)} />
            <IconButton icon="delete" label={texts.deleteNamed(project.name)} onClick={() => onDelete(project)} />
          </div>
        </li>
      ))}
    </ul>
  )
}
