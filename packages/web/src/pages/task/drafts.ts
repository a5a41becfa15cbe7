import { storeOf } from '../../client/store.ts'

/**
 * What is typed and not stored yet, by the field that it was typed into. It is kept apart from the page, so that neither a panel that is closed nor a refusal
 * loses any of it.
 */
export interface Draft {
  text: string
  /** What the field showed when typing began. */
  seen: string
  /** Who keeps it. */
  keeper: Keeper
  /** `refused`: there was an attempt to store it, in vain. */
  standing: 'typing' | 'sending' | 'refused'
}

/** What becomes of a text, upon what the person saw when typing began. */
export interface Keeper {
  /** The text as it would be stored. */
  tidied(text: string): string
  /** Why it cannot be stored, for the person; null when it can. */
  problemWith(text: string): string | null
  /** Stores it. True when it need not be kept here any longer. */
  store(text: string): Promise<boolean>
}

const drafts = storeOf<ReadonlyMap<string, Draft>>(new Map())

export const subscribeToDrafts = drafts.subscribe

export function draftOf(field: string): Draft | undefined {
  return drafts.get().get(field)
}

export function hasDrafts(): boolean {
  return drafts.get().size > 0
}

/** The names of the fields with something typed in them, of those that begin so. */
export function draftsWith(start: string): string[] {
  return [...drafts.get().keys()].filter((field) => field.startsWith(start))
}

/** `seen` and `keeper` are those of now; what was typed before was begun upon others, which stay. */
export function typeInto(field: string, text: string, seen: string, keeper: Keeper): void {
  const before = draftOf(field)
  const begun = before === undefined || before.standing === 'sending' ? { seen, keeper } : before
  put(field, { text, seen: begun.seen, keeper: begun.keeper, standing: 'typing' })
}

export function dropDraft(field: string): void {
  drafts.set((before) => {
    const rest = new Map(before)
    rest.delete(field)
    return rest
  })
}

/** Puts back what was dropped. */
export function restoreDraft(field: string, draft: Draft): void {
  put(field, { ...draft, standing: 'typing' })
}

/** Stores what is typed, if it says anything new. It stays a draft until it is stored, and afterwards where it cannot be. */
export async function storeDraft(field: string): Promise<void> {
  const draft = draftOf(field)
  if (draft === undefined || draft.standing === 'sending') return
  const { keeper, seen, text } = draft
  if (keeper.tidied(text) === seen) return dropDraft(field)
  if (keeper.problemWith(text) !== null) return put(field, { ...draft, standing: 'refused' })
  const sending: Draft = { ...draft, standing: 'sending' }
  put(field, sending)
  const isSettled = await keeper.store(keeper.tidied(text))
  // Something else may have been typed meanwhile.
  if (draftOf(field) !== sending) return
  if (isSettled) dropDraft(field)
  else put(field, { ...draft, standing: 'refused' })
}

/** Stores all that is typed. */
export function storeDrafts(): void {
  for (const field of drafts.get().keys()) void storeDraft(field)
}

function put(field: string, draft: Draft): void {
  drafts.set((before) => new Map(before).set(field, draft))
}
