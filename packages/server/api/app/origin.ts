import { Failure } from '@fivetab/domain/failure.ts'
import type { FastifyRequest } from 'fastify'
import { signedInOf } from '../caller.ts'
import { READING } from '../limits.ts'

/**
 * Changes are made by the app's own pages alone: the cookie comes along with whatever a browser sends, so the page that sends it has to be one of ours.
 * A page of ours is of the origin of the base URL, or of the very host that the request is for.
 * @throws Failure `foreign_origin`
 */
export function requireOwnOrigin(request: FastifyRequest, baseUrl: string): void {
  if (READING.has(request.method)) return
  const { origin } = request.headers
  if (origin === undefined) throw foreign('The header Origin is missing: changes are taken from the pages of the app alone.')
  if (request.headers['sec-fetch-site'] === 'cross-site') throw foreign('The request comes from a page of another site.')
  if (!isOwn(origin, request.host, baseUrl)) throw foreign('The header Origin names another site than this one.')
}

function isOwn(origin: string, host: string, baseUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const [url, base] = [new URL(origin), new URL(baseUrl)]
  if (url.origin === base.origin) return true
  // Whoever can forge pages of the host without TLS has none of what is under TLS.
  if (url.protocol === 'http:' && base.protocol === 'https:') return false
  // Spelled alike, for a Host may name the usual port.
  const asked = `${url.protocol}//${host}`
  return /^https?:$/.test(url.protocol) && URL.canParse(asked) && new URL(asked).host === url.host
}

/**
 * A page says whose it is, and what was done on one is not stored in the account of whoever has signed in since in the same browser.
 * @throws Failure `not_signed_in`
 */
export function requireSamePerson(request: FastifyRequest): void {
  const meant = request.headers['fivetab-account']
  if (meant === undefined || meant === signedInOf(request).account.id) return
  throw new Failure('not_signed_in', 'Somebody else is signed in here by now. Load the page anew.')
}

function foreign(detail: string): Failure {
  return new Failure('foreign_origin', detail)
}
