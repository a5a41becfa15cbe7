import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { usePerson } from '../client/session.ts'
import type { Texts } from '../texts/en.ts'
import { useLanguage, useTexts } from '../texts/texts.tsx'
import type { Board } from './board.ts'
import { useChange } from './board-context.tsx'
import type { Change } from './changes.ts'
import { BOARD_KEY } from './pending.ts'
import { tabsOf } from './tabs.ts'
import {
  archive,
  completeTask,
  deleteTask,
  isStored,
  moveTask,
  type Place,
  placeOf,
  placeThatIsLeft,
  putOffTask,
  unarchive,
} from './task-changes.ts'
import { tellDone } from './undo.ts'
import { timeInWords } from './when.ts'

/** What can be done to a task from wherever it is shown: it is done at once, said, and can be taken back. */
export interface TaskActions {
  complete(task: TaskWire): void
  /** Takes a done task back to where it was, as far as that is known. */
  reopen(task: TaskWire): void
  archive(task: TaskWire): void
  unarchive(task: TaskWire): void
  remove(task: TaskWire): void
  /** `placeName` is what the person calls the place. */
  move(task: TaskWire, place: Place, placeName: string): void
  /** Until a time (ms since the epoch), or without one. */
  putOff(task: TaskWire, until: number | null): void
}

/** A task is deleted for good so long after it was said, and can be taken back until then. */
const DELETED_AFTER_MS = 6_000

/** So much of a title is enough to tell which task it is. */
const TITLE_LENGTH = 60

/** Where tasks were that were completed while this page is open; the service does not keep it. */
const placesBefore = new Map<string, Place>()

export function useTaskActions(): TaskActions {
  const change = useChange()
  const client = useQueryClient()
  const texts = useTexts()
  const language = useLanguage()
  const { time_zone: timeZone } = usePerson()

  return useMemo(() => {
    const boardNow = () => client.getQueryData<Board>(BOARD_KEY)
    const left = (place: Place) => {
      const board = boardNow()
      return board === undefined ? place : placeThatIsLeft(board, place)
    }
    const tabName = (task: Pick<TaskWire, 'disposition'>) => nameOfTab(boardNow(), task.disposition, texts)

    function doing(task: TaskWire, text: string, what: Change, back: () => Change): void {
      if (!isStored(task)) return
      const withdraw = tellDone(text, () => void change(back()))
      void change(what).then((isDone) => !isDone && withdraw())
    }

    const goesBack = (task: TaskWire) => () => moveTask(task, left(placeOf(task)))

    return {
      complete(task) {
        placesBefore.set(task.id, placeOf(task))
        doing(task, texts.board.completed(short(task.title)), completeTask(task), goesBack(task))
      },
      reopen(task) {
        const place = left(placesBefore.get(task.id) ?? { disposition: 'not_started' })
        doing(task, texts.board.reopened(short(task.title)), moveTask(task, place), () => completeTask(task))
      },
      archive(task) {
        doing(task, texts.board.archived(short(task.title)), archive(task), () => unarchive(task))
      },
      unarchive(task) {
        doing(task, texts.board.unarchived(short(task.title), tabName(task)), unarchive(task), () => archive(task))
      },
      remove(task) {
        if (!isStored(task)) return
        const decision = decide(texts.board.deleted(short(task.title)))
        void change(deleteTask(task, decision))
      },
      move(task, place, placeName) {
        doing(task, texts.board.moved(short(task.title), placeName), moveTask(task, place), goesBack(task))
      },
      putOff(task, until) {
        const when = until === null ? null : timeInWords(until, Date.now(), { language, timeZone }, texts.board.days)
        const text = when === null ? texts.board.putOff(short(task.title)) : texts.board.putOffUntil(short(task.title), when)
        doing(task, text, putOffTask(task, until), goesBack(task))
      },
    }
  }, [change, client, texts, language, timeZone])
}

/** True once the time to take it back has passed, or the page is closed; false when it was taken back. */
function decide(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isMeant: boolean) => {
      clearTimeout(timer)
      window.removeEventListener('pagehide', goOn)
      resolve(isMeant)
    }
    const withdraw = tellDone(text, () => settle(false), DELETED_AFTER_MS)
    const goOn = () => {
      withdraw()
      settle(true)
    }
    const timer = setTimeout(goOn, DELETED_AFTER_MS)
    window.addEventListener('pagehide', goOn)
  })
}

function nameOfTab(board: Board | undefined, key: TaskWire['disposition'], texts: Texts): string {
  return tabsOf(board?.dispositions ?? [], texts).find((tab) => tab.key === key)?.name ?? texts.dispositions[key]
}

function short(title: string): string {
  const characters = [...title]
  return characters.length > TITLE_LENGTH ? `${characters.slice(0, TITLE_LENGTH).join('')}…` : title
}
