import type { Account } from '@fivetab/domain/account.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import type { Session } from '@fivetab/domain/session.ts'
import type { Token } from '@fivetab/domain/token.ts'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../actions/actor.ts'
import type { Uses } from '../actions/uses.ts'
import type { Store } from '../store/turn.ts'
import type { Admission } from './limits.ts'
import type { MinuteCounter } from './minute-counter.ts'

/** Who is asking, once let in: a program by its token under `/v1` (`bearer.ts`), a person by a session under `/app` (`app/session.ts`). */

/** What letting a request in takes. */
export interface Entrance {
  store: Store
  /** Counts the requests of a minute. */
  counter: MinuteCounter
  uses: Uses
  /** Ms since the epoch. */
  clock: () => number
}

interface LetIn {
  actor: Actor
  account: Account
  plan: Plan
}

/** Who was let in by a token. */
export interface Bearer extends LetIn {
  token: Token
  session: null
}

/** Who was let in by a session. */
export interface SignedInCaller extends LetIn {
  token: null
  session: Session
}

/** A request that was let in: who acts, as whom, by which token or session. */
export type Caller = Bearer | SignedInCaller

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Set for every request with a known token or session, also one that is refused. */
    admission: Admission | null
  }
}

export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('An operation was reached by a request that was not let in.')
  return request.caller
}

/** The caller in a request that only a token lets in. */
export function bearerOf(request: FastifyRequest): Bearer {
  const caller = callerOf(request)
  if (caller.token === null) throw new Error('An operation for tokens alone was reached by a session.')
  return caller
}

/** The caller in a request that only a session lets in. */
export function signedInOf(request: FastifyRequest): SignedInCaller {
  const caller = callerOf(request)
  if (caller.session === null) throw new Error('An operation for sessions alone was reached by a token.')
  return caller
}

/** Who acts in this request. */
export function actorOf(request: FastifyRequest): Actor {
  return callerOf(request).actor
}
