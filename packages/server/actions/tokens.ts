import { hash } from 'node:crypto'
import { Failure } from '@fivetab/domain/failure.ts'
import { isScope, SCOPE_NAMES, type Scope } from '@fivetab/domain/scope.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import { makeTokenValue, type Token } from '@fivetab/domain/token.ts'
import { insertToken, revokeToken as revoke, tokenOfAnyAccount, tokensOf } from '../store/tokens.ts'
import { getAccount } from './accounts.ts'
import { type Operator, requireLine } from './operator.ts'

const MAX_NAME = 100
/** Longer than anything one could want, and still a time that can be written. */
const MAX_LIFETIME_MS = 100 * 366 * DAY_MS

/** How a token's value is kept: the SHA-256 of it, in hex. */
export function hashOfToken(value: string): string {
  return hash('sha256', value)
}

/**
 * Makes a token. Its value is in the answer and nowhere else.
 * @throws Failure `not_found` for the account, `invalid_request` for the name, the scopes or the lifetime
 */
export async function createToken(
  by: Operator,
  input: { email: string; name: string; scopes: readonly string[]; lifetimeMs: number },
): Promise<{ token: Token; value: string }> {
  const name = requireLine('The name', input.name, MAX_NAME)
  const scopes = requireScopes(input.scopes)
  if (input.lifetimeMs <= 0 || input.lifetimeMs > MAX_LIFETIME_MS) {
    throw new Failure('invalid_request', 'The lifetime must be more than nothing and at most 100 years.')
  }
  const account = await getAccount(by, input.email)
  const value = makeTokenValue(by.random)
  return by.store.write(account.id, async (tx) => {
    const token: Token = {
      id: tx.newId(),
      accountId: account.id,
      name,
      scopes,
      createdAt: tx.now,
      expiresAt: tx.clock + input.lifetimeMs,
      revokedAt: null,
    }
    await insertToken(tx, token, hashOfToken(value))
    return { token, value }
  })
}

function requireScopes(names: readonly string[]): Scope[] {
  const unknown = names.filter((name) => !isScope(name))
  if (unknown.length > 0)
    throw new Failure(
      'invalid_request',
      `There is no scope ${unknown.map((name) => `"${name}"`).join(', ')}. There are: ${SCOPE_NAMES.join(', ')}.`,
    )
  if (names.length === 0) throw new Failure('invalid_request', `A token needs at least one scope. There are: ${SCOPE_NAMES.join(', ')}.`)
  return SCOPE_NAMES.filter((scope) => names.includes(scope))
}

/** @throws Failure `not_found` for the account */
export async function listTokens(by: Operator, email: string): Promise<Token[]> {
  return tokensOf(by.store, (await getAccount(by, email)).id)
}

/** Ends a token at once; one that was revoked before stays as it is. @throws Failure `not_found` */
export async function revokeToken(by: Operator, id: string): Promise<Token> {
  const token = await tokenOfAnyAccount(by.store, id.toLowerCase())
  if (token === undefined) throw new Failure('not_found', `There is no token with the id ${id}. "fivetab token list" shows them.`)
  return by.store.write(token.accountId, async (tx) => {
    await revoke(tx, token.accountId, token.id, tx.clock)
    return { ...token, revokedAt: token.revokedAt ?? tx.clock }
  })
}
