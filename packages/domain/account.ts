import { type Static, Type } from 'typebox'
import type { Plan } from './plan.ts'
import { SCOPE_NAMES, type Scope } from './scope.ts'
import { dateTime, id, nullable, oneOf, shape } from './shape.ts'
import { formatTime } from './time.ts'
import type { Token } from './token.ts'

/** A person's account: everything it owns is seen by it alone. Times are ms since the epoch. */
export interface Account {
  id: string
  email: string
  name: string | null
  timeZone: string
  planKey: string
  /** False when the operator has shut the API for this account. */
  apiAccess: boolean
  /** True for an account with end-to-end encryption, whose titles and notes the service cannot read. */
  vault: boolean
  createdAt: number
}

export const UserShape = shape(
  'User',
  'Who the token acts for, and what it may do.',
  {
    object: Type.Literal('user'),
    id: id('The id of the account.'),
    email: Type.String({ description: 'The address of the account.' }),
    name: nullable(Type.String({ description: "The person's name, or null." })),
    time_zone: Type.String({ description: "The person's time zone, an IANA name." }),
    scopes: Type.Array(oneOf(SCOPE_NAMES, 'A scope.'), { description: 'What this token may do.' }),
    token: Type.Object(
      {
        id: id('The id of the token.'),
        name: Type.String({ description: 'What the token was called when it was made.' }),
        expires_at: dateTime('When the token stops working.'),
      },
      { additionalProperties: false, description: 'The token that made this request.' },
    ),
    plan: Type.Object(
      {
        key: Type.String({ description: 'The key of the plan.' }),
        active_task_limit: nullable(Type.Integer({ minimum: 0, description: 'How many active tasks the plan allows; null for no limit.' })),
        active_tasks: Type.Integer({ minimum: 0, description: 'How many there are: neither done nor archived.' }),
      },
      { additionalProperties: false, description: "The account's plan, and how much of it is used." },
    ),
  },
  {
    object: 'user',
    id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a00',
    email: 'ada@example.org',
    name: 'Ada',
    time_zone: 'Europe/London',
    scopes: ['tasks:read', 'tasks:write'],
    token: { id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a02', name: 'backup script', expires_at: '2026-12-21T07:00:00.000Z' },
    plan: { key: 'pro', active_task_limit: 5_000, active_tasks: 12 },
  },
)

export function userToWire(
  account: Account,
  activeTasks: number,
  plan: Plan,
  token: Token,
  scopes: ReadonlySet<Scope>,
): Static<typeof UserShape> {
  return {
    object: 'user',
    id: account.id,
    email: account.email,
    name: account.name,
    time_zone: account.timeZone,
    scopes: [...scopes],
    token: { id: token.id, name: token.name, expires_at: formatTime(token.expiresAt) },
    plan: { key: plan.key, active_task_limit: plan.activeTasks, active_tasks: activeTasks },
  }
}
