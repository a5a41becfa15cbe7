import type { StatusWire } from '@fivetab/domain/status.ts'
import { tidy } from '@fivetab/domain/text.ts'
import { useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { isInConflict } from '../../board/conflicts.ts'
import type { Tab } from '../../board/tabs.ts'
import { isStored } from '../../board/task-changes.ts'
import { NAME_MAX } from '../../board/text-lengths.ts'
import { deleteStatus, renameStatus, STATUS } from '../../board/workflow-changes.ts'
import { Confirm } from '../../components/dialog.tsx'
import { Menu } from '../../components/menu.tsx'
import { tell } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'
import { InPlaceText } from '../task/in-place-text.tsx'
import { useTextProblem } from '../task/use-text-problem.ts'
import styles from './status-group.module.css'
import { useStatusMove } from './use-status-move.ts'

interface StatusRowProps {
  status: StatusWire
  /** Which step it is, from 1; null for one that is none. */
  step: number | null
  tabs: readonly Tab[]
  openTasks: number
}

export function StatusRow({ status, step, tabs, openTasks }: StatusRowProps) {
  const { workflows, common } = useTexts()
  const change = useChange()
  const [isDeleting, setDeleting] = useState(false)
  const problemWith = useTextProblem(NAME_MAX, workflows.nameNeeded)

  async function store(name: string): Promise<boolean> {
    return (await change(renameStatus(status, name))) || isInConflict(STATUS.lane(status.id), 'name')
  }

  if (!isStored(status)) return <div className={styles.row}>{status.name}</div>
  return (
    <div className={styles.row}>
      {step !== null && (
        <span className={styles.step}>
          <span className="unseen">{workflows.step} </span>
          {step}
        </span>
      )}
      <div className={styles.name}>
        <InPlaceText
          look="step"
          field={`${status.id} name`}
          label={workflows.statusName}
          shown={status.name}
          keeper={{ tidied: tidy, problemWith, store }}
        />
      </div>
      {openTasks > 0 && (
        <span className={styles.count} title={workflows.openTasks(openTasks)}>
          <span aria-hidden="true">{openTasks}</span>
          <span className="unseen">{workflows.openTasks(openTasks)}</span>
        </span>
      )}
      <StatusMenu status={status} tabs={tabs} openTasks={openTasks} onDelete={() => setDeleting(true)} />
      {isDeleting && (
        <Confirm
          title={workflows.deleteStatusTitle(status.name)}
          action={common.delete}
          onClose={() => setDeleting(false)}
          onConfirm={() => {
            setDeleting(false)
            const hide = tell(workflows.deletedNow(status.name))
            void change(deleteStatus(status)).then((isDone) => !isDone && hide())
          }}
        >
          <p>{workflows.deleteStatusAbout(openTasks)}</p>
          {step !== null && <p>{workflows.deleteStepAbout}</p>}
        </Confirm>
      )}
    </div>
  )
}

interface StatusMenuProps extends Omit<StatusRowProps, 'step'> {
  onDelete(): void
}

function StatusMenu({ status, tabs, openTasks, onDelete }: StatusMenuProps) {
  const { workflows, common } = useTexts()
  const move = useStatusMove()
  const others = tabs.flatMap(({ key, name }) => (key === 'not_started' || key === status.disposition ? [] : [{ key, name }]))
  return (
    <Menu
      icon="more"
      label={workflows.moreOf(status.name)}
      choices={[
        ...others.map(({ key, name }) => ({
          key,
          label: workflows.moveTo(name),
          onChoose: () => move(status, { disposition: key }, openTasks),
        })),
        { key: 'delete', label: common.delete, icon: 'delete', isDangerous: true, onChoose: onDelete },
      ]}
    />
  )
}
