import { Failure } from '@fivetab/domain/failure.ts'
import { endOfSession, hasEnded, type Session } from '@fivetab/domain/session.ts'
import { isOneLine, tidy } from '@fivetab/domain/text.ts'
import { newId } from '../store/ids.ts'
import {
  deleteLeastUsedSessions,
  deleteSession,
  deleteSessionsOf,
  insertSession,
  type SessionAdmittance,
  sessionAdmittance,
  sessionsOf,
} from '../store/sessions.ts'
import type { Writer } from '../store/store.ts'
import type { Gate, Visitor } from './gate.ts'
import { hashOfSecret, makeSecret } from './secrets.ts'

/** A person who is signed in now: the session, and the value that proves it, which is in the answer and nowhere else. */
export interface SignedIn {
  session: Session
  /** For the cookie. */
  value: string
}

/** Whoever signs in once more is signed out where that was used longest ago. */
const MAX_SESSIONS = 100
const MAX_USER_AGENT = 400

/** Begins a session, in the transaction in which it was found that the person may. */
export async function beginSession(
  writer: Writer,
  { clock, random }: Pick<Gate, 'clock' | 'random'>,
  accountId: string,
  visitor: Visitor,
): Promise<SignedIn> {
  const now = clock()
  const value = makeSecret(random)
  const session: Session = {
    id: newId(now, random),
    accountId,
    userAgent: shownUserAgent(visitor.userAgent),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: endOfSession(now, now),
  }
  // Room is made before: where the clock was set back, the new one could be the one that was used longest ago.
  await deleteLeastUsedSessions(writer, accountId, MAX_SESSIONS - 1)
  await insertSession(writer, session, hashOfSecret(value))
  return { session, value }
}

function shownUserAgent(text: string | null): string | null {
  const shown = [...tidy(text ?? '')].slice(0, MAX_USER_AGENT).join('')
  return shown === '' || !isOneLine(shown) ? null : shown
}

/** The session that has this value, with its account and plan; undefined when there is none, or it has ended. */
export async function sessionOf({ store, clock }: Pick<Gate, 'store' | 'clock'>, value: string): Promise<SessionAdmittance | undefined> {
  const found = await sessionAdmittance(store, hashOfSecret(value))
  return found === undefined || hasEnded(found.session, clock()) ? undefined : found
}

/** The account's sessions, oldest first. */
export function listSessions({ store, clock }: Pick<Gate, 'store' | 'clock'>, accountId: string): Promise<Session[]> {
  return sessionsOf(store, accountId, clock())
}

/** Ends this session; one that has ended already is left at that. */
export async function signOut({ store }: Pick<Gate, 'store'>, { accountId, id }: Session): Promise<void> {
  await store.transact((writer) => deleteSession(writer, accountId, id))
}

export async function signOutEverywhere({ store }: Pick<Gate, 'store'>, accountId: string): Promise<void> {
  await store.transact((writer) => deleteSessionsOf(writer, accountId))
}

/** Ends one session of the account. @throws Failure `not_found` */
export async function endSession({ store }: Pick<Gate, 'store'>, accountId: string, id: string): Promise<void> {
  const ended = await store.transact((writer) => deleteSession(writer, accountId, id))
  if (ended === 0) throw new Failure('not_found', 'There is no session with this id.')
}
