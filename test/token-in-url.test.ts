import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { switchApi } from '../packages/server/actions/switches.ts'
import { assertProblem, ENGINES, openWorld } from './world.ts'

const encodedAll = (text: string) => [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')

/** Every place and spelling of a token in a URL; paths are below /v1 unless they begin with `//`. */
const PLACES: [what: string, url: (token: string) => string][] = [
  ['as a parameter', (token) => `/me?access_token=${token}`],
  ['as a parameter among others', (token) => `/tasks?limit=1&q=${token}&sort=created_at`],
  ['as the name of a parameter', (token) => `/me?${token}`],
  ['within the value of a parameter', (token) => `/tasks?q=my+token+is+${token}+so`],
  ['with its underscores encoded', (token) => `/me?t=${token.replaceAll('_', '%5F')}`],
  ['with its underscores encoded in lower case', (token) => `/me?t=${token.replaceAll('_', '%5f')}`],
  ['with its first letter encoded', (token) => `/me?t=%73${token.slice(1)}`],
  ['with every character encoded', (token) => `/me?t=${encodedAll(token)}`],
  ['as an id', (token) => `/tasks/${token}`],
  ['as an id, encoded', (token) => `/tasks/${encodedAll(token)}/steps`],
  ['as a path of its own', (token) => `/${token}`],
  ['on an unknown path', (token) => `/nowhere?t=${token}`],
  ['on an unknown path, encoded', (token) => `/nowhere/${encodedAll(token)}`],
  ['outside of the version', (token) => `//${token}`],
  ['on a public page', (token) => `//docs/?t=${token}`],
  ['at a probe', (token) => `//healthz?t=${token}`],
  ['at the document', (token) => `/openapi.json?t=${token}`],
  ['beside an encoding that cannot be read', (token) => `/tasks/%zz?t=${token}`],
  ['encoded beside an encoding that cannot be read', (token) => `/tasks/%zz?t=${encodedAll(token)}`],
  ['in a path that cannot be decoded', (token) => `/tasks/${token}%ff`],
  ['after a fragment', (token) => `/me#${token}`],
]

for (const engine of ENGINES) {
  describe(`a token in the URL (${engine})`, () => {
    for (const [what, url] of PLACES) {
      it(`is refused ${what}, beside a valid header or alone, and never logged`, async () => {
        await using world = await openWorld(engine, { logLevel: 'trace' })
        const token = world.api.token as string

        const replies = [
          await world.api.get(url(token)),
          await world.anonymous.get(url(token)),
          await world.api.send('POST', url(token), { raw: '{' }),
        ]

        for (const reply of replies) {
          assertProblem(reply, 400, 'invalid_request')
          const [error] = reply.body.errors
          assert.equal(error.in, url('').includes('?') ? 'query' : 'path')
          assert.ok(!decodeURIComponent(reply.text.replaceAll(/%(?![0-9a-f]{2})/gi, '')).includes(token.slice(8)), reply.text)
        }
        const log = JSON.stringify(world.logged)
        assert.ok(!log.includes(token.slice(8)) && !log.includes(encodedAll(token.slice(8))), log)
      })
    }

    it('is refused whatever method is asked for', async () => {
      await using world = await openWorld(engine)

      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        assertProblem(await world.api.send(method, `/tasks?t=${world.api.token}`), 400, 'invalid_request')
      }
      assert.equal((await world.api.send('HEAD', `/tasks?t=${world.api.token}`)).status, 400)
    })

    it('is refused also when it is no token that exists', async () => {
      await using world = await openWorld(engine)

      assertProblem(await world.api.get('/me?t=svc_pat_0123456789'), 400, 'invalid_request')
    })

    it('is refused while the API is off', async () => {
      await using world = await openWorld(engine)
      await switchApi(world.operator, false)

      assertProblem(await world.api.get(`/me?t=${world.api.token}`), 400, 'invalid_request')
    })

    it('does nothing of what was asked', async () => {
      await using world = await openWorld(engine)

      await world.api.post(`/tasks?t=${world.api.token}`, { title: 'One' })

      assert.deepEqual(await world.events(), [])
    })

    it('is no matter in a body: it is text like any other there', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/tasks', { title: 'Rotate svc_pat_0123456789' })

      assert.equal(reply.status, 201)
    })
  })
}
