import { DispositionKey, DispositionShape, UpdateDispositionShape } from '@fivetab/domain/disposition.ts'
import { ref } from '@fivetab/domain/shape.ts'
import { Type } from 'typebox'
import { updateDisposition } from '../../actions/dispositions.ts'
import type { Api } from '../api.ts'
import { actorOf } from '../caller.ts'
import { operation } from '../operation.ts'

const dispositionPath = Type.Object({ key: DispositionKey })

/** What an account makes of its tabs. Reading it is the API's too. */
export function tabRoutes(app: Api): void {
  app.patch(
    '/dispositions/:key',
    operation({
      id: 'updateDisposition',
      summary: 'Change the label or the colour of a tab',
      tag: 'App',
      scope: 'tasks:write',
      params: dispositionPath,
      body: ref(UpdateDispositionShape),
      replies: { 200: { description: 'The Disposition as it is now.', shape: DispositionShape } },
    }),
    (request) => updateDisposition(actorOf(request), request.params.key, request.body),
  )
}
