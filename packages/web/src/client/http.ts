/** Requests to the service's own endpoints for the app, and what may come of them. The session is a cookie, which no script sees. */

export interface FieldProblem {
  name: string
  code: string
  detail: string
}

/** A problem document (RFC 9457), as far as the app looks at it. */
export interface Problem {
  status: number
  code: string
  detail: string
  errors?: readonly FieldProblem[]
  /** The resource as it is now, where it is not the one that was expected. */
  current?: unknown
  request_id: string
}

/** The service has said no. */
export class Refused extends Error {
  readonly problem: Problem
  /** Seconds after which it is worth asking again. */
  readonly retryAfter: number | null

  constructor(problem: Problem, retryAfter: number | null) {
    super(problem.detail)
    this.name = 'Refused'
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** There was no answer, or one that is none of the service's. The request may have been carried out all the same. */
export class Unreachable extends Error {}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface RequestOptions {
  body?: object
  /** The version that the resource is expected to have. */
  ifMatch?: string | undefined
  /** What makes a repeated creation the same one. */
  onceKey?: string
  /** Goes on after the page is closed. Only for what is small. */
  keepalive?: boolean
  signal?: AbortSignal
}

/** Whose page this is: nothing that is done on it is to land in the account of whoever signs in after that person. */
let account: string | null = null

/** Says whose page this is, once it is known; it stays so until the page is loaded anew. */
export function belongsTo(id: string): void {
  account ??= id
}

/** Asks the service. `path` begins after `/app`. @throws Refused, Unreachable */
export async function ask<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await reach(method, path, options)
  if (response.ok) return (response.status === 204 ? undefined : await bodyOf(response)) as T
  const problem = await problemOf(response)
  const retryAfter = response.headers.get('Retry-After')
  throw new Refused(problem, retryAfter === null ? null : Number(retryAfter))
}

async function reach(method: Method, path: string, { body, ifMatch, onceKey, keepalive, signal }: RequestOptions): Promise<Response> {
  const headers = new Headers()
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  if (ifMatch !== undefined) headers.set('If-Match', ifMatch)
  if (onceKey !== undefined) headers.set('Idempotency-Key', onceKey)
  if (account !== null) headers.set('Fivetab-Account', account)
  try {
    return await fetch(`/app${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(keepalive && { keepalive }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Unreachable('The service cannot be reached.')
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const isProblem = response.headers.get('Content-Type')?.startsWith('application/problem+json') ?? false
  // A proxy in between answers in its own words.
  if (!isProblem) throw new Unreachable(`The service cannot be reached (${response.status}).`)
  return (await bodyOf(response)) as Problem
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    // It broke off, or came from something in between, such as the page on which a network wants one to sign in.
    throw new Unreachable('The answer of the service did not come whole.')
  }
}

/** Whether it is worth sending the same again: the service could not be reached, or cannot do it just now. */
export function isPassing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Refused && [429, 500, 503].includes(error.problem.status))
}

/** The problem with the field of this name, to be shown beside it. */
export function problemWith(error: unknown, field: string): FieldProblem | undefined {
  return error instanceof Refused ? error.problem.errors?.find(({ name }) => name === field) : undefined
}

/** A list with its pages. */
export interface Page<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}
