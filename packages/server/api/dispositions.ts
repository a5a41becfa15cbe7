import { DispositionShape, dispositionsToWire } from '@fivetab/domain/disposition.ts'
import { listTabs } from '../actions/dispositions.ts'
import type { Api } from './api.ts'
import { actorOf } from './caller.ts'
import { operation } from './operation.ts'
import { listOf, wholeList } from './pages.ts'

export const DispositionList = listOf(DispositionShape)

export function dispositionRoutes(api: Api): void {
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
    async (request) => wholeList(dispositionsToWire(await listTabs(actorOf(request)))),
  )
}
