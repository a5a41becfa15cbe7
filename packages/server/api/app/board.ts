import { BoardShape, MAX_BOARD_TASKS } from '@fivetab/domain/board.ts'
import { dispositionsToWire } from '@fivetab/domain/disposition.ts'
import { projectToWire } from '@fivetab/domain/project.ts'
import { workflowWithStatusesToWire } from '@fivetab/domain/workflow.ts'
import type { Actor } from '../../actions/actor.ts'
import { type BoardHead, boardHead, boardTasks } from '../../actions/board.ts'
import { allProjects, allWorkflows } from '../../actions/everything.ts'
import type { Api } from '../api.ts'
import { actorOf } from '../caller.ts'
import { operation } from '../operation.ts'
import { listParts, sendParts, writtenBy } from './streaming.ts'

/** All that the five tabs are made of, in one request. */
export function boardRoutes(app: Api): void {
  app.get(
    '/board',
    operation({
      id: 'getBoard',
      summary: 'The board',
      tag: 'App',
      scope: null,
      replies: { 200: { description: 'All that the five tabs are made of.', shape: BoardShape } },
    }),
    async (request, reply) => {
      const by = actorOf(request)
      return sendParts(reply, boardParts(by, await boardHead(by)))
    },
  )
}

async function* boardParts(by: Actor, { latestSequence, tabs, doneTotal }: BoardHead): AsyncGenerator<string> {
  const head = { object: 'board', latest_sequence: latestSequence, dispositions: dispositionsToWire(tabs) }
  yield JSON.stringify(head).slice(0, -1)
  yield* listParts(',"projects":', writtenBy(allProjects(by), projectToWire))
  yield* listParts(
    ',"workflows":',
    writtenBy(allWorkflows(by), ({ workflow, statuses }) => workflowWithStatusesToWire(workflow, statuses)),
  )
  const tasks = { count: 0 }
  yield* listParts(',"tasks":', upToMost(boardTasks(by), tasks))
  yield `,"has_more":${tasks.count > MAX_BOARD_TASKS},"done_total":${doneTotal}}`
}

/** The tasks without the one beyond the last that is shown; `seen` counts it too. */
async function* upToMost(pages: AsyncIterable<readonly string[]>, seen: { count: number }): AsyncGenerator<readonly string[]> {
  for await (const page of pages) {
    yield page.slice(0, MAX_BOARD_TASKS - seen.count)
    seen.count += page.length
  }
}
