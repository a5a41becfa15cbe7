import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { ENGINES, HOUR, openWorld } from './world.ts'

interface Things {
  project: Resource
  workflow: Resource
  /** On the Status Review, in the project. */
  task: Resource
}

type Send = (api: Client, things: Things) => Promise<Reply>

const task =
  (rest: string, body?: unknown): Send =>
  (api, things) =>
    api.post(`/tasks/${things.task.id}/${rest}`, body)

const patchTask =
  (body: (things: Things) => object): Send =>
  (api, things) =>
    api.patch(`/tasks/${things.task.id}`, body(things))

/** What one request records, told by type and cause. */
const RECORDED: [what: string, send: Send, events: string[]][] = [
  ['a new title', patchTask(() => ({ title: 'Other' })), ['task.updated api']],
  ['another Workflow', patchTask(() => ({ workflow_id: null })), ['task.updated api']],
  ['the action complete', task('complete'), ['task.completed api']],
  ['a PATCH to done', patchTask(() => ({ disposition: 'done' })), ['task.completed api']],
  [
    'a PATCH to a Status for done',
    patchTask((things) => ({ status_id: statusOf(things.workflow, 'Published').id })),
    ['task.completed api'],
  ],
  ['a PATCH to done with a new title', patchTask(() => ({ disposition: 'done', title: 'Other' })), ['task.completed api']],
  ['the action later', task('later', {}), ['task.updated api']],
  ['the action archive', task('archive'), ['task.archived api']],
  [
    'a tick',
    (api, things) => api.patch(`/tasks/${things.task.id}/steps/${things.task.status_id}`, { completed: true }),
    ['task.updated api'],
  ],
  ['the deletion of a task', (api, things) => api.delete(`/tasks/${things.task.id}`), ['task.deleted api']],
  ['a task that is done already', (api) => api.post('/tasks', { title: 'x', disposition: 'done' }), ['task.created api']],
  ['a task on a Workflow', (api, { workflow }) => api.post('/tasks', { title: 'x', workflow_id: workflow.id }), ['task.created api']],
  ['a new project', (api) => api.post('/projects', { name: 'x' }), ['project.created api']],
  ['an archived project', (api, { project }) => api.patch(`/projects/${project.id}`, { archived: true }), ['project.updated api']],
  [
    'the deletion of a project',
    (api, { project }) => api.delete(`/projects/${project.id}`),
    ['task.updated cascade', 'project.deleted api'],
  ],
  [
    'a new Workflow with Statuses',
    (api) =>
      api.post('/workflows', {
        name: 'x',
        statuses: [
          { name: 'b', disposition: 'waiting' },
          { name: 'a', disposition: 'in_progress' },
        ],
      }),
    ['workflow.created api', 'status.created api', 'status.created api'],
  ],
  ['a renamed Workflow', (api, { workflow }) => api.patch(`/workflows/${workflow.id}`, { name: 'Other' }), ['workflow.updated api']],
  [
    'the deletion of a Workflow',
    (api, { workflow }) => api.delete(`/workflows/${workflow.id}`),
    ['task.updated cascade', ...Array.from({ length: 6 }, () => 'status.deleted cascade'), 'workflow.deleted api'],
  ],
  [
    'a new Status in Today',
    (api, { workflow }) => api.post(`/workflows/${workflow.id}/statuses`, { name: 'x', disposition: 'in_progress' }),
    ['status.created api', 'task.updated cascade', 'workflow.updated cascade'],
  ],
  [
    'a new Status elsewhere',
    (api, { workflow }) => api.post(`/workflows/${workflow.id}/statuses`, { name: 'x', disposition: 'waiting' }),
    ['status.created api', 'workflow.updated cascade'],
  ],
  [
    'a renamed Status',
    (api, { workflow }) => api.patch(statusPath(workflow, 'Review'), { name: 'Other' }),
    ['status.updated api', 'workflow.updated cascade'],
  ],
  [
    'a Status moved to done, with its task',
    (api, { workflow }) => api.patch(statusPath(workflow, 'Review'), { disposition: 'done' }),
    ['status.updated api', 'task.completed cascade', 'workflow.updated cascade'],
  ],
  [
    'the deletion of a Status with its task',
    (api, { workflow }) => api.delete(statusPath(workflow, 'Review')),
    ['status.deleted api', 'task.updated cascade', 'workflow.updated cascade'],
  ],
  [
    'the deletion of an empty Status elsewhere',
    (api, { workflow }) => api.delete(statusPath(workflow, 'Feedback')),
    ['status.deleted api', 'workflow.updated cascade'],
  ],
]

/** Those whose order is part of the contract. */
const IN_ORDER = new Set(['a new Workflow with Statuses', 'the deletion of a Workflow'])

for (const engine of ENGINES) {
  describe(`one request records (${engine})`, () => {
    for (const [what, send, expected] of RECORDED) {
      it(`${expected.length} for ${what}`, async () => {
        await using world = await openWorld(engine)
        const [project, workflow] = [await world.given(aProject()), await world.given(aWorkflow())]
        const written = await world.given(aTask({ status_id: statusOf(workflow, 'Review').id, project_id: project.id }))
        const known = (await world.events()).length
        world.advance(HOUR)

        const reply = await send(world.api, { project, workflow, task: written })

        assert.ok(reply.status < 300, JSON.stringify(reply.body))
        const events = (await world.events()).slice(known)
        const told = events.map(({ type, cause }) => `${type} ${cause}`)
        assert.deepEqual(IN_ORDER.has(what) ? told : told.sort(), IN_ORDER.has(what) ? expected : expected.toSorted())
        for (const event of events) {
          assert.equal(event.requestId, reply.headers['x-request-id'])
          assert.equal(event.occurredAt, world.clock())
        }
      })
    }

    it('the Statuses of a new Workflow in the order they were given', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(
        aWorkflow({
          statuses: [
            { name: 'b', disposition: 'done' },
            { name: 'a', disposition: 'waiting' },
          ],
        }),
      )

      const data = (await world.events()).map((event) => event.data as Resource)

      const { statuses, ...listed } = workflow
      assert.deepEqual(data, [listed, statusOf(workflow, 'b'), statusOf(workflow, 'a')])
      assert.equal(statuses.length, 2)
    })

    it('task.woke alone when a task wakes, as the task then is', async () => {
      await using world = await openWorld(engine)
      const { id, status_id } = await world.given(aTask({ onStatus: 'Review' }))
      const held = (await world.api.post(`/tasks/${id}/later`, { until: world.later(HOUR) })).body
      const known = (await world.events()).length
      world.advance(HOUR)

      await world.service.timers.wake()

      const now = (await world.api.get(`/tasks/${id}`)).body
      const { version, updated_at, on_hold_until } = held
      assert.equal(now.status_id, status_id)
      assert.deepEqual(
        (await world.events()).slice(known).map(({ type, cause, data, previous }) => ({ type, cause, data, previous })),
        [
          {
            type: 'task.woke',
            cause: 'timer',
            data: now,
            previous: { disposition: 'on_hold', status_id: null, on_hold_until, version, updated_at },
          },
        ],
      )
    })
  })
}
