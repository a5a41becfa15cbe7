import { EVENT_SCOPES, EVENT_TYPES, type EventType, holdsAllAfter, type Reach, scopeFor } from '@fivetab/domain/event.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import { type LogPage, reachOf, readLog } from '../store/events.ts'
import type { Reader } from '../store/store.ts'
import { getAccount } from './accounts.ts'
import { type Actor, requireOneScope, requireScope } from './actor.ts'
import type { Operator } from './operator.ts'

/**
 * The types that the actor is shown: of those it asked for, or of all when it asked for none in particular.
 * @throws Failure `insufficient_scope` for a type that it asked for and may not see, or when it may see none at all
 */
export function visibleTypes(by: Pick<Actor, 'scopes'>, asked: readonly EventType[] | null): readonly EventType[] {
  if (asked !== null) {
    for (const scope of new Set(asked.map(scopeFor))) requireScope(by, scope)
    return asked
  }
  requireOneScope(by, EVENT_SCOPES)
  return EVENT_TYPES.filter((type) => by.scopes.has(scopeFor(type)))
}

/** What is wanted of the log: what came after a sequence, or from the beginning of what is kept. */
export interface FeedRequest {
  after: number | null
  types: readonly EventType[]
  limit: number
}

/** @throws Failure `out_of_reach` when some of what came after `after` is no longer kept, or the log has not come so far */
export async function readFeed(reader: Reader, accountId: string, { after, types, limit }: FeedRequest): Promise<LogPage> {
  for (;;) {
    const from = after ?? (await reachOf(reader, accountId)).earliest - 1
    const page = await readLog(reader, accountId, { after: from, types, limit })
    if (holdsAllAfter(page, from)) return page
    if (after !== null) throw outOfReach(page, after)
    // The beginning was forgotten between the two looks.
  }
}

/** A page of the log of the account with this address, with events of every type, for the operator. @throws Failure `not_found`, `out_of_reach` */
export async function readLogOf(by: Operator, email: string, after: number | null, limit: number): Promise<LogPage> {
  const { id } = await getAccount(by, email)
  return readFeed(by.store, id, { after, types: EVENT_TYPES, limit })
}

/** @throws Failure `out_of_reach` */
export async function requireReach(reader: Reader, accountId: string, after: number): Promise<Reach> {
  const reach = await reachOf(reader, accountId)
  if (!holdsAllAfter(reach, after)) throw outOfReach(reach, after)
  return reach
}

function outOfReach({ earliest, latest }: Reach, after: number): Failure {
  return new Failure(
    'out_of_reach',
    after > latest
      ? `The log has not come to ${after}: its last event is ${latest}. Most likely a backup was restored; read everything anew.`
      : `The log no longer holds all that came after ${after}: it begins with ${earliest}. Read everything anew, and go on from there.`,
  )
}
