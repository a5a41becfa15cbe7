import { ChangeEmailShape, ChangePasswordShape, DeleteAccountShape, PersonShape, UpdatePersonShape } from '@fivetab/domain/person-shape.ts'
import { ref } from '@fivetab/domain/shape.ts'
import type { Gate } from '../../actions/gate.ts'
import { changeEmail, changePassword, changePerson, deleteOwnAccount } from '../../actions/own-account.ts'
import type { Api } from '../api.ts'
import { signedInOf } from '../caller.ts'
import { operation } from '../operation.ts'
import { sendGone } from '../reply.ts'
import { personOf, sendSignedIn } from './person.ts'
import { type SessionCookie, visitorOf } from './session.ts'

const tag = 'App'

const person = { description: 'The person as they are now.', shape: PersonShape }

/** What people change about themselves. What opens the account to others asks for the password again. */
export function peopleRoutes(app: Api, gate: Gate, cookie: SessionCookie): void {
  app.patch(
    '/me',
    operation({
      id: 'updatePerson',
      summary: 'Change name or time zone',
      tag,
      scope: null,
      body: ref(UpdatePersonShape),
      replies: { 200: person },
    }),
    async (request) => {
      const caller = signedInOf(request)
      const { name, time_zone: timeZone } = request.body
      const change = { ...(name !== undefined && { name }), ...(timeZone !== undefined && { timeZone }) }
      const account = await changePerson(gate, caller.account.id, change)
      return personOf(gate, { ...caller, account })
    },
  )

  app.post(
    '/me/email',
    operation({
      id: 'changeEmail',
      summary: 'Change the address',
      tag,
      scope: null,
      body: ref(ChangeEmailShape),
      replies: { 200: person },
    }),
    async (request) => {
      const caller = signedInOf(request)
      const account = await changeEmail(gate, visitorOf(request), caller.account.id, request.body)
      return personOf(gate, { ...caller, account })
    },
  )

  app.post(
    '/me/password',
    operation({
      id: 'changePassword',
      summary: 'Change the password',
      tag,
      scope: null,
      body: ref(ChangePasswordShape),
      replies: { 200: person },
    }),
    async (request, reply) => {
      const { current_password: currentPassword, password } = request.body
      const begun = await changePassword(gate, visitorOf(request), signedInOf(request).session, { currentPassword, password })
      return sendSignedIn(reply, gate, cookie, begun)
    },
  )

  app.post(
    '/me/delete',
    operation({
      id: 'deleteAccount',
      summary: 'Delete the account with everything in it, for good',
      tag,
      scope: null,
      body: ref(DeleteAccountShape),
      replies: { 204: { description: 'It is gone.', shape: null } },
    }),
    async (request, reply) => {
      await deleteOwnAccount(gate, visitorOf(request), signedInOf(request).account.id, request.body.password)
      cookie.clear(reply)
      return sendGone(reply)
    },
  )
}
