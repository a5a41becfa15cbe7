/** Who has the focus after `gone` has left the list: the next that is still there, else the one before; null where none is. */
export function successorOf(gone: string, before: readonly string[], now: readonly string[]): string | null {
  const index = before.indexOf(gone)
  if (index === -1) return null
  const stays = new Set(now)
  return before.slice(index + 1).find((id) => stays.has(id)) ?? before.slice(0, index).findLast((id) => stays.has(id)) ?? null
}
