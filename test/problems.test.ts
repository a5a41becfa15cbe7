import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld } from './world.ts'

/** The codes of the contract. */
const STATUSES_BY_CODE = {
  invalid_request: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  plan_required: 403,
  access_disabled: 403,
  vault_account_unsupported: 403,
  task_limit_reached: 403,
  not_found: 404,
  precondition_failed: 412,
  rate_limited: 429,
  internal_error: 500,
  api_disabled: 503,
}

for (const engine of ENGINES) {
  describe(`problem documents (${engine})`, () => {
    it('have the members of the contract and no others', async () => {
      await using world = await openWorld(engine)

      const missing = await world.api.get('/nowhere')
      const invalid = await world.api.post('/tasks', {})

      const members = ['code', 'detail', 'request_id', 'status', 'title', 'type']
      assert.deepEqual(Object.keys(missing.body).sort(), members)
      assert.deepEqual(Object.keys(invalid.body).sort(), [...members, 'errors'].sort())
    })

    it('have the codes of the contract', async () => {
      await using world = await openWorld(engine)

      const document = (await world.anonymous.get('/openapi.json')).body

      assert.deepEqual([...document.components.schemas.Problem.properties.code.enum].sort(), Object.keys(STATUSES_BY_CODE).sort())
    })

    for (const [code, status] of Object.entries(STATUSES_BY_CODE)) {
      it(`lead to a page that explains ${code}`, async () => {
        await using world = await openWorld(engine)

        const page = await world.anonymous.get(`//errors/${code}`)

        assert.equal(page.status, 200)
        assert.match(page.headers['content-type'] as string, /^text\/plain/)
        assert.match(page.text, new RegExp(`^${code} \\(${status}\\)\n`))
      })
    }

    it('lead to no page for a code that is none', async () => {
      await using world = await openWorld(engine)

      assertProblem(await world.anonymous.get('//errors/constructor'), 404, 'not_found')
    })

    it('have types below the address that the operator gave', async () => {
      await using world = await openWorld(engine, { environment: { BASE_URL: 'https://tasks.example.org/api/' } })

      const reply = await world.api.get('/nowhere')

      assert.equal(reply.body.type, 'https://tasks.example.org/api/errors/not_found')
    })

    it('list the problems of path, query, headers and body at once', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.patch('/tasks/7?page=2', { tite: 'Two', title: 3 }, { 'if-match': 'W/7' })

      assertInvalid(
        reply,
        ['path', 'id', 'invalid_format'],
        ['query', 'page', 'unknown'],
        ['header', 'If-Match', 'invalid_format'],
        ['body', 'tite', 'unknown'],
        ['body', 'title', 'invalid_type'],
      )
    })

    it('list the problems of path and query beside a body that cannot be read', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.send('PATCH', '/tasks/7?page=2', { raw: '{"title"' })

      assertInvalid(reply, ['path', 'id', 'invalid_format'], ['query', 'page', 'unknown'], ['body', '', 'malformed'])
    })

    it('list every conflict with what is stored at once', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/tasks', { title: 'One', project_id: UNKNOWN_ID, workflow_id: UNKNOWN_ID, status_id: UNKNOWN_ID })

      assertInvalid(
        reply,
        ['body', 'project_id', 'unknown_reference'],
        ['body', 'workflow_id', 'unknown_reference'],
        ['body', 'status_id', 'unknown_reference'],
      )
    })

    it('point into the body, also at what lies deeper', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/workflows', {
        name: 'Article',
        statuses: [
          { name: 'Draft', disposition: 'in_progress' },
          { name: '', disposition: 'not_started' },
        ],
      })

      const errors = assertInvalid(reply, ['body', 'name', 'too_short'], ['body', 'disposition', 'invalid_value'])
      assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ['/statuses/1/disposition', '/statuses/1/name'])
    })

    it('escape a name in its pointer and not in its name', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/tasks', { title: 'One', 'a/b~c': 1 })

      const [error] = assertInvalid(reply, ['body', 'a/b~c', 'unknown'])
      assert.equal(error?.pointer, '/a~1b~0c')
    })

    it('list what contradicts itself with all else', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const body = { title: '', disposition: 'done', on_hold_until: '2030-01-01T00:00:00Z' }

      const created = await world.api.post('/tasks', body)
      const changed = await world.api.patch(`/tasks/${task.id}`, body)

      for (const reply of [created, changed]) {
        assertInvalid(reply, ['body', 'title', 'too_short'], ['body', 'on_hold_until', 'conflict'])
      }
    })

    it('list a time that has passed with all else', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const passed = world.later(-1)

      const held = await world.api.post(`/tasks/${task.id}/later?nope=1`, { until: passed })
      const changed = await world.api.patch(`/tasks/${task.id}`, { title: '', disposition: 'on_hold', on_hold_until: passed })

      assertInvalid(held, ['query', 'nope', 'unknown'], ['body', 'until', 'invalid_value'])
      assertInvalid(changed, ['body', 'title', 'too_short'], ['body', 'on_hold_until', 'invalid_value'])
    })

    it('are bounded, however many problems a body has, and say so', async () => {
      await using world = await openWorld(engine)
      const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field_${index}`, index]))

      const reply = await world.api.post('/tasks', { title: 'One', ...fields })

      const { errors, detail } = assertProblem(reply, 400, 'invalid_request') as { errors: unknown[]; detail: string }
      assert.equal(errors.length, 500)
      assert.match(detail, /more than 500 problems; errors lists the first 500/)
    })

    for (const item of ['0', '{}']) {
      it(`are bounded for a body that is full of ${item} where Statuses should be`, async () => {
        await using world = await openWorld(engine)
        const count = Math.floor(262_000 / (item.length + 1))
        const raw = `{"name":"One","statuses":[${Array(count).fill(item).join(',')}]}`

        const reply = await world.api.send('POST', '/workflows', { raw })

        const { errors } = assertProblem(reply, 400, 'invalid_request') as { errors: { in: string }[] }
        assert.equal(errors.length, 500)
        assert.ok(errors.every((error) => error.in === 'body'))
      })
    }

    it('say nothing of a fault of the service, which is logged under the same request id', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      world.service.store.write = () => Promise.reject(new Error('the secret of line 12'))

      const reply = await world.api.post(`/tasks/${task.id}/complete`)

      const body = assertProblem(reply, 500, 'internal_error')
      assert.ok(!reply.text.includes('secret') && !reply.text.includes('.ts:'), reply.text)
      const entry = world.logged.find(
        (line) => line.reqId === body.request_id && JSON.stringify(line.err ?? '').includes('the secret of line 12'),
      )
      assert.equal(entry?.level, 50)
    })

    it('are written as error, info or debug into the log, by their status', async () => {
      await using world = await openWorld(engine)

      const refused = await world.api.get('/nowhere')
      const answered = await world.api.get('/me')

      const levelOf = (id: string | undefined) => world.logged.find((line) => line.reqId === id && line.msg === 'answered')?.level
      assert.equal(levelOf(refused.headers['x-request-id']), 30)
      assert.equal(levelOf(answered.headers['x-request-id']), 20)
    })
  })
}
