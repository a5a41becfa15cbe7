import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask } from './builders.ts'
import type { Reply } from './client.ts'
import { assertProblem, ENGINES, openWorld, type World } from './world.ts'

/** Less than any process of Node uses. */
const TOO_LITTLE = { environment: { MAX_MEMORY_MIB: '64' } }
const PATIENCE_MS = 10_000

/** Asks until the service has looked at its memory and refuses. */
async function firstRefusal(world: World): Promise<Reply> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const reply = await world.anonymous.get('/me')
    if (reply.status !== 401) return reply
    assert.ok(performance.now() < deadline, 'it never refused')
  }
}

for (const engine of ENGINES) {
  describe(`a service short of memory (${engine})`, () => {
    it('refuses requests for a while, and says when to try again', async () => {
      await using world = await openWorld(engine, TOO_LITTLE)

      const reply = await firstRefusal(world)

      assertProblem(reply, 503, 'api_disabled')
      assert.match(reply.headers['retry-after'] ?? '', /^[1-9]\d*$/)
      for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) assert.equal(reply.headers[name], undefined)
    })

    it('carries out nothing of what it refuses', async () => {
      await using world = await openWorld(engine, TOO_LITTLE)
      const task = await world.given(aTask())
      await firstRefusal(world)
      const before = await world.events()

      assertProblem(await world.api.post('/tasks', { title: 'One more' }), 503, 'api_disabled')
      assertProblem(await world.api.delete(`/tasks/${task.id}`), 503, 'api_disabled')

      assert.deepEqual(await world.events(), before)
    })

    it('still tells that it is alive', async () => {
      await using world = await openWorld(engine, TOO_LITTLE)
      await firstRefusal(world)

      assert.equal((await world.anonymous.get('//healthz')).status, 200)
    })
  })
}
