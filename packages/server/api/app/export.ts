import type { Account } from '@fivetab/domain/account.ts'
import { dispositionsToWire } from '@fivetab/domain/disposition.ts'
import { eventToJson } from '@fivetab/domain/event.ts'
import { projectToWire } from '@fivetab/domain/project.ts'
import { stepToWire } from '@fivetab/domain/step.ts'
import { taskToWire } from '@fivetab/domain/task-shape.ts'
import { formatTime } from '@fivetab/domain/time.ts'
import { tokenToWire } from '@fivetab/domain/token-shape.ts'
import { webhookToWire } from '@fivetab/domain/webhook.ts'
import { workflowWithStatusesToWire } from '@fivetab/domain/workflow.ts'
import { Type } from 'typebox'
import { listTabs } from '../../actions/dispositions.ts'
import { allProjects, allWorkflows } from '../../actions/everything.ts'
import { allEvents, allTasks, allWebhooks } from '../../actions/export.ts'
import { listOwnTokens } from '../../actions/tokens.ts'
import type { Api } from '../api.ts'
import { type SignedInCaller, signedInOf } from '../caller.ts'
import { operation } from '../operation.ts'
import { listParts, sendParts, writtenBy } from './streaming.ts'

export const ExportShape = Type.Object({ object: Type.Literal('export') }, { $id: 'Export', description: 'Everything in an account.' })

/** Everything in the account as one file: whatever the API and the app show of it, and nothing that opens anything. */
export function exportRoutes(app: Api, clock: () => number): void {
  app.get(
    '/export',
    operation({
      id: 'exportAccount',
      summary: 'Everything as JSON',
      tag: 'App',
      scope: null,
      replies: { 200: { description: 'Everything in the account.', shape: ExportShape } },
    }),
    async (request, reply) => {
      const now = formatTime(clock())
      reply.header('Content-Disposition', `attachment; filename="fivetab-${now.slice(0, 10)}.json"`)
      return sendParts(reply, exportParts(signedInOf(request), now))
    },
  )
}

async function* exportParts({ actor: by, account }: SignedInCaller, now: string): AsyncGenerator<string> {
  const dispositions = dispositionsToWire(await listTabs(by))
  yield JSON.stringify({ object: 'export', exported_at: now, account: accountToWire(account), dispositions }).slice(0, -1)
  yield* listParts(',"projects":', writtenBy(allProjects(by), projectToWire))
  yield* listParts(
    ',"workflows":',
    writtenBy(allWorkflows(by), ({ workflow, statuses }) => workflowWithStatusesToWire(workflow, statuses)),
  )
  yield* listParts(
    ',"tasks":',
    writtenBy(allTasks(by), ({ task, steps }) => ({ ...taskToWire(task), steps: steps.map(stepToWire) })),
  )
  yield* listParts(',"webhooks":', writtenBy(allWebhooks(by), webhookToWire))
  yield `,"tokens":${JSON.stringify((await listOwnTokens(by)).map(tokenToWire))}`
  yield* listParts(',"events":', eventTexts(by), '}')
}

function accountToWire(account: Account): object {
  const { id, email, name, timeZone, planKey, createdAt } = account
  return { object: 'account', id, email, name, time_zone: timeZone, plan: planKey, created_at: formatTime(createdAt) }
}

async function* eventTexts(by: SignedInCaller['actor']): AsyncGenerator<string[]> {
  for await (const events of allEvents(by)) yield events.map(eventToJson)
}
