import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aStep, aTask, aWorkflow, type Resource, UNKNOWN_ID } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { filledWith, type Operation, operationsOf } from './operations.ts'
import { aWebhook } from './receiver.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld, type World } from './world.ts'

/** A valid body for each operation with an id in its path that needs one. */
const BODIES: Record<string, object> = {
  updateTask: { title: 'Mine now' },
  createStep: { name: 'Mine now' },
  updateStep: { completed: true },
  updateProject: { name: 'Mine now' },
  updateWorkflow: { name: 'Mine now' },
  createStatus: { name: 'Mine now', disposition: 'waiting' },
  updateStatus: { name: 'Mine now' },
  updateWebhook: { description: 'Mine now' },
}

/** The operations with an id in their path, as the contract has them. */
const WITH_IDS = [
  ...['getTask', 'updateTask', 'deleteTask', 'completeTask', 'holdTask', 'archiveTask', 'unarchiveTask'],
  ...['listSteps', 'createStep', 'getStep', 'updateStep', 'deleteStep'],
  ...['getProject', 'updateProject', 'deleteProject'],
  ...['getWorkflow', 'updateWorkflow', 'deleteWorkflow'],
  ...['listStatuses', 'createStatus', 'getStatus', 'updateStatus', 'deleteStatus'],
  ...['getWebhook', 'updateWebhook', 'deleteWebhook', 'rotateSecret', 'testWebhook'],
  ...['listDeliveries', 'getDelivery', 'redeliver'],
]

type Kind = 'task' | 'step' | 'project' | 'workflow' | 'status' | 'listed' | 'webhook' | 'delivery'

/** One of each kind of resource, tied to each other. */
async function everything(api: Client): Promise<Record<Kind, Resource>> {
  const project = await aProject()(api)
  const workflow = await aWorkflow()(api)
  const [status] = workflow.statuses
  const task = await aTask({ project_id: project.id })(api)
  const step = await aStep(task)(api)
  const listed = await aTask({ project_id: project.id, status_id: status.id })(api)
  const webhook = await aWebhook({ url: 'https://192.88.100.1/hook' })(api)
  const delivery = (await api.post(`/webhooks/${webhook.id}/test`)).body
  return { task, step, project, workflow, status, listed, webhook, delivery }
}

type Everything = Awaited<ReturnType<typeof everything>>

/** The path with the ids of `owner`'s resources: `{id}` is of the kind that the path begins with. */
function fill(path: string, owner: Everything): string {
  const kind = path.split('/')[1]?.slice(0, -1) as 'task' | 'project' | 'workflow' | 'webhook'
  return path
    .replace('{id}', owner[kind].id)
    .replace('{step_id}', owner.step.id)
    .replace('{status_id}', owner.status.id)
    .replace('{delivery_id}', owner.delivery.id)
}

/** All that the account has, as it reads it itself. */
async function stateOf(api: Client): Promise<unknown[]> {
  const { data: tasks } = (await api.get('/tasks?include_archived=true')).body
  const { data: workflows } = (await api.get('/workflows')).body
  const parts = [
    ...tasks.map((task: Resource) => `/tasks/${task.id}/steps`),
    ...workflows.map((workflow: Resource) => `/workflows/${workflow.id}`),
  ]
  const webhooks = (await api.get('/webhooks')).body.data
  parts.push(...webhooks.map((webhook: Resource) => `/webhooks/${webhook.id}/deliveries`))
  const wholes = await Promise.all(parts.map(async (path) => (await api.get(path)).body))
  return [tasks, workflows, (await api.get('/projects?include_archived=true')).body.data, webhooks, wholes]
}

/** What a client can tell two refusals apart by. */
function apartFromItsId({ status, headers, body: { request_id, ...problem } }: Reply, ids: readonly string[]): string {
  const { 'x-request-id': _, date, 'ratelimit-remaining': __, 'content-length': ___, ...rest } = headers
  return ids.reduce((text, id) => text.replaceAll(id, 'ID'), JSON.stringify([status, rest, problem]))
}

async function twoAccounts(
  world: World,
): Promise<{ mine: Everything; theirs: Everything; them: Awaited<ReturnType<World['newAccount']>> }> {
  const them = await world.newAccount()
  return { them, theirs: await everything(them.api), mine: await everything(world.api) }
}

