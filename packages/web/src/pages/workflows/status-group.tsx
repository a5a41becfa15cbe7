import { MAX_STATUSES, type StatusWire } from '@fivetab/domain/status.ts'
import type { WorkflowWithStatusesWire } from '@fivetab/domain/workflow.ts'
import { type CSSProperties, useId } from 'react'
import { useChange } from '../../board/board-context.tsx'
import type { Tab } from '../../board/tabs.ts'
import { isStored } from '../../board/task-changes.ts'
import { placeStatus, statusesIn } from '../../board/workflow-changes.ts'
import { Sortable } from '../../components/sortable.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NewStatus } from './new-status.tsx'
import styles from './status-group.module.css'
import { StatusRow } from './status-row.tsx'
import { useStatusMove } from './use-status-move.ts'

interface StatusGroupProps {
  workflow: WorkflowWithStatusesWire
  tab: Tab & { key: StatusWire['disposition'] }
  tabs: readonly Tab[]
  /** How many open tasks are on each Status, by its id. */
  openTasks: ReadonlyMap<string | null, number>
}

/** The Statuses of a Workflow in one Disposition, in order. Those of Today are the steps of its tasks, and have numbers. */
export function StatusGroup({ workflow, tab, tabs, openTasks }: StatusGroupProps) {
  const { workflows } = useTexts()
  const change = useChange()
  const move = useStatusMove()
  const id = useId()
  const statuses = statusesIn(workflow, tab.key)
  const isFull = workflow.statuses.length >= MAX_STATUSES

  function drop(dropped: string, position: number): void {
    const status = workflow.statuses.find((one) => one.id === dropped)
    if (status === undefined || !isStored(status)) return
    if (status.disposition === tab.key) void change(placeStatus(status, { position }))
    else move(status, { disposition: tab.key, position }, openTasks.get(dropped) ?? 0)
  }

  return (
    <section aria-labelledby={id} className={styles.group} style={{ '--tab': tab.color } as CSSProperties}>
      <h3 id={id} className={styles.title}>
        {tab.name}
      </h3>
      {tab.key === 'in_progress' && <p className={styles.about}>{workflows.stepsAbout}</p>}
      <div className={styles.list}>
        <Sortable
          kind={`status of ${workflow.id}`}
          label={workflows.statusesIn(tab.name)}
          items={statuses}
          nameOf={({ name }) => name}
          onMove={drop}
          empty={workflows.noStatuses}
        >
          {(status) => (
            <StatusRow
              status={status}
              step={tab.key === 'in_progress' ? statuses.indexOf(status) + 1 : null}
              tabs={tabs}
              openTasks={openTasks.get(status.id) ?? 0}
            />
          )}
        </Sortable>
      </div>
      {isFull ? <p className={styles.about}>{workflows.full(MAX_STATUSES)}</p> : <NewStatus workflowId={workflow.id} tab={tab} />}
    </section>
  )
}
