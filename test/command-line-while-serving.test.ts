import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aStep, aTask, aWorkflow, type Resource, statusOf } from './builders.ts'
import { putTasks } from './bulk.ts'
import { clientOf } from './client.ts'
import { contentsOf } from './database.ts'
import { fivetabJson } from './fivetab.ts'
import { assertProblem, ENGINES, openWorld, type World } from './world.ts'

/** Runs a command on the data of the running service, over connections of its own, and answers with its JSON. */
const fivetab = (world: World, line: string) => fivetabJson(world, line, { clock: world.clock })

const idOfToken = async (world: World) => (await world.api.get('/me')).body.token.id

const TABLES_OF_AN_ACCOUNT = ['accounts', 'checklist_steps', 'events', 'idempotency_keys', 'ledgers', 'projects', 'status_progress'].concat(
  ['statuses', 'tasks', 'tokens', 'workflows'],
)

for (const engine of ENGINES) {
  describe(`the command line while the service runs (${engine})`, () => {
    it('makes an account and a token that work at once', async () => {
      await using world = await openWorld(engine)
      await fivetab(world, 'account create --email ada@example.org')
      const made = await fivetab(world, 'token create --account ada@example.org --name laptop --scopes tasks:write --expires-in 1h')

      const reply = await clientOf(world.service.url, made.token).post('/tasks', { title: 'Write it' })

      assert.equal(reply.status, 201)
    })

    it('revokes a token from its next request on', async () => {
      await using world = await openWorld(engine)
      const id = await idOfToken(world)

      await fivetab(world, `token revoke ${id}`)

      assertProblem(await world.api.get('/me'), 401, 'invalid_token')
    })

    it('gives a token its lifetime', async () => {
      await using world = await openWorld(engine)
      const { token } = await fivetab(
        world,
        `token create --account ${world.account.email} --name short --scopes tasks:read --expires-in 2s`,
      )
      const headers = { authorization: `Bearer ${token}` }

      world.advance(1_999)
      assert.equal((await world.anonymous.get('/me', headers)).status, 200)
      world.advance(1)
      assertProblem(await world.anonymous.get('/me', headers), 401, 'invalid_token')
    })

    it('shuts an account out of the API, and lets it in again', async () => {
      await using world = await openWorld(engine)

      await fivetab(world, `account set ${world.account.email} --api-access off`)
      assertProblem(await world.api.get('/tasks'), 403, 'access_disabled')
      await fivetab(world, `account set ${world.account.email} --api-access on`)
      assert.equal((await world.api.get('/tasks')).status, 200)
    })

    it('seals an account', async () => {
      await using world = await openWorld(engine)

      await fivetab(world, `account set ${world.account.email} --vault on`)

      assertProblem(await world.api.get('/tasks'), 403, 'vault_account_unsupported')
    })

    it('puts an account on another plan', async () => {
      await using world = await openWorld(engine)

      await fivetab(world, `account set ${world.account.email} --plan free`)

      assertProblem(await world.api.get('/tasks'), 403, 'plan_required')
    })

    it('changes a plan for everyone who is on it', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())

      await fivetab(world, 'plan set unlimited --active-tasks 1')
      assertProblem(await world.api.post('/tasks', { title: 'One more' }), 403, 'task_limit_reached')
      await fivetab(world, 'plan set unlimited --active-tasks 2')
      assert.equal((await world.api.post('/tasks', { title: 'One more' })).status, 201)
    })

    it('changes the name and the time zone that the user sees', async () => {
      await using world = await openWorld(engine)

      await fivetab(world, `account set ${world.account.email} --name Ada --time-zone Asia/Tokyo`)

      assert.partialDeepStrictEqual((await world.api.get('/me')).body, { name: 'Ada', time_zone: 'Asia/Tokyo' })
    })

    it('turns the whole API off and on', async () => {
      await using world = await openWorld(engine)

      await fivetab(world, 'api off')
      const problem = await world.api.get('/tasks')
      assertProblem(problem, 503, 'api_disabled')
      assert.match(String(problem.headers['retry-after']), /^[1-9]\d*$/)
      await fivetab(world, 'api on')
      assert.equal((await world.api.get('/tasks')).status, 200)
    })

    it('deletes an account with everything in it, and no other', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      const kept = await aTask({ onStatus: 'Review' })(other.api)
      const task = await world.given(aTask({ onStatus: 'Review' }))
      await world.api.post(`/tasks/${task.id}/later`, { until: world.later(1_000) })

      await fivetab(world, `account delete ${world.account.email}`)

      assertProblem(await world.api.get('/me'), 401, 'invalid_token')
      assert.deepEqual((await other.api.get(`/tasks/${kept.id}`)).body, kept)
      world.advance(2_000)
      assert.equal(await world.service.timers.wake(), 0)
      assert.deepEqual(await world.events(world.account), [])
    })

    it('deletes a large account to the last row, and no row of another', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      for (const [of, api] of [
        [world.account, world.api],
        [other.account, other.api],
      ] as const) {
        const workflow = await aWorkflow()(api)
        await putTasks(world, of === world.account ? 3_000 : 10, { of, workflow })
        const tasks = await Promise.all(Array.from({ length: 30 }, () => aTask()(api)))
        for (const task of tasks) await aStep(task)(api)
        await api.post(`/workflows/${workflow.id}/statuses`, { name: 'Proofread', disposition: 'in_progress' })
        const project = await aProject()(api)
        const task = await aTask({ status_id: statusOf(workflow, 'Draft').id, project_id: project.id })(api)
        await api.patch(`/tasks/${task.id}/steps/${task.status_id}`, { completed: true })
        await api.post('/tasks', { title: 'Once' }, { 'idempotency-key': 'k' })
      }
      const rowsOf = async ({ id }: { id: string }) =>
        Object.fromEntries(
          Object.entries(await contentsOf(world)).map(([table, rows]) => [
            table,
            (rows as Resource[]).filter((row) => row.account_id === id || (table === 'accounts' && row.id === id)),
          ]),
        )
      const ofOther = await rowsOf(other.account)
      const tables = Object.entries(await rowsOf(world.account)).filter(([, rows]) => rows.length > 0)

      await fivetab(world, `account delete ${world.account.email}`)

      assert.deepEqual(tables.map(([table]) => table).sort(), TABLES_OF_AN_ACCOUNT)
      assert.ok(tables.some(([table, rows]) => table === 'events' && rows.length > 3_000))
      for (const [table, rows] of Object.entries(await rowsOf(world.account))) assert.deepEqual(rows, [], table)
      assert.ok(Object.values(ofOther).flat().length > 100)
      assert.deepEqual(await rowsOf(other.account), ofOther)
      assert.equal((await contentsOf(world)).tasks?.length, ofOther.tasks?.length)
    })

    it('waits its turn among the writes of the service, and all are carried out', async () => {
      await using world = await openWorld(engine)
      const writes = Array.from({ length: 100 }, (_, index) => world.api.post('/tasks', { title: `Task ${index}` }))

      const made = Array.from({ length: 10 }, (_, index) => fivetab(world, `account create --email ada${index}@example.org`))
      const [replies] = await Promise.all([Promise.all(writes), Promise.all(made)])

      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
      assert.equal((await fivetab(world, 'account list')).length, 11)
      assert.partialDeepStrictEqual(await fivetab(world, `account show ${world.account.email}`), { active_tasks: 100 })
    })
  })
}
