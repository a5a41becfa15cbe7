import type { TestContext } from 'node:test'
import { dispositionsToWire } from '@fivetab/domain/disposition.ts'
import { newProject, type ProjectWire, projectToWire } from '@fivetab/domain/project.ts'
import { newStatus, type StatusWire, statusToWire } from '@fivetab/domain/status.ts'
import { newTask } from '@fivetab/domain/task.ts'
import { type TaskWire, taskToWire } from '@fivetab/domain/task-shape.ts'
import { newWorkflow, type WorkflowWithStatusesWire, workflowWithStatusesToWire } from '@fivetab/domain/workflow.ts'
import { type Board, boardOnWire } from '../../packages/web/src/board/board.ts'
import type { Known } from '../../packages/web/src/board/changes.ts'

/** Boards and what is on them, as the service shows it, and a service that answers as it is told to. */

const EARLIER = Date.parse('2026-11-20T12:00:00Z')
export const NOW = Date.parse('2026-11-21T12:00:00Z')

export function aProject(fields: Partial<ProjectWire> = {}): ProjectWire {
  return { ...projectToWire(newProject({ id: 'house', position: 1, now: EARLIER }, { name: 'House move' })), ...fields }
}

export function aStatus(id: string, disposition: StatusWire['disposition'], fields: Partial<StatusWire> = {}): StatusWire {
  return { ...statusToWire(newStatus({ id, workflowId: 'article', position: 1, now: EARLIER }, { name: id, disposition })), ...fields }
}

export function aWorkflow(fields: Partial<WorkflowWithStatusesWire> = {}): WorkflowWithStatusesWire {
  return { ...workflowWithStatusesToWire(newWorkflow({ id: 'article', position: 1, now: EARLIER }, { name: 'Article' }), []), ...fields }
}

export function aTask(fields: Partial<TaskWire> = {}): TaskWire {
  return { ...taskToWire(newTask({ id: 'task', now: EARLIER }, { title: 'Write it' }, {}, 0, EARLIER)), ...fields }
}

interface OnBoard {
  projects?: ProjectWire[]
  workflows?: WorkflowWithStatusesWire[]
  tasks?: TaskWire[]
  doneTotal?: number
}

export function aBoard({ projects = [], workflows = [], tasks = [], doneTotal = 0 }: OnBoard): Board {
  const dispositions = dispositionsToWire(new Map())
  return boardOnWire({
    object: 'board',
    latest_sequence: 1,
    dispositions,
    projects,
    workflows,
    tasks,
    has_more: false,
    done_total: doneTotal,
  })
}

/** What is known to be stored, beginning with `first`. */
export function knownFrom(first: Board): Known {
  let board = first
  return {
    board: () => board,
    learn: (settle) => {
      board = settle(board)
    },
  }
}

interface Asked {
  method: string
  path: string
  body: unknown
  ifMatch: string | null
  onceKey: string | null
}

/** Has the service give these answers, one after another, while the test runs. What it was asked is in the list that comes back. */
export function serviceAnswering(test: TestContext, ...answers: readonly { status: number; body?: object }[]): Asked[] {
  const asked: Asked[] = []
  test.mock.method(
    globalThis,
    'fetch',
    async (path: string, { method, body, headers }: { method: string; body?: string; headers: Headers }) => {
      const answer = answers[asked.length]
      asked.push({
        method,
        path,
        body: body === undefined ? undefined : JSON.parse(body),
        ifMatch: headers.get('If-Match'),
        onceKey: headers.get('Idempotency-Key'),
      })
      if (answer === undefined) throw new TypeError('Nothing more was expected.')
      const type = answer.status < 400 ? 'application/json' : 'application/problem+json'
      return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), {
        status: answer.status,
        headers: { 'Content-Type': type },
      })
    },
  )
  return asked
}

/** The refusal of what was sent with another version than this one. */
export function changedMeanwhile(current: object) {
  return { status: 412, body: { status: 412, code: 'precondition_failed', detail: 'It has changed.', request_id: 'r', current } }
}

export const NOT_FOUND = { status: 404, body: { status: 404, code: 'not_found', detail: 'There is none.', request_id: 'r' } }
