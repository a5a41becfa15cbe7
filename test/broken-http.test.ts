import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exchange } from './client.ts'
import { ENGINES, openWorld } from './world.ts'

function assertRefused(received: string, status: number, code: string): void {
  const [head = '', body = ''] = received.split('\r\n\r\n')
  assert.ok(head.startsWith(`HTTP/1.1 ${status} `), received)
  assert.match(head, /^content-type: application\/problem\+json$/im)
  const problem = JSON.parse(body)
  assert.partialDeepStrictEqual(problem, { status, code })
  assert.match(problem.type, new RegExp(`^http://.*/errors/${code}$`))
  assert.equal(/^x-request-id: (\S+)$/im.exec(head)?.[1], problem.request_id)
}

const HOST = 'Host: tasks.example.org\r\nConnection: close\r\n'
const post = (token: string) => `POST /v1/tasks HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`

const BROKEN: [what: string, bytes: (token: string) => string][] = [
  ['garbage', () => 'what is this?\r\n\r\n'],
  ['bytes of TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a version that is none', () => `GET /v1/me HTTP/9.9\r\n${HOST}\r\n`],
  ['a method that is none', () => `FROB /v1/me HTTP/1.1\r\n${HOST}\r\n`],
  ['headers that are too large', () => `GET /v1/me HTTP/1.1\r\n${HOST}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['a URL that is too large', () => `GET /v1/tasks/${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`],
  ['a header without a colon', () => `GET /v1/me HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`],
  ['a NUL in a header', () => `GET /v1/me HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`],
  ['a negative length', (token) => `${post(token)}Content-Length: -5\r\n\r\n`],
  ['two lengths', (token) => `${post(token)}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`],
  ['a length and chunks', (token) => `${post(token)}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['chunks of no length', (token) => `${post(token)}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
  ['no Host', () => 'GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n'],
]

for (const engine of ENGINES) {
  describe(`broken HTTP (${engine})`, () => {
    for (const [what, bytes] of BROKEN) {
      it(`is answered with a 400 problem document: ${what}`, async () => {
        await using world = await openWorld(engine)

        assertRefused(await exchange(world.service.url, bytes(world.api.token as string)), 400, 'invalid_request')
      })
    }

    for (const target of ['tasks.example.org:443', '/v1/me']) {
      it(`is answered with a 404 problem document when it wants a tunnel to ${target}`, async () => {
        await using world = await openWorld(engine)

        const received = await exchange(
          world.service.url,
          `CONNECT ${target} HTTP/1.1\r\n${HOST}Authorization: Bearer ${world.api.token}\r\n\r\n`,
        )

        assertRefused(received, 404, 'not_found')
      })
    }

    it('changes nothing, leaves the service well, and puts no token into the log', async () => {
      await using world = await openWorld(engine, { logLevel: 'trace' })
      const token = world.api.token as string
      for (const [, bytes] of BROKEN) await exchange(world.service.url, bytes(token))
      await exchange(world.service.url, `GET /v1/me?t=${token} HTTP/9.9\r\n${HOST}\r\n`)

      const reply = await world.api.post('/tasks', { title: 'One' })

      assert.equal(reply.status, 201)
      assert.equal((await world.events()).length, 1)
      assert.ok(!JSON.stringify(world.logged).includes(token))
    })

    it('does not mean an Expect that the service does not know: it is answered as any other request', async () => {
      await using world = await openWorld(engine)

      const received = await exchange(
        world.service.url,
        `GET /v1/me HTTP/1.1\r\n${HOST}Expect: the-unexpected\r\nAuthorization: Bearer ${world.api.token}\r\n\r\n`,
      )

      assert.match(received, /^HTTP\/1\.1 200 /)
    })

    it('does not mean an absolute URL: it is answered as any other request', async () => {
      await using world = await openWorld(engine)

      const received = await exchange(
        world.service.url,
        `GET http://tasks.example.org/v1/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${world.api.token}\r\n\r\n`,
      )

      assert.match(received, /^HTTP\/1\.1 200 /)
    })

    it('does not mean HTTP/1.0 without Host: it is answered as any other request', async () => {
      await using world = await openWorld(engine)

      const received = await exchange(world.service.url, `GET /v1/me HTTP/1.0\r\nAuthorization: Bearer ${world.api.token}\r\n\r\n`)

      assert.match(received, /^HTTP\/1\.1 200 /)
    })
  })
}
