import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { useTaskActions } from '../../board/use-task-actions.ts'
import { IconButton } from '../../components/button.tsx'
import { copied } from '../../components/copy-button.tsx'
import { Menu } from '../../components/menu.tsx'
import { tell } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'

/** What can be done to a task as a whole. */
export function TaskMenu({ task, onDelete }: { task: TaskWire; onDelete(): void }) {
  const texts = useTexts()
  const actions = useTaskActions()

  async function copyLink(): Promise<void> {
    const isCopied = await copied(new URL(`/tasks/${task.id}`, window.location.origin).href)
    tell(isCopied ? texts.task.linkCopied : texts.common.copyFailed, { isFailure: !isCopied })
  }

  return (
    <>
      <IconButton icon="link" label={texts.task.copyLink} onClick={() => void copyLink()} />
      <Menu
        icon="more"
        label={texts.task.more}
        choices={[
          task.archived
            ? { key: 'unarchive', label: texts.task.unarchive, icon: 'restore', onChoose: () => actions.unarchive(task) }
            : { key: 'archive', label: texts.task.archive, icon: 'archive', onChoose: () => actions.archive(task) },
          {
            key: 'delete',
            label: texts.common.delete,
            icon: 'delete',
            isDangerous: true,
            onChoose: () => {
              actions.remove(task)
              onDelete()
            },
          },
        ]}
      />
    </>
  )
}
