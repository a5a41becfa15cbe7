import type { Account } from '@fivetab/domain/account.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import type { Scope } from '@fivetab/domain/scope.ts'
import type { Token } from '@fivetab/domain/token.ts'
import { ACCOUNT_COLUMNS, type AccountRow, accountFromRow } from './accounts.ts'
import { type PlanRow, planFromRow } from './plans.ts'
import type { Engine, Reader, Writer } from './store.ts'

interface TokenRow {
  id: string
  account_id: string
  name: string
  scopes: string
  created_at: number
  expires_at: number
  revoked_at: number | null
  last_used_at: number | null
}

const COLUMNS = 'id, account_id, name, scopes, created_at, expires_at, revoked_at, last_used_at'

function tokenFromRow(row: TokenRow): Token {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes: row.scopes.split(' ') as Scope[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }
}

/** `hash` is the SHA-256 of the token's value; the value itself is never stored. */
export async function insertToken(writer: Writer, token: Token, hash: string): Promise<void> {
  await writer.put(
    'insert into tokens (account_id, id, name, hash, scopes, created_at, expires_at, revoked_at) values ($1, $2, $3, $4, $5, $6, $7, $8)',
    [token.accountId, token.id, token.name, hash, token.scopes.join(' '), token.createdAt, token.expiresAt, token.revokedAt],
  )
}

export async function tokensOf(reader: Reader, accountId: string): Promise<Token[]> {
  const rows = await reader.all<TokenRow>(`select ${COLUMNS} from tokens where account_id = $1 order by id`, [accountId])
  return rows.map(tokenFromRow)
}

export async function tokenById(reader: Reader, accountId: string, id: string): Promise<Token | undefined> {
  const row = await reader.one<TokenRow>(`select ${COLUMNS} from tokens where account_id = $1 and id = $2`, [accountId, id])
  return row && tokenFromRow(row)
}

/** The token with this id, in whatever account: for the operator alone. */
export async function tokenOfAnyAccount(reader: Reader, id: string): Promise<Token | undefined> {
  const row = await reader.one<TokenRow>(`select ${COLUMNS} from tokens where id = $1`, [id])
  return row && tokenFromRow(row)
}

export async function revokeToken(writer: Writer, accountId: string, id: string, now: number): Promise<void> {
  await writer.put('update tokens set revoked_at = $3 where account_id = $1 and id = $2 and revoked_at is null', [accountId, id, now])
}

/** Forgets the account's tokens that no longer work at `now` (ms since the epoch), but for the newest `count` of them. */
export async function deleteOldestEndedTokens(writer: Writer, accountId: string, now: number, count: number): Promise<void> {
  const ended = 'account_id = $1 and (revoked_at is not null or expires_at <= $2)'
  await writer.put(`delete from tokens where ${ended} and id not in (select id from tokens where ${ended} order by id desc limit $3)`, [
    accountId,
    now,
    count,
  ])
}

/** When a token was used, in ms since the epoch. */
export interface TokenUse {
  accountId: string
  id: string
  at: number
}

/** Writes a use down, unless a later one of another instance is. */
export async function saveTokenUse(writer: Writer, { accountId, id, at }: TokenUse): Promise<void> {
  await writer.put(
    'update tokens set last_used_at = $3 where account_id = $1 and id = $2 and (last_used_at is null or last_used_at < $3)',
    [accountId, id, at],
  )
}

/** All that letting a request in depends on, read in one statement. `bearer` is undefined when no token has this hash. */
export interface Admittance {
  apiIsOn: boolean
  bearer?: {
    token: Token
    account: Account
    plan: Plan
  }
}

type AdmittanceRow = { is_on: number } & (
  | ({
      token_id: string
      token_name: string
      scopes: string
      expires_at: number
      revoked_at: number | null
      last_used_at: number | null
      token_created_at: number
    } & AccountRow &
      Omit<PlanRow, 'api_access' | 'active_tasks'> & { plan_api_access: number; plan_active_tasks: number | null })
  | { token_id: null }
)

const admittanceBy = (token: string) => `
  select s.is_on,
    t.id as token_id, t.name as token_name, t.scopes, t.created_at as token_created_at, t.expires_at, t.revoked_at,
    t.last_used_at,
    ${ACCOUNT_COLUMNS},
    p.key, p.api_access as plan_api_access, p.active_tasks as plan_active_tasks, p.token_per_minute, p.account_per_minute, p.writes_per_day
  from switches s
    left join tokens t on ${token}
    left join accounts a on a.id = t.account_id
    left join plans p on p.key = a.plan_key
  where s.name = 'api'`

const ADMITTANCE = admittanceBy('t.hash = $1')

/** `hash` is the SHA-256 of the value that was presented, or `''` for none. */
export function admittance(store: Pick<Engine, 'known'>, hash: string): Promise<Admittance> {
  return store.known(`admittance of ${hash}`, async (reader) => admittanceFromRow(await reader.one<AdmittanceRow>(ADMITTANCE, [hash])))
}

/** What letting in each of these tokens depends on now, by the token's id. */
export async function admittances(reader: Reader, tokenIds: readonly string[]): Promise<Map<string, Admittance>> {
  const places = tokenIds.map((_, index) => `$${index + 1}`).join(', ')
  const rows = await reader.all<AdmittanceRow>(admittanceBy(`t.id in (${places})`), tokenIds)
  const found = new Map(rows.map((row) => [row.token_id, admittanceFromRow(row)]))
  const { apiIsOn } = admittanceFromRow(rows[0])
  return new Map(tokenIds.map((id) => [id, found.get(id) ?? { apiIsOn }]))
}

function admittanceFromRow(row: AdmittanceRow | undefined): Admittance {
  if (row === undefined) throw new Error('The database has lost its switches: it was not migrated, or was changed by hand.')
  const apiIsOn = row.is_on === 1
  if (row.token_id === null) return { apiIsOn }
  const account = accountFromRow(row)
  const token = tokenFromRow({
    id: row.token_id,
    account_id: account.id,
    name: row.token_name,
    scopes: row.scopes,
    created_at: row.token_created_at,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    last_used_at: row.last_used_at,
  })
  const plan = planFromRow({ ...row, api_access: row.plan_api_access, active_tasks: row.plan_active_tasks })
  return { apiIsOn, bearer: { token, account, plan } }
}
