import { Failure, type FieldProblem, invalid, refuse } from '@fivetab/domain/failure.ts'
import type { Link } from '@fivetab/domain/link.ts'
import { passwordProblems } from '@fivetab/domain/password.ts'
import { readEmail, readName, readTimeZone } from '@fivetab/domain/person.ts'
import { DEFAULT_PLAN } from '@fivetab/domain/plan.ts'
import { accountByEmail, anyAccount, type CountedAccount, insertAccount } from '../store/accounts.ts'
import { deleteLinksOf, takeFirstLinks, takeLink } from '../store/links.ts'
import { credentialsOf, passwordHash, replaceHash, savePassword } from '../store/passwords.ts'
import { deleteSessionOfAnyAccount, deleteSessionsOf } from '../store/sessions.ts'
import { Duplicate, type Writer } from '../store/store.ts'
import type { Turn } from '../store/turn.ts'
import { getAccount, newAccount } from './accounts.ts'
import type { Gate, Visitor } from './gate.ts'
import { countVisit, guessingPassword } from './guessing.ts'
import { linkThatWorks, lookAtLink, NO_SUCH_LINK, noSuchLink } from './links.ts'
import type { Operator } from './operator.ts'
import type { Passwords } from './passwords.ts'
import { hashOfSecret } from './secrets.ts'
import { beginSession, type SignedIn } from './sessions.ts'

/** How people come in: they make an account, or sign in to the one they have. What they change once they are in is in own-account.ts. */

export interface SignUp {
  email: string
  password: string
  name: string | null
  /** Null for UTC. */
  timeZone: string | null
  /** The value of the link that they came by, if any. */
  link: string | null
}

/**
 * Makes an account, and signs its person in. A refusal does not use the link up.
 * @throws Failure `invalid_request`, `sign_up_refused`, `rate_limited`, `unavailable`
 */
export async function signUp(gate: Gate, visitor: Visitor, input: SignUp): Promise<SignedIn> {
  const [email, name, timeZone] = [readEmail(input.email), readName(input.name), readTimeZone(input.timeZone ?? 'UTC')]
  const problems = [email, name, timeZone].flatMap((one) => one.problems)
  refuse([...problems, ...passwordProblems(input.password, email.value)])
  await countVisit(gate, visitor, 'sign-up')
  const way = await wayIn(gate, input.link)
  if (way !== null) refuse(addressProblems(way.link, email.value))
  if ((await accountByEmail(gate.store, email.value)) !== undefined) throw addressTaken()
  const hash = await gate.passwords.hash(input.password)
  const planKey = way?.link.planKey ?? DEFAULT_PLAN
  const account = newAccount(gate, { email: email.value, name: name.value, timeZone: timeZone.value, planKey })
  try {
    return await gate.store.transact(async (writer) => {
      if (way !== null) await take(writer, way, gate.clock())
      await insertAccount(writer, account)
      await savePassword(writer, account.id, hash, account.createdAt)
      return beginSession(writer, gate, account.id, visitor)
    })
  } catch (error) {
    throw error instanceof Duplicate ? addressTaken() : error
  }
}

interface WayIn {
  hash: string
  link: Link
}

/** The link that lets somebody sign up; null where none is needed and none was sent. @throws Failure `sign_up_refused` */
async function wayIn({ store, clock, signUp: mode }: Gate, value: string | null): Promise<WayIn | null> {
  if (value === null) {
    if (mode === 'open') return null
    throw refusal(mode === 'invite' ? BY_INVITATION : BY_OPERATOR)
  }
  const hash = hashOfSecret(value)
  const link = await linkThatWorks(store, hash, clock())
  if (link === undefined || link.kind === 'password_reset') throw refusal(NO_SUCH_LINK)
  if (link.kind === 'invitation' && mode === 'closed') throw refusal(BY_OPERATOR)
  return { hash, link }
}

/** Uses the link up: of many at once one gets through. @throws Failure `sign_up_refused` */
async function take(writer: Writer, { hash, link }: WayIn, now: number): Promise<void> {
  const isTaken = link.kind === 'first' ? await takeFirstLinks(writer, hash) : await takeLink(writer, hash, now)
  if (!isTaken || (link.kind === 'first' && (await anyAccount(writer)))) throw refusal(NO_SUCH_LINK)
}

