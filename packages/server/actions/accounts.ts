import { Failure } from '@fivetab/domain/failure.ts'
import { DEFAULT_PLAN } from '@fivetab/domain/plan.ts'
import {
  accountByEmail,
  allAccounts,
  type CountedAccount,
  deleteAccount,
  deleteSomeOfAccount,
  insertAccount,
  updateAccount,
} from '../store/accounts.ts'
import { newId } from '../store/ids.ts'
import { allPlans, planByKey } from '../store/plans.ts'
import { Duplicate, type Reader } from '../store/store.ts'
import { type Operator, requireLine } from './operator.ts'

const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/
const MAX_EMAIL = 254
const MAX_NAME = 200

/** @throws Failure `invalid_request` for an address that is none, is taken, or a plan that is not there */
export function createAccount(by: Operator, input: { email: string; name?: string; plan?: string }): Promise<CountedAccount> {
  const email = requireEmail(input.email)
  const now = by.clock()
  return by.store.transact(async (writer) => {
    const account: CountedAccount = {
      id: newId(now, by.random),
      email,
      name: input.name === undefined ? null : requireLine('The name', input.name, MAX_NAME),
      timeZone: 'UTC',
      planKey: await knownPlan(writer, input.plan ?? DEFAULT_PLAN),
      apiAccess: true,
      vault: false,
      activeTasks: 0,
      createdAt: now,
    }
    try {
      await insertAccount(writer, account)
    } catch (error) {
      if (error instanceof Duplicate) throw new Failure('invalid_request', `There is an account with the address ${email} already.`)
      throw error
    }
    return account
  })
}

function requireEmail(text: string): string {
  const email = requireLine('The e-mail address', text, MAX_EMAIL).toLowerCase()
  if (!EMAIL.test(email)) throw new Failure('invalid_request', `"${email}" is no e-mail address; one looks like ada@example.org.`)
  return email
}

async function knownPlan(reader: Reader, key: string): Promise<string> {
  if ((await planByKey(reader, key)) !== undefined) return key
  const keys = (await allPlans(reader)).map((plan) => plan.key)
  throw new Failure('invalid_request', `There is no plan "${key}". There are: ${keys.join(', ')}.`)
}

export function listAccounts(by: Operator): Promise<CountedAccount[]> {
  return allAccounts(by.store)
}

/** @throws Failure `not_found` */
export async function getAccount({ store }: Pick<Operator, 'store'>, email: string): Promise<CountedAccount> {
  return knownAccount(store, email)
}

async function knownAccount(reader: Reader, email: string): Promise<CountedAccount> {
  const account = await accountByEmail(reader, email)
  if (account === undefined) throw new Failure('not_found', `There is no account with the address ${email}.`)
  return account
}

export interface AccountChange {
  name?: string
  plan?: string
  timeZone?: string
  apiAccess?: boolean
  vault?: boolean
}

/** @throws Failure `not_found`, `invalid_request` */
export async function setAccount(by: Operator, email: string, change: AccountChange): Promise<CountedAccount> {
  const { id } = await knownAccount(by.store, email)
  return by.store.write(id, async (tx) => {
    const before = await knownAccount(tx, email)
    const after: CountedAccount = {
      ...before,
      name: change.name === undefined ? before.name : requireLine('The name', change.name, MAX_NAME),
      timeZone: change.timeZone === undefined ? before.timeZone : requireTimeZone(change.timeZone),
      planKey: change.plan === undefined ? before.planKey : await knownPlan(tx, change.plan),
      apiAccess: change.apiAccess ?? before.apiAccess,
      vault: change.vault ?? before.vault,
    }
    await updateAccount(tx, after)
    return after
  })
}

function requireTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    throw new Failure('invalid_request', `"${name}" is no time zone; one looks like Europe/Berlin.`)
  }
}

const ROWS_AT_ONCE = 1_000

/**
 * Deletes the account with everything in it, for good. It is shut first and emptied bit by bit, so that the writes of others go on meanwhile; one
 * that was cut off is carried on by the next.
 * @throws Failure `not_found`
 */
export async function removeAccount(by: Operator, email: string): Promise<CountedAccount> {
  const account = await setAccount(by, email, { apiAccess: false })
  while ((await emptyAccount(by, account.id, ROWS_AT_ONCE)) > 0);
  await by.store.transact((writer) => deleteAccount(writer, account.id))
  return account
}

/** Empties up to `limit` tasks and as many events out of an account, whose counts stay right; tells how many rows went. */
export function emptyAccount({ store }: Pick<Operator, 'store'>, id: string, limit: number): Promise<number> {
  return store.write(id, async (tx) => {
    const { rows, activeTasks } = await deleteSomeOfAccount(tx, id, limit)
    tx.ledger.activeTasks -= activeTasks
    return rows
  })
}
