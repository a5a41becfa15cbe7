import { createHmac } from 'node:crypto'
import type { RandomBytes } from '../store/ids.ts'

/** Signatures as Standard Webhooks has them, so that whoever receives a request can check it with a library: https://www.standardwebhooks.com */

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** What a request is signed by. */
export interface Signed {
  /** The same for every try of one delivery. */
  id: string
  /** When this try is made, in seconds since the epoch. Receivers refuse what is older than some minutes. */
  timestampSeconds: number
  body: string
  /** Each gives a signature: two while one follows the other. */
  secrets: readonly string[]
}

export interface SignatureHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

export function newSecret(random: RandomBytes): string {
  return PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64')
}

export function signatureHeaders({ id, timestampSeconds, body, secrets }: Signed): SignatureHeaders {
  const content = `${id}.${timestampSeconds}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => `v1,${hmac(secret, content)}`).join(' '),
  }
}

function hmac(secret: string, content: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(content)
    .digest('base64')
}