for (const engine of ENGINES) {
  describe(`another account’s resources (${engine})`, () => {
    it('are looked for below by every operation with an id in its path', async () => {
      await using world = await openWorld(engine)

      const operations = await operationsOf(world)

      const told = operations.filter(({ path }) => path.includes('{')).map(({ operationId }) => operationId)
      assert.deepEqual(told.sort(), WITH_IDS.toSorted())
    })

    for (const operationId of WITH_IDS) {
      it(`are not there for ${operationId}, just as what never was`, async () => {
        await using world = await openWorld(engine)
        const { theirs, them } = await twoAccounts(world)
        const before = [await stateOf(them.api), await world.events(them.account)]
        const eventsBefore = await world.events()
        const { method, path } = (await operationsOf(world)).find((one) => one.operationId === operationId) as Operation
        const options = { body: BODIES[operationId] }

        const reply = await world.api.send(method, fill(path, theirs), options)
        const ghostly = await world.api.send(method, filledWith(path), options)

        assertProblem(reply, 404, 'not_found')
        const ids = [UNKNOWN_ID, ...Object.values(theirs).map(({ id }) => id)]
        assert.equal(apartFromItsId(reply, ids), apartFromItsId(ghostly, ids))
        assert.deepEqual([await stateOf(them.api), await world.events(them.account)], before)
        assert.deepEqual(await world.events(), eventsBefore)
      })

      it(`are there for ${operationId} of their owner`, async () => {
        await using world = await openWorld(engine)
        const { theirs, them } = await twoAccounts(world)
        const { method, path } = (await operationsOf(world)).find((one) => one.operationId === operationId) as Operation

        const reply = await them.api.send(method, fill(path, theirs), { body: BODIES[operationId] })

        assert.ok(reply.status < 300, reply.text)
      })
    }

    for (const [what, of] of [
      ['a step', (own: Everything, other: Everything) => `/tasks/${own.task.id}/steps/${other.step.id}`],
      ['a Status', (own: Everything, other: Everything) => `/workflows/${own.workflow.id}/statuses/${other.status.id}`],
    ] as const) {
      for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine now' }], ['DELETE']] as const) {
        it(`are not there for a ${method} of ${what} of theirs within one’s own`, async () => {
          await using world = await openWorld(engine)
          const { mine, theirs, them } = await twoAccounts(world)
          const before = await stateOf(them.api)

          const reply = await world.api.send(method, of(mine, theirs), { ...(body && { body }) })

          assertProblem(reply, 404, 'not_found')
          assert.deepEqual(await stateOf(them.api), before)
        })
      }
    }

    it('can be named by no other fields of a body than these', async () => {
      await using world = await openWorld(engine)

      const { schemas } = (await world.anonymous.get('/openapi.json')).body.components

      const bodies = Object.keys(schemas).filter((name) => /^(Create|Update|Later)/.test(name))
      const fields = bodies.flatMap((name) =>
        Object.entries<{ format?: string }>(schemas[name].properties).flatMap(([field, { format }]) =>
          format === 'uuid' ? [`${name}.${field}`] : [],
        ),
      )
      assert.deepEqual(
        fields.sort(),
        ['CreateTask', 'UpdateTask'].flatMap((name) => ['project_id', 'status_id', 'workflow_id'].map((field) => `${name}.${field}`)),
      )
    })

    for (const kind of ['project', 'status', 'workflow'] as const) {
      const field = `${kind}_id`

      for (const [what, ask] of [
        ['a new task', (api: Client, _: Everything, body: object) => api.post('/tasks', { title: 'One', ...body })],
        ['a change of a task', (api: Client, { task }: Everything, body: object) => api.patch(`/tasks/${task.id}`, body)],
      ] as const) {
        it(`are unknown as ${field} of ${what}, just as what never was`, async () => {
          await using world = await openWorld(engine)
          const { mine, theirs, them } = await twoAccounts(world)
          const before = [await stateOf(world.api), await stateOf(them.api)]

          const reply = await ask(world.api, mine, { [field]: theirs[kind].id })
          const ghostly = await ask(world.api, mine, { [field]: UNKNOWN_ID })

          assertInvalid(reply, ['body', field, 'unknown_reference'])
          const ids = [UNKNOWN_ID, theirs[kind].id]
          assert.equal(apartFromItsId(reply, ids), apartFromItsId(ghostly, ids))
          assert.deepEqual([await stateOf(world.api), await stateOf(them.api)], before)
        })
      }

      it(`list nothing when ${field} filters by one`, async () => {
        await using world = await openWorld(engine)
        const { theirs, them } = await twoAccounts(world)

        const theirList = await them.api.get(`/tasks?${field}=${theirs[kind].id}`)
        const reply = await world.api.get(`/tasks?${field}=${theirs[kind].id}`)

        assert.ok(theirList.body.data.length > 0)
        assert.deepEqual([reply.status, reply.body.data, reply.body.has_more], [200, [], false])
      })
    }

    it('are in no list', async () => {
      await using world = await openWorld(engine)
      const them = await world.newAccount()
      await everything(them.api)

      for (const path of ['/tasks?include_archived=true', '/tasks?q=Write', '/projects?include_archived=true', '/workflows']) {
        assert.deepEqual((await world.api.get(path)).body.data, [], path)
      }
    })

    it('are not reached by a cursor of theirs', async () => {
      await using world = await openWorld(engine)
      const them = await world.newAccount()
      for (const title of ['One', 'Two']) await them.api.post('/tasks', { title })
      const cursor = (await them.api.get('/tasks?limit=1')).body.next_cursor

      const reply = await world.api.get(`/tasks?limit=1&cursor=${encodeURIComponent(cursor)}`)

      assertInvalid(reply, ['query', 'cursor', 'invalid_value'])
    })

    it('do not count for the plan of this one', async () => {
      await using world = await openWorld(engine)
      const them = await world.newAccount()
      await everything(them.api)

      assert.deepEqual([(await world.api.get('/me')).body.plan.active_tasks, (await them.api.get('/me')).body.plan.active_tasks], [0, 2])
    })
  })
}
