import { useMemo } from 'react'
import { Refused, Unreachable } from '../client/http.ts'
import { storeOf, useStore } from '../client/store.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'

/** What the app says in passing: that something was done (and can be undone), or could not be. */

export interface Told {
  id: number
  text: string
  isFailure: boolean
  undo?: () => void
}

const told = storeOf<readonly Told[]>([])
let lastId = 0

/** How long it is shown. What has gone wrong stays until it is dismissed. */
const SHOWN_MS = 8_000

export function tell(text: string, more: { isFailure?: boolean; undo?: () => void; shownMs?: number } = {}): () => void {
  lastId += 1
  const id = lastId
  const one: Told = { id, text, isFailure: more.isFailure ?? false, ...(more.undo && { undo: more.undo }) }
  told.set((before) => [...before, one].slice(-3))
  if (!one.isFailure) setTimeout(() => dismiss(id), more.shownMs ?? SHOWN_MS)
  return () => dismiss(id)
}

export function dismiss(id: number): void {
  told.set((before) => before.filter((one) => one.id !== id))
}

export function useTellings(): readonly Told[] {
  return useStore(told)
}

export function useTold() {
  const texts = useTexts()
  return useMemo(() => ({ tellFailure: (error: unknown) => void tell(inWords(error, texts), { isFailure: true }) }), [texts])
}

/** What went wrong, for the person: in the words of the catalogue where it is an ordinary thing, else in those of the service. */
export function inWords(error: unknown, { failures }: Texts): string {
  if (error instanceof Unreachable) return failures.unreachable
  if (!(error instanceof Refused)) return failures.unexpected
  const { code, detail } = error.problem
  if (code === 'rate_limited') return failures.rateLimited(error.retryAfter ?? 60)
  const known: Partial<Record<string, string>> = failures.byCode
  return known[code] ?? detail
}
