import { UserShape, userToWire } from '@fivetab/domain/account.ts'
import { usageOf } from '../store/ledgers.ts'
import type { Api } from './api.ts'
import { bearerOf } from './caller.ts'
import { operation } from './operation.ts'

export function meRoutes(api: Api): void {
  api.get(
    '/me',
    operation({
      id: 'getMe',
      summary: 'Who this token acts for',
      description: 'The person, the scopes of the token and when it expires, the plan and how much of it is used. Any valid token will do.',
      tag: 'User and Dispositions',
      scope: null,
      replies: { 200: { description: 'The user.', shape: UserShape } },
    }),
    async (request) => {
      const { account, plan, token, actor } = bearerOf(request)
      const { activeTasks } = await usageOf(actor.store, account.id)
      return userToWire(account, activeTasks, plan, token, actor.scopes)
    },
  )
}
