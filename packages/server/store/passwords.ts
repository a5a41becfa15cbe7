import type { Reader, Writer } from './store.ts'

/** The Argon2id hash of the account's password; null when it has none, or there is no such account. */
export async function passwordHash(reader: Reader, accountId: string): Promise<string | null> {
  const row = await reader.one<{ hash: string }>('select hash from passwords where account_id = $1', [accountId])
  return row?.hash ?? null
}

/** Whose an e-mail address is, and the hash of the password; undefined when it is nobody's. One statement, so that known and unknown take as long. */
export function credentialsOf(reader: Reader, email: string): Promise<{ accountId: string; hash: string | null } | undefined> {
  return reader.one('select a.id as "accountId", p.hash from accounts a left join passwords p on p.account_id = a.id where a.email = $1', [
    email,
  ])
}

/** Gives the account this password in the place of any other. `changedAt` is in ms since the epoch. */
export async function savePassword(writer: Writer, accountId: string, hash: string, changedAt: number): Promise<void> {
  await writer.put(
    `insert into passwords (account_id, hash, changed_at) values ($1, $2, $3)
     on conflict (account_id) do update set hash = excluded.hash, changed_at = excluded.changed_at`,
    [accountId, hash, changedAt],
  )
}

/** Keeps the same password by another hash. */
export async function replaceHash(writer: Writer, accountId: string, hash: string): Promise<void> {
  await writer.put('update passwords set hash = $2 where account_id = $1', [accountId, hash])
}
