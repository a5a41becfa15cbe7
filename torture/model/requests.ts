import type { Problem } from './bodies.ts'
import { byBirth, byPosition, type Fields, isEqual, type Model, type Resource, type Sibling } from './things.ts'

/** What the model's answers are made of: how a request is refused, found out about, and carried out once. */

/** What a conditional header says of the resource that the request is for: its version in some spelling, or another one. */
export type Tag = 'right' | 'bare' | 'any' | 'listed' | 'wrong' | 'weak' | 'malformed'

export interface Request {
  /** Numbers what it makes: the request 7 makes `task7`, or `workflow7` with `status7.1` and so on. */
  number: number
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/v1`, with its query. */
  path: string
  body?: Fields
  ifMatch?: Tag
  ifNoneMatch?: Tag
  key?: string
}

export interface Answer {
  status: number
  /** As on the wire; of a problem document only what is not the same for each, and of what has more than the contract determines only that. */
  body?: Fields
  problems?: readonly Problem[]
  location?: string
  isReplay?: boolean
}

/** An answer that refuses. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`${answer.status}`)
    this.answer = answer
  }
}

export const invalid = (problems: readonly Problem[]) => new Refusal({ status: 400, body: { code: 'invalid_request' }, problems })
export const notFound = () => new Refusal({ status: 404, body: { code: 'not_found' } })

export function refuseFor(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalid(problems)
}

/** What is to be answered once all that the request changes has its new version. */
type Later = () => Answer

/** What a request did: to which resource, what else it is a change of though nothing shows, and what is to be answered. */
export interface Done {
  target?: string
  touched?: readonly string[]
  answer: Later
}

export interface Asked {
  model: Model
  request: Request
  body: Fields
  now: number
}

export interface Found {
  id: string
  /** Of the step or the Status within. */
  inner: string
  /** What is wrong with the path and the headers. */
  problems: readonly Problem[]
  parameters: URLSearchParams
}

export type Handler = (asked: Asked, found: Found) => Done

export function requireVersion({ request }: Asked, resource: Resource, whole: () => Fields): void {
  const { ifMatch } = request
  if (ifMatch === 'wrong' || ifMatch === 'weak')
    throw new Refusal({ status: 412, body: { code: 'precondition_failed', version: resource.version, current: whole() } })
}

export function reading({ request }: Asked, whole: () => Fields): Later {
  const { ifNoneMatch } = request
  return () => (ifNoneMatch === undefined || ifNoneMatch === 'wrong' ? { status: 200, body: whole() } : { status: 304 })
}

/** Makes a resource, or answers with the one that the same key made; `path` is that of the list it is made in. */
export function once(asked: Asked, path: string, make: () => string, whole: (id: string) => Fields | undefined): Done {
  const { model, request } = asked
  const key = request.key === undefined ? undefined : `${request.key} ${request.path}`
  const used = key === undefined ? undefined : model.keys.get(key)
  if (used !== undefined) {
    if (!isEqual(used.body, request.body)) throw invalid([{ in: 'header', names: ['Idempotency-Key'], code: 'conflict', isCertain: true }])
    const body = whole(used.id)
    if (body === undefined) throw notFound()
    return { answer: () => ({ status: 200, body, location: `${path}/${used.id}`, isReplay: true }) }
  }
  const made = make()
  if (key !== undefined) model.keys.set(key, { body: request.body, id: made })
  return { target: made, answer: () => ({ status: 201, body: whole(made) as Fields, location: `${path}/${made}` }) }
}

export function list(data: Fields[], limit = Number.POSITIVE_INFINITY): Answer {
  return { status: 200, body: { object: 'list', data: data.slice(0, limit), has_more: data.length > limit } }
}

export function get<T>(all: ReadonlyMap<string, T>, id: string): T {
  const one = all.get(id)
  if (one === undefined) throw notFound()
  return one
}

/** Of `all`, what the parameters ask for, in their order. */
export function page<T extends Resource & Sibling>(all: Iterable<T>, parameters: URLSearchParams, toWire: (one: T) => Fields): Done {
  const sorted = [...all].sort(parameters.get('sort') === 'position' ? byPosition : byBirth)
  return { answer: () => list(sorted.map(toWire), Number(parameters.get('limit') ?? 50)) }
}
