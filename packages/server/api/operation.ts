import type { FieldProblem } from '@fivetab/domain/failure.ts'
import type { Scope } from '@fivetab/domain/scope.ts'
import { id, ref } from '@fivetab/domain/shape.ts'
import { type TSchema, Type } from 'typebox'
import { PROBLEM_KINDS, type ProblemCode, ProblemShape } from './problem.ts'

/** What a route says of itself, once: its contract, its scope and its place in the API's document. */

/** The optional headers that some operations take. */
export type RequestHeader = 'If-Match' | 'If-None-Match' | 'Idempotency-Key' | 'Last-Event-ID'

interface OperationDescription {
  /** The operationId, a verb: `completeTask`. */
  id: string
  summary: string
  description?: string
  tag: string
  /** What the token needs: one of these; null when any valid one will do. */
  scope: Scope | readonly Scope[] | null
  params?: TSchema
  querystring?: TSchema
  body?: TSchema
  /** True when the body may be left out altogether. */
  bodyOptional?: boolean
  /** What more is wrong with a body by itself, at `now` (ms since the epoch). It is shown only fields that fit their shapes. */
  check?: BodyCheck
  headers?: readonly RequestHeader[]
  /** Success, by status; null for an answer without a body. */
  replies: Partial<Record<200 | 201 | 202 | 204 | 304, Reply>>
  /** The problems it can have besides those that every operation can have. */
  problems?: readonly ('not_found' | 'precondition_failed' | 'task_limit_reached')[]
  /** The kind of resource that a 412 shows in `current`. */
  current?: TSchema
}

interface Reply {
  description: string
  shape: TSchema | null
  /** `application/json` if not said. */
  mediaType?: string
}

type BodyCheck = (body: never, now: number) => FieldProblem[]

interface OperationConfig {
  operationId: string
  /** The token needs one of these; null when any valid one will do. */
  scopes: readonly Scope[] | null
  bodyOptional: boolean
  check: BodyCheck
  takes: readonly RequestHeader[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationConfig
  }
}

/** What takes no fields: `{}`, and nothing else. */
export const NOTHING = Type.Object({}, { additionalProperties: false })

/** Problems that every operation can have. */
const SHARED_PROBLEMS: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_token',
  'insufficient_scope',
  'plan_required',
  'access_disabled',
  'vault_account_unsupported',
  'rate_limited',
  'internal_error',
  'api_disabled',
]

/** The options of a route, out of its description. The types of path, query and body follow from it. */
export function operation<const D extends OperationDescription>(description: D) {
  const { id: operationId, bodyOptional = false, check = () => [], headers = [] } = description
  const scopes = description.scope === null ? null : [description.scope].flat()
  const codes = [...SHARED_PROBLEMS.filter((code) => code !== 'insufficient_scope' || scopes !== null), ...(description.problems ?? [])]
  const schema = {
    operationId,
    summary: description.summary,
    ...(description.description === undefined ? {} : { description: description.description }),
    tags: [description.tag],
    security: scopes === null ? [{ token: [] }] : scopes.map((scope) => ({ token: [scope] })),
    params: (description.params ?? NOTHING) as D['params'] extends TSchema ? D['params'] : typeof NOTHING,
    querystring: (description.querystring ?? NOTHING) as D['querystring'] extends TSchema ? D['querystring'] : typeof NOTHING,
    ...((description.body === undefined ? {} : { body: description.body }) as D['body'] extends TSchema ? { body: D['body'] } : object),
    ...(headers.length === 0 ? {} : { headers: Type.Object(Object.fromEntries(headers.map((name) => [name, HEADERS[name]]))) }),
    response: { ...successes(description.replies), ...problemReplies(codes, description.current) },
  }
  const config: { operation: OperationConfig } = { operation: { operationId, scopes, bodyOptional, check, takes: headers } }
  return { schema, config }
}

function successes(replies: OperationDescription['replies']): Record<string, object> {
  return Object.fromEntries(
    Object.entries(replies).map(([status, { description, shape, mediaType = 'application/json' }]) => [
      status,
      shape === null ? { description, type: 'null' } : { description, content: { [mediaType]: { schema: ref(shape) } } },
    ]),
  )
}

/** One reply for each status, naming the codes that it can carry. */
function problemReplies(codes: readonly ProblemCode[], current: TSchema | undefined): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => PROBLEM_KINDS[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${PROBLEM_KINDS[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: status === 412 && current ? withCurrent(current) : ref(ProblemShape) } },
      },
    ]),
  )
}

function withCurrent(current: TSchema) {
  return Type.Intersect([
    ref(ProblemShape),
    Type.Object({ version: Type.String({ description: 'The current version; also in the header `ETag`.' }), current: ref(current) }),
  ])
}

const HEADERS: Record<RequestHeader, TSchema> = {
  'If-Match': Type.Optional(
    Type.String({
      description: 'The ETag (or version) from the last read, several with commas, or `*`. If the resource has changed since, 412.',
      examples: ['"7"'],
    }),
  ),
  'If-None-Match': Type.Optional(
    Type.String({ description: 'The ETag that the client has. If that is still the current one, 304 without a body.', examples: ['"7"'] }),
  ),
  'Last-Event-ID': Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}$',
      description: 'The `id` of the last event that was received: go on after it.',
      examples: ['42'],
    }),
  ),
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]+$',
      description:
        '1 to 255 printable characters, kept at least 24 hours. A retry with the same key and body returns the resource that the first request created, and creates nothing.',
      examples: ['3f0a4f9e-import-row-17'],
    }),
  ),
}

/** The path parameters of a resource and of one inside another. */
const pathTo = (what: string) => Type.Object({ id: id(`The id of the ${what}.`) })

export const taskPath = pathTo('task')
export const stepPath = Type.Object({ id: id('The id of the task.'), step_id: id('The id of the step.') })
export const projectPath = pathTo('project')
export const workflowPath = pathTo('Workflow')
export const webhookPath = pathTo('webhook')
export const deliveryPath = Type.Object({ id: id('The id of the webhook.'), delivery_id: id('The id of the delivery.') })
export const tokenPath = pathTo('token')
export const sessionPath = pathTo('session')
export const statusPath = Type.Object({ id: id('The id of the Workflow.'), status_id: id('The id of the Status.') })
