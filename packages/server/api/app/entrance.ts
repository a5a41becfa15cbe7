import {
  AppSessionShape,
  LinkShape,
  LinkToOpenShape,
  PersonShape,
  ResetPasswordShape,
  SignInShape,
  SignUpShape,
} from '@fivetab/domain/person-shape.ts'
import { ref } from '@fivetab/domain/shape.ts'
import { formatTime } from '@fivetab/domain/time.ts'
import type { Gate } from '../../actions/gate.ts'
import { lookAtLink } from '../../actions/links.ts'
import { resetPassword, signIn, signUp } from '../../actions/people.ts'
import { sessionOf } from '../../actions/sessions.ts'
import type { Api } from '../api.ts'
import { type Entrance, signedInOf } from '../caller.ts'
import { operation } from '../operation.ts'
import { personOf, sendSignedIn } from './person.ts'
import { admitBySession, type SessionCookie, visitorOf } from './session.ts'

const tag = 'App'

const signedIn = { description: 'Who is signed in now; the session is in the cookie.', shape: PersonShape }

/** What one need not be signed in for: how people come in. */
export function entranceRoutes(app: Api, gate: Gate & Entrance, cookie: SessionCookie): void {
  app.get(
    '/session',
    operation({
      id: 'getAppSession',
      summary: 'Who is signed in, and whether one can sign up',
      tag,
      scope: null,
      replies: { 200: { description: 'What the app has to know at its start.', shape: AppSessionShape } },
    }),
    async (request) => {
      const isIn = await admitBySession(request, gate, cookie.read(request), false)
      const user = isIn ? await personOf(gate, signedInOf(request)) : null
      return { object: 'app_session', sign_up: gate.signUp, user } as const
    },
  )

  app.post(
    '/sign_up',
    operation({
      id: 'signUp',
      summary: 'Make an account',
      tag,
      scope: null,
      body: ref(SignUpShape),
      replies: { 201: signedIn },
    }),
    async (request, reply) => {
      const { email, password, name = null, time_zone: timeZone = null, link = null } = request.body
      const made = await signUp(gate, visitorOf(request), { email, password, name, timeZone, link })
      return sendSignedIn(reply.status(201), gate, cookie, made)
    },
  )

  app.post(
    '/sign_in',
    operation({ id: 'signIn', summary: 'Sign in', tag, scope: null, body: ref(SignInShape), replies: { 200: signedIn } }),
    async (request, reply) => {
      const value = cookie.read(request)
      const before = value === null ? undefined : await sessionOf(gate, value)
      const begun = await signIn(gate, visitorOf(request), request.body, before?.session.id ?? null)
      return sendSignedIn(reply, gate, cookie, begun)
    },
  )

  app.post(
    '/links',
    operation({
      id: 'lookAtLink',
      summary: 'What a link is for',
      tag,
      scope: null,
      body: ref(LinkToOpenShape),
      replies: { 200: { description: 'The link, which can be used.', shape: LinkShape } },
      problems: ['not_found'],
    }),
    async (request) => {
      const { kind, email, expiresAt } = await lookAtLink(gate, visitorOf(request), request.body.link)
      return { object: 'link', kind, email, expires_at: formatTime(expiresAt) } as const
    },
  )

  app.post(
    '/reset_password',
    operation({
      id: 'resetPassword',
      summary: 'Set a new password by a link',
      tag,
      scope: null,
      body: ref(ResetPasswordShape),
      replies: { 200: signedIn },
      problems: ['not_found'],
    }),
    async (request, reply) => sendSignedIn(reply, gate, cookie, await resetPassword(gate, visitorOf(request), request.body)),
  )
}
