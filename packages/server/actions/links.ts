import { Failure } from '@fivetab/domain/failure.ts'
import { LINK_LIFETIME_MS, type Link, type LinkKind } from '@fivetab/domain/link.ts'
import { accountByEmail, anyAccount } from '../store/accounts.ts'
import { insertLink, linkByHash } from '../store/links.ts'
import type { Reader } from '../store/store.ts'
import { getAccount, knownPlan, requireEmail } from './accounts.ts'
import type { Gate, Visitor } from './gate.ts'
import { countVisit } from './guessing.ts'
import type { Operator } from './operator.ts'
import { hashOfSecret, makeSecret } from './secrets.ts'

/** A link that was made. Its value is in the answer and nowhere else. */
export interface MadeLink {
  link: Link
  value: string
}

/**
 * Makes a link by which one account can be made: for this address alone, or for whoever has the link.
 * @throws Failure `invalid_request` for an address that is none or is taken, a plan that is not there, or a lifetime out of bounds
 */
export async function invite(by: Operator, input: { email?: string; planKey?: string; lifetimeMs: number }): Promise<MadeLink> {
  const lifetimeMs = requireLifetime('invitation', input.lifetimeMs)
  const email = input.email === undefined ? null : requireEmail(input.email)
  if (email !== null && (await accountByEmail(by.store, email)) !== undefined)
    throw new Failure('invalid_request', `There is an account with the address ${email} already.`)
  const planKey = input.planKey === undefined ? null : await knownPlan(by.store, input.planKey)
  return makeLink(by, { kind: 'invitation', accountId: null, email, planKey }, lifetimeMs)
}

/**
 * Makes a link by which the account's password can be set anew, by whoever has the link.
 * @throws Failure `not_found` for the account, `invalid_request` for a lifetime out of bounds
 */
export async function makeResetLink(by: Operator, email: string, lifetimeMs: number): Promise<MadeLink> {
  const lifetime = requireLifetime('password_reset', lifetimeMs)
  const account = await getAccount(by, email)
  return makeLink(by, { kind: 'password_reset', accountId: account.id, email: account.email, planKey: null }, lifetime)
}

/** Makes a link to the first account of all, which works for a day and only while there is none. */
export function makeFirstLink(by: Operator): Promise<MadeLink> {
  return makeLink(by, { kind: 'first', accountId: null, email: null, planKey: null }, LINK_LIFETIME_MS.first.usual)
}

async function makeLink(by: Operator, what: Omit<Link, 'createdAt' | 'expiresAt'>, lifetimeMs: number): Promise<MadeLink> {
  const now = by.clock()
  const link: Link = { ...what, createdAt: now, expiresAt: now + lifetimeMs }
  const value = makeSecret(by.random)
  await by.store.transact((writer) => insertLink(writer, link, hashOfSecret(value)))
  return { link, value }
}

function requireLifetime(kind: LinkKind, ms: number): number {
  const { min, max } = LINK_LIFETIME_MS[kind]
  if (ms >= min && ms <= max) return ms
  throw new Failure('invalid_request', `The link must work for ${inWords(min)} to ${inWords(max)}.`)
}

function inWords(ms: number): string {
  const [count, unit] =
    ms % 86_400_000 === 0 ? [ms / 86_400_000, 'day'] : ms % 3_600_000 === 0 ? [ms / 3_600_000, 'hour'] : [ms / 60_000, 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** What a link is for, before it is used. @throws Failure `not_found` for one that is used, has expired or never was; `rate_limited` */
export async function lookAtLink(gate: Gate, visitor: Visitor, value: string): Promise<Link> {
  await countVisit(gate, visitor, 'link')
  const link = await linkThatWorks(gate.store, hashOfSecret(value), gate.clock())
  if (link === undefined) throw noSuchLink()
  return link
}

/** The link with this hash, if it could be used now. */
export async function linkThatWorks(reader: Reader, hash: string, now: number): Promise<Link | undefined> {
  const link = await linkByHash(reader, hash, now)
  return link?.kind === 'first' && (await anyAccount(reader)) ? undefined : link
}

export const NO_SUCH_LINK = 'This link was used already, has expired, or never was. Ask for a new one.'

export function noSuchLink(): Failure {
  return new Failure('not_found', NO_SUCH_LINK)
}
