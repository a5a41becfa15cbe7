import { hash } from 'node:crypto'
import { Failure, type FieldProblem, invalid, type Read, refuse, required } from '@fivetab/domain/failure.ts'
import { isScope, SCOPE_NAMES, type Scope } from '@fivetab/domain/scope.ts'
import { readLine } from '@fivetab/domain/text.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import { isLive, makeTokenValue, type Token } from '@fivetab/domain/token.ts'
import type { RandomBytes } from '../store/ids.ts'
import { deleteOldestEndedTokens, insertToken, revokeToken as revoke, tokenById, tokenOfAnyAccount, tokensOf } from '../store/tokens.ts'
import type { Turn } from '../store/turn.ts'
import { getAccount } from './accounts.ts'
import type { Actor } from './actor.ts'
import { found } from './found.ts'
import type { Operator } from './operator.ts'

/** Tokens: made, listed and ended by the operator in any account, and by people in their own. */

const MAX_NAME = 100
/** Longer than anything one could want, and still a time that can be written. */
const MAX_LIFETIME_MS = 100 * 366 * DAY_MS
/** Of a token that people make for themselves. */
const MAX_LIFETIME_DAYS = 366
/** Of those that work, in one account, as far as its person may make them. */
const MAX_LIVE_TOKENS = 100
/** Of those that work no longer: a list of all stays short, however often tokens are made and revoked. */
const MAX_ENDED_TOKENS = 900

/** A token that was made. Its value is in the answer and nowhere else. */
export interface MadeToken {
  token: Token
  value: string
}

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
): Promise<MadeToken> {
  const name = required(readTokenName(input.name))
  const scopes = required(readScopes(input.scopes))
  if (input.lifetimeMs <= 0 || input.lifetimeMs > MAX_LIFETIME_MS) {
    throw new Failure('invalid_request', 'The lifetime must be more than nothing and at most 100 years.')
  }
  const account = await getAccount(by, input.email)
  return by.store.write(account.id, (tx) => addToken(tx, by.random, { name, scopes, lifetimeMs: input.lifetimeMs }))
}

/**
 * Makes a token for the person who is signed in.
 * @throws Failure `invalid_request`, also for one too many; `not_signed_in`
 */
export async function createOwnToken(
  by: Actor,
  random: RandomBytes,
  input: { name: string; scopes: readonly string[]; lifetimeDays: number },
): Promise<MadeToken> {
  requirePerson(by)
  const [name, scopes] = [readTokenName(input.name), readScopes(input.scopes)]
  refuse([...name.problems, ...scopes.problems, ...lifetimeProblems(input.lifetimeDays)])
  return by.store.write(by.accountId, async (tx) => {
    const live = (await tokensOf(tx, by.accountId)).filter((token) => isLive(token, tx.clock))
    if (live.length >= MAX_LIVE_TOKENS) throw tooManyTokens()
    await deleteOldestEndedTokens(tx, by.accountId, tx.clock, MAX_ENDED_TOKENS)
    return addToken(tx, random, { name: name.value, scopes: scopes.value, lifetimeMs: input.lifetimeDays * DAY_MS })
  })
}

async function addToken(
  tx: Turn,
  random: RandomBytes,
  { name, scopes, lifetimeMs }: { name: string; scopes: readonly Scope[]; lifetimeMs: number },
): Promise<MadeToken> {
  const value = makeTokenValue(random)
  const token: Token = {
    id: tx.newId(),
    accountId: tx.accountId,
    name,
    scopes,
    createdAt: tx.now,
    expiresAt: tx.clock + lifetimeMs,
    revokedAt: null,
    lastUsedAt: null,
  }
  await insertToken(tx, token, hashOfToken(value))
  return { token, value }
}

function readTokenName(text: string): Read<string> {
  return readLine('The name', 'name', text, MAX_NAME)
}

/** The scopes in their usual order. */
function readScopes(names: readonly string[]): Read<Scope[]> {
  const problems: FieldProblem[] = []
  const unknown = names.filter((name) => !isScope(name)).map((name) => `"${name}"`)
  const thereAre = `There are: ${SCOPE_NAMES.join(', ')}.`
  if (unknown.length > 0)
    problems.push({ field: 'scopes', code: 'invalid_value', detail: `There is no scope ${unknown.join(', ')}. ${thereAre}` })
  if (names.length === 0) problems.push({ field: 'scopes', code: 'too_short', detail: `A token needs at least one scope. ${thereAre}` })
  return { value: SCOPE_NAMES.filter((scope) => names.includes(scope)), problems }
}

function lifetimeProblems(days: number): FieldProblem[] {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_LIFETIME_DAYS) return []
  const detail = `The lifetime must be a whole number of days from 1 to ${MAX_LIFETIME_DAYS}.`
  return [{ field: 'lifetime_days', code: 'out_of_range', detail }]
}

function tooManyTokens(): Failure {
  const detail = `The account has ${MAX_LIVE_TOKENS} tokens that work, and may have no more. Revoke one that is not needed.`
  return invalid([{ field: '', code: 'out_of_range', detail }])
}

/** Tokens are a person's affair: none makes, shows or ends another. @throws Failure `not_signed_in` */
function requirePerson({ cause }: Actor): void {
  if (cause !== 'app') throw new Failure('not_signed_in', 'This is for a person who is signed in.')
}

/** @throws Failure `not_found` for the account */
export async function listTokens(by: Operator, email: string): Promise<Token[]> {
  return tokensOf(by.store, (await getAccount(by, email)).id)
}

/** All tokens of the person who is signed in, newest first. @throws Failure `not_signed_in` */
export async function listOwnTokens(by: Actor): Promise<Token[]> {
  requirePerson(by)
  return (await tokensOf(by.store, by.accountId)).toReversed()
}

/** Ends a token at once; one that was revoked before stays as it is. @throws Failure `not_found` */
export async function revokeToken(by: Operator, id: string): Promise<Token> {
  const token = await tokenOfAnyAccount(by.store, id.toLowerCase())
  if (token === undefined) throw new Failure('not_found', `There is no token with the id ${id}. "fivetab token list" shows them.`)
  return by.store.write(token.accountId, (tx) => end(tx, token))
}

/** Ends a token of the person who is signed in, at once. @throws Failure `not_found`, `not_signed_in` */
export async function revokeOwnToken(by: Actor, id: string): Promise<Token> {
  requirePerson(by)
  return by.store.write(by.accountId, async (tx) => end(tx, found('token', await tokenById(tx, by.accountId, id))))
}

async function end(tx: Turn, token: Token): Promise<Token> {
  await revoke(tx, token.accountId, token.id, tx.clock)
  return { ...token, revokedAt: token.revokedAt ?? tx.clock }
}
