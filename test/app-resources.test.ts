import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aStep, aTask, aWorkflow, type Resource, statusOf, statusPath, UNKNOWN_ID } from './builders.ts'
import { clientOf } from './client.ts'
import { operationsOf } from './operations.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld } from './world.ts'

for (const engine of ENGINES) {
  describe(`what the app and the API have in common (${engine})`, () => {
    it('is every operation of the API but /me', async () => {
      await using world = await openWorld(engine)

      for (const { method, path } of await operationsOf(world)) {
        const url = `//app${path.replace(/\{\w+\}/g, UNKNOWN_ID)}`
        const reply = await world.anonymous.send(method, url, { headers: { origin: world.service.url } })
        if (path === '/me') assertProblem(reply, 404, 'not_found')
        else assertProblem(reply, 401, 'not_signed_in')
      }
    })

    it('is done in the app with the cause `app`, and by no token', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const reply = await ada.post('/tasks', { title: 'Buy boxes' })

      const [event] = (await ada.get('/events')).body.data
      assert.deepEqual(
        [event.type, event.cause, event.actor, event.request_id],
        ['task.created', 'app', null, reply.headers['x-request-id']],
      )
      assert.deepEqual(event.data, reply.body)
    })

    it('goes by the same rules', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const [project, workflow] = [await aProject()(ada), await aWorkflow()(ada)]
      const task = await aTask({ project_id: project.id, status_id: statusOf(workflow, 'Draft').id })(ada)
      const checklist = await aTask()(ada)
      const step = await aStep(checklist)(ada)

      await ada.patch(`/tasks/${task.id}/steps/${statusOf(workflow, 'Draft').id}`, { completed: true })
      await ada.patch(statusPath(workflow, 'Review'), { name: 'Read' })
      await ada.patch(`/tasks/${checklist.id}/steps/${step.id}`, { completed: true })
      await ada.post(`/tasks/${checklist.id}/complete`)
      await ada.delete(`/projects/${project.id}`)

      const [moved, completed] = (await ada.get('/tasks')).body.data
      assert.partialDeepStrictEqual(moved, { status_id: statusOf(workflow, 'Review').id, steps_completed: 1, project_id: null })
      assert.partialDeepStrictEqual(completed, { disposition: 'done', completed_at: world.now, steps_completed: 1 })
      const causes = (await ada.get('/events?limit=100')).body.data.map(({ cause }: Resource) => cause)
      assert.deepEqual([...new Set(causes)].sort(), ['app', 'cascade'])
    })

    it('is one: what is done here is there', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { value } = (await ada.post('/tokens', { name: 'script', scopes: ['tasks:read', 'tasks:write'], lifetime_days: 1 })).body
      const api = clientOf(world.service.url, value)

      const task = await aTask()(ada)
      const changed = await api.patch(`/tasks/${task.id}`, { title: 'By a script' }, { 'if-match': task.version })

      assert.equal(changed.status, 200)
      const refused = await ada.patch(`/tasks/${task.id}`, { title: 'By hand' }, { 'if-match': task.version })
      assert.deepEqual(assertProblem(refused, 412, 'precondition_failed').current, changed.body)
    })

    it('is addressed where it was asked for', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const { body, headers } = await ada.post('/tasks', { title: 'Buy boxes' })

      assert.equal(headers.location, `${world.service.url}/app/tasks/${body.id}`)
      assert.equal((await ada.get(`/tasks/${body.id}`, { 'if-none-match': headers.etag as string })).status, 304)
    })

    it('is made once however often it is sent, by its key', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const again = () => ada.post('/tasks', { title: 'Buy boxes' }, { 'idempotency-key': 'k' })

      const [first, second] = [await again(), await again()]

      assert.deepEqual([first.status, second.status, second.body.id], [201, 200, first.body.id])
    })

    it('is another account’s nowhere: 404, as if it were not there', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const [task, project, workflow] = [await aTask()(bob), await aProject()(bob), await aWorkflow()(bob)]

      for (const path of [`/tasks/${task.id}`, `/projects/${project.id}`, `/workflows/${workflow.id}`, statusPath(workflow, 'Draft')]) {
        assertProblem(await ada.get(path), 404, 'not_found')
        assertProblem(await ada.patch(path, {}), 404, 'not_found')
        assertProblem(await ada.delete(path), 404, 'not_found')
      }
      assertInvalid(await ada.post('/tasks', { title: 'x', project_id: project.id }), ['body', 'project_id', 'unknown_reference'])
      assert.deepEqual((await ada.get('/board')).body.tasks, [])
    })

    it('is checked alike: every problem at once', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      assertInvalid(
        await ada.post('/tasks?nope=1', { titel: 'x', due_date: '2026-02-30' }),
        ['query', 'nope', 'unknown'],
        ['body', 'title', 'required'],
        ['body', 'titel', 'unknown'],
        ['body', 'due_date', 'invalid_format'],
      )
      assertInvalid(await ada.send('POST', '/tasks', { raw: '{' }), ['body', '', 'malformed'])
    })
  })
}
