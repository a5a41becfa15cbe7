import { Button } from '../../components/button.tsx'
import { TextArea } from '../../components/field.tsx'
import { Empty } from '../../components/notice.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { draftOf, draftsWith } from './drafts.ts'
import styles from './task-panel.module.css'

/** There is no such task, or none any more. What was typed for it can still be taken from here. */
export function GoneTask({ id, onClose }: { id: string; onClose(): void }) {
  const { common, task } = useTexts()
  const typed = draftsWith(`${id} `).map((field) => ({ field, text: draftOf(field)?.text ?? '' }))
  return (
    <div className={styles.task}>
      <Empty icon="tasks" title={task.gone}>
        <p>{task.goneWhy}</p>
        <Button onClick={onClose}>{common.close}</Button>
      </Empty>
      {typed.map(({ field, text }) => (
        <TextArea key={field} readOnly label={task.goneTyped} value={text} />
      ))}
    </div>
  )
}
