import type { Board } from './board.ts'

/** Something that a person has done, from when it shows to when the service has stored it. */
export interface Change {
  /** Changes of one lane are sent one after another, in the order in which they were made; `task:<id>`. */
  readonly lane: string
  /** It waits for nothing but the person to think better of it, and is sent when the page is closed. */
  readonly isSentOnLeaving?: boolean
  /** The board as it will be, by the rules that the service follows too. It is asked anew with each state that the board comes to. */
  apply(board: Board, now: number): Board
  /**
   * Has the service carry it out, and answers with what makes the board show it for good. It may be asked more than once, when an answer was lost.
   * @throws Refused, Unreachable, Conflict, Undone
   */
  send(known: Known): Promise<Settle>
}

/** What the service is known to have stored, which a change that is being sent can look at and add to. */
export interface Known {
  board(): Board
  learn(settle: Settle): void
}

export type Settle = (board: Board) => Board

/** Two people (or one with two devices) have changed the same. What was typed is in here, so that it is not lost. */
export class Conflict extends Error {
  readonly lane: string
  /** What clashes, field by field, by their wire names. */
  readonly fields: readonly Clash[]
  /** The same change once more, upon what is stored now. */
  readonly insist: () => Change

  constructor(lane: string, fields: readonly Clash[], insist: () => Change) {
    super('It was changed by somebody else meanwhile.')
    this.name = 'Conflict'
    this.lane = lane
    this.fields = fields
    this.insist = insist
  }
}

export interface Clash {
  field: string
  mine: unknown
  theirs: unknown
}

/** The person has taken it back before it was sent. */
export class Undone extends Error {}

/**
 * Which fields cannot be changed without undoing what somebody else did: those that are neither as they were when the person began, nor as the person
 * wants them.
 */
export function clashes(base: object, wanted: object, current: object): Clash[] {
  const before = new Map(Object.entries(base))
  const now = new Map(Object.entries(current))
  return Object.entries(wanted)
    .filter(([field, mine]) => now.get(field) !== before.get(field) && now.get(field) !== mine)
    .map(([field, mine]) => ({ field, mine, theirs: now.get(field) }))
}
