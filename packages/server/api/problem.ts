import { Failure, type FailureCode, FIELD_PROBLEM_CODES, type FieldProblem, type FieldProblemCode } from '@fivetab/domain/failure.ts'
import { oneOf } from '@fivetab/domain/shape.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { STATUS_CODES } from './status-codes.ts'

/** Errors on the wire: RFC 9457 problem documents. */

export type ProblemCode = Exclude<FailureCode, 'key_reused' | 'out_of_reach' | 'unavailable'> | 'api_disabled' | 'internal_error'

/** The codes that only the app's own requests are answered with: the API's document knows nothing of them. */
type AppProblemCode = 'not_signed_in' | 'wrong_credentials' | 'foreign_origin' | 'sign_up_refused'

type ApiProblemCode = Exclude<ProblemCode, AppProblemCode>

interface ProblemKind {
  code: ProblemCode
  status: number
  title: string
  /** What it means and what to do, for the page that `type` leads to. */
  meaning: string
}

/** One row for each code of the contract. */
const API_PROBLEM_KINDS: Record<ApiProblemCode, Omit<ProblemKind, 'code'>> = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    meaning:
      'A parameter, a header or a field of the body is missing, malformed, unknown, or goes against what is stored. `errors` lists every problem that was found.',
  },
  invalid_token: {
    status: 401,
    title: 'No valid token',
    meaning: 'The token is missing, wrong, expired or revoked. Send a valid one as `Authorization: Bearer <ACCESS_TOKEN>`.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token may not do this',
    meaning: 'The token lacks the scope that `detail` names. Use one that has it.',
  },
  plan_required: { status: 403, title: 'The plan has no API access', meaning: "The account's plan does not include API access." },
  access_disabled: { status: 403, title: 'API access is turned off', meaning: 'The operator has turned API access off for this account.' },
  vault_account_unsupported: {
    status: 403,
    title: 'The account is end-to-end encrypted',
    meaning: 'Titles and notes of this account are sealed, and the API cannot read them.',
  },
  task_limit_reached: {
    status: 403,
    title: 'No more active tasks',
    meaning: 'The plan allows no more active tasks. Completing or archiving tasks makes room.',
  },
  not_found: { status: 404, title: 'Not found', meaning: 'There is no such endpoint or resource, or it belongs to another account.' },
  precondition_failed: {
    status: 412,
    title: 'The resource has changed',
    meaning:
      '`If-Match` does not name the current version. Take `current` from the body (or read the resource again), apply the change to it, and retry.',
  },
  rate_limited: { status: 429, title: 'Too many requests', meaning: 'A limit is used up. Wait as many seconds as `Retry-After` says.' },
  api_disabled: {
    status: 503,
    title: 'The API is switched off',
    meaning:
      'The API is switched off for now, or the service is too busy, or cannot reach its database; `detail` says which. Retry after as many seconds as `Retry-After` says.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    meaning: 'A fault of the service; nothing of the request was stored. Retry with backoff, and quote `request_id` if it stays.',
  },
}

const APP_PROBLEM_KINDS: Record<AppProblemCode, Omit<ProblemKind, 'code'>> = {
  not_signed_in: {
    status: 401,
    title: 'Nobody is signed in',
    meaning:
      'There is no session, or it has ended: sign in again. The app signs in with a cookie; programs use the API under `/v1` with a token.',
  },
  wrong_credentials: {
    status: 401,
    title: 'The address or the password is wrong',
    meaning:
      'No account has this e-mail address together with this password. Which of the two is wrong is not said. A lost password is set anew by a link that the operator makes.',
  },
  foreign_origin: {
    status: 403,
    title: 'The request comes from another site',
    meaning:
      "Changes are taken from the app's own pages only: the header `Origin` has to name the address of this service. Where it is right and refused all the same, the operator has to set `BASE_URL` to that address.",
  },
  sign_up_refused: {
    status: 403,
    title: 'Signing up is not possible',
    meaning: 'Accounts are made here by invitation, or by the operator alone; or the link was used, has expired, or is for something else.',
  },
}

/** Every kind of problem there is. */
export const PROBLEM_KINDS: Record<ProblemCode, Omit<ProblemKind, 'code'>> = { ...API_PROBLEM_KINDS, ...APP_PROBLEM_KINDS }

/** What each failure of the domain is on the wire. A new one without a row does not compile. */
const PROBLEMS: Record<FailureCode, ProblemCode> = {
  invalid_request: 'invalid_request',
  key_reused: 'invalid_request',
  invalid_token: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
  plan_required: 'plan_required',
  access_disabled: 'access_disabled',
  vault_account_unsupported: 'vault_account_unsupported',
  task_limit_reached: 'task_limit_reached',
  not_found: 'not_found',
  precondition_failed: 'precondition_failed',
  rate_limited: 'rate_limited',
  out_of_reach: 'invalid_request',
  unavailable: 'api_disabled',
  not_signed_in: 'not_signed_in',
  wrong_credentials: 'wrong_credentials',
  foreign_origin: 'foreign_origin',
  sign_up_refused: 'sign_up_refused',
}

/** One problem of a request, and where in it. `pointer` (RFC 6901) is for bodies. */
export interface RequestProblem {
  in: 'body' | 'query' | 'header' | 'path'
  name: string
  pointer?: string
  code: FieldProblemCode
  detail: string
}

/** Enough to mend anything by, and a bound on what a hostile body can make the service write. */
export const MAX_PROBLEMS = 500

/** A request that is wrong by itself. */
export class BadRequest extends Error {
  readonly problems: readonly RequestProblem[]

