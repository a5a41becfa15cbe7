import { hash } from 'node:crypto'
import type { Precondition } from '@fivetab/domain/version.ts'
import type { FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { OnceKey } from '../actions/once.ts'
import { parseIfMatch, parseIfNoneMatch } from './conditional.ts'
import { canonicalJson } from './json.ts'
import type { RequestHeader } from './operation.ts'
import { BadRequest, inBody, type RequestProblem } from './problem.ts'
import type { PartCheck } from './validation.ts'

/** The one check that every request to an operation passes before its handler: path, query, headers and body, all problems in one answer. */

/** What a request's conditional headers and its key say. */
interface Conditions {
  match: Precondition
  noneMatch: Precondition
  onceKey: OnceKey | null
  /** The sequence that `Last-Event-ID` names. */
  lastEventId: number | null
}

declare module 'fastify' {
  interface FastifyRequest {
    conditions: Conditions | null
  }
}

/**
 * A check for a route's requests. `clock` gives ms since the epoch.
 * @throws BadRequest (the check) with every problem found
 */
export function requestCheck(
  route: RouteOptions,
  checkOf: (part: RequestProblem['in'], schema: TSchema) => PartCheck,
  clock: () => number,
): (request: FastifyRequest) => void {
  const { params, querystring, body } = route.schema as { params: TSchema; querystring: TSchema; body?: TSchema }
  const { takes = [], bodyOptional = false, check = () => [] } = route.config?.operation ?? {}
  const checkPath = checkOf('path', params)
  const checkQuery = checkOf('query', querystring)
  const checkShape = body === undefined ? null : checkOf('body', body)

  function checkBody(request: FastifyRequest): RequestProblem[] {
    if (request.bodyProblem !== null) return [request.bodyProblem]
    if (checkShape === null) return request.body === undefined ? [] : [superfluousBody()]
    // A handler reads its body as an object; one that may be left out is then an empty one.
    if (request.body === undefined && bodyOptional) request.body = {}
    if (request.body === undefined) return [missingBody()]
    const problems = checkShape(request.body)
    return [...problems, ...check(withoutFaults(request.body, problems) as never, clock()).map(inBody)]
  }

  return (request) => {
    // The hash is taken of the body as it was sent, before the check brings its texts into shape.
    const onceKey = takes.includes('Idempotency-Key') ? readOnceKey(request) : null
    const match = takes.includes('If-Match') ? parseIfMatch(request.headers['if-match']) : null
    const noneMatch = takes.includes('If-None-Match') ? parseIfNoneMatch(request.headers['if-none-match']) : null
    const lastEventId = takes.includes('Last-Event-ID') ? readLastEventId(request.headers['last-event-id']) : null
    const problems = [
      ...checkPath(request.params),
      ...checkQuery(request.query),
      ...(match === undefined ? [badTag('If-Match')] : []),
      ...(noneMatch === undefined ? [badTag('If-None-Match')] : []),
      ...(onceKey === undefined ? [badKey()] : []),
      ...(lastEventId === undefined ? [badEventId()] : []),
      ...checkBody(request),
    ]
    if (problems.length > 0 || match === undefined || noneMatch === undefined || onceKey === undefined || lastEventId === undefined)
      throw new BadRequest(problems)
    request.conditions = { match, noneMatch, onceKey, lastEventId }
  }
}

/** The fields of a body that fit their shapes. */
function withoutFaults(body: unknown, problems: readonly RequestProblem[]): object {
  if (typeof body !== 'object' || body === null) return {}
  const faulty = new Set(problems.map(({ pointer = '' }) => pointer.split('/')[1]))
  return Object.fromEntries(Object.entries(body).filter(([name]) => !faulty.has(name)))
}

export function conditionsOf(request: FastifyRequest): Conditions {
  if (request.conditions === null) throw new Error('The conditions of a request are read only after its check.')
  return request.conditions
}

function superfluousBody(): RequestProblem {
  return { in: 'body', name: '', pointer: '', code: 'unknown', detail: 'This takes no body.' }
}

function missingBody(): RequestProblem {
  return { in: 'body', name: '', pointer: '', code: 'required', detail: 'A JSON body is required, with Content-Type: application/json.' }
}

function badTag(name: RequestHeader): RequestProblem {
  return { in: 'header', name, code: 'invalid_format', detail: `${name} must be an ETag such as "7" (or 7), several with commas, or *.` }
}

function badKey(): RequestProblem {
  return {
    in: 'header',
    name: 'Idempotency-Key',
    code: 'invalid_format',
    detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters.',
  }
}

function badEventId(): RequestProblem {
  return {
    in: 'header',
    name: 'Last-Event-ID',
    code: 'invalid_format',
    detail: 'Last-Event-ID must be the id of an event of this stream: a whole number.',
  }
}

/** The sequence; null for none, also for the empty id that a client has before its first event; undefined for what is none. */
function readLastEventId(header: string | string[] | undefined): number | null | undefined {
  if (header === undefined || header === '') return null
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}

const KEY = /^[ -~]{1,255}$/

/** The client's key with what it is for; undefined for a key that is malformed, null for none. */
function readOnceKey(request: FastifyRequest): OnceKey | null | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !KEY.test(key)) return undefined
  // From the route and its ids, not from the URL as it is spelled: %74asks is tasks.
  const { url = '' } = request.routeOptions
  const path = url.replace(/:(\w+)/g, (_, name: string) => (request.params as Record<string, string>)[name]?.toLowerCase() ?? '')
  return { key, route: `${request.method} ${path}`, bodyHash: hash('sha256', canonicalJson(request.body ?? null)) }
}
