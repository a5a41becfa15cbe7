import type { RandomBytes } from '../store/ids.ts'
import type { Store } from '../store/turn.ts'
import type { Passwords } from './passwords.ts'

/** Who may make an account: anybody, whoever has an invitation, or nobody but the operator. */
export const SIGN_UP_MODES = ['open', 'invite', 'closed'] as const

export type SignUpMode = (typeof SIGN_UP_MODES)[number]

/** What letting people in needs. */
export interface Gate {
  store: Store
  /** Ms since the epoch. */
  clock: () => number
  random: RandomBytes
  passwords: Passwords
  signUp: SignUpMode
}

/** Where a person asks from. */
export interface Visitor {
  /** The IP address, as the entrance saw it. */
  net: string
  /** What the browser calls itself. */
  userAgent: string | null
}
