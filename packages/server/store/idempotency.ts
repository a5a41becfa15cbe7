import type { Reader, Writer } from './store.ts'

/** What a client's key stands for: it belongs to the account and to the route, which is the method and the path with its ids. */
export interface UsedKey {
  bodyHash: string
  resourceId: string
}

export async function usedKey(reader: Reader, accountId: string, route: string, key: string): Promise<UsedKey | undefined> {
  const row = await reader.one<{ body_hash: string; resource_id: string }>(
    'select body_hash, resource_id from idempotency_keys where account_id = $1 and route = $2 and key = $3',
    [accountId, route, key],
  )
  return row && { bodyHash: row.body_hash, resourceId: row.resource_id }
}

export async function insertKey(writer: Writer, accountId: string, route: string, key: string, used: UsedKey, now: number): Promise<void> {
  await writer.put(
    'insert into idempotency_keys (account_id, route, key, body_hash, resource_id, created_at) values ($1, $2, $3, $4, $5, $6)',
    [accountId, route, key, used.bodyHash, used.resourceId, now],
  )
}

/** Forgets up to `limit` keys that were used before `time` (ms since the epoch), in whatever account; returns how many. `holding` is the dialect's. */
export function deleteKeysBefore(writer: Writer, time: number, limit: number, holding: string): Promise<number> {
  return writer.run(
    `delete from idempotency_keys where (account_id, route, key) in
       (select o.account_id, o.route, o.key from idempotency_keys o where o.created_at < $1 order by o.created_at limit $2${holding})`,
    [time, limit],
  )
}
