import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { REAL_WORLD, startService } from '../packages/server/service.ts'
import { readSettings } from '../packages/server/settings.ts'
import { openStore } from '../packages/server/store/open.ts'
import { clientOf } from './client.ts'
import { aDatabase, type Database, ENGINES, type EngineName } from './database.ts'
import { anAccount, serve } from './fivetab.ts'

interface Data extends Database {
  accountId: string
  token: string
}

/** A database with an account and a token, and no service. */
async function someData(engine: EngineName): Promise<Data> {
  const database = await aDatabase(engine)
  return { ...database, ...(await anAccount(database)) }
}

/** How many tasks are stored, seen without a service. */
async function storedTasks({ place, accountId }: Data): Promise<number> {
  const store = await openStore(place, Date.now, randomBytes)
  try {
    const row = await store.one<{ count: number }>('select count(*) as count from tasks where account_id = $1', [accountId])
    return row?.count ?? -1
  } finally {
    await store.close()
  }
}

function start(data: Data, environment: Record<string, string> = {}) {
  return startService(readSettings({ ...data.environment, PORT: '0', ...environment }), pino({ level: 'silent' }), REAL_WORLD)
}

const BODY = JSON.stringify({ title: 'Write it' })

interface HalfSent {
  /** Sends the rest, and answers with all that came back until the connection ended. */
  finish(): Promise<string>
}

/** Begins to create a task: the service has read the head of the request, and waits for its body. */
async function halfSent(url: string, { token }: Data): Promise<HalfSent> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(
    `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${BODY.length}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n`,
  )
  const [head] = await once(socket, 'data')
  assert.match(String(head), /^HTTP\/1\.1 100/)
  return {
    finish: () => {
      socket.write(BODY)
      return text(socket)
    },
  }
}

async function isRefused(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}

for (const engine of ENGINES) {
  describe(`a service that stops (${engine})`, () => {
    it('finishes the requests in flight, stores what they write, and takes no new connection', async () => {
      await using data = await someData(engine)
      const service = await start(data)
      const requests = await Promise.all(Array.from({ length: 5 }, () => halfSent(service.url, data)))

      let hasStopped = false
      const stopped = service.stop().then(() => {
        hasStopped = true
      })
      while (!(await isRefused(service.url))) assert.equal(hasStopped, false)
      assert.equal(hasStopped, false)
      const answers = await Promise.all(requests.map((request) => request.finish()))
      await stopped

      for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 201/)
      assert.equal(await storedTasks(data), 5)
    })

    it('answers all who had connected before it was told to stop, however many at once', async () => {
      await using data = await someData(engine)
      const service = await start(data)
      const sockets = Array.from({ length: 64 }, () => connect(Number(new URL(service.url).port), '127.0.0.1'))
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))

      for (const socket of sockets)
        socket.write(`GET /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${data.token}\r\nConnection: close\r\n\r\n`)
      const stopped = service.stop()
      const answers = await Promise.all(sockets.map(text))
      await stopped

      for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 200/)
    })

    it('does not wait for connections that ask nothing', async () => {
      await using data = await someData(engine)
      const service = await start(data)
      const agent = new Agent({ keepAlive: true })
      assert.equal((await clientOf(service.url, data.token, agent).get('/tasks')).status, 200)
      const idle = connect(Number(new URL(service.url).port), '127.0.0.1')
      await once(idle, 'connect')

      const ended = once(idle, 'close')
      idle.resume()
      await service.stop()

      await ended
      agent.destroy()
    })

    it('turns not ready first, and serves on for the delay', async () => {
      await using data = await someData(engine)
      const service = await start(data, { STOP_DELAY_SECONDS: '1' })
      const agent = new Agent({ keepAlive: true })
      const api = clientOf(service.url, data.token, agent)
      assert.equal((await api.get('//readyz')).status, 200)

      const stopped = service.stop()
      const ready = await api.get('//readyz')
      const [created, alive] = [await api.post('/tasks', { title: 'Write it' }), await api.get('//healthz')]
      await stopped
      agent.destroy()

      assert.deepEqual([ready.status, ready.body.missing], [503, ['the service is stopping']])
      assert.deepEqual([created.status, alive.status], [201, 200])
      assert.ok(await isRefused(service.url))
      assert.equal(await storedTasks(data), 1)
    })
  })

  describe(`the process of a service (${engine})`, () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`finishes what it accepted at ${signal}, and exits with 0`, { timeout: 30_000 }, async ({ signal: outOfTime }) => {
        await using data = await someData(engine)
        await using service = await serve(data, { signal: outOfTime })
        const request = await halfSent(service.url, data)

        const ended = service.end(signal)
        while (!(await isRefused(service.url))) assert.equal(service.child.exitCode, null)
        const answer = await request.finish()

        assert.match(answer, /^HTTP\/1\.1 201/)
        assert.deepEqual(await ended, [0, null])
        assert.equal(await storedTasks(data), 1)
      })

      it(`exits with 0 when ${signal} comes as soon as it is ready`, { timeout: 30_000 }, async ({ signal: outOfTime }) => {
        await using data = await someData(engine)
        await using service = await serve(data, { signal: outOfTime })

        assert.deepEqual(await service.end(signal), [0, null])
      })
    }
  })
}
