import { Failure } from '@fivetab/domain/failure.ts'
import { insertKey, usedKey } from '../store/idempotency.ts'
import type { Turn } from '../store/turn.ts'

/** A client's word that a creation is to happen once: its key, the route it is for, and a hash of what it asked. */
export interface OnceKey {
  key: string
  /** The method and the path with its ids. */
  route: string
  bodyHash: string
}

/** What a creation gave: the resource, and whether an earlier request with the same key had made it. */
export interface Made<T> {
  resource: T
  replayed: boolean
}

/**
 * Makes a resource, or finds again the one that the same key made before. The key is stored in the turn that makes the resource.
 *
 * @param find throws Failure `not_found` when the resource was deleted since
 * @throws Failure `key_reused` when the key was used for another body
 */
export async function once<T>(
  tx: Turn,
  key: OnceKey | null,
  find: (id: string) => Promise<T>,
  make: () => Promise<{ id: string; resource: T }>,
): Promise<Made<T>> {
  if (key === null) return { resource: (await make()).resource, replayed: false }
  const used = await usedKey(tx, tx.accountId, key.route, key.key)
  if (used !== undefined) {
    if (used.bodyHash !== key.bodyHash)
      throw new Failure('key_reused', 'This Idempotency-Key was used before, with another body. Take a new key for a new request.')
    return { resource: await find(used.resourceId), replayed: true }
  }
  const { id, resource } = await make()
  await insertKey(tx, tx.accountId, key.route, key.key, { bodyHash: key.bodyHash, resourceId: id }, tx.now)
  return { resource, replayed: false }
}
