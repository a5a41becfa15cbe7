import { DAY_MS } from './time.ts'

/**
 * A person who is signed in somewhere: what is known of it besides the secret value in the cookie. Times are ms since the epoch.
 *
 * It ends 30 days after its last use, and 365 days after it was made at the latest.
 */
export interface Session {
  id: string
  accountId: string
  /** What the browser calls itself; null when it says nothing that could be shown. */
  userAgent: string | null
  createdAt: number
  lastUsedAt: number
  expiresAt: number
}

const UNUSED_MS = 30 * DAY_MS
/** However much it is used. */
export const LONGEST_SESSION_MS = 365 * DAY_MS

/** A use within this time of the last one is not written down: what a session was last used is not known better than that. */
const USE_PRECISION_MS = 10 * 60_000

/** When a session ends that is not used again. */
export function endOfSession(createdAt: number, lastUsedAt: number): number {
  return Math.min(lastUsedAt + UNUSED_MS, createdAt + LONGEST_SESSION_MS)
}

export function hasEnded(session: Pick<Session, 'expiresAt'>, now: number): boolean {
  return session.expiresAt <= now
}

/** The session after a use; the very same when that is not worth writing down. */
export function usedSession(session: Session, now: number): Session {
  if (now < session.lastUsedAt + USE_PRECISION_MS) return session
  return { ...session, lastUsedAt: now, expiresAt: endOfSession(session.createdAt, now) }
}
