import { useEffect, useState, useSyncExternalStore } from 'react'
import { tell } from '../../components/told.ts'
import { type Draft, draftOf, dropDraft, type Keeper, restoreDraft, storeDraft, subscribeToDrafts, typeInto } from './drafts.ts'

/** A field in which a person types over what is shown there. */

export interface Typing {
  /** What the field shows. */
  text: string
  /** What is wrong with what was typed, once it was to be stored. */
  problem: string | undefined
  /** It was to be stored and is not, for a reason that was told elsewhere. */
  isRefused: boolean
  /** What the field would show by now if nothing were being typed: somebody else has changed it. Null where nobody has. */
  theirs: string | null
  type(text: string): void
  store(): void
  /** Back to what is stored. Answers whether there was anything to go back from. */
  goBack(): boolean
  /** There is something to come back to. */
  wasPutAway: boolean
  getBack(): void
}

/** `field` names it among all fields of the page; `shown` is what it shows when nothing is typed. */
export function useTyping(field: string, shown: string, keeper: Keeper): Typing {
  const draft = useDraft(field)
  const [putAway, setPutAway] = useState<Draft | null>(null)
  useStoringOnLeaving(field)
  const isTyped = draft !== undefined && draft.standing !== 'sending'
  const problem = draft?.standing === 'refused' ? draft.keeper.problemWith(draft.text) : null
  return {
    text: draft?.text ?? shown,
    problem: problem ?? undefined,
    isRefused: draft?.standing === 'refused' && problem === null,
    theirs: isTyped && shown !== draft.seen && shown !== draft.keeper.tidied(draft.text) ? shown : null,
    type: (text) => {
      setPutAway(null)
      typeInto(field, text, shown, keeper)
    },
    store: () => void storeDraft(field),
    goBack: () => {
      if (!isTyped || draft.text === shown) return false
      setPutAway(draft)
      dropDraft(field)
      return true
    },
    wasPutAway: putAway !== null && draft === undefined,
    getBack: () => {
      if (putAway !== null) restoreDraft(field, putAway)
      setPutAway(null)
    },
  }
}

export function useDraft(field: string): Draft | undefined {
  return useSyncExternalStore(subscribeToDrafts, () => draftOf(field))
}

/** What is typed is stored when its field goes, too. What cannot be is said, since the field can no longer say it. */
function useStoringOnLeaving(field: string): void {
  useEffect(
    () => () => {
      void storeDraft(field)
      const draft = draftOf(field)
      const problem = draft?.standing === 'refused' ? draft.keeper.problemWith(draft.text) : null
      if (problem !== null) tell(problem, { isFailure: true })
    },
    [field],
  )
}
