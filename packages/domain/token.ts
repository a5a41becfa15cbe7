import type { Scope } from './scope.ts'

/**
 * A personal access token: `svc_pat_`, 40 random base62 characters, and the CRC32 of those 40 as 6 base62 characters.
 *
 * The checksum lets a scanner of leaked secrets, and this service, tell a token from a look-alike without asking a database.
 */
export const TOKEN_PREFIX = 'svc_pat_'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 40
const CHECKSUM_LENGTH = 6
const TOKEN = new RegExp(`^${TOKEN_PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

/** What is known of a token once it is made; its value is shown once and kept only as a hash. Times are ms since the epoch. */
export interface Token {
  id: string
  accountId: string
  name: string
  scopes: readonly Scope[]
  createdAt: number
  expiresAt: number
  revokedAt: number | null
  /** To the minute or so; null before its first use. */
  lastUsedAt: number | null
}

/** True for a token that works at `now` (ms since the epoch): neither revoked nor expired. */
export function isLive(token: Pick<Token, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return token.revokedAt === null && token.expiresAt > now
}

/** A new token value, out of `randomBytes` (a source of cryptographically strong bytes). */
export function makeTokenValue(randomBytes: (count: number) => Uint8Array): string {
  let random = ''
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the largest multiple of 62 that a byte holds: what lies above would favour some characters.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += BASE62[byte % 62]
    }
  }
  return TOKEN_PREFIX + random + checksum(random)
}

/** True when `value` has the form of a token and its checksum is right. It says nothing about whether such a token exists. */
export function isTokenValue(value: string): boolean {
  const parts = TOKEN.exec(value)
  return parts !== null && checksum(parts[1] as string) === parts[2]
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** CRC-32 (ISO-HDLC, as in zlib) of ASCII text, as an unsigned number. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}
