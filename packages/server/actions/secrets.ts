import { hash } from 'node:crypto'
import type { RandomBytes } from '../store/ids.ts'

/** Values that open something for whoever has them: the cookie of a session, a link that works once. Only their SHA-256 is ever stored. */

const BYTES = 32

/** A new value, as it can stand in a cookie or a URL. */
export function makeSecret(random: RandomBytes): string {
  return Buffer.from(random(BYTES)).toString('base64url')
}

/** How such a value is kept and looked up: its SHA-256, in hex. */
export function hashOfSecret(value: string): string {
  return hash('sha256', value)
}
