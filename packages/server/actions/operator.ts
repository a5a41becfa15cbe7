import type { RandomBytes } from '../store/ids.ts'
import type { Store } from '../store/turn.ts'

/** The one who runs the service. What an operator does is in no account's scope, and no token can do it. */
export interface Operator {
  store: Store
  /** Ms since the epoch. */
  clock: () => number
  random: RandomBytes
}
