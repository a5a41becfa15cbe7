import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { revokeToken } from '../packages/server/actions/tokens.ts'
import { aProject, aTask } from './builders.ts'
import { clientOf } from './client.ts'
import { openSource } from './event-source.ts'
import { assertLimited, limit, rateOf } from './limits.ts'
import { assertProblem, ENGINES, openWorld, type World } from './world.ts'

const WITH_METRICS = { environment: { METRICS_PORT: '0' } }

const follow = (world: World, token = world.api.token) => openSource(world.service.url, token)

/** How many streams the service says are open. */
async function open(world: World): Promise<number> {
  const { text } = await clientOf(`http://127.0.0.1:${world.service.metricsPort}`, null).get('//metrics')
  return Number(/^fivetab_streams_open (\d+)$/m.exec(text)?.[1])
}

const GIVE_UP_AFTER_MS = 10_000

/** Waits until so many are open. */
async function untilOpen(world: World, count: number): Promise<void> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS
  for (let now = await open(world); now !== count; now = await open(world))
    assert.ok(performance.now() < deadline, `there were ${now} open to the end`)
}

for (const engine of ENGINES) {
  describe(`how many streams of events a token may have (${engine})`, () => {
    it('is a tenth of the requests that it may make in a minute', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 39 })
      using _one = await follow(world)
      using _two = await follow(world)
      using three = await follow(world)

      using oneMore = await follow(world)

      assert.equal(three.reply.status, 200)
      assertLimited(oneMore.reply, /^A token may have 3 streams open at once/, 5)
      // A refusal by this limit counts against no other one.
      assert.deepEqual(rateOf(oneMore.reply), [39, 36, 60])
    })

    it('is one at least', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 5 })

      using one = await follow(world)
      using oneMore = await follow(world)

      assert.deepEqual([one.reply.status, oneMore.reply.status], [200, 429])
    })

    it('does not count those of other tokens', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 10 })
      using _one = await follow(world)

      using ofAnotherToken = await follow(world, (await world.clientWith(SCOPE_NAMES)).token)
      using ofAnotherAccount = await follow(world, (await world.newAccount('unlimited')).api.token)

      assert.deepEqual([ofAnotherToken.reply.status, ofAnotherAccount.reply.status], [200, 200])
    })

    it('does not count those that were left', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      await limit(world, { tokenPerMinute: 10 })
      for (let round = 0; round < 3; round++) {
        using source = await follow(world)
        assert.equal(source.reply.status, 200)
        source[Symbol.dispose]()
        await untilOpen(world, 0)
      }
    })

    it('does not refuse the next request for those that are open', async () => {
      await using world = await openWorld(engine)
      await limit(world, { tokenPerMinute: 10 })
      using source = await follow(world)

      await world.given(aTask())

      assert.equal((await source.events(1)).length, 1)
    })
  })

  describe(`the streams of events that are open (${engine})`, () => {
    it('are counted, until they end or their readers go away', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      const short = await world.clientWith(['tasks:read'])
      const sources = await Promise.all([...Array.from({ length: 10 }, () => follow(world)), follow(world, short.token)])
      assert.equal(await open(world), 11)

      for (const source of sources.slice(0, 4)) source[Symbol.dispose]()
      await untilOpen(world, 7)
      await revokeToken(world.operator, (await short.get('/me')).body.token.id)
      await world.service.timers.lookAfterStreams()

      assert.equal(await open(world), 6)
      for (const source of sources) source[Symbol.dispose]()
      await untilOpen(world, 0)
    })

    it('are none of readers that went away before their stream began', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      const { hostname, port } = new URL(world.service.url)
      const head = `GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.api.token}\r\n\r\n`
      const goAway = async () => {
        const socket = connect(Number(port), hostname)
        await once(socket, 'connect')
        socket.write(head, () => socket.resetAndDestroy())
      }

      await Promise.all(Array.from({ length: 50 }, goAway))
      await world.given(aTask())

      await untilOpen(world, 0)
    })

    it('are told of all that is asked for behind one on the same connection only once it has ended', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      const { hostname, port } = new URL(world.service.url)
      const head = `GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.api.token}\r\n\r\n`
      const socket = connect(Number(port), hostname)
      socket.write(head + head)
      await untilOpen(world, 2)

      socket.destroy()

      await untilOpen(world, 0)
    })

    it('leave nothing in the log of the service that looks like a fault when their readers go away', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      const source = await follow(world)
      source[Symbol.dispose]()
      await untilOpen(world, 0)

      assert.deepEqual(
        world.logged.filter(({ level }) => Number(level) >= 40),
        [],
      )
    })

    it('do not hold up requests, whose connections are others', async () => {
      await using world = await openWorld(engine)
      const sources = await Promise.all(Array.from({ length: 100 }, () => follow(world)))

      await world.given(aProject())

      for (const source of sources) assert.equal((await source.events(1)).length, 1)
      for (const source of sources) source[Symbol.dispose]()
    })
  })

  describe(`HEAD of a stream of events (${engine})`, () => {
    it('is answered with the headers alone, and opens nothing', async () => {
      await using world = await openWorld(engine, WITH_METRICS)

      const reply = await world.api.send('HEAD', '/events/stream')

      assert.deepEqual([reply.status, reply.headers['content-type'], reply.text], [200, 'text/event-stream', ''])
      assert.equal(await open(world), 0)
    })
  })

  describe(`other methods on a stream of events (${engine})`, () => {
    it('are not known', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/events/stream')

      assertProblem(reply, 404, 'not_found')
      assert.equal(reply.headers.allow, 'GET, HEAD')
    })
  })
}
