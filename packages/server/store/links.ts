import type { Link, LinkKind } from '@fivetab/domain/link.ts'
import type { Reader, Writer } from './store.ts'

interface LinkRow {
  kind: LinkKind
  account_id: string | null
  email: string | null
  plan_key: string | null
  created_at: number
  expires_at: number
}

function linkFromRow(row: LinkRow): Link {
  return {
    kind: row.kind,
    accountId: row.account_id,
    email: row.email,
    planKey: row.plan_key,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

/** `hash` is the SHA-256 of the value in the link; the value itself is never stored. Whose password a link resets is asked of the account. */
export async function insertLink(writer: Writer, link: Link, hash: string): Promise<void> {
  await writer.put(
    'insert into one_time_links (hash, kind, account_id, email, plan_key, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7)',
    [hash, link.kind, link.accountId, link.accountId === null ? link.email : null, link.planKey, link.createdAt, link.expiresAt],
  )
}

/** The link with this hash that works at `now` (ms since the epoch), as far as time has a say. */
export async function linkByHash(reader: Reader, hash: string, now: number): Promise<Link | undefined> {
  const row = await reader.one<LinkRow>(
    `select l.kind, l.account_id, coalesce(a.email, l.email) as email, l.plan_key, l.created_at, l.expires_at
     from one_time_links l left join accounts a on a.id = l.account_id
     where l.hash = $1 and l.expires_at > $2`,
    [hash, now],
  )
  return row && linkFromRow(row)
}

/** Uses the link up: of many at once one is answered with true. */
export async function takeLink(writer: Writer, hash: string, now: number): Promise<boolean> {
  return (await writer.run('delete from one_time_links where hash = $1 and expires_at > $2', [hash, now])) > 0
}

/** Uses up all links to the first account; true when that with this hash is among them. */
export async function takeFirstLinks(writer: Writer, hash: string): Promise<boolean> {
  const taken = await writer.all<{ hash: string }>(`delete from one_time_links where kind = 'first' returning hash`, [])
  return taken.some((link) => link.hash === hash)
}

/** Takes back all links that would reset the account's password. */
export async function deleteLinksOf(writer: Writer, accountId: string): Promise<void> {
  await writer.put('delete from one_time_links where account_id = $1', [accountId])
}

/** Forgets up to `limit` links that ended before `time` (ms since the epoch); returns how many. `holding` is the dialect's. */
export function deleteLinksBefore(writer: Writer, time: number, limit: number, holding: string): Promise<number> {
  return writer.run(
    `delete from one_time_links where hash in
       (select o.hash from one_time_links o where o.expires_at < $1 order by o.expires_at limit $2${holding})`,
    [time, limit],
  )
}
