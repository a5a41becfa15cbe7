import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { describe, it } from 'node:test'
import { type NamesOptions, openNames } from '../packages/server/outgoing/names.ts'

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }
const NO_SUCH_NAME = 3

interface DnsServer extends AsyncDisposable {
  address: string
  /** What was asked, such as `A example.org`. */
  questions: string[]
}

/** A DNS server of a test's own, which knows `zone`; of names that it has null for it says nothing at all. */
async function startDns(zone: Readonly<Record<string, readonly string[] | null>>): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    questions.push(`${type} ${name}`)
    const known = zone[name]
    if (known === null) return
    const wanted = (known ?? []).filter((one) => isIPv4(one) === (type === 'A'))
    socket.send(answerTo(query.subarray(0, end), wanted, known === undefined ? NO_SUCH_NAME : 0), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** The question of a query (RFC 1035, 4.1): labels with their lengths, from the twelfth byte on. */
function questionOf(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: TYPES[query.readUInt16BE(at + 1)] ?? '?', end: at + 5 }
}

function answerTo(question: Buffer, addresses: readonly string[], code: number): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt16BE(0, 10)
  return Buffer.concat([head, ...addresses.map(record)])
}

function record(address: string): Buffer {
  const bytes = isIPv4(address) ? address.split('.').map(Number) : [...Buffer.from(address.replaceAll(':', ''), 'hex')]
  return Buffer.from([0xc0, 12, 0, isIPv4(address) ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes])
}

const neverLookedUp: NonNullable<NamesOptions['lookup']> = async (name) => assert.fail(`${name} was looked up`)

describe('names', () => {
  it('have all their addresses, of both families', async () => {
    const six = '2606:4700:4700:0000:0000:0000:0000:1111'
    await using dns = await startDns({ 'example.org': [six, '1.1.1.1', '8.8.8.8'] })
    const names = openNames({ servers: [dns.address], lookup: neverLookedUp })

    assert.deepEqual(await names.addressesOf('example.org'), ['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111'])
  })

  it('may have addresses of one family alone', async () => {
    await using dns = await startDns({ 'example.org': ['1.1.1.1'] })
    const names = openNames({ servers: [dns.address], lookup: neverLookedUp })

    assert.deepEqual(await names.addressesOf('example.org'), ['1.1.1.1'])
  })

  for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.']) {
    it(`that are of this machine are not asked for: ${name}`, async () => {
      await using dns = await startDns({ [name]: ['1.1.1.1'] })
      const names = openNames({ servers: [dns.address], lookup: neverLookedUp })

      assert.deepEqual(await names.addressesOf(name), ['127.0.0.1', '::1'])
      assert.deepEqual(dns.questions, [])
    })
  }

  it('that DNS does not know are looked up by the machine', async () => {
    await using dns = await startDns({})
    const names = openNames({ servers: [dns.address], lookup: async (name) => (name === 'printer' ? ['10.0.0.9'] : []) })

    assert.deepEqual(await names.addressesOf('printer'), ['10.0.0.9'])
  })

  it('are looked up by the machine where no DNS server can be reached', async () => {
    const { address, [Symbol.asyncDispose]: stop } = await startDns({})
    await stop()
    const names = openNames({ servers: [address], lookup: async () => ['10.0.0.9'] })

    assert.deepEqual(await names.addressesOf('printer'), ['10.0.0.9'])
  })

  it('that nobody knows are said to be so', async () => {
    await using dns = await startDns({})
    const names = openNames({ servers: [dns.address] })

    await assert.rejects(names.addressesOf('nowhere.invalid'), { message: 'The name nowhere.invalid could not be resolved.' })
  })

  it('that nobody answers for are given up, without a thread', async () => {
    await using dns = await startDns({ 'silent.example': null })
    const names = openNames({ servers: [dns.address], timeoutMs: 20, lookup: neverLookedUp })

    await assert.rejects(names.addressesOf('silent.example'), { message: 'The name silent.example could not be resolved.' })
  })

  it('that nobody answers for do not keep others waiting', async () => {
    const silent = Array.from({ length: 500 }, (_, index) => `silent-${index}.example`)
    await using dns = await startDns({ ...Object.fromEntries(silent.map((name) => [name, null])), 'example.org': ['1.1.1.1'] })
    const names = openNames({ servers: [dns.address], lookup: neverLookedUp })
    const given = Promise.allSettled(silent.map((name) => names.addressesOf(name)))

    assert.deepEqual(await names.addressesOf('example.org'), ['1.1.1.1'])

    names.close()
    assert.ok((await given).every(({ status }) => status === 'rejected'))
  })

  it('are looked up two at a time', async () => {
    await using dns = await startDns({})
    let running = 0
    let most = 0
    const lookup = async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return ['10.0.0.9']
    }
    const names = openNames({ servers: [dns.address], lookup })

    const found = await Promise.all(Array.from({ length: 50 }, (_, index) => names.addressesOf(`host-${index}`)))

    assert.equal(found.length, 50)
    assert.equal(most, 2)
  })

  it('are asked for once by all who ask at the same time, and again later', async () => {
    await using dns = await startDns({ 'example.org': ['1.1.1.1'] })
    const names = openNames({ servers: [dns.address] })

    await Promise.all([names.addressesOf('example.org'), names.addressesOf('example.org')])
    assert.equal(dns.questions.length, 2)

    await names.addressesOf('example.org')
    assert.equal(dns.questions.length, 4)
  })
})
