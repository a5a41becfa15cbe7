import { isScope, SCOPE_NAMES, type Scope } from '@fivetab/domain/scope.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import type { TokenWire } from '@fivetab/domain/token-shape.ts'

/** Making tokens and looking at them, as far as it needs no page. */

/** What a new token is to be. `lifetime` is what was typed: days. */
export interface TokenDraft {
  name: string
  scopes: readonly Scope[]
  lifetime: string
}

/** Lifetimes to choose from, in days; a person's token works for 366 at most. */
export const LIFETIMES: readonly string[] = ['7', '30', '90', '180', '366']

const USUAL_LIFETIME = '90'

export interface LinkedDraft {
  draft: TokenDraft
  /** What the link asked for and this service does not know. */
  unknown: readonly string[]
  /** Whether there was anything in the link. */
  isFilled: boolean
}

/** The form as a link fills it: `?name=…&scopes=…`, the scopes with commas or spaces between them, or named one by one. */
export function draftFromLink(search: string): LinkedDraft {
  const parameters = new URLSearchParams(search)
  const name = parameters.get('name') ?? ''
  const asked = [...new Set(parameters.getAll('scopes').flatMap((list) => list.split(/[\s,]+/).filter(Boolean)))]
  return {
    draft: { name, scopes: SCOPE_NAMES.filter((scope) => asked.includes(scope)), lifetime: USUAL_LIFETIME },
    unknown: asked.filter((scope) => !isScope(scope)),
    isFilled: name !== '' || asked.length > 0,
  }
}

export const READ_SCOPES: readonly Scope[] = SCOPE_NAMES.filter((scope) => scope.endsWith(':read'))
export const WRITE_SCOPES: readonly Scope[] = SCOPE_NAMES.filter((scope) => /:(read|write)$/.test(scope))

/** With this scope or without it, in the order of the contract. */
export function withScope(scopes: readonly Scope[], scope: Scope, isWanted: boolean): Scope[] {
  return SCOPE_NAMES.filter((name) => (name === scope ? isWanted : scopes.includes(name)))
}

export type TokenState = 'works' | 'ends_soon' | 'expired' | 'revoked'

const SOON_MS = 7 * DAY_MS
/** One that is made for a few days does not end soon from its beginning. */
const SOON_SHARE = 0.25

export function stateOf(token: Pick<TokenWire, 'created_at' | 'expires_at' | 'revoked_at'>, now: number): TokenState {
  const [made, ends] = [Date.parse(token.created_at), Date.parse(token.expires_at)]
  if (token.revoked_at !== null) return 'revoked'
  if (ends <= now) return 'expired'
  return ends - now <= Math.min(SOON_MS, (ends - made) * SOON_SHARE) ? 'ends_soon' : 'works'
}

/** The line that asks the API who the token acts for, as it can be put into a terminal; `origin` is the service's. */
export function whoLine(origin: string, value: string): string {
  return `curl -H "Authorization: Bearer ${value}" ${origin}/v1/me`
}

/** The line that puts a task on the board. `title` holds nothing that a terminal or JSON makes more of than text. */
export function taskLine(origin: string, value: string, title: string): string {
  const body = `{\\"title\\": \\"${title}\\"}`
  return `curl -H "Authorization: Bearer ${value}" -H "Content-Type: application/json" -d "${body}" ${origin}/v1/tasks`
}
