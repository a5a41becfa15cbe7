import type { Cause } from '@fivetab/domain/event.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import { SCOPE_NAMES, type Scope } from '@fivetab/domain/scope.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import type { Store, Turn } from '../store/turn.ts'

/** Who acts, in which account, and by what. It is the first argument of every verb. */
export interface Actor {
  store: Store
  accountId: string
  scopes: ReadonlySet<Scope>
  cause: Cause
  tokenId: string | null
  requestId: string | null
  /** The writes of the UTC day, which each write brings up to date; null for one whose writes are not counted. */
  dailyWrites: DailyWrites | null
}

export interface DailyWrites {
  limit: number
  used: number
}

/** A timer, which acts on its own in whatever account it has to. */
export function timerIn(store: Store, accountId: string): Actor {
  return { store, accountId, scopes: new Set(SCOPE_NAMES), cause: 'timer', tokenId: null, requestId: null, dailyWrites: null }
}

/** The operator, who may do everything in every account. */
export function operatorIn(store: Store, accountId: string): Actor {
  return { ...timerIn(store, accountId), cause: 'operator' }
}

/** The same actor where the change of one resource changes another. */
export function cascading(by: Actor): Actor {
  return { ...by, cause: 'cascade' }
}

/** @throws Failure `insufficient_scope` */
export function requireScope(by: Pick<Actor, 'scopes'>, scope: Scope): void {
  requireOneScope(by, [scope])
}

/** @throws Failure `insufficient_scope` when the actor has none of these */
export function requireOneScope(by: Pick<Actor, 'scopes'>, scopes: readonly Scope[]): void {
  if (scopes.some((scope) => by.scopes.has(scope))) return
  const needed = scopes.length === 1 ? `the scope ${scopes[0]}` : `one of the scopes ${scopes.join(', ')}`
  throw new Failure('insufficient_scope', `This needs a token with ${needed}.`, { scope: scopes.join(' ') })
}

/**
 * Carries out a write in the account's turn, and counts it for the day if it changed anything. `taskId` is the task that it is about, if any.
 * @throws Failure `rate_limited` when the day's writes are used up
 */
export function write<T>(by: Actor, job: (tx: Turn) => Promise<T>, taskId?: string): Promise<T> {
  const counted = async (tx: Turn) => {
    if (by.dailyWrites === null) return job(tx)
    const { ledger } = tx
    const today = Math.floor(tx.clock / DAY_MS)
    const used = ledger.writeDay === today ? ledger.writesThatDay : 0
    by.dailyWrites.limit = ledger.plan.writesPerDay
    by.dailyWrites.used = used
    if (used >= ledger.plan.writesPerDay) throw tooManyWrites(ledger.plan.writesPerDay, tx.clock)
    const result = await job(tx)
    if (tx.hasNews) {
      ledger.writeDay = today
      ledger.writesThatDay = used + 1
      by.dailyWrites.used = used + 1
    }
    return result
  }
  return by.store.write(by.accountId, counted, taskId)
}

export function tooManyWrites(limit: number, clock: number): Failure {
  return new Failure('rate_limited', `The plan allows ${limit} writes a UTC day, and they are used up.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((DAY_MS - (clock % DAY_MS)) / 1000)),
  })
}
