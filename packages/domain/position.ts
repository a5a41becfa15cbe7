/** Siblings are ordered by `position`, then by id. */
export interface Positioned {
  id: string
  position: number
}

export function byPosition(a: Positioned, b: Positioned): number {
  return a.position - b.position || (a.id < b.id ? -1 : Number(a.id > b.id))
}

/** The position of one added at the end: the last one's plus 1. `last` is null where there is none yet. */
export function positionAfter(last: number | null): number {
  return last === null ? 1 : last + 1
}

/** A position between two neighbours; null where there is none on that side. */
export function positionBetween(before: number | null, after: number | null): number {
  if (before === null) return after === null ? 1 : after - 1
  return after === null ? before + 1 : (before + after) / 2
}
