import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { describe, it } from 'node:test'
import { exchange } from './client.ts'
import { ENGINES, openWorld, type World } from './world.ts'

const REQUESTS = 'http.server.request.start'

/** Node's own server under the world's service, as it shows itself with a request. */
async function serverOf(world: World): Promise<Server> {
  let server: Server | undefined
  const see = (message: unknown) => {
    server = (message as { server: Server }).server
  }
  subscribe(REQUESTS, see)
  await world.anonymous.get('//healthz')
  unsubscribe(REQUESTS, see)
  assert.ok(server)
  return server
}

/** Gives every request a millisecond. */
async function hurry(world: World): Promise<void> {
  const server = await serverOf(world)
  server.headersTimeout = 1
  server.requestTimeout = 1
}

/** Sends `part` of a request and nothing more; answers with all that came back until the service ended the connection. */
async function sendOnly(world: World, part: string): Promise<{ status: string; headers: string; body: Record<string, unknown> }> {
  const [head, body] = (await exchange(world.service.url, part)).split('\r\n\r\n') as [string, string]
  return { status: head.split('\r\n', 1)[0] as string, headers: head, body: JSON.parse(body) }
}

for (const engine of ENGINES) {
  describe(`time limits (${engine})`, () => {
    it('give the head of a request 10 s, all of it 30 s, and a silent connection 65 s', async () => {
      await using world = await openWorld(engine)

      const { headersTimeout, requestTimeout, keepAliveTimeout } = await serverOf(world)

      assert.deepEqual(
        { headersTimeout, requestTimeout, keepAliveTimeout },
        { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 },
      )
    })

    const slow: [name: string, part: (token: string) => string][] = [
      ['head', (token) => `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`],
      [
        'body',
        (token) =>
          `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"title":`,
      ],
    ]
    for (const [name, part] of slow) {
      it(`end a connection whose ${name} does not arrive, and say so in a problem document`, async () => {
        await using world = await openWorld(engine)
        await hurry(world)

        const { status, headers, body } = await sendOnly(world, part(world.api.token as string))

        assert.equal(status, 'HTTP/1.1 400 Bad Request')
        assert.match(headers, /content-type: application\/problem\+json/i)
        assert.match(headers, /connection: close/i)
        assert.partialDeepStrictEqual(body, { status: 400, code: 'invalid_request', detail: 'The request took too long to arrive.' })
        assert.match(headers, new RegExp(`x-request-id: ${body.request_id}`, 'i'))
        assert.deepEqual(await world.events(), [])
      })
    }

    it('are looked at every second', async () => {
      await using world = await openWorld(engine)
      await hurry(world)
      const started = performance.now()

      await sendOnly(world, 'GET /v1/me HTTP/1.1\r\n')

      assert.ok(performance.now() - started < 3_000)
    })
  })
}
