import type { ProjectWire } from '@fivetab/domain/project.ts'
import { useState } from 'react'
import { inOrder } from '../../board/board.ts'
import { useBoard, useChange } from '../../board/board-context.tsx'
import { openTasksBy } from '../../board/open-tasks.ts'
import { archiveProject, deleteProject, placeProject } from '../../board/project-changes.ts'
import { isStored } from '../../board/task-changes.ts'
import { Confirm } from '../../components/dialog.tsx'
import { Empty } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { Sortable } from '../../components/sortable.tsx'
import { tell } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ArchivedProjects } from './archived-projects.tsx'
import { NewProject } from './new-project.tsx'
import { ProjectForm, type TypedProject } from './project-form.tsx'
import { ProjectRow } from './project-row.tsx'
import styles from './projects.module.css'

/** All projects, in the order that the person has put them in. */
export default function ProjectsPage() {
  const { projects: texts, common } = useTexts()
  const board = useBoard()
  const change = useChange()
  const [edited, setEdited] = useState<{ id: string; isOpen: boolean; typed?: TypedProject } | null>(null)
  const [deleting, setDeleting] = useState<ProjectWire | null>(null)
  const all = inOrder(board.projects.values())
  const current = all.filter(({ archived }) => !archived)
  const archived = all.filter((project) => project.archived)
  const counts = openTasksBy(board, ({ project_id }) => project_id)

  function setArchived(project: ProjectWire, to: boolean): void {
    const hide = tell((to ? texts.archivedNow : texts.unarchivedNow)(project.name), {
      undo: () => void change(archiveProject(project, !to)),
    })
    void change(archiveProject(project, to)).then((isDone) => !isDone && hide())
  }

  return (
    <Page title={texts.title} about={texts.about}>
      <div className={styles.card}>
        <NewProject />
        {current.length === 0 ? (
          <Empty icon="project" title={texts.none} />
        ) : (
          <Sortable
            kind="project"
            label={texts.title}
            items={current}
            nameOf={({ name }) => name}
            onMove={(id, position) => {
              const project = board.projects.get(id)
              if (project && isStored(project)) void change(placeProject(project, position))
            }}
          >
            {(project) =>
              project.id === edited?.id && edited.isOpen ? (
                <ProjectForm
                  project={project}
                  typed={edited.typed}
                  onClose={() => setEdited({ id: project.id, isOpen: false })}
                  onRefused={(typed) => setEdited({ id: project.id, isOpen: true, typed })}
                />
              ) : (
                <ProjectRow
                  project={project}
                  openTasks={counts.get(project.id) ?? 0}
                  takesFocus={project.id === edited?.id}
                  onEdit={() => setEdited({ id: project.id, isOpen: true })}
                  onArchive={() => setArchived(project, true)}
                  onDelete={() => setDeleting(project)}
                />
              )
            }
          </Sortable>
        )}
      </div>
      {archived.length > 0 && (
        <Section title={texts.archived} about={texts.archivedAbout}>
          <ArchivedProjects
            projects={archived}
            counts={counts}
            onUnarchive={(project) => setArchived(project, false)}
            onDelete={setDeleting}
          />
        </Section>
      )}
      {deleting !== null && (
        <Confirm
          title={texts.deleteTitle(deleting.name)}
          action={common.delete}
          onClose={() => setDeleting(null)}
          onConfirm={() => {
            setDeleting(null)
            const hide = tell(texts.deletedNow(deleting.name))
            void change(deleteProject(board.projects.get(deleting.id) ?? deleting)).then((isDone) => !isDone && hide())
          }}
        >
          <p>{texts.deleteAbout(counts.get(deleting.id) ?? 0)}</p>
        </Confirm>
      )}
    </Page>
  )
}
