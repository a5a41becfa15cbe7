import { Failure, required } from '@fivetab/domain/failure.ts'
import { MAX_NAME, readEmail, readTimeZone } from '@fivetab/domain/person.ts'
import { DEFAULT_PLAN } from '@fivetab/domain/plan.ts'
import { readLine } from '@fivetab/domain/text.ts'
import {
  accountByEmail,
  allAccounts,
  type CountedAccount,
  deleteAccount,
  deleteSomeOfAccount,
  insertAccount,
  shutAccount,
  updateAccount,
} from '../store/accounts.ts'
import { newId } from '../store/ids.ts'
import { allPlans, planByKey } from '../store/plans.ts'
import { Duplicate, type Reader } from '../store/store.ts'
import type { Operator } from './operator.ts'

/** @throws Failure `invalid_request` for an address that is none, is taken, or a plan that is not there */
export function createAccount(by: Operator, input: { email: string; name?: string; plan?: string }): Promise<CountedAccount> {
  const email = requireEmail(input.email)
  const name = input.name === undefined ? null : requireName(input.name)
  return by.store.transact(async (writer) => {
    const planKey = await knownPlan(writer, input.plan ?? DEFAULT_PLAN)
    const account = newAccount(by, { email, name, timeZone: 'UTC', planKey })
    try {
      await insertAccount(writer, account)
    } catch (error) {
      if (error instanceof Duplicate) throw new Failure('invalid_request', `There is an account with the address ${email} already.`)
      throw error
    }
    return account
  })
}

/** An account as it begins. */
export function newAccount(
  { clock, random }: Pick<Operator, 'clock' | 'random'>,
  given: Pick<CountedAccount, 'email' | 'name' | 'timeZone' | 'planKey'>,
): CountedAccount {
  const now = clock()
  return { ...given, id: newId(now, random), apiAccess: true, vault: false, activeTasks: 0, hasPassword: false, createdAt: now }
}

/** @throws Failure `invalid_request` */
export function requireEmail(text: string): string {
  return required(readEmail(text))
}

function requireName(text: string): string {
  return required(readLine('The name', 'name', text, MAX_NAME))
}

/** @throws Failure `invalid_request` when there is no such plan */
export async function knownPlan(reader: Reader, key: string): Promise<string> {
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
      name: change.name === undefined ? before.name : requireName(change.name),
      timeZone: change.timeZone === undefined ? before.timeZone : required(readTimeZone(change.timeZone)),
      planKey: change.plan === undefined ? before.planKey : await knownPlan(tx, change.plan),
      apiAccess: change.apiAccess ?? before.apiAccess,
      vault: change.vault ?? before.vault,
    }
    await updateAccount(tx, after)
    return after
  })
}

const ROWS_AT_ONCE = 1_000

/**
 * Deletes the account with everything in it, for good.
 * @throws Failure `not_found`
 */
export async function removeAccount(by: Operator, email: string): Promise<CountedAccount> {
  const account = await getAccount(by, email)
  await removeWhole(by, account.id)
  return account
}

/**
 * Deletes an account with everything in it. It is shut first, so that nobody gets in, and emptied bit by bit, so that the writes of others go on
 * meanwhile; a deletion that was cut off is carried on by the next.
 */
export async function removeWhole({ store }: Pick<Operator, 'store'>, id: string): Promise<void> {
  await store.write(id, (tx) => shutAccount(tx, id))
  while ((await emptyAccount({ store }, id, ROWS_AT_ONCE)) > 0);
  await store.transact((writer) => deleteAccount(writer, id))
}

/** Empties up to `limit` tasks and as many events out of an account, whose counts stay right; tells how many rows went. */
export function emptyAccount({ store }: Pick<Operator, 'store'>, id: string, limit: number): Promise<number> {
  return store.write(id, async (tx) => {
    const { rows, activeTasks } = await deleteSomeOfAccount(tx, id, limit)
    tx.ledger.activeTasks -= activeTasks
    return rows
  })
}
