import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { openDestinations } from '../packages/server/outgoing/destinations.ts'
import { type Names, openNames } from '../packages/server/outgoing/names.ts'
import { openSender, type Sender, type SenderOptions } from '../packages/server/outgoing/sender.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const KIB = 1024

interface Receiver extends AsyncDisposable {
  url: string
  received: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[]
  connections: number
}

/** A server of a test's own, which notes what it is sent and then answers. */
async function startReceiver(answer: RequestListener): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    receiver.received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
    response.on('error', () => {})
    answer(request, response)
  })
  server.on('connection', () => receiver.connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: [],
    connections: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}

/** A server that need not speak HTTP. */
async function startTcp(onConnection: (socket: Socket) => void): Promise<{ url: string } & AsyncDisposable> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}).resume())
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1', 4_096)
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function aSender(options: SenderOptions & { names?: Names } = {}): Sender & AsyncDisposable {
  const { names = openNames(), ...rest } = options
  const sender = openSender(openDestinations(['127.0.0.0/8', '::1'], names), () => NOW, rest)
  return { ...sender, [Symbol.asyncDispose]: () => sender.close() }
}

const answering =
  (status: number, headers: Record<string, string | string[]> = {}, body: string | Buffer = ''): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)

/** Writes until nobody reads any more. */
function writeForEver(response: ServerResponse, chunk: Buffer): void {
  while (!response.destroyed && response.write(chunk));
  if (!response.destroyed) response.once('drain', () => writeForEver(response, chunk))
}

async function bodyKeptOf(body: string | Buffer): Promise<string | null> {
  await using receiver = await startReceiver(answering(200, {}, body))
  await using sender = aSender()
  return (await sender.post(receiver.url, {}, '')).body
}

describe('a request', () => {
  it('is a POST with the headers and the body that were given', async () => {
    await using receiver = await startReceiver(answering(200, {}, 'thanks'))
    await using sender = aSender()

    const outcome = await sender.post(`${receiver.url}?a=b`, { 'user-agent': 'Fivetab', 'webhook-id': 'evt_1' }, '{"title":"Ünïcode 🎉"}')

    assert.partialDeepStrictEqual(receiver.received, [
      {
        method: 'POST',
        url: '/hooks?a=b',
        headers: { 'user-agent': 'Fivetab', 'webhook-id': 'evt_1', 'accept-encoding': 'identity', 'content-length': '26' },
        body: '{"title":"Ünïcode 🎉"}',
      },
    ])
    assert.partialDeepStrictEqual(outcome, { status: 200, body: 'thanks', error: null, retryAfterMs: null })
    assert.ok(Number.isInteger(outcome.durationMs) && outcome.durationMs >= 0)
  })

  it('with headers that cannot be sent has an outcome too', async () => {
    await using receiver = await startReceiver(answering(200))
    await using sender = aSender()

    assert.partialDeepStrictEqual(await sender.post(receiver.url, { 'x-a': 'b\r\nx-c: d' }, ''), { status: null, body: null })
    assert.equal(receiver.received.length, 0)
  })

  it('shares a connection with the one before', async () => {
    await using receiver = await startReceiver(answering(204))
    await using sender = aSender()

    await sender.post(receiver.url, {}, '1')
    await nextTurnOfTheLoop()
    await sender.post(receiver.url, {}, '2')

    assert.equal(receiver.received.length, 2)
    assert.equal(receiver.connections, 1)
  })
})

