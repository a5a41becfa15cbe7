import { Failure } from '@fivetab/domain/failure.ts'
import { nextId, type RandomBytes } from './ids.ts'
import { type Ledger, saveLedger, takeLedger } from './ledgers.ts'
import type { Engine, Writer } from './store.ts'

/**
 * An account's turn: one transaction that holds the account's ledger, so that whatever it reads stays true until it ends, whoever else writes.
 *
 * Limits, preconditions, idempotency keys, positions and the event sequence are exact because they are looked at only in here.
 */
export interface Turn extends Writer {
  readonly accountId: string
  /** The stamp of everything written in this turn: now, or the account's last stamp if the clock was set back. Ms since the epoch. */
  readonly now: number
  /** What the clock says, to compare with times that people gave. */
  readonly clock: number
  /** What the account counts. A verb changes it; it is stored with what the turn stores. */
  readonly ledger: Ledger
  /** Set by whoever stores what others wait for, such as an event. */
  hasNews: boolean
  /** A new id, greater than every id that this account was given before. */
  newId(): string
}

/** The store as the verbs see it: an engine whose writes to an account's data are turns. */
export interface Store extends Engine {
  /**
   * Carries out `job` in a turn of the account: all of it or nothing, durable when it answers. `taskId` is the task that it is about, if any.
   * @throws Failure `invalid_token` when the account is gone
   */
  write<T>(accountId: string, job: (turn: Turn) => Promise<T>, taskId?: string): Promise<T>
  /** Like `write`, but does nothing and answers with undefined when somebody else is in the account's turn, or the account is gone. */
  writeUnlessHeld<T>(accountId: string, job: (turn: Turn) => Promise<T>): Promise<T | undefined>
}

/** The engine with accounts' turns. `clock` gives ms since the epoch; `tell` is called for each account with news, once they are durable. */
export function withTurns(engine: Engine, clock: () => number, random: RandomBytes, tell: (accountId: string) => void): Store {
  const { dialect } = engine

  /** The account's ledger, which the turns that share a commit hand on to each other; undefined when the account is gone, or is held. */
  async function ledgerIn(writer: Writer, accountId: string, unlessHeld?: 'unless held'): Promise<Ledger | undefined> {
    const open = async () => {
      const ledger = await takeLedger(writer, accountId, dialect.holding('l', unlessHeld))
      return { ledger, asStored: { ...ledger } }
    }
    const { ledger } = await writer.common(`ledger of ${accountId}`, open, async ({ ledger, asStored }) => {
      if (ledger !== undefined && hasChanged(asStored, ledger)) await saveLedger(writer, accountId, ledger)
    })
    return ledger
  }

  async function carryOut<T>(writer: Writer, accountId: string, ledger: Ledger, job: (turn: Turn) => Promise<T>): Promise<Done<T>> {
    const before = { ...ledger }
    const turn = openTurn(writer, accountId, ledger, clock(), random)
    try {
      const result = await job(turn)
      if (hasChanged(before, ledger)) ledger.lastStamp = turn.now
      return { result, hasNews: turn.hasNews }
    } catch (error) {
      Object.assign(ledger, before)
      throw error
    }
  }

  function told<T>(accountId: string, { result, hasNews }: Done<T>): T {
    if (hasNews) tell(accountId)
    return result
  }

  return {
    ...engine,
    write: async (accountId, job, taskId) => {
      const inTurn = async (writer: Writer) => {
        const ledger = await ledgerIn(writer, accountId)
        if (ledger === undefined) throw new Failure('invalid_token', 'The account of this token no longer exists.')
        return carryOut(writer, accountId, ledger, job)
      }
      const subject = taskId === undefined ? undefined : { accountId, id: taskId }
      return told(accountId, await engine.transact(inTurn, accountId, subject))
    },
    // In no line: whoever waits in the account's line waits for it to be free.
    writeUnlessHeld: async (accountId, job) => {
      const done = await engine.transact(async (writer) => {
        const ledger = await ledgerIn(writer, accountId, 'unless held')
        return ledger && carryOut(writer, accountId, ledger, job)
      })
      return done && told(accountId, done)
    },
  }
}

/** What a turn came to. */
interface Done<T> {
  result: T
  hasNews: boolean
}

function openTurn(writer: Writer, accountId: string, ledger: Ledger, clock: number, random: RandomBytes): Turn {
  const now = Math.max(clock, ledger.lastStamp)
  return {
    ...writer,
    accountId,
    now,
    clock,
    ledger,
    hasNews: false,
    newId: () => {
      ledger.lastId = nextId(now, ledger.lastId, random)
      return ledger.lastId
    },
  }
}

function hasChanged(before: Partial<Ledger>, after: Ledger): boolean {
  return (Object.keys(after) as (keyof Ledger)[]).some((name) => before[name] !== after[name])
}
