import { UserShape, userToWire } from '@fivetab/domain/account.ts'
import { DispositionShape, dispositionsToWire } from '@fivetab/domain/disposition.ts'
import { usageOf } from '../store/ledgers.ts'
import type { Api } from './api.ts'
import { bearerOf } from './bearer.ts'
import { operation } from './operation.ts'
import { listOf, wholeList } from './pages.ts'

export const DispositionList = listOf(DispositionShape)

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

  api.get(
    '/dispositions',
    operation({
      id: 'listDispositions',
      summary: 'The five Dispositions',
      description: 'In tab order, with the labels and colours that the tabs have now. Any valid token will do.',
      tag: 'User and Dispositions',
      scope: null,
      replies: { 200: { description: 'The five Dispositions, whole.', shape: DispositionList } },
    }),
    async () => wholeList(dispositionsToWire()),
  )
}
