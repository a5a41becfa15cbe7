import { DAY_MS } from './time.ts'

/** What a link is for: to make the first account of all, to make one by invitation, or to set a new password. */
export type LinkKind = 'first' | 'invitation' | 'password_reset'

/** A link that works once, besides the secret value in it. Times are ms since the epoch. */
export interface Link {
  kind: LinkKind
  /** Whose password it resets; null for the other kinds. */
  accountId: string | null
  /** Of an invitation: the one address that it is for, or null for any. Of a password reset: the address of the account. */
  email: string | null
  /** The plan of the account that an invitation makes; null for the usual one. */
  planKey: string | null
  createdAt: number
  expiresAt: number
}

const HOUR_MS = 3_600_000

/** How long links work, in ms: what is usual, and what an operator may say instead. */
export const LINK_LIFETIME_MS: Record<LinkKind, { usual: number; min: number; max: number }> = {
  first: { usual: DAY_MS, min: DAY_MS, max: DAY_MS },
  invitation: { usual: 7 * DAY_MS, min: HOUR_MS, max: 90 * DAY_MS },
  password_reset: { usual: HOUR_MS, min: 60_000, max: 7 * DAY_MS },
}

const PAGES: Record<LinkKind, string> = { first: 'sign-up', invitation: 'sign-up', password_reset: 'reset-password' }

/** The link as it is opened in a browser. The value stands in the fragment, which browsers send to no server, so that none has it in its log. */
export function linkAddress(baseUrl: string, kind: LinkKind, value: string): string {
  return `${baseUrl}/${PAGES[kind]}#link=${value}`
}
