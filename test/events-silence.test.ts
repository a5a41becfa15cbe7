import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setPlan } from '../packages/server/actions/plans.ts'
import { aProject, aStep, aTask, aWorkflow, type Resource, statusOf, UNKNOWN_ID } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { DAY, ENGINES, HOUR, openWorld, type World } from './world.ts'

const STALE = { 'if-match': '"999"' }

interface Things {
  project: Resource
  workflow: Resource
  status: Resource
  /** In the project, done and archived, with a checklist of one step. */
  task: Resource
  step: Resource
  /** On the Status Review. */
  staged: Resource
}

async function someThings(world: World): Promise<Things> {
  const [project, workflow] = [await world.given(aProject()), await world.given(aWorkflow())]
  const { id } = await world.given(aTask({ project_id: project.id, disposition: 'done' }))
  const step = await world.given(aStep({ id }, { completed: true }))
  await world.api.post(`/tasks/${id}/archive`)
  const task = (await world.api.get(`/tasks/${id}`)).body
  const status = statusOf(workflow, 'Review')
  return { project, workflow, status, task, step, staged: await world.given(aTask({ status_id: status.id })) }
}

type Send = (api: Client, things: Things) => Promise<Reply>

const statusPath = ({ workflow, status }: Things) => `/workflows/${workflow.id}/statuses/${status.id}`

const NO_CHANGE: Record<string, Send> = {
  'an empty PATCH of a task': (api, { task }) => api.patch(`/tasks/${task.id}`, {}),
  'a task patched to what it is': (api, { task }) =>
    api.patch(`/tasks/${task.id}`, { title: task.title, disposition: 'done', notes: null }),
  'the Workflow that a task has': (api, { staged }) => api.patch(`/tasks/${staged.id}`, { workflow_id: staged.workflow_id }),
  'the Status that a task has': (api, { staged }) => api.patch(`/tasks/${staged.id}`, { status_id: staged.status_id }),
  'the Disposition that a task has': (api, { staged }) => api.patch(`/tasks/${staged.id}`, { disposition: 'in_progress' }),
  'completing a done task': (api, { task }) => api.post(`/tasks/${task.id}/complete`),
  'archiving an archived task': (api, { task }) => api.post(`/tasks/${task.id}/archive`),
  'unarchiving one that is not': (api, { staged }) => api.post(`/tasks/${staged.id}/unarchive`),
  'a ticked step ticked': (api, { task, step }) => api.patch(`/tasks/${task.id}/steps/${step.id}`, { completed: true }),
  'an empty PATCH of a project': (api, { project }) => api.patch(`/projects/${project.id}`, {}),
  'a project with the name it has': (api, { project }) => api.patch(`/projects/${project.id}`, { name: ` ${project.name} ` }),
  'an empty PATCH of a Workflow': (api, { workflow }) => api.patch(`/workflows/${workflow.id}`, {}),
  'a Workflow with the emoji it has': (api, { workflow }) => api.patch(`/workflows/${workflow.id}`, { emoji: workflow.emoji }),
  'a Status with the Disposition it has': (api, things) => api.patch(statusPath(things), { disposition: 'in_progress' }),
  'reading it all': async (api, { task }) => {
    for (const path of ['/me', '/dispositions', '/projects', '/workflows', `/tasks/${task.id}/steps`]) await api.get(path)
    return api.get('/tasks?include_archived=true')
  },
}

const REFUSED: Record<string, [status: number, send: Send]> = {
  'a task without a title': [400, (api) => api.post('/tasks', {})],
  'a task on a Status of nobody': [400, (api) => api.post('/tasks', { title: 'x', status_id: UNKNOWN_ID })],
  'a task changed in part against the rules': [
    400,
    (api, { staged }) => api.patch(`/tasks/${staged.id}`, { title: 'x', estimate_minutes: 5 }),
  ],
  'a task at another version': [412, (api, { task }) => api.patch(`/tasks/${task.id}`, { title: 'x' }, STALE)],
  'a task deleted at another version': [412, (api, { task }) => api.delete(`/tasks/${task.id}`, STALE)],
  'a task that is not there': [404, (api) => api.post(`/tasks/${UNKNOWN_ID}/complete`)],
  'a wake-up in the past': [400, (api, { staged }) => api.post(`/tasks/${staged.id}/later`, { until: '2020-01-01T00:00:00Z' })],
  'a step for a task on a Workflow': [400, (api, { staged }) => api.post(`/tasks/${staged.id}/steps`, { name: 'x' })],
  'a renamed Workflow step': [
    400,
    (api, { staged, status }) => api.patch(`/tasks/${staged.id}/steps/${status.id}`, { name: 'x', minutes: 5 }),
  ],
  'a removed Workflow step': [400, (api, { staged, status }) => api.delete(`/tasks/${staged.id}/steps/${status.id}`)],
  'a project without a name': [400, (api) => api.post('/projects', {})],
  'a project at another version': [412, (api, { project }) => api.delete(`/projects/${project.id}`, STALE)],
  'a Workflow with one bad Status': [
    400,
    (api) => api.post('/workflows', { name: 'x', statuses: [{ name: 'ok', disposition: 'done' }, { name: 'x' }] }),
  ],
  'a Workflow at another version': [412, (api, { workflow }) => api.delete(`/workflows/${workflow.id}`, STALE)],
  'a Status for not_started': [
    400,
    (api, { workflow }) => api.post(`/workflows/${workflow.id}/statuses`, { name: 'x', disposition: 'not_started' }),
  ],
  'a Status moved at another version': [412, (api, things) => api.patch(statusPath(things), { disposition: 'done' }, STALE)],
  'a Status deleted at another version': [412, (api, things) => api.delete(statusPath(things), STALE)],
  'a key used for another body': [
    400,
    async (api, { project }) => {
      const headers = { 'idempotency-key': 'taken' }
      return api.post('/projects', { name: `${project.name} again` }, headers)
    },
  ],
}

