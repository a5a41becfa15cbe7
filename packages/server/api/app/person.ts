import { type PersonWire, personToWire } from '@fivetab/domain/person-shape.ts'
import type { FastifyReply } from 'fastify'
import type { Gate } from '../../actions/gate.ts'
import { type SignedIn, sessionOf } from '../../actions/sessions.ts'
import { usageOf } from '../../store/ledgers.ts'
import type { SessionAdmittance } from '../../store/sessions.ts'
import { writesThatDay } from '../limits.ts'
import { notSignedIn, type SessionCookie } from './session.ts'

/** The person who is signed in, with how much of the plan is used. */
export async function personOf({ store, clock }: Gate, { account, plan, session }: SessionAdmittance): Promise<PersonWire> {
  const usage = await usageOf(store, account.id)
  const used = { activeTasks: usage.activeTasks, writesToday: writesThatDay(usage, clock()) }
  return personToWire(account, plan, used, session.id)
}

/** Answers somebody who is signed in from now on. */
export async function sendSignedIn(reply: FastifyReply, gate: Gate, cookie: SessionCookie, begun: SignedIn): Promise<FastifyReply> {
  const admitted = await sessionOf(gate, begun.value)
  // Ended in the meantime, by somebody who signed out everywhere.
  if (admitted === undefined) throw notSignedIn()
  cookie.set(reply, begun)
  return reply.send(await personOf(gate, admitted))
}
