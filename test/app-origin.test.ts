import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PASSWORD } from './visitor.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld } from './world.ts'

const FOREIGN = [
  'https://evil.example',
  'null',
  'http://127.0.0.1',
  'http://127.0.0.1:1',
  '',
  'nonsense',
  'file:///etc',
  'http://localhost:3000',
]

for (const engine of ENGINES) {
  describe(`where a change comes from (${engine})`, () => {
    it('has to be said', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { cookie } = ada

      const reply = await world.anonymous.post('//app/tasks', { title: 'Buy boxes' }, { cookie: cookie as string })

      assertProblem(reply, 403, 'foreign_origin')
      assert.deepEqual((await ada.get('/tasks')).body.data, [])
    })

    it('is no other site, no other port, and nothing that is none', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      for (const origin of FOREIGN) {
        for (const [method, path] of [
          ['POST', '/tasks'],
          ['POST', '/sign_in'],
          ['POST', '/sign_out'],
          ['PATCH', '/me'],
          ['DELETE', `/sessions/${ada.person.session_id}`],
        ] as const) {
          assertProblem(await ada.send(method, path, { body: {}, headers: { origin } }), 403, 'foreign_origin')
        }
      }
    })

    it('is a page of the host that the request is for, by whatever scheme while none is set', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      for (const [host, origin] of [
        ['tasks.example.org', 'https://tasks.example.org'],
        ['Tasks.Example.org:443', 'https://tasks.example.org'],
        ['tasks.example.org:8080', 'http://tasks.example.org:8080'],
      ] as const) {
        assert.equal((await ada.post('/tasks', { title: 'Buy boxes' }, { host, origin })).status, 201, origin)
      }
    })

    it('is a page of the base URL, whatever host a proxy asks for', async () => {
      await using world = await openWorld(engine, { environment: { BASE_URL: 'https://example.org/tasks' } })
      const ada = await world.signUp()

      assert.equal((await ada.post('/tasks', { title: 'Buy boxes' }, { host: 'backend:3000', origin: 'https://example.org' })).status, 201)
    })

    it('is none without TLS where the base URL is under TLS', async () => {
      await using world = await openWorld(engine, { environment: { BASE_URL: 'https://tasks.example.org' } })
      const headers = { host: 'tasks.example.org', origin: 'http://tasks.example.org' }

      const reply = await world.visitor().post('/sign_in', { email: 'ada@example.org', password: PASSWORD }, headers)

      assertProblem(reply, 403, 'foreign_origin')
    })

    it('is none that the browser calls another site’s', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      for (const [site, status] of [
        ['cross-site', 403],
        ['same-origin', 201],
        ['same-site', 201],
        ['none', 201],
      ] as const) {
        assert.equal((await ada.post('/tasks', { title: 'Buy boxes' }, { 'sec-fetch-site': site })).status, status, site)
      }
    })

    it('does not matter to what only reads', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      for (const method of ['GET', 'HEAD']) {
        assert.equal((await ada.send(method, '/tasks', { headers: { origin: 'https://evil.example' } })).status, 200)
      }
    })

    it('does not matter to the API', async () => {
      await using world = await openWorld(engine)

      assert.equal((await world.api.post('/tasks', { title: 'Buy boxes' }, { origin: 'https://evil.example' })).status, 201)
    })

    it('is looked at before anything else of the request but a token in its URL', async () => {
      await using world = await openWorld(engine)
      const headers = { origin: 'https://evil.example' }

      assertProblem(await world.visitor().post('/tasks', { titel: 7 }, headers), 403, 'foreign_origin')
      assertInvalid(await world.visitor().post(`/tasks?token=${world.api.token}`, {}, headers), ['query', '', 'invalid_value'])
      assertProblem(await world.visitor().post('/nowhere', {}, headers), 404, 'not_found')
    })
  })
}
