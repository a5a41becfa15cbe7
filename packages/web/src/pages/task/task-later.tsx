import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { instantOfLocal, laterChoices, localTimeOf } from '../../board/later.ts'
import { useTaskActions } from '../../board/use-task-actions.ts'
import { timeInWords, weekdayTime } from '../../board/when.ts'
import { usePerson } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import styles from './task-later.module.css'

const MINUTE_MS = 60_000

/** When a task comes back that is put off, and a way to put it off, beside what else can be done to it. */
export function TaskLater({ task, children }: { task: TaskWire; children: ReactNode }) {
  const { later } = useTexts()
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const { putOff } = useTaskActions()
  const isPutOff = task.disposition === 'on_hold'

  function choose(until: number | null): void {
    putOff(task, until)
    setOpen(false)
    opener.current?.focus()
  }

  return (
    <div className={styles.later}>
      {isPutOff && <Waking task={task} />}
      <div className={styles.doing}>
        {children}
        <Button ref={opener} icon={isPutOff ? 'edit' : 'clock'} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {isPutOff ? later.change : later.heading}
        </Button>
      </div>
      <div id={id} className={styles.place}>
        {isOpen && <Choices task={task} onChoose={choose} />}
      </div>
    </div>
  )
}

function Waking({ task }: { task: TaskWire }) {
  const { board, later } = useTexts()
  const language = useLanguage()
  const { time_zone: timeZone } = usePerson()
  const inWords = (time: string) => timeInWords(Date.parse(time), Date.now(), { language, timeZone }, board.days)
  return (
    <p className={styles.waking}>
      <Icon name="clock" size={18} />
      {task.on_hold_until === null ? later.stays : later.wakes(inWords(task.on_hold_until))}
    </p>
  )
}

function Choices({ task, onChoose }: { task: TaskWire; onChoose(until: number | null): void }) {
  const { later } = useTexts()
  const language = useLanguage()
  const { time_zone: timeZone } = usePerson()
  const [choices] = useState(() => laterChoices(Date.now(), timeZone))
  return (
    <fieldset className={styles.choices}>
      <legend className="unseen">{later.until}</legend>
      {choices.map(({ key, until }) => (
        <Button key={key} className={styles.choice} onClick={() => onChoose(until)}>
          <span>{later[key]}</span>
          <span className={styles.when}>{weekdayTime(until, { language, timeZone })}</span>
        </Button>
      ))}
      <Button className={styles.choice} onClick={() => onChoose(null)}>
        {later.noTime}
      </Button>
      <OwnTime task={task} onChoose={onChoose} />
    </fieldset>
  )
}

/** A date and a time by the clocks of the person's own zone, wherever the person is just now. */
function OwnTime({ task, onChoose }: { task: TaskWire; onChoose(until: number): void }) {
  const { later } = useTexts()
  const { time_zone: timeZone } = usePerson()
  const [local, setLocal] = useState(() => (task.on_hold_until === null ? '' : localTimeOf(Date.parse(task.on_hold_until), timeZone)))
  const [problem, setProblem] = useState<string>()
  const isElsewhere = Intl.DateTimeFormat().resolvedOptions().timeZone !== timeZone

  function set(event: FormEvent): void {
    event.preventDefault()
    const until = instantOfLocal(local, timeZone)
    if (until === null) setProblem(later.wrongTime)
    else if (until <= Date.now()) setProblem(later.notInFuture)
    else onChoose(until)
  }

  return (
    <form noValidate className={styles.own} onSubmit={set}>
      <TextField
        type="datetime-local"
        label={later.ownTime}
        help={isElsewhere && later.zone(timeZone)}
        problem={problem}
        min={localTimeOf(Date.now() + MINUTE_MS, timeZone)}
        max="9999-12-31T23:59"
        value={local}
        onChange={({ target }) => {
          setLocal(target.value)
          setProblem(undefined)
        }}
      />
      <Button type="submit" look="main">
        {later.set}
      </Button>
    </form>
  )
}
