import { hash } from 'node:crypto'
import { makeTokenValue } from '@fivetab/domain/token.ts'
import { hashOfToken } from '../packages/server/actions/tokens.ts'

/** Many accounts, numbered from 1, each with a token and as many tasks as the others. A token follows from its account's number alone. */

export const ACCOUNT_ID_BEGINNING = '019aa4a5-4c00-7b3e-a000-'
const TOKEN_ID_BEGINNING = '019aa4a5-4c00-7b3e-b000-'
const FIRST_NUMBER = 100_000_000_000
const CREATED_AT = Date.parse('2026-01-01T00:00:00Z')
const EXPIRES_AT = Date.parse('2100-01-01T00:00:00Z')
/** SQLite reads a statement of up to a million bytes. */
const TOKENS_A_STATEMENT = 1_000

/** The same in every process. It is as good a secret as a load needs. */
export function tokenOf(account: number): string {
  return makeTokenValue(() => hash('sha512', `account ${account}`, 'buffer'))
}

/** Puts the accounts in, on the plan `bench`, with their ledgers and tokens. */
export function accountsStatements(accounts: number): string {
  const id = `'${ACCOUNT_ID_BEGINNING}' || (${FIRST_NUMBER} + number)`
  const numbers = `with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${accounts})`
  return `
    ${numbers} insert into accounts (id, email, name, time_zone, plan_key, api_access, vault, created_at)
    select ${id}, 'bench' || number || '@example.org', null, 'UTC', 'bench', 1, 0, ${CREATED_AT} from numbers;
    ${numbers} insert into ledgers (account_id, active_tasks, last_stamp, last_id, last_sequence, write_day, writes_that_day)
    select ${id}, 0, 0, '', 0, 0, 0 from numbers;
    ${tokensStatements(accounts)}`
}

function tokensStatements(accounts: number): string {
  const rows = Array.from({ length: accounts }, (_, index) => tokenRow(index + 1))
  const parts = Array.from({ length: Math.ceil(accounts / TOKENS_A_STATEMENT) }, (_, part) =>
    rows.slice(part * TOKENS_A_STATEMENT, (part + 1) * TOKENS_A_STATEMENT),
  )
  const columns = 'account_id, id, name, hash, scopes, created_at, expires_at, revoked_at'
  return parts.map((part) => `insert into tokens (${columns}) values ${part.join(', ')};`).join('\n')
}

function tokenRow(account: number): string {
  const number = FIRST_NUMBER + account
  const texts = [`${ACCOUNT_ID_BEGINNING}${number}`, `${TOKEN_ID_BEGINNING}${number}`, 'bench', hashOfToken(tokenOf(account))]
  return `(${[...texts, 'tasks:read tasks:write'].map((text) => `'${text}'`).join(', ')}, ${CREATED_AT}, ${EXPIRES_AT}, null)`
}
