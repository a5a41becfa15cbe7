import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Destinations, openDestinations } from '../packages/server/outgoing/destinations.ts'
import { type Names, openNames } from '../packages/server/outgoing/names.ts'
import { openSender } from '../packages/server/outgoing/sender.ts'

/** Listeners on both of this machine's own addresses, at one port, which count who comes. */
interface Listeners extends AsyncDisposable {
  port: number
  readonly connections: number
}

async function startListeners(): Promise<Listeners> {
  let connections = 0
  const servers = [createServer(), createServer()] as const
  for (const server of servers) {
    server.on('connection', (socket) => {
      connections++
      socket.on('error', () => {})
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    })
  }
  const port = await listen(servers[0], '127.0.0.1', 0)
  await listen(servers[1], '::1', port)
  return {
    port,
    get connections() {
      return connections
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) server.close()
    },
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Names with the addresses that a test gives them, one list for each time they are asked for; the last list stays. */
function namesWith(known: Readonly<Record<string, readonly (readonly string[])[]>>): Names {
  const machine = openNames()
  const asked = new Map<string, number>()
  return {
    ...machine,
    addressesOf: async (name) => {
      const lists = known[name]
      if (lists === undefined) return machine.addressesOf(name)
      const times = asked.get(name) ?? 0
      asked.set(name, times + 1)
      return lists[Math.min(times, lists.length - 1)] ?? []
    },
  }
}

const INSIDE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'loopback.example': [['127.0.0.1']],
  'loopback6.example': [['::1']],
  'private.example': [['10.0.0.1']],
  'metadata.example': [['169.254.169.254']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'nat64.example': [['64:ff9b::7f00:1']],
  'zone.example': [['fe80::1%lo']],
  'one-of-two.example': [['1.1.1.1', '127.0.0.1']],
  'other-of-two.example': [['127.0.0.1', '1.1.1.1']],
  'one-of-both.example': [['1.1.1.1', '::1']],
}

const NOT_PUBLIC = [
  'http://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/',
  'http://127.0.0.1:PORT/hooks?a=b',
  'http://127.0.0.1.:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.255.255.254:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.1:PORT/',
  'http://0X7F.0x0.0x0.0x1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0x0.1:PORT/',
  'http://00000177.1:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://127%2e0%2e0%2e1:PORT/',
  'http://１２７.０.０.１:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0。0。1:PORT/',
  'http://127．0．0．1:PORT/',
  'http:127.0.0.1:PORT/',
  'http:/127.0.0.1:PORT/',
  'http:///127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'HTTP://127.0.0.1:PORT/',
  'http://0.0.0.0:PORT/',
  'http://0:PORT/',
  'http://0x0:PORT/',
  'http://10.0.0.1:PORT/',
  'http://172.16.0.1:PORT/',
  'http://192.168.0.1:PORT/',
  'http://3232235521:PORT/',
  'http://100.64.0.1:PORT/',
  'http://100.100.100.200:PORT/',
  'http://169.254.169.254:PORT/latest/meta-data/',
  'http://2852039166:PORT/',
  'http://0xa9fea9fe:PORT/',
  'http://0251.0376.0251.0376:PORT/',
  'http://168.63.129.16:PORT/',
  'http://192.0.0.192:PORT/',
  'http://192.0.2.1:PORT/',
  'http://198.18.0.1:PORT/',
  'http://224.0.0.1:PORT/',
  'http://240.0.0.1:PORT/',
  'http://255.255.255.255:PORT/',
  'http://[::1]:PORT/',
  'https://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[0000::0001]:PORT/',
  'http://[::]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[0:0:0:0:0:FFFF:7F00:0001]:PORT/',
  'http://[::ffff:169.254.169.254]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::7f00:1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[64:ff9b:1::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2001::7f00:1]:PORT/',
  'http://[2001:db8::1]:PORT/',
  'http://[fd00:ec2::254]:PORT/',
  'http://[fc00::1]:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[fec0::1]:PORT/',
  'http://[ff02::1]:PORT/',
  'http://localhost:PORT/',
  'https://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://ｌｏｃａｌｈｏｓｔ:PORT/',
  'http://localhost.:PORT/',
  'http://hooks.localhost:PORT/',
  'http://a.b.localhost.:PORT/',
  ...Object.keys(INSIDE).map((name) => `http://${name}:PORT/`),
]

const NOT_HTTP = [
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/_GET',
  'ws://127.0.0.1:PORT/',
  'wss://127.0.0.1:PORT/',
  'javascript:fetch("http://127.0.0.1:PORT/")',
  'data:text/plain,hello',
  'blob:http://127.0.0.1:PORT/1',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'mailto:ada@example.org',
  'about:blank',
  'localhost:PORT/',
]

const NOT_WELL_FORMED = [
  '',
  '127.0.0.1:PORT',
  '//127.0.0.1:PORT/',
  '/hooks',
  'http://',
  'http://:PORT/',
  'http://[::1',
  'http://[fe80::1%25lo]:PORT/',
  'http://127.0.0.1:PORT0000/',
  'http://1.1.1.1.1:PORT/',
  'http://256.0.0.1:PORT/',
  'http://08.0.0.1:PORT/',
  'http://exa mple.org:PORT/',
  'http://127.0.0.1\t:PORT/',
  'ht\ntp://127.0.0.1:PORT/',
  ' http://127.0.0.1:PORT/',
  'http://127.0.0.1%00.example.org:PORT/',
  'http://ada@127.0.0.1:PORT/',
  'http://ada:secret@127.0.0.1:PORT/',
  'http://example.org:80@127.0.0.1:PORT/',
  'http://:secret@example.org/',
  'http://127.0.0.1:PORT/#top',
  'https://example.org/#',
]

describe('a hostile URL', () => {
  const destinations = openDestinations([], namesWith(INSIDE))
  const sender = openSender(destinations, Date.now)
  let listeners: Listeners

  before(async () => {
    listeners = await startListeners()
  })
  after(async () => {
    await sender.close()
    await listeners[Symbol.asyncDispose]()
  })

  const hostile: [urls: string[], code: string][] = [
    [NOT_PUBLIC, 'invalid_value'],
    [NOT_HTTP, 'invalid_value'],
    [NOT_WELL_FORMED, 'invalid_format'],
  ]
  for (const [urls, code] of hostile) {
    for (const template of urls) {
      it(`is refused, and nothing is sent to it: ${JSON.stringify(template)}`, async () => {
        const url = template.replaceAll('PORT', String(listeners.port))

        assert.equal((await destinations.refusal(url))?.code, code)
        const outcome = await sender.post(url, {}, 'x')

        assert.equal(outcome.status, null)
        assert.match(outcome.error ?? '', /^The .*\.$/)
        assert.equal(listeners.connections, 0)
      })
    }
  }
})

describe('a destination', () => {
  const PUBLIC: Names = namesWith({ 'example.org': [['1.1.1.1', '2606:4700:4700::1111']] })

  for (const url of [
    'https://example.org',
    'http://example.org:8080/hooks?token=x',
    'HTTPS://EXAMPLE.ORG/',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
  ]) {
    it(`may be public: ${url}`, async () => {
      assert.equal(await openDestinations([], PUBLIC).refusal(url), null)
    })
  }

  it('may have a name that cannot be resolved now', async () => {
    const nobody: Names = { addressesOf: () => Promise.reject(new Error('unknown')), close: () => {} }

    assert.equal(await openDestinations([], nobody).refusal('https://example.org/'), null)
  })

  it('is not waited for when nobody answers for its name', async () => {
    const silent: Names = { addressesOf: () => new Promise(() => {}), close: () => {} }
    const patienceMs = 1
    // Nothing else would keep the process going until the end of the time.
    await using _listening = await startListeners()

    assert.equal(await openDestinations([], silent, patienceMs).refusal('https://example.org/'), null)
  })

  it('has at most 2,048 characters', async () => {
    const start = 'https://example.org/'
    const destinations = openDestinations([], PUBLIC)

    assert.equal(await destinations.refusal(start.padEnd(2_048, 'a')), null)
    assert.equal((await destinations.refusal(start.padEnd(2_049, 'a')))?.code, 'too_long')
  })

  it('is refused by its text alone when it is an address', () => {
    assert.deepEqual(openDestinations([]).faultOf('http://0x7f.1/'), {
      code: 'invalid_value',
      detail: 'The address 127.0.0.1 is not public. Only public addresses can be reached; the operator can allow others.',
    })
  })

  it('is refused without a word about where its name leads', async () => {
    const destinations = openDestinations([], namesWith({ 'db.internal': [['10.0.3.4']] }))

    assert.deepEqual(await destinations.refusal('http://db.internal/'), {
      code: 'invalid_value',
      detail:
        'The name db.internal leads to an address that is not public. Only public addresses can be reached; the operator can allow others.',
    })
  })

  it('is allowed by the ranges of the operator, and by nothing beside them', async () => {
    await using listeners = await startListeners()
    const names = namesWith({ 'loopback.example': [['127.0.0.1']], 'both.example': [['127.0.0.1', '::1']] })
    const destinations = openDestinations(['127.0.0.1/32'], names)
    const sender = openSender(destinations, Date.now)

    for (const host of ['127.0.0.1', '0x7f.1', '[::ffff:7f00:1]', 'loopback.example', 'localhost']) {
      const url = `http://${host}:${listeners.port}/`
      assert.equal(await destinations.refusal(url), null, url)
      assert.equal((await sender.post(url, {}, 'x')).status, 200, url)
    }
    assert.equal(listeners.connections, 5)

    for (const host of ['127.0.0.2', '[::1]', '[::127.0.0.1]', 'both.example']) {
      const url = `http://${host}:${listeners.port}/`
      assert.equal((await destinations.refusal(url))?.code, 'invalid_value', url)
      assert.equal((await sender.post(url, {}, 'x')).status, null, url)
    }
    assert.equal(listeners.connections, 5)
    await sender.close()
  })

  it('is refused when what the operator allows is no range', () => {
    assert.throws(() => openDestinations(['10.0.0.0/8', 'localhost']), /localhost is no range of IP addresses/)
  })
})

describe('a connection', () => {
  it('is not made when a name that was public leads inside by then', async () => {
    await using listeners = await startListeners()
    const destinations = openDestinations([], namesWith({ 'rebinding.example': [['1.1.1.1'], ['127.0.0.1']] }))
    const sender = openSender(destinations, Date.now)
    const url = `http://rebinding.example:${listeners.port}/`

    assert.equal(await destinations.refusal(url), null)
    const { error } = await sender.post(url, {}, 'x')

    assert.equal(error, 'The name rebinding.example leads to an address that is not public.')
    assert.equal(listeners.connections, 0)
    await sender.close()
  })

  it('is not made when nothing was found wrong with a URL that leads inside', async () => {
    await using listeners = await startListeners()
    const blind: Destinations = { ...openDestinations([], namesWith(INSIDE)), faultOf: () => null }
    const sender = openSender(blind, Date.now)

    for (const template of NOT_PUBLIC) {
      const { error } = await sender.post(template.replaceAll('PORT', String(listeners.port)), {}, 'x')
      assert.match(error ?? '', /not public\.$/, template)
    }
    assert.equal(listeners.connections, 0)
    await sender.close()
  })

  for (const address of ['127.0.0.1', '::1']) {
    it(`is ended before anything is sent when its socket leads elsewhere than its name did: ${address}`, async () => {
      let received = 0
      const server = createServer((socket) => socket.on('data', () => received++).on('error', () => {}))
      const port = await listen(server, address, 0)
      const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'))
      const lying: Destinations = {
        ...openDestinations([]),
        lookup: (_name, _options, callback) => callback(null, [{ address, family: address === '::1' ? 6 : 4 }]),
      }
      const sender = openSender(lying, Date.now)

      const { error } = await sender.post(`http://example.org:${port}/`, {}, 'x')

      assert.equal(error, 'The name example.org leads to an address that is not public.')
      await closed
      assert.equal(received, 0)
      await sender.close()
      server.close()
    })
  }
})

describe('a lookup for sockets', () => {
  const { lookup } = openDestinations([], namesWith({ 'example.org': [['1.1.1.1', '2606:4700:4700::1111']] }))
  const found = (options: object) =>
    new Promise((resolve, reject) => {
      lookup('example.org', options, (error, address, family) => (error ? reject(error) : resolve(family ? [address, family] : address)))
    })

  it('gives all addresses, one, or those of a family', async () => {
    const four = { address: '1.1.1.1', family: 4 }
    const six = { address: '2606:4700:4700::1111', family: 6 }

    assert.deepEqual(await found({ all: true }), [four, six])
    assert.deepEqual(await found({ all: true, family: 6 }), [six])
    assert.deepEqual(await found({ family: 'IPv6' }), [six.address, 6])
    assert.deepEqual(await found({}), [four.address, 4])
  })
})
