import type { Account } from '@fivetab/domain/account.ts'
import { Failure, invalid, refuse } from '@fivetab/domain/failure.ts'
import { passwordProblems } from '@fivetab/domain/password.ts'
import { readEmail, readName, readTimeZone } from '@fivetab/domain/person.ts'
import type { Session } from '@fivetab/domain/session.ts'
import { accountById, type CountedAccount, updateAccount, updateEmail } from '../store/accounts.ts'
import { passwordHash } from '../store/passwords.ts'
import { Duplicate } from '../store/store.ts'
import type { Turn } from '../store/turn.ts'
import { removeWhole } from './accounts.ts'
import type { Gate, Visitor } from './gate.ts'
import { countVisit, guessingPassword } from './guessing.ts'
import { addressTaken, inTurnOf, replacePassword } from './people.ts'
import { beginSession, type SignedIn } from './sessions.ts'

/** What people change about their own account once they are signed in. What opens it to others asks for the password again. */

/**
 * Gives the account a new password. Every session ends, and this one goes on as a new one.
 * @throws Failure `invalid_request`, for a wrong `current_password` too; `rate_limited`, `unavailable`, `not_signed_in`
 */
export async function changePassword(
  gate: Gate,
  visitor: Visitor,
  { accountId }: Session,
  input: { currentPassword: string; password: string },
): Promise<SignedIn> {
  const account = await ownAccount(gate, accountId)
  refuse(passwordProblems(input.password, account.email))
  const before = await checkedHash(gate, visitor, account, 'current_password', input.currentPassword)
  const hash = await gate.passwords.hash(input.password)
  return inOwnTurn(gate, accountId, async (tx) => {
    await requireSameHash(tx, before, 'current_password')
    await replacePassword(tx, accountId, hash)
    return beginSession(tx, gate, accountId, visitor)
  })
}

/** @throws Failure `invalid_request`, for a wrong `password` too; `rate_limited`, `unavailable`, `not_signed_in` */
export async function changeEmail(
  gate: Gate,
  visitor: Visitor,
  accountId: string,
  input: { email: string; password: string },
): Promise<Account> {
  const account = await ownAccount(gate, accountId)
  const { value: email, problems } = readEmail(input.email)
  refuse(problems)
  // As with signing up, the answer tells whether somebody has the address.
  await countVisit(gate, visitor, 'address')
  const hash = await checkedHash(gate, visitor, account, 'password', input.password)
  try {
    return await inOwnTurn(gate, accountId, async (tx) => {
      await requireSameHash(tx, hash, 'password')
      await updateEmail(tx, accountId, email)
      return known(await accountById(tx, accountId))
    })
  } catch (error) {
    throw error instanceof Duplicate ? addressTaken() : error
  }
}

/** Changes what is sent. @throws Failure `invalid_request`, `not_signed_in` */
export async function changePerson(
  gate: Pick<Gate, 'store'>,
  accountId: string,
  change: { name?: string | null; timeZone?: string },
): Promise<Account> {
  const name = change.name === undefined ? null : readName(change.name)
  const timeZone = change.timeZone === undefined ? null : readTimeZone(change.timeZone)
  refuse([...(name?.problems ?? []), ...(timeZone?.problems ?? [])])
  return inOwnTurn(gate, accountId, async (tx) => {
    const before = known(await accountById(tx, accountId))
    const after = { ...before, name: name === null ? before.name : name.value, timeZone: timeZone?.value ?? before.timeZone }
    await updateAccount(tx, after)
    return after
  })
}

/**
 * Deletes the account with everything in it, for good.
 * @throws Failure `invalid_request` for a wrong `password`; `rate_limited`, `unavailable`, `not_signed_in`
 */
export async function deleteOwnAccount(gate: Gate, visitor: Visitor, accountId: string, password: string): Promise<void> {
  const account = await ownAccount(gate, accountId)
  await checkedHash(gate, visitor, account, 'password', password)
  await removeWhole(gate, accountId)
}

async function ownAccount({ store }: Pick<Gate, 'store'>, accountId: string): Promise<CountedAccount> {
  return known(await accountById(store, accountId))
}

/** @throws Failure `not_signed_in` when the account is gone */
function known(account: CountedAccount | undefined): CountedAccount {
  if (account === undefined) throw gone()
  return account
}

function gone(): Failure {
  return new Failure('not_signed_in', 'This account no longer exists.')
}

function inOwnTurn<T>(gate: Pick<Gate, 'store'>, accountId: string, job: (tx: Turn) => Promise<T>): Promise<T> {
  return inTurnOf(gate, accountId, gone, job)
}

/**
 * The hash of the account's password, if that is the one sent in `field`.
 * @throws Failure `invalid_request`, `rate_limited`, `unavailable`, `not_signed_in`
 */
async function checkedHash(gate: Gate, visitor: Visitor, account: Account, field: string, password: string): Promise<string> {
  const checked = await guessingPassword(gate, visitor, account.email, async () => {
    const hash = await passwordHash(gate.store, account.id)
    // Whoever is signed in has one, until the account is shut to be deleted.
    if (hash === null) throw gone()
    return (await gate.passwords.verify(hash, password)) ? hash : undefined
  })
  if (checked === undefined) throw wrongPassword(field)
  return checked
}

/** @throws Failure `invalid_request` when the password was changed since it was looked at */
async function requireSameHash(tx: Turn, hash: string, field: string): Promise<void> {
  if ((await passwordHash(tx, tx.accountId)) !== hash) throw wrongPassword(field)
}

function wrongPassword(field: string): Failure {
  return invalid([{ field, code: 'invalid_value', detail: 'The password is wrong.' }])
}