  constructor(problems: readonly RequestProblem[]) {
    super(summaryOf(problems))
    this.name = 'BadRequest'
    this.problems = problems.slice(0, MAX_PROBLEMS)
  }
}

function summaryOf(problems: readonly RequestProblem[]): string {
  if (problems.length === 1) return (problems[0] as RequestProblem).detail
  if (problems.length > MAX_PROBLEMS) return `The request has more than ${MAX_PROBLEMS} problems; errors lists the first ${MAX_PROBLEMS}.`
  return `The request has ${problems.length} problems; see errors.`
}

export const ProblemShape = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'A page about this kind of problem.' }),
    title: Type.String({ description: 'A summary for people.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    code: oneOf(Object.keys(API_PROBLEM_KINDS) as ApiProblemCode[], 'What clients branch on.'),
    detail: Type.String({ description: 'What was wrong here, and what would be right.' }),
    request_id: Type.String({ description: 'To quote when asking for help; also in the header `X-Request-Id`.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          in: oneOf(['body', 'query', 'header', 'path'], 'Which part of the request.'),
          name: Type.String({ description: 'The field, parameter or header; empty for the body as a whole.' }),
          pointer: Type.Optional(Type.String({ description: 'A JSON Pointer into the body.' })),
          code: oneOf(FIELD_PROBLEM_CODES, 'What is wrong with it.'),
          detail: Type.String({ description: 'The same in words.' }),
        }),
        { description: 'Every problem that was found, on 400.' },
      ),
    ),
  },
  {
    $id: 'Problem',
    description: 'An error, after RFC 9457.',
    examples: [
      {
        type: 'http://127.0.0.1:3000/errors/invalid_request',
        title: PROBLEM_KINDS.invalid_request.title,
        status: 400,
        code: 'invalid_request',
        detail: 'title is required.',
        request_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
        errors: [{ in: 'body', name: 'title', pointer: '/title', code: 'required', detail: 'title is required.' }],
      },
    ],
  },
)

interface ProblemDocument {
  type: string
  title: string
  status: number
  code: ProblemCode
  detail: string
  request_id: string
  errors?: readonly RequestProblem[]
}

export function problemDocument(code: ProblemCode, detail: string, requestId: string, errorsUrl: string): ProblemDocument {
  const { status, title } = PROBLEM_KINDS[code]
  return { type: `${errorsUrl}/${code}`, title, status, code, detail, request_id: requestId }
}

/** Answers with the problem document for `error`; one that nobody expected is logged and becomes `internal_error`. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, errorsUrl: string): FastifyReply {
  const { code, detail, headers, members } = describe(error)
  if (code === 'internal_error') request.log.error({ err: error, reqId: request.id }, 'a request failed unexpectedly')
  return reply
    .status(PROBLEM_KINDS[code].status)
    .headers(headers)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send({ ...problemDocument(code, detail, request.id, errorsUrl), ...members })
}

interface Description {
  code: ProblemCode
  detail: string
  headers: Record<string, string>
  members: object
}

function describe(error: unknown): Description {
  if (error instanceof Failure) return describeFailure(error)
  if (error instanceof BadRequest)
    return { code: 'invalid_request', detail: error.message, headers: {}, members: { errors: error.problems } }
  if (isClientFault(error)) return describe(new BadRequest([wholeRequest(error)]))
  return {
    code: 'internal_error',
    detail: 'The service could not carry this out, and nothing of it was stored. Please try again.',
    headers: {},
    members: {},
  }
}

function describeFailure({ code, message, more }: Failure): Description {
  const described: Description = { code: PROBLEMS[code], detail: message, headers: {}, members: {} }
  if (code === 'invalid_request') described.members = { errors: (more.problems ?? []).map(inBody) }
  if (code === 'key_reused') described.members = { errors: [{ in: 'header', name: 'Idempotency-Key', code: 'conflict', detail: message }] }
  if (code === 'invalid_token') described.headers = { 'WWW-Authenticate': 'Bearer' }
  if (code === 'insufficient_scope') described.headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${more.scope}"` }
  if (more.retryAfterSeconds !== undefined) described.headers = { 'Retry-After': String(more.retryAfterSeconds) }
  if (more.current !== undefined) {
    described.headers = { ETag: more.current.version }
    described.members = { version: more.current.version, current: more.current }
  }
  return described
}

export function inBody({ field, code, detail }: FieldProblem): RequestProblem {
  return { in: 'body', name: field, pointer: field === '' ? '' : `/${field}`, code, detail }
}

/** What the framework refuses by itself before a route sees it: a body too large or cut off, a broken URL. */
function isClientFault(error: unknown): error is Error & { statusCode: number } {
  return (
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode >= 400 &&
    error.statusCode < 500
  )
}

function wholeRequest(error: Error & { statusCode: number; code?: string }): RequestProblem {
  if (error.code === 'FST_ERR_BAD_URL')
    return { in: 'path', name: '', code: 'malformed', detail: 'The path has a percent-encoding that stands for nothing.' }
  if (error.statusCode === 413) return { in: 'body', name: '', pointer: '', code: 'too_long', detail: 'The body is larger than 256 KiB.' }
  if (error.statusCode === 415) return notJson()
  const reason = STATUS_CODES[error.statusCode] ?? 'Bad Request'
  return { in: 'body', name: '', pointer: '', code: 'malformed', detail: `The request could not be read (${reason}): ${error.message}` }
}

export function notJson(): RequestProblem {
  return {
    in: 'header',
    name: 'Content-Type',
    code: 'invalid_value',
    detail: 'Content-Type must be application/json for a request with a body.',
  }
}
