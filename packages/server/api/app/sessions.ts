import { SessionShape, sessionToWire } from '@fivetab/domain/session-shape.ts'
import type { Gate } from '../../actions/gate.ts'
import { endSession, listSessions, signOut, signOutEverywhere } from '../../actions/sessions.ts'
import type { Api } from '../api.ts'
import { signedInOf } from '../caller.ts'
import { NOTHING, operation, sessionPath } from '../operation.ts'
import { listOf, wholeList } from '../pages.ts'
import { sendGone } from '../reply.ts'
import type { SessionCookie } from './session.ts'

const tag = 'App'

export const SessionList = listOf(SessionShape)

const leaving = {
  tag,
  scope: null,
  body: NOTHING,
  bodyOptional: true,
  replies: { 204: { description: 'It has ended.', shape: null } },
} as const

/** Where the person is signed in, and how that ends. */
export function sessionRoutes(app: Api, gate: Gate, cookie: SessionCookie): void {
  app.get(
    '/sessions',
    operation({
      id: 'listSessions',
      summary: 'Where one is signed in, oldest first',
      tag,
      scope: null,
      replies: { 200: { description: 'All sessions that have not ended.', shape: SessionList } },
    }),
    async (request) => {
      const { session } = signedInOf(request)
      const sessions = await listSessions(gate, session.accountId)
      return wholeList(sessions.map((one) => sessionToWire(one, session.id)))
    },
  )

  app.delete(
    '/sessions/:id',
    operation({
      id: 'endSession',
      summary: 'Sign out somewhere',
      tag,
      scope: null,
      params: sessionPath,
      replies: { 204: { description: 'It has ended.', shape: null } },
      problems: ['not_found'],
    }),
    async (request, reply) => {
      const { session } = signedInOf(request)
      await endSession(gate, session.accountId, request.params.id)
      if (request.params.id === session.id) cookie.clear(reply)
      return sendGone(reply)
    },
  )

  app.post('/sign_out', operation({ ...leaving, id: 'signOut', summary: 'Sign out here' }), async (request, reply) => {
    await signOut(gate, signedInOf(request).session)
    cookie.clear(reply)
    return sendGone(reply)
  })

  app.post(
    '/sign_out_everywhere',
    operation({ ...leaving, id: 'signOutEverywhere', summary: 'Sign out wherever one is' }),
    async (request, reply) => {
      await signOutEverywhere(gate, signedInOf(request).session.accountId)
      cookie.clear(reply)
      return sendGone(reply)
    },
  )
}
