import { type Static, Type } from 'typebox'
import type { Session } from './session.ts'
import { CreatedAt, dateTime, id, nullable, shape } from './shape.ts'
import { formatTime } from './time.ts'

/** A session as the app shows it to the person who is signed in by it. The app's own: no contract. */

export const SessionShape = shape(
  'Session',
  'Where a person is signed in.',
  {
    object: Type.Literal('session'),
    id: id('The id of the session.'),
    current: Type.Boolean({ description: 'True for that of this request.' }),
    user_agent: nullable(Type.String({ description: 'What the browser calls itself.' })),
    created_at: CreatedAt,
    last_used_at: dateTime('When it was last used, to ten minutes or so.'),
    expires_at: dateTime('When it ends if it is not used again.'),
  },
  {
    object: 'session',
    id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a70',
    current: true,
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    created_at: '2026-11-21T07:00:00.000Z',
    last_used_at: '2026-11-21T08:00:00.000Z',
    expires_at: '2026-12-21T08:00:00.000Z',
  },
)

export type SessionWire = Static<typeof SessionShape>

export function sessionToWire(session: Session, currentId: string): SessionWire {
  return {
    object: 'session',
    id: session.id,
    current: session.id === currentId,
    user_agent: session.userAgent,
    created_at: formatTime(session.createdAt),
    last_used_at: formatTime(session.lastUsedAt),
    expires_at: formatTime(session.expiresAt),
  }
}
