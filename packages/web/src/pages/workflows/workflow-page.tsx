import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useBoard } from '../../board/board-context.tsx'
import { openTasksBy } from '../../board/open-tasks.ts'
import { useTabs } from '../../board/tabs.ts'
import { IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { AboutWorkflow } from './about-workflow.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { StatusGroup } from './status-group.tsx'
import styles from './workflows.module.css'

/** A Workflow, and its Statuses by Disposition. */
export default function WorkflowPage({ id }: { id: string }) {
  const { workflows: texts } = useTexts()
  const board = useBoard()
  const tabs = useTabs()
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const workflow = board.workflows.get(id)
  const back = (
    <Link href="/workflows" className={styles.back ?? ''}>
      <Icon name="back" size={18} />
      {texts.title}
    </Link>
  )
  if (workflow === undefined) {
    return (
      <Page title={texts.gone} above={back}>
        <Empty icon="workflow" title={texts.goneAbout} />
      </Page>
    )
  }
  const onStatuses = openTasksBy(board, ({ status_id }) => status_id)
  const openTasks = openTasksBy(board, ({ workflow_id }) => workflow_id).get(id) ?? 0
  const [notStarted] = tabs
  return (
    <Page
      title={workflow.name}
      heading={
        <>
          {workflow.emoji} {workflow.name}
        </>
      }
      above={back}
      about={texts.openTasks(openTasks)}
      actions={<IconButton icon="delete" label={texts.deleteNamed(workflow.name)} onClick={() => setDeleting(true)} />}
    >
      <AboutWorkflow workflow={workflow} />
      <div>
        <h2>{texts.statuses}</h2>
        <p className={styles.intro}>
          {texts.statusesAbout} {notStarted && texts.notStartedHasNone(notStarted.name)}
        </p>
      </div>
      <div className={styles.groups}>
        {tabs.map(
          (tab) =>
            tab.key !== 'not_started' && (
              <StatusGroup key={tab.key} workflow={workflow} tab={{ ...tab, key: tab.key }} tabs={tabs} openTasks={onStatuses} />
            ),
        )}
      </div>
      {isDeleting && (
        <DeleteWorkflow
          workflow={workflow}
          openTasks={openTasks}
          onClose={() => setDeleting(false)}
          onDelete={() => navigate('/workflows', { replace: true })}
        />
      )}
    </Page>
  )
}
