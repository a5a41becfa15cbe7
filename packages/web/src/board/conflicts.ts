import { storeOf, useStore } from '../client/store.ts'
import type { Conflict } from './changes.ts'

/** Changes that clash with somebody else's, kept with what was typed until the person has decided. */

export interface Kept {
  id: number
  conflict: Conflict
  /** The person has looked at it, and decides later. */
  isAside: boolean
  /** What the person is making of both sides; null before that has begun. */
  merged: string | null
}

const conflicts = storeOf<readonly Kept[]>([])
let lastId = 0

export function keepConflict(conflict: Conflict): void {
  lastId += 1
  const kept: Kept = { id: lastId, conflict, isAside: false, merged: null }
  conflicts.set((before) => [...before, kept])
}

export function settleConflict(conflict: Conflict): void {
  conflicts.set((before) => before.filter((kept) => kept.conflict !== conflict))
}

export function mergeConflict(conflict: Conflict, merged: string): void {
  conflicts.set((before) => before.map((kept) => (kept.conflict === conflict ? { ...kept, merged } : kept)))
}

/** Leaves all of them for later. */
export function setConflictsAside(): void {
  conflicts.set((before) => before.map((kept) => ({ ...kept, isAside: true })))
}

export function takeUpConflicts(): void {
  conflicts.set((before) => before.map((kept) => ({ ...kept, isAside: false })))
}

/** Whether what was typed into this field is among them. */
export function isInConflict(lane: string, field: string): boolean {
  return conflicts.get().some(({ conflict }) => conflict.lane === lane && conflict.fields.some((clash) => clash.field === field))
}

export function useConflicts(): readonly Kept[] {
  return useStore(conflicts)
}