describe('an answer', () => {
  for (const status of [200, 201, 204, 304, 400, 404, 410, 429, 500, 503]) {
    it(`of ${status} is an outcome`, async () => {
      await using receiver = await startReceiver(answering(status))
      await using sender = aSender()

      assert.partialDeepStrictEqual(await sender.post(receiver.url, {}, 'x'), { status, body: '', error: null })
    })
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`of ${status} is not followed`, async () => {
      await using target = await startReceiver(answering(200))
      await using receiver = await startReceiver(answering(status, { location: target.url }))
      await using sender = aSender()

      assert.equal((await sender.post(receiver.url, {}, 'x')).status, status)
      assert.equal(target.connections, 0)
    })
  }

  it('is kept up to 4 KiB', async () => {
    assert.equal(await bodyKeptOf('a'.repeat(4 * KIB)), 'a'.repeat(4 * KIB))
    assert.equal(await bodyKeptOf(`${'a'.repeat(4 * KIB)}b`), 'a'.repeat(4 * KIB))
  })

  it('is not cut within a character', async () => {
    assert.equal(await bodyKeptOf('é'.repeat(4 * KIB)), 'é'.repeat(2 * KIB))
    assert.equal(await bodyKeptOf(`a${'é'.repeat(4 * KIB)}`), `a${'é'.repeat(2 * KIB - 1)}`)
    assert.equal(await bodyKeptOf(`abc${'🎉'.repeat(2 * KIB)}`), `abc${'🎉'.repeat(KIB - 1)}`)
  })

  it('is read up to 64 KiB, and its connection dropped then', async () => {
    const closed = Promise.withResolvers<void>()
    await using receiver = await startReceiver((_request, response) => {
      response.once('close', closed.resolve)
      writeForEver(response, Buffer.alloc(KIB, 'a'))
    })
    await using sender = aSender()

    assert.partialDeepStrictEqual(await sender.post(receiver.url, {}, 'x'), { status: 200, body: 'a'.repeat(4 * KIB), error: null })
    await closed.promise
  })

  it('is kept as it came when it is packed', async () => {
    const packed = gzipSync('a'.repeat(10 * KIB))
    await using receiver = await startReceiver(answering(200, { 'content-encoding': 'gzip' }, packed))
    await using sender = aSender()

    const { body } = await sender.post(receiver.url, {}, 'x')

    assert.ok(body !== null && body.length <= packed.length && body.startsWith('\uFFFD'))
  })

  it('has no control characters but tabs and ends of lines', async () => {
    assert.equal(await bodyKeptOf('a\0b\x1b[31m\x7f\u0085\t\r\nc'), 'a\uFFFDb\uFFFD[31m\uFFFD\uFFFD\t\r\nc')
  })

  it('is well-formed text, whatever its bytes are', async () => {
    assert.equal(await bodyKeptOf(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x62])), 'a\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFDb')
    assert.equal(await bodyKeptOf(Buffer.from([0x61, 0xe2, 0x82])), 'a')
  })

  const waits: [header: string | string[], expectedMs: number | null][] = [
    ['0', 0],
    ['120', 120_000],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 11:59:30 GMT', 0],
    ['999999999', 999_999_999_000],
    ['9999999999', null],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026-11-21', null],
    ['Sat, 45 Nov 2026 12:00:30 GMT', null],
    [['60', '120'], 60_000],
  ]
  for (const [header, expectedMs] of waits) {
    it(`asks to wait by Retry-After: ${header}`, async () => {
      await using receiver = await startReceiver(answering(503, { 'retry-after': header }))
      await using sender = aSender()

      assert.equal((await sender.post(receiver.url, {}, 'x')).retryAfterMs, expectedMs)
    })
  }
})

