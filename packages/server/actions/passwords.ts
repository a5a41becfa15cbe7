import { Failure } from '@fivetab/domain/failure.ts'
import { normalisedPassword } from '@fivetab/domain/password.ts'
import type { RandomBytes } from '../store/ids.ts'

/** Hashing and checking of passwords: Argon2id, as the OWASP says (19 MiB, 2 passes, 1 lane). It takes some 30 ms of a processor and 19 MiB each time. */
export interface Passwords {
  /** @throws Failure `unavailable` when too many wait already */
  hash(password: string): Promise<string>
  /**
   * Whether this is the password. Without a hash (nobody has this address, or no password was set) the answer is no, and takes as long.
   * @throws Failure `unavailable` when too many wait already
   */
  verify(hash: string | null, password: string): Promise<boolean>
  /** True for a hash that was made with other parameters than are used now. */
  needsRehash(hash: string): boolean
}

const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const SALT_BYTES = 16
const DIGEST_BYTES = 32
const PARAMETERS = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$`

/** Each takes a thread of Node's four and its memory, so that not even a flood of sign-ins keeps the store from its own. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 64
const RETRY_AFTER_SECONDS = 2

export function openPasswords(random: RandomBytes): Passwords {
  const limited = openLine()
  // Made up, so that no password fits it.
  const nobodys = `${PARAMETERS}${inBase64(random(SALT_BYTES))}$${inBase64(random(DIGEST_BYTES))}`
  return {
    hash: (password) =>
      limited(async () => {
        const { hash } = await import('@node-rs/argon2')
        return hash(normalisedPassword(password), {
          memoryCost: MEMORY_KIB,
          timeCost: PASSES,
          parallelism: LANES,
          outputLen: DIGEST_BYTES,
          salt: Uint8Array.from(random(SALT_BYTES)),
        })
      }),
    verify: (hash, password) =>
      limited(async () => {
        const { verify } = await import('@node-rs/argon2')
        const fits = await verify(hash ?? nobodys, normalisedPassword(password))
        return fits && hash !== null
      }),
    needsRehash: (hash) => !hash.startsWith(PARAMETERS),
  }
}

/** As the PHC string format has it: without padding. */
function inBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

/** Carries out jobs one after another, `MAX_AT_ONCE` at a time. */
function openLine(): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (job) => {
    if (running < MAX_AT_ONCE) running += 1
    else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw tooMany()
    try {
      return await job()
    } finally {
      // Whoever waited longest takes the place.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

function tooMany(): Failure {
  return new Failure('unavailable', 'Too many people are signing in at this moment. Try again in a few seconds.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