const BY_INVITATION = 'Accounts are made here by invitation: open the link that you were sent.'
const BY_OPERATOR = 'Accounts are made here by the operator alone.'

function refusal(why: string): Failure {
  return new Failure('sign_up_refused', why)
}

function addressProblems(link: Link, email: string): FieldProblem[] {
  if (link.email === null || link.email === email) return []
  return [{ field: 'email', code: 'invalid_value', detail: `This invitation is for ${link.email}.` }]
}

export function addressTaken(): Failure {
  return invalid([{ field: 'email', code: 'conflict', detail: 'There is an account with this address already.' }])
}

/**
 * Signs a person in. Whether the address or the password is wrong cannot be told, neither from the answer nor from the time it takes.
 *
 * @param replaces the id of the session that the request came with, which ends
 * @throws Failure `wrong_credentials`, `rate_limited`, `unavailable`
 */
export async function signIn(
  gate: Gate,
  visitor: Visitor,
  { email, password }: { email: string; password: string },
  replaces: string | null,
): Promise<SignedIn> {
  const { value, problems } = readEmail(email)
  const address = problems.length === 0 ? value : ''
  const known = await guessingPassword(gate, visitor, address, async () => {
    const credentials = await credentialsOf(gate.store, address)
    const isRight = await gate.passwords.verify(credentials?.hash ?? null, password)
    return isRight ? credentials : undefined
  })
  if (known === undefined) throw wrongCredentials()
  const { accountId, hash } = known
  const newHash = hash !== null && gate.passwords.needsRehash(hash) ? await gate.passwords.hash(password) : null
  return inTurnOf(gate, accountId, wrongCredentials, async (tx) => {
    // It may have been changed since it was looked at, which ends all sessions; this one would outlive that.
    if ((await passwordHash(tx, accountId)) !== hash) throw wrongCredentials()
    if (newHash !== null) await replaceHash(tx, accountId, newHash)
    if (replaces !== null) await deleteSessionOfAnyAccount(tx, replaces)
    return beginSession(tx, gate, accountId, visitor)
  })
}

function wrongCredentials(): Failure {
  return new Failure('wrong_credentials', 'The e-mail address or the password is wrong.')
}

/** Carries `job` out in the account's turn. @throws what `gone` gives, when there is no such account any more */
export async function inTurnOf<T>(
  { store }: Pick<Gate, 'store'>,
  accountId: string,
  gone: () => Failure,
  job: (tx: Turn) => Promise<T>,
): Promise<T> {
  try {
    return await store.write(accountId, job)
  } catch (error) {
    throw error instanceof Failure && error.code === 'invalid_token' ? gone() : error
  }
}

/**
 * Sets a new password by a link, and signs the person in. Every other session of the account ends, and every other such link.
 * @throws Failure `not_found` for a link that is used, has expired or never was; `invalid_request`, `rate_limited`, `unavailable`
 */
export async function resetPassword(gate: Gate, visitor: Visitor, input: { link: string; password: string }): Promise<SignedIn> {
  const link = await lookAtLink(gate, visitor, input.link)
  const { accountId } = link
  if (accountId === null) throw noSuchLink()
  refuse(passwordProblems(input.password, link.email ?? ''))
  const hash = await gate.passwords.hash(input.password)
  return inTurnOf(gate, accountId, noSuchLink, async (tx) => {
    if (!(await takeLink(tx, hashOfSecret(input.link), tx.clock))) throw noSuchLink()
    await replacePassword(tx, accountId, hash)
    return beginSession(tx, gate, accountId, visitor)
  })
}

/** Gives the account another password, which nothing outlives that the former one or its loss has opened. */
export async function replacePassword(tx: Turn, accountId: string, hash: string): Promise<void> {
  await savePassword(tx, accountId, hash, tx.clock)
  await deleteLinksOf(tx, accountId)
  await deleteSessionsOf(tx, accountId)
}

/**
 * The operator's way: gives the account this password. All its sessions end.
 * @throws Failure `not_found` for the account, `invalid_request` for the password
 */
export async function setPassword(by: Operator, passwords: Passwords, email: string, password: string): Promise<CountedAccount> {
  const account = await getAccount(by, email)
  refuse(passwordProblems(password, account.email))
  const hash = await passwords.hash(password)
  await by.store.write(account.id, (tx) => replacePassword(tx, account.id, hash))
  return { ...account, hasPassword: true }
}