const REPLAYED: Record<string, (things: Things) => [path: string, body: object]> = {
  task: () => ['/tasks', { title: 'x' }],
  project: () => ['/projects', { name: 'x' }],
  Workflow: () => ['/workflows', { name: 'x', statuses: [{ name: 'a', disposition: 'done' }] }],
  Status: ({ workflow }) => [`/workflows/${workflow.id}/statuses`, { name: 'x', disposition: 'in_progress' }],
  step: ({ task }) => [`/tasks/${task.id}/steps`, { name: 'x' }],
}

for (const engine of ENGINES) {
  describe(`the log keeps silent (${engine})`, () => {
    for (const [what, send] of Object.entries(NO_CHANGE)) {
      it(`about what changes nothing: ${what}`, async () => {
        await using world = await openWorld(engine)
        const things = await someThings(world)
        const known = await world.events()
        world.advance(HOUR)

        assert.equal((await send(world.api, things)).status, 200)

        assert.deepEqual(await world.events(), known)
      })
    }

    for (const [what, [status, send]] of Object.entries(REFUSED)) {
      it(`about what is refused: ${what}`, async () => {
        await using world = await openWorld(engine)
        const things = await someThings(world)
        await world.api.post('/projects', { name: 'x' }, { 'idempotency-key': 'taken' })
        const known = await world.events()
        world.advance(HOUR)

        assert.equal((await send(world.api, things)).status, status)

        assert.deepEqual(await world.events(), known)
      })
    }

    for (const [what, requestOf] of Object.entries(REPLAYED)) {
      it(`about a replay of the creation of a ${what}`, async () => {
        await using world = await openWorld(engine)
        const [path, body] = requestOf(await someThings(world))
        const send = () => world.api.post(path, body, { 'idempotency-key': 'once' })
        assert.equal((await send()).status, 201)
        const known = await world.events()
        world.advance(HOUR)

        assert.equal((await send()).status, 200)

        assert.deepEqual(await world.events(), known)
      })
    }

    it('about a token without the scope', async () => {
      await using world = await openWorld(engine)
      const { task } = await someThings(world)
      const reader = await world.clientWith(['tasks:read'])
      const known = await world.events()

      assert.equal((await reader.delete(`/tasks/${task.id}`)).status, 403)

      assert.deepEqual(await world.events(), known)
    })

    it('about a task that the plan has no room for', async () => {
      await using world = await openWorld(engine, { plan: 'pro' })
      await setPlan(world.operator, 'pro', { activeTasks: 1 })
      await world.given(aTask())
      const known = await world.events()

      assert.equal((await world.api.post('/tasks', { title: 'one too many' })).status, 403)

      assert.deepEqual(await world.events(), known)
    })

    it('about changes in another account', async () => {
      await using world = await openWorld(engine)
      const things = await someThings(world)
      const { api: stranger } = await world.newAccount()
      const known = await world.events()

      for (const path of [
        `/tasks/${things.task.id}`,
        `/projects/${things.project.id}`,
        `/workflows/${things.workflow.id}`,
        statusPath(things),
      ]) {
        assert.equal((await stranger.delete(path)).status, 404)
      }

      assert.deepEqual(await world.events(), known)
    })

    it('about timers that find nothing due', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.api.post(`/tasks/${task.id}/later`, { until: world.later(DAY) })
      const known = await world.events()
      world.advance(DAY - 1)

      await world.service.timers.wake()
      await world.service.timers.prune()

      assert.deepEqual(await world.events(), known)
    })
  })
}
