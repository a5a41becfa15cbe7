/** What may go wrong by someone's wish or mistake, in the words of the domain. What each of these looks like on the wire is the API's affair. */
export type FailureCode =
  | 'invalid_request'
  | 'key_reused'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'plan_required'
  | 'access_disabled'
  | 'vault_account_unsupported'
  | 'task_limit_reached'
  | 'not_found'
  | 'precondition_failed'
  | 'rate_limited'
  | 'out_of_reach'
  | 'unavailable'
  | 'not_signed_in'
  | 'wrong_credentials'
  | 'foreign_origin'
  | 'sign_up_refused'

export const FIELD_PROBLEM_CODES = [
  'required',
  'unknown',
  'invalid_type',
  'invalid_format',
  'invalid_value',
  'too_short',
  'too_long',
  'out_of_range',
  'unknown_reference',
  'conflict',
  'malformed',
] as const

export type FieldProblemCode = (typeof FIELD_PROBLEM_CODES)[number]

/** One thing wrong with what was asked. `field` is the wire name of a field of the input, or `''` for the input as a whole. */
export interface FieldProblem {
  field: string
  code: FieldProblemCode
  detail: string
}

interface FailureMore {
  /** Every problem found, for `invalid_request`. */
  problems?: readonly FieldProblem[]
  /** The resource as it is now, in its wire form, for `precondition_failed`. */
  current?: { readonly version: string }
  /** The scope that was missing, for `insufficient_scope`. */
  scope?: string
  /** When it is worth asking again, for `rate_limited` and `unavailable`. */
  retryAfterSeconds?: number
}

/** An expected failure. `message` is written for the person who made the request. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly more: FailureMore

  constructor(code: FailureCode, message: string, more: FailureMore = {}) {
    super(message)
    this.name = 'Failure'
    this.code = code
    this.more = more
  }
}

/** The failure that lists all `problems`. */
export function invalid(problems: readonly FieldProblem[]): Failure {
  const rest = problems.length - 1
  const detail = `${problems[0]?.detail}${rest > 0 ? ` (and ${rest} more; see errors)` : ''}`
  return new Failure('invalid_request', detail, { problems })
}

/** @throws Failure `invalid_request` that lists all `problems`, when there are any */
export function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(problems)
}

/** What was made of something that was given, and every reason why it cannot be taken. */
export interface Read<T> {
  value: T
  problems: FieldProblem[]
}

/** What was read. @throws Failure `invalid_request` that lists all problems, when there are any */
export function required<T>({ value, problems }: Read<T>): T {
  refuse(problems)
  return value
}
