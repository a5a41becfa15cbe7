import { useEffect, useId, useRef } from 'react'
import { type Kept, mergeConflict, setConflictsAside, settleConflict, useConflicts } from '../../board/conflicts.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextArea } from '../../components/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './conflict-dialog.module.css'
import { useConflictWords } from './use-conflict-words.ts'
import { useDecision, useMerging } from './use-decision.ts'

/** What was typed and what somebody else has stored meanwhile, one conflict after another. Closing it decides nothing, and loses nothing. */
export default function ConflictDialog() {
  const texts = useTexts()
  const open = useConflicts().filter(({ isAside }) => !isAside)
  const [first] = open
  if (first === undefined) return null
  return (
    <Dialog title={texts.conflict.heading} onClose={setConflictsAside}>
      <OneConflict key={first.id} kept={first} waiting={open.length - 1} />
    </Dialog>
  )
}

function OneConflict({ kept, waiting }: { kept: Kept; waiting: number }) {
  const { conflict: texts } = useTexts()
  const { conflict } = kept
  const words = useConflictWords(conflict.lane)
  const page = useRef<HTMLDivElement>(null)
  // Where one has gone and the next has come, no button of it has the focus that the last press left.
  useEffect(() => page.current?.focus(), [])
  return (
    <div ref={page} tabIndex={-1} className={styles.conflict}>
      <p>{words.name === null ? texts.why : texts.whyOf(words.name)}</p>
      {conflict.fields.map(({ field, theirs, mine }) => (
        <BothSides
          key={field}
          label={words.fieldName(field)}
          theirs={words.valueInWords(field, theirs)}
          mine={words.valueInWords(field, mine)}
        />
      ))}
      <Choices kept={kept} />
      {waiting > 0 && <p className={styles.waiting}>{texts.more(waiting)}</p>}
    </div>
  )
}

function Choices({ kept: { conflict, merged } }: { kept: Kept }) {
  const { conflict: texts } = useTexts()
  const decide = useDecision(conflict)
  const merging = useMerging(conflict)
  const problem = (merged !== null && merging?.problemWith(merged)) || undefined
  return (
    <>
      {merging !== null && merged !== null && (
        <TextArea
          label={texts.merged}
          problem={problem}
          autoFocus
          value={merged}
          onChange={({ target }) => mergeConflict(conflict, target.value)}
        />
      )}
      <div className={styles.choices}>
        <Button onClick={() => settleConflict(conflict)}>{texts.keepTheirs}</Button>
        <Button look={merged === null ? 'main' : 'plain'} onClick={() => decide(conflict.insist())}>
          {texts.takeMine}
        </Button>
        {merging !== null && merged === null && <Button onClick={() => mergeConflict(conflict, merging.mine)}>{texts.merge}</Button>}
        {merging !== null && merged !== null && (
          <Button
            look="main"
            aria-disabled={problem !== undefined || undefined}
            onClick={() => problem === undefined && decide(merging.changeTo(merged))}
          >
            {texts.saveMerged}
          </Button>
        )}
        <Button look="quiet" onClick={setConflictsAside}>
          {texts.later}
        </Button>
      </div>
    </>
  )
}

/** Both as they are, in full. */
function BothSides({ label, theirs, mine }: { label: string; theirs: string | null; mine: string | null }) {
  const { conflict } = useTexts()
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles.field}>
      <h3 id={id}>{label}</h3>
      <dl className={styles.sides}>
        <div>
          <dt>{conflict.theirs}</dt>
          <dd className={styles.side}>{theirs ?? <em>{conflict.nothing}</em>}</dd>
        </div>
        <div>
          <dt>{conflict.mine}</dt>
          <dd className={`${styles.side} ${styles.mine}`}>{mine ?? <em>{conflict.nothing}</em>}</dd>
        </div>
      </dl>
    </section>
  )
}
