import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { openMetrics } from '../packages/server/metrics.ts'
import { aProject, aTask } from './builders.ts'
import { clientOf } from './client.ts'
import { meddle } from './database.ts'
import { aWebhook, openReceiver, REACHABLE } from './receiver.ts'
import { ENGINES, HOUR, MINUTE, openWorld, type World } from './world.ts'

const WITH_METRICS = { environment: { METRICS_PORT: '0' } }
const WITH_WEBHOOKS = { environment: { METRICS_PORT: '0', ...REACHABLE } }

const OLDEST = 'fivetab_webhook_oldest_undelivered_seconds'

/** The answer of the port of the figures to this path. */
async function askFigures(world: World, path: string, method = 'GET') {
  assert.ok(world.service.metricsPort)
  return clientOf(`http://127.0.0.1:${world.service.metricsPort}`, null).send(method, `/${path}`)
}

/** Every figure by its name and labels, as `name{label="value"}`. */
async function figures(world: World): Promise<Map<string, number>> {
  // The figures of an answer are taken once it has left.
  await nextTurnOfTheLoop()
  const { status, headers, text } = await askFigures(world, '/metrics')
  assert.equal(status, 200)
  assert.match(headers['content-type'] ?? '', /^text\/plain/)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

for (const engine of ENGINES) {
  describe(`probes (${engine})`, () => {
    it('answer without a token that the service is alive and ready', async () => {
      await using world = await openWorld(engine)

      const [alive, ready] = [await world.anonymous.get('//healthz'), await world.anonymous.get('//readyz')]

      assert.deepEqual([alive.status, alive.body], [200, { status: 'ok' }])
      assert.deepEqual([ready.status, ready.body], [200, { status: 'ready' }])
    })

    it('answer HEAD as well', async () => {
      await using world = await openWorld(engine)

      for (const path of ['//healthz', '//readyz']) assert.equal((await world.anonymous.send('HEAD', path)).status, 200)
    })

    it('say ready also while the API is switched off', async () => {
      await using world = await openWorld(engine)
      await meddle(world, "update switches set is_on = 0 where name = 'api'")

      assert.equal((await world.anonymous.get('//readyz')).status, 200)
    })

    it('say ready when the database has a newer schema: an upgrade is under way', async () => {
      await using world = await openWorld(engine)
      await meddle(world, "insert into migrations (number, name, applied_at) values (99, 'of tomorrow', 0)")

      assert.equal((await world.anonymous.get('//readyz')).status, 200)
    })

    it('say not ready when the database has an older schema, and alive all the same', async () => {
      await using world = await openWorld(engine)
      await meddle(world, 'delete from migrations')

      const ready = await world.anonymous.get('//readyz')

      assert.equal(ready.status, 503)
      assert.deepEqual(ready.body, { status: 'not ready', missing: ['the database has an older schema'] })
      assert.equal((await world.anonymous.get('//healthz')).status, 200)
    })

    it('say not ready when the database cannot be read', async (t) => {
      await using world = await openWorld(engine)
      const reading = t.mock.method(world.service.store, 'one', () => Promise.reject(new Error('disk I/O error')))

      const ready = await world.anonymous.get('//readyz')
      reading.mock.restore()

      assert.equal(ready.status, 503)
      assert.deepEqual(ready.body, { status: 'not ready', missing: ['the database cannot be read'] })
      assert.equal((await world.anonymous.get('//readyz')).status, 200)
    })
  })

  describe(`figures (${engine})`, () => {
    it('are on a port of their own, and nowhere else', async () => {
      await using world = await openWorld(engine, WITH_METRICS)

      assert.notEqual(String(world.service.metricsPort), new URL(world.service.url).port)
      assert.equal((await askFigures(world, '/metrics')).status, 200)
      assert.equal((await askFigures(world, '/')).status, 404)
      assert.equal((await askFigures(world, '/v1/me')).status, 404)
      assert.equal((await askFigures(world, '/metrics', 'POST')).status, 404)
      assert.equal((await world.anonymous.get('//metrics')).status, 404)
    })

    it('are not there unless they are asked for', async () => {
      await using world = await openWorld(engine)

      assert.equal(world.service.metricsPort, null)
    })

    it('count requests by operation and status', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      const task = await world.given(aTask())
      await world.given(aTask())
      await world.api.get(`/tasks/${task.id}`)
      await world.api.post('/tasks', {})
      await world.anonymous.get('/tasks')

      const counted = await figures(world)

      assert.equal(counted.get('fivetab_requests_total{operation="createTask",status="201"}'), 2)
      assert.equal(counted.get('fivetab_requests_total{operation="createTask",status="400"}'), 1)
      assert.equal(counted.get('fivetab_requests_total{operation="getTask",status="200"}'), 1)
      assert.equal(counted.get('fivetab_requests_total{operation="listTasks",status="401"}'), 1)
    })

    it('measure the time of each operation', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      await world.given(aTask())
      await world.given(aTask())

      const measured = await figures(world)

      assert.equal(measured.get('fivetab_request_duration_seconds_count{operation="createTask"}'), 2)
      assert.equal(measured.get('fivetab_request_duration_seconds_bucket{le="+Inf",operation="createTask"}'), 2)
      const seconds = measured.get('fivetab_request_duration_seconds_sum{operation="createTask"}') ?? 0
      assert.ok(seconds > 0 && seconds < 10, `${seconds} s`)
    })

    it('have one name for all paths that do not exist', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      for (const path of ['//nowhere', '//elsewhere', '/nothing', '/tasks/x/y/z']) await world.api.get(path)

      const counted = [...(await figures(world))].filter(([name]) => name.startsWith('fivetab_requests_total'))

      assert.deepEqual(counted, [['fivetab_requests_total{operation="unknown",status="404"}', 4]])
    })

    it('tell how many writes shared a commit, and how long it took', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      const before = await figures(world)
      const { store } = world.service

      await Promise.all(Array.from({ length: 20 }, () => store.transact(async () => {}, 'one line')))

      const after = await figures(world)
      const risen = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
      assert.equal(risen('fivetab_commit_writes_count'), 1)
      assert.equal(risen('fivetab_commit_writes_sum'), 20)
      assert.equal(risen('fivetab_commit_writes_bucket{le="16"}'), 0)
      assert.equal(risen('fivetab_commit_writes_bucket{le="32"}'), 1)
      assert.equal(risen('fivetab_commit_duration_seconds_count'), 1)
      assert.ok(risen('fivetab_commit_duration_seconds_sum') > 0)
    })

    it('tell how many writes wait', async (t) => {
      await using world = await openWorld(engine, WITH_METRICS)
      assert.equal((await figures(world)).get('fivetab_writes_waiting'), 0)
      const waiting = t.mock.method(world.service.store, 'waiting', () => 17)

      const counted = await figures(world)
      waiting.mock.restore()

      assert.equal(counted.get('fivetab_writes_waiting'), 17)
    })

    it('tell how late tasks woke', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      const task = await world.given(aTask({ disposition: 'in_progress' }))
      await world.api.post(`/tasks/${task.id}/later`, { until: world.later(MINUTE) })
      world.advance(MINUTE + 3_000)
      await world.service.timers.wake()

      const measured = await figures(world)

      assert.equal(measured.get('fivetab_waking_lag_seconds_count'), 1)
      assert.equal(measured.get('fivetab_waking_lag_seconds_sum'), 3)
    })

    it('tell of the event loop and the memory', async () => {
      await using world = await openWorld(engine, WITH_METRICS)

      const measured = await figures(world)

      for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']) {
        assert.ok((measured.get(name) ?? -1) >= 0, name)
      }
    })
  })

  describe(`figures of webhooks and streams (${engine})`, () => {
    it('count attempts by what came of them', async () => {
      await using world = await openWorld(engine, WITH_WEBHOOKS)
      await using receiver = await openReceiver()
      const attempts = async () => {
        const counted = await figures(world)
        return ['succeeded', 'retried', 'failed'].map((outcome) => counted.get(`fivetab_webhook_attempts_total{outcome="${outcome}"}`))
      }
      const webhook = await world.given(aWebhook(receiver))
      assert.deepEqual(await attempts(), [0, 0, 0])

      await world.given(aTask())
      await world.given(aTask())
      await world.service.timers.deliver()
      receiver.answer = 500
      await world.given(aTask())
      await world.service.timers.deliver()
      await world.api.post(`/webhooks/${webhook.id}/test`)
      await world.service.timers.deliver()

      assert.deepEqual(await attempts(), [2, 1, 1])
    })

    it('tell how old the oldest event is that a receiver has not taken, and 0 once it has', async () => {
      await using world = await openWorld(engine, WITH_WEBHOOKS)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      receiver.answer = 500
      await world.given(aTask())
      await world.service.timers.deliver()
      world.advance(MINUTE)
      await world.given(aTask())
      await world.service.timers.deliver()
      world.advance(10 * MINUTE)
      assert.equal((await figures(world)).get(OLDEST), 11 * 60)

      receiver.answer = 200
      await world.service.timers.deliver()

      assert.equal((await figures(world)).get(OLDEST), 0)
    })

    it('tell how old the oldest event is that was not sent yet, as the last sweep found it', async () => {
      await using world = await openWorld(engine, WITH_WEBHOOKS)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aProject())
      world.advance(MINUTE)
      const held = new Promise<() => void>((resolve) => {
        receiver.answer = (response) => resolve(() => response.end())
      })

      const delivering = world.service.timers.deliver()
      const release = await held
      assert.equal((await figures(world)).get(OLDEST), 60)
      release()
      await delivering
      await world.service.timers.deliver()

      assert.equal((await figures(world)).get(OLDEST), 0)
    })

    it('take what no webhook wants for nothing that is undelivered', async () => {
      await using world = await openWorld(engine, WITH_WEBHOOKS)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver, { event_types: ['project.*'] }))
      await world.given(aWebhook(receiver, { enabled: false }))
      await world.given(aTask())
      await world.service.timers.deliver()
      world.advance(HOUR)
      await world.service.timers.deliver()

      assert.equal((await figures(world)).get(OLDEST), 0)
    })

    it('take what is no longer tried for nothing that is undelivered', async () => {
      await using world = await openWorld(engine, WITH_WEBHOOKS)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      receiver.answer = 410
      await world.given(aTask())
      await world.service.timers.deliver()
      world.advance(MINUTE)
      await world.service.timers.deliver()

      assert.equal((await figures(world)).get(OLDEST), 0)
    })

    it('tell how many streams are open', async () => {
      await using world = await openWorld(engine, WITH_METRICS)
      const open = async () => (await figures(world)).get('fivetab_streams_open')
      assert.equal(await open(), 0)

      const headers = { authorization: `Bearer ${world.api.token}` }
      const request = get(`${world.service.url}/v1/events/stream`, { headers, agent: false })
      const [response] = await once(request, 'response')
      assert.equal(await open(), 1)
      response.destroy()

      // The service has yet to hear of it.
      for (let left = 500; left > 0 && (await open()) !== 0; left--);
      assert.equal(await open(), 0)
    })

    it('come without those of the database when that cannot be read, and with them again once it can', async (t) => {
      await using world = await openWorld(engine, WITH_METRICS)
      const away = () => Promise.reject(new Error('disk I/O error'))
      const reading = [t.mock.method(world.service.store, 'one', away), t.mock.method(world.service.store, 'all', away)]

      const meanwhile = await figures(world)
      for (const { mock } of reading) mock.restore()

      assert.equal(meanwhile.get(OLDEST), undefined)
      for (const name of ['fivetab_writes_waiting', 'fivetab_streams_open', 'fivetab_webhook_attempts_total{outcome="failed"}'])
        assert.equal(meanwhile.get(name), 0, name)
      assert.ok((meanwhile.get('process_resident_memory_bytes') ?? 0) > 0)
      assert.equal((await figures(world)).get(OLDEST), 0)
    })
  })
}

describe('figures', () => {
  it('do not wait for a database that does not answer', async () => {
    const never = new Promise<number>(() => {})
    const metrics = openMetrics({ writesWaiting: () => 3, streamsOpen: () => 0, oldestUndelivered: () => never }, 1)
    const port = await metrics.listen('127.0.0.1', 0)

    const { status, text } = await clientOf(`http://127.0.0.1:${port}`, null).get('//metrics')
    await metrics.close()

    assert.equal(status, 200)
    assert.match(text, /^fivetab_writes_waiting 3$/m)
    assert.doesNotMatch(text, new RegExp(`^${OLDEST} `, 'm'))
  })
})