describe('no answer', () => {
  const noAnswer = (error: string) => ({ status: null, body: null, error, retryAfterMs: null })

  it('comes from a server that is silent', async () => {
    await using silent = await startTcp(() => {})
    await using sender = aSender({ timeoutMs: 50 })

    assert.partialDeepStrictEqual(await sender.post(silent.url, {}, 'x'), noAnswer('No answer within 0.05 s.'))
  })

  it('comes from a server that drips its headers', async () => {
    await using dripping = await startTcp((socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'))
    await using sender = aSender({ timeoutMs: 50 })

    assert.partialDeepStrictEqual(await sender.post(dripping.url, {}, 'x'), noAnswer('No answer within 0.05 s.'))
  })

  it('comes from a server that drips its body', async () => {
    await using dripping = await startTcp((socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n', '.'))
    await using sender = aSender({ timeoutMs: 50 })

    assert.partialDeepStrictEqual(await sender.post(dripping.url, {}, 'x'), noAnswer('No answer within 0.05 s.'))
  })

  it('comes from a server whose name nobody answers for', async () => {
    // Nothing else would keep the process going until the end of the time.
    await using _listening = await startTcp(() => {})
    await using sender = aSender({ timeoutMs: 50, names: { addressesOf: () => new Promise(() => {}), close: () => {} } })

    assert.partialDeepStrictEqual(await sender.post('http://silent.example/', {}, 'x'), noAnswer('No answer within 0.05 s.'))
  })

  it('comes from a name that leads nowhere', async () => {
    await using sender = aSender()

    assert.partialDeepStrictEqual(
      await sender.post('http://nowhere.invalid/', {}, 'x'),
      noAnswer('The name nowhere.invalid could not be resolved.'),
    )
  })

  it('comes from a port that nobody listens on', async () => {
    const { url, [Symbol.asyncDispose]: stop } = await startTcp(() => {})
    await stop()
    await using sender = aSender()

    assert.partialDeepStrictEqual(await sender.post(url, {}, 'x'), noAnswer('The connection was refused.'))
  })

  it('comes from a name with several addresses of which none listens', async () => {
    const { url, [Symbol.asyncDispose]: stop } = await startTcp(() => {})
    await stop()
    await using sender = aSender()

    assert.partialDeepStrictEqual(
      await sender.post(url.replace('127.0.0.1', 'localhost'), {}, 'x'),
      noAnswer('The connection was refused.'),
    )
  })

  it('comes from a server that hangs up', async () => {
    await using rude = await startTcp((socket) => socket.end())
    await using torn = await startTcp((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))
    await using sender = aSender()

    const brokenOff = noAnswer('The connection was closed before the answer was complete.')
    assert.partialDeepStrictEqual(await sender.post(rude.url, {}, 'x'), brokenOff)
    assert.partialDeepStrictEqual(await sender.post(torn.url, {}, 'x'), brokenOff)
  })

  for (const [what, bytes] of [
    ['something else than HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\nx-a: ${'b'.repeat(20 * KIB)}\r\n\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ] as const) {
    it(`comes from a server that speaks ${what}, and the outcome says so in one line`, async () => {
      await using strange = await startTcp((socket) => socket.end(bytes))
      await using sender = aSender()

      const { status, error } = await sender.post(strange.url, {}, 'x')

      assert.equal(status, null)
      assert.match(error ?? '', /^[^\n]{5,300}$/)
    })
  }

  it('comes over TLS from a server without it, and the outcome says so', async () => {
    await using receiver = await startReceiver(answering(200))
    await using sender = aSender()

    const { status, error } = await sender.post(receiver.url.replace('http:', 'https:'), {}, 'x')

    assert.equal(status, null)
    assert.match(error ?? '', /SSL|TLS/)
    assert.equal(receiver.received.length, 0)
  })
})

describe('a sender', () => {
  it('copes with thousands of dead servers at once, and reaches one that lives meanwhile', async () => {
    await using live = await startReceiver(answering(200))
    await using silent = await startTcp(() => {})
    const names: Names = { addressesOf: () => new Promise(() => {}), close: () => {} }
    await using sender = aSender({ timeoutMs: 3_000, names })
    const dead = Array.from({ length: 2_000 }, (_, index) => {
      const address = `127.0.${index >> 8}.${index & 255}`
      return [`http://${address}:1/`, silent.url, `http://name-${index}.example/`][index % 3] as string
    })

    const outcomes = Promise.all(dead.map((url) => sender.post(url, {}, 'x')))
    const reached = await sender.post(live.url, {}, 'x')

    assert.equal(reached.status, 200)
    assert.deepEqual(new Set((await outcomes).map(({ error }) => error)), new Set(['The connection was refused.', 'No answer within 3 s.']))
  })

  it('breaks off what hangs when it is closed', async () => {
    const arrived = Promise.withResolvers<void>()
    await using silent = await startTcp((socket) => socket.once('data', () => arrived.resolve()))
    const sender = aSender()
    const outcome = sender.post(silent.url, {}, 'x')
    await arrived.promise

    await sender.close()

    assert.equal((await outcome).error, 'The service was stopped before there was an answer.')
  })

  it('sends nothing once it is closed', async () => {
    await using receiver = await startReceiver(answering(200))
    const sender = aSender()

    await sender.close()

    assert.equal((await sender.post(receiver.url, {}, 'x')).error, 'The service was stopped before there was an answer.')
    assert.equal(receiver.connections, 0)
  })
})

/** Writes a little, and again and again a little more, for as long as the other side listens. */
function drip(socket: Socket, first: string, next: string): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(next), 5)
  socket.once('close', () => clearInterval(timer))
}
