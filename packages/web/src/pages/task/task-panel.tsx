import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import type { ReactNode } from 'react'
import { takeUpConflicts, useConflicts } from '../../board/conflicts.ts'
import { useUnsaved } from '../../board/pending.ts'
import { TASK } from '../../board/task-changes.ts'
import { useTaskActions } from '../../board/use-task-actions.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Loading, Notice } from '../../components/notice.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { GoneTask } from './gone-task.tsx'
import { Steps } from './steps.tsx'
import { TaskHistory } from './task-history.tsx'
import { TaskLater } from './task-later.tsx'
import { TaskMenu } from './task-menu.tsx'
import { DueField, EstimateField } from './task-numbers.tsx'
import styles from './task-panel.module.css'
import { ProjectField, StatusField, TabField, WorkflowField } from './task-place.tsx'
import { TaskNotes, TaskTitle } from './task-texts.tsx'
import { useTask } from './use-task.ts'

interface TaskPanelProps {
  id: string
  onClose: () => void
}

/** All there is to a task, to be looked at and changed beside the board. */
export default function TaskPanel({ id, onClose }: TaskPanelProps) {
  const texts = useTexts()
  const { task, isGone, isFailed, again } = useTask(id)
  return (
    <Dialog isPanel title={texts.task.heading} onClose={onClose} actions={task !== null && <TaskMenu task={task} onDelete={onClose} />}>
      {task !== null && <OpenTask key={task.id} task={task} />}
      {task === null && isGone && <GoneTask id={id} onClose={onClose} />}
      {task === null && isFailed && <NotLoaded again={again} />}
      {task === null && !isGone && !isFailed && <Loading label={texts.task.loading} />}
    </Dialog>
  )
}

function OpenTask({ task }: { task: TaskWire }) {
  const { task: texts } = useTexts()
  return (
    <div className={styles.task}>
      <Standing task={task} />
      <TaskTitle task={task} />
      <TaskLater task={task}>
        <Completing task={task} />
      </TaskLater>
      <TaskNotes task={task} />
      <Part title={texts.place}>
        <div className={styles.fields}>
          <TabField task={task} />
          <ProjectField task={task} />
          <WorkflowField task={task} />
          <StatusField task={task} />
          <DueField task={task} />
          <EstimateField task={task} />
        </div>
      </Part>
      <Steps task={task} />
      <Part title={texts.history}>
        <TaskHistory task={task} />
      </Part>
    </div>
  )
}

/** A part of the task; its heading is for those who hear the page. */
function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.part}>
      <h3 className="unseen">{title}</h3>
      {children}
    </section>
  )
}

/** What is out of the ordinary about a task. */
function Standing({ task }: { task: TaskWire }) {
  const texts = useTexts()
  const { unarchive } = useTaskActions()
  const { isHeldUp } = useUnsaved()
  const isInConflict = useConflicts().some(({ conflict }) => conflict.lane === TASK.lane(task.id))
  return (
    <div className={styles.standing}>
      {isInConflict && (
        <Notice kind="warning">
          <div className={styles.notice}>
            <p>{texts.conflict.waiting(1)}</p>
            <Button onClick={takeUpConflicts}>{texts.conflict.look}</Button>
          </div>
        </Notice>
      )}
      <div role="status">
        {isHeldUp && (
          <Notice kind="warning">
            <p>{texts.task.storing}</p>
          </Notice>
        )}
      </div>
      {task.archived && (
        <Notice>
          <div className={styles.notice}>
            <p>{texts.task.isArchived}</p>
            <Button icon="restore" onClick={() => unarchive(task)}>
              {texts.task.unarchive}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  )
}

function Completing({ task }: { task: TaskWire }) {
  const { task: texts } = useTexts()
  const { complete, reopen } = useTaskActions()
  const isDone = task.disposition === 'done'
  // The second press of two was not meant for what the button has become after the first.
  const press = (presses: number) => presses < 2 && (isDone ? reopen(task) : complete(task))
  return (
    <Button icon={isDone ? 'restore' : 'check'} onClick={({ detail }) => press(detail)}>
      {isDone ? texts.reopen : texts.complete}
    </Button>
  )
}

function NotLoaded({ again }: { again(): void }) {
  const texts = useTexts()
  return (
    <div role="alert" className={styles.part}>
      <p>{texts.task.notLoaded}</p>
      <Button onClick={again}>{texts.common.tryAgain}</Button>
    </div>
  )
}
