import { Failure } from '@fivetab/domain/failure.ts'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { hasEnded, LONGEST_SESSION_MS } from '@fivetab/domain/session.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../actions/actor.ts'
import type { Visitor } from '../../actions/gate.ts'
import { type SignedIn, sessionOf } from '../../actions/sessions.ts'
import { sessionsByIds } from '../../store/sessions.ts'
import type { Reader } from '../../store/store.ts'
import type { Entrance } from '../caller.ts'
import { countIn, dailyWrites, READING, SESSIONS, standingOf } from '../limits.ts'

/** Letting a person in: the cookie of a session, and from it to an actor. */

const COOKIE = 'fivetab'
/** A browser takes a cookie of such a name only when it is Secure and of this very host. */
const HOST_PREFIX = '__Host-'

const VALUE = /^[\w-]{43}$/

const ALL_SCOPES = new Set(SCOPE_NAMES)

/** How a session is carried: in a cookie that no script can read. `baseUrl` says whether it is sent over TLS alone. */
export interface SessionCookie {
  /** The value that came with the request; null for none, and for what cannot be one. */
  read(request: FastifyRequest): string | null
  set(reply: FastifyReply, signedIn: SignedIn): void
  clear(reply: FastifyReply): void
}

export function sessionCookie(baseUrl: () => string): SessionCookie {
  const isSecure = () => baseUrl().startsWith('https:')
  const name = () => (isSecure() ? `${HOST_PREFIX}${COOKIE}` : COOKIE)
  const attributes = () => ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure() }) as const
  return {
    read: (request) => {
      const value = request.cookies[name()] ?? ''
      return VALUE.test(value) ? value : null
    },
    // For as long as a session can be made to last by using it; it ends earlier if it is not.
    set: (reply, { value }) => void reply.setCookie(name(), value, { ...attributes(), maxAge: LONGEST_SESSION_MS / 1000 }),
    clear: (reply) => void reply.clearCookie(name(), attributes()),
  }
}

/**
 * Lets a request in by the session with this value; false when there is none. The switch of the API, the plan's word on it, and encryption concern
 * programs alone.
 * @param isOfTheBoard whether it is about what the API shows too, so that a change is a write of the day
 * @throws Failure `rate_limited`
 */
export async function admitBySession(
  request: FastifyRequest,
  { store, counter, uses, clock }: Entrance,
  value: string | null,
  isOfTheBoard: boolean,
): Promise<boolean> {
  const admitted = value === null ? undefined : await sessionOf({ store, clock }, value)
  if (admitted === undefined) return false
  const { session, account, plan } = admitted
  const now = clock()
  const writes = isOfTheBoard && !READING.has(request.method) ? await dailyWrites(store, account.id, plan, now) : null
  // Apart from what its tokens use up, so that a script of the person's own does not lock the person out.
  const admission = standingOf(counter, SESSIONS, session.id, `app:${account.id}`, plan, writes, now)
  request.admission = admission
  const overLimit = await countIn(counter, admission, now)
  if (overLimit !== null) throw overLimit

  const actor: Actor = {
    store,
    accountId: account.id,
    scopes: ALL_SCOPES,
    cause: 'app',
    tokenId: null,
    requestId: request.id,
    dailyWrites: writes,
  }
  uses.noteSession(session, now)
  request.caller = { actor, account, plan, token: null, session }
  return true
}

/** Those of the sessions that let in no longer, and why; by the session's id. */
export async function sessionRefusals(reader: Reader, ids: readonly string[], clock: () => number): Promise<Map<string, Failure>> {
  const found = await sessionsByIds(reader, ids)
  const now = clock()
  const ended = ids.filter((id) => {
    const session = found.get(id)?.session
    return session === undefined || hasEnded(session, now)
  })
  return new Map(ended.map((id) => [id, notSignedIn()]))
}

export function notSignedIn(): Failure {
  return new Failure('not_signed_in', 'Nobody is signed in here, or the session has ended. Sign in again.')
}

/** Where the request comes from. */
export function visitorOf(request: FastifyRequest): Visitor {
  return { net: request.ip, userAgent: request.headers['user-agent'] ?? null }
}
