import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aStep, aTask, aWorkflow, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld } from './world.ts'

const UNKNOWN = [
  '/',
  '/Me',
  '/TASKS',
  '/me/',
  '/tasks/',
  '//v1//tasks',
  '/tasks//',
  '/tasks//steps',
  '/tasks//complete',
  `/tasks/${UNKNOWN_ID}/`,
  `/tasks/${UNKNOWN_ID}//steps`,
  `/tasks/${UNKNOWN_ID}/steps/`,
  `/tasks/${UNKNOWN_ID}/Steps`,
  '/projects/',
  '/workflows/',
  '/workflows//statuses',
  `/workflows/${UNKNOWN_ID}/statuses/`,
  `/workflows//statuses/${UNKNOWN_ID}`,
  '/task',
  '/tasks.json',
  '/openapiXjson',
  '/tasks;q=1',
  `/tasks/${UNKNOWN_ID}/steps/${UNKNOWN_ID}/more`,
  `/statuses/${UNKNOWN_ID}`,
  '/webhooks.json',
  '//v2/tasks',
  '//V1/tasks',
  '//tasks',
  '//v1',
  '//v1/',
]

const MALFORMED_IDS = [
  '7',
  'me',
  '__proto__',
  'constructor',
  'null',
  UNKNOWN_ID.slice(0, -1),
  `${UNKNOWN_ID}0`,
  UNKNOWN_ID.replaceAll('-', ''),
  UNKNOWN_ID.replace('9', 'g'),
  `{${UNKNOWN_ID}}`,
  `urn:uuid:${UNKNOWN_ID}`,
  '%20',
  '%00',
  `${UNKNOWN_ID}%00`,
  `${UNKNOWN_ID}%0a`,
  '%2e%2e',
  'a%2fb',
  '%f0%9f%98%80',
  "1'--",
  'x'.repeat(5_000),
]

for (const engine of ENGINES) {
  describe(`paths (${engine})`, () => {
    for (const path of UNKNOWN) {
      it(`know no ${path.startsWith('//') ? path.slice(1) : `/v1${path}`}`, async () => {
        await using world = await openWorld(engine)

        const replies = [await world.api.get(path), await world.api.post(path, {}), await world.api.delete(path)]

        for (const reply of replies) {
          assertProblem(reply, 404, 'not_found')
          assert.equal(reply.headers.allow, undefined)
        }
      })
    }

    for (const malformed of MALFORMED_IDS) {
      it(`refuse ${malformed.length > 60 ? `${malformed.length} characters` : malformed} as an id`, async () => {
        await using world = await openWorld(engine)

        const task = await world.api.get(`/tasks/${malformed}`)
        const project = await world.api.delete(`/projects/${malformed}`)
        const both = await world.api.get(`/workflows/${malformed}/statuses/${malformed}`)

        assertInvalid(task, ['path', 'id', 'invalid_format'])
        assertInvalid(project, ['path', 'id', 'invalid_format'])
        assertInvalid(both, ['path', 'id', 'invalid_format'], ['path', 'status_id', 'invalid_format'])
      })
    }

    for (const encoding of ['%', '%z', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%u0041']) {
      it(`refuse ${encoding}, which cannot be decoded`, async () => {
        await using world = await openWorld(engine)

        const reply = await world.api.get(`/tasks/${encoding}`)

        assertProblem(reply, 400, 'invalid_request')
        assert.deepEqual(
          reply.body.errors.map((error: { in: string }) => error.in),
          ['path'],
        )
      })
    }

    it('take an id in capitals for the same id', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task))
      const workflow = await world.given(aWorkflow())
      const status = workflow.statuses[0]

      const replies = [
        await world.api.get(`/tasks/${task.id.toUpperCase()}/steps/${step.id.toUpperCase()}`),
        await world.api.get(`/workflows/${workflow.id.toUpperCase()}/statuses/${status.id.toUpperCase()}`),
      ]

      assert.deepEqual(
        replies.map(({ body }) => body),
        [step, status],
      )
    })

    it('are the same when they are percent-encoded', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const reply = await world.api.get(`/%74asks/%30${task.id.slice(1)}`)

      assert.deepEqual([reply.status, reply.body], [200, task])
    })

    it('end where a fragment begins, for every method', async () => {
      await using world = await openWorld(engine)

      const known = await world.api.get('/tasks#a//b/')
      const unknown = await world.api.delete('/tasks#a')

      assertInvalid(known, ['query', 'a//b/', 'unknown'])
      assertProblem(unknown, 404, 'not_found')
      assert.equal(unknown.headers.allow, 'GET, HEAD, POST')
    })

    for (const path of [
      `/tasks/${UNKNOWN_ID}`,
      `/tasks/${UNKNOWN_ID}/steps`,
      `/projects/${UNKNOWN_ID}`,
      `/workflows/${UNKNOWN_ID}`,
      `/workflows/${UNKNOWN_ID}/statuses`,
    ]) {
      it(`find nothing at ${path} when there is no such resource`, async () => {
        await using world = await openWorld(engine)

        assertProblem(await world.api.get(path), 404, 'not_found')
      })
    }
  })
}
