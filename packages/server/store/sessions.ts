import type { Account } from '@fivetab/domain/account.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import type { Session } from '@fivetab/domain/session.ts'
import { ACCOUNT_COLUMNS, type AccountRow, accountFromRow } from './accounts.ts'
import { type PlanRow, planFromRow } from './plans.ts'
import type { Engine, Reader, Writer } from './store.ts'

interface SessionRow {
  id: string
  account_id: string
  user_agent: string | null
  created_at: number
  last_used_at: number
  expires_at: number
}

function sessionFromRow(row: SessionRow): Session {
  return {
    id: row.id,
    accountId: row.account_id,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  }
}

/** `hash` is the SHA-256 of the value in the cookie; the value itself is never stored. */
export async function insertSession(writer: Writer, session: Session, hash: string): Promise<void> {
  await writer.put(
    'insert into sessions (account_id, id, hash, user_agent, created_at, last_used_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7)',
    [session.accountId, session.id, hash, session.userAgent, session.createdAt, session.lastUsedAt, session.expiresAt],
  )
}

/** Writes a use down. One that was ended meanwhile stays ended. */
export async function saveUse(writer: Writer, { accountId, id, lastUsedAt, expiresAt }: Session): Promise<void> {
  await writer.put('update sessions set last_used_at = $3, expires_at = $4 where account_id = $1 and id = $2 and last_used_at < $3', [
    accountId,
    id,
    lastUsedAt,
    expiresAt,
  ])
}

/** A session with what letting it in depends on. Whether it has ended by time is for the caller to see. */
export interface SessionAdmittance {
  session: Session
  account: Account
  plan: Plan
}

type SessionAdmittanceRow = {
  session_id: string
  user_agent: string | null
  session_created_at: number
  last_used_at: number
  expires_at: number
} & AccountRow &
  Omit<PlanRow, 'api_access' | 'active_tasks'> & { plan_api_access: number; plan_active_tasks: number | null }

const sessionAdmittanceBy = (session: string) => `
  select s.id as session_id, s.user_agent, s.created_at as session_created_at, s.last_used_at, s.expires_at,
    ${ACCOUNT_COLUMNS},
    p.key, p.api_access as plan_api_access, p.active_tasks as plan_active_tasks, p.token_per_minute, p.account_per_minute, p.writes_per_day
  from sessions s
    join accounts a on a.id = s.account_id
    join plans p on p.key = a.plan_key
  where ${session}`

const SESSION_ADMITTANCE = sessionAdmittanceBy('s.hash = $1')

/** `hash` is the SHA-256 of the value that was presented. Undefined when no session has it. */
export function sessionAdmittance(store: Pick<Engine, 'known'>, hash: string): Promise<SessionAdmittance | undefined> {
  return store.known(`session ${hash}`, async (reader) => {
    const row = await reader.one<SessionAdmittanceRow>(SESSION_ADMITTANCE, [hash])
    return row && admittanceFromRow(row)
  })
}

/** Those of these sessions that are there still, by their ids. */
export async function sessionsByIds(reader: Reader, ids: readonly string[]): Promise<Map<string, SessionAdmittance>> {
  const places = ids.map((_, index) => `$${index + 1}`).join(', ')
  const rows = await reader.all<SessionAdmittanceRow>(sessionAdmittanceBy(`s.id in (${places})`), ids)
  return new Map(rows.map((row) => [row.session_id, admittanceFromRow(row)]))
}

function admittanceFromRow(row: SessionAdmittanceRow): SessionAdmittance {
  const account = accountFromRow(row)
  return {
    session: sessionFromRow({ ...row, id: row.session_id, account_id: account.id, created_at: row.session_created_at }),
    account,
    plan: planFromRow({ ...row, api_access: row.plan_api_access, active_tasks: row.plan_active_tasks }),
  }
}

/** The account's sessions that have not ended at `now` (ms since the epoch), oldest first. */
export async function sessionsOf(reader: Reader, accountId: string, now: number): Promise<Session[]> {
  const rows = await reader.all<SessionRow>(
    `select id, account_id, user_agent, created_at, last_used_at, expires_at from sessions
     where account_id = $1 and expires_at > $2 order by id`,
    [accountId, now],
  )
  return rows.map(sessionFromRow)
}

/** How many went: 0 when the account has no such session. */
export function deleteSession(writer: Writer, accountId: string, id: string): Promise<number> {
  return writer.run('delete from sessions where account_id = $1 and id = $2', [accountId, id])
}

/** The session with this id, in whatever account. */
export async function deleteSessionOfAnyAccount(writer: Writer, id: string): Promise<void> {
  await writer.put('delete from sessions where id = $1', [id])
}

/** All sessions of the account. */
export async function deleteSessionsOf(writer: Writer, accountId: string): Promise<void> {
  await writer.put('delete from sessions where account_id = $1', [accountId])
}

/** All but the `count` that were used last. */
export async function deleteLeastUsedSessions(writer: Writer, accountId: string, count: number): Promise<void> {
  await writer.put(
    `delete from sessions where account_id = $1 and id not in
       (select id from sessions where account_id = $1 order by last_used_at desc, id desc limit $2)`,
    [accountId, count],
  )
}

/** Forgets up to `limit` sessions that ended before `time` (ms since the epoch), in whatever account; returns how many. `holding` is the dialect's. */
export function deleteSessionsBefore(writer: Writer, time: number, limit: number, holding: string): Promise<number> {
  return writer.run(
    `delete from sessions where (account_id, id) in
       (select o.account_id, o.id from sessions o where o.expires_at < $1 order by o.expires_at limit $2${holding})`,
    [time, limit],
  )
}
