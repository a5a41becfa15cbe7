import { type Static, Type } from 'typebox'
import { SCOPE_NAMES } from './scope.ts'
import { CreatedAt, dateTime, id, nullable, oneOf, shape, text } from './shape.ts'
import { formatTime, formatTimeOrNull } from './time.ts'
import type { Token } from './token.ts'

/** A personal access token as the app shows it to the person whose it is. The app's own: no contract. */

const name = text('line', 1, 100, 'What it is for; 1 to 100 characters.')
const scopes = Type.Array(oneOf(SCOPE_NAMES, 'A scope.'), { minItems: 1, maxItems: 50, description: 'What it may do; at least one.' })

const fields = {
  object: Type.Literal('token'),
  id: id('The id of the token.'),
  name,
  scopes,
  created_at: CreatedAt,
  expires_at: dateTime('When it stops working.'),
  revoked_at: nullable(dateTime('When it was revoked.')),
  last_used_at: nullable(dateTime('When it was last used, to a minute or so; null before its first use.')),
}

const example = {
  object: 'token',
  id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a02',
  name: 'backup script',
  scopes: ['tasks:read'],
  created_at: '2026-11-21T07:00:00.000Z',
  expires_at: '2026-12-21T07:00:00.000Z',
  revoked_at: null,
  last_used_at: '2026-11-21T08:00:00.000Z',
}

export const TokenShape = shape('Token', 'A personal access token, without its value.', fields, example)

export const TokenWithValueShape = shape(
  'TokenWithValue',
  'A token as it is shown when it is made, and never again.',
  { ...fields, value: Type.String({ description: 'What a program sends as Authorization: Bearer.' }) },
  { ...example, value: 'svc_pat_…' },
)

export const CreateTokenShape = shape(
  'CreateToken',
  'A new token.',
  {
    name,
    scopes,
    lifetime_days: Type.Integer({ minimum: 1, maximum: 366, description: 'In how many days it stops working; 1 to 366.' }),
  },
  { name: 'backup script', scopes: ['tasks:read'], lifetime_days: 30 },
)

export type TokenWire = Static<typeof TokenShape>
export type TokenWithValueWire = Static<typeof TokenWithValueShape>
export type CreateToken = Static<typeof CreateTokenShape>

export function tokenToWire(token: Token): TokenWire {
  return {
    object: 'token',
    id: token.id,
    name: token.name,
    scopes: [...token.scopes],
    created_at: formatTime(token.createdAt),
    expires_at: formatTime(token.expiresAt),
    revoked_at: formatTimeOrNull(token.revokedAt),
    last_used_at: formatTimeOrNull(token.lastUsedAt),
  }
}
