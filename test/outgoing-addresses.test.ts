import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAllowed, rangeOf } from '../packages/server/outgoing/addresses.ts'

function isAllowedWith(address: string, ...texts: string[]): boolean {
  const ranges = texts.map((text) => rangeOf(text) ?? assert.fail(`${text} is no range`))
  return isAllowed(address, ranges)
}

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
]

const NOT_PUBLIC: [what: string, addresses: string[]][] = [
  ['this network', ['0.0.0.0', '0.255.255.255']],
  ['private', ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.0', '192.168.255.255']],
  ['carrier-grade NAT', ['100.64.0.0', '100.100.100.200', '100.127.255.255']],
  ['loopback', ['127.0.0.0', '127.0.0.1', '127.255.255.255']],
  ['link-local', ['169.254.0.1', '169.254.169.254']],
  ['protocol assignments', ['192.0.0.1', '192.0.0.192']],
  ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1']],
  ['AS112', ['192.31.196.1', '192.175.48.1']],
  ['6to4 relays', ['192.88.99.1']],
  ['benchmarking', ['198.18.0.0', '198.19.255.255']],
  ['multicast', ['224.0.0.1', '239.255.255.255']],
  ['reserved and broadcast', ['240.0.0.1', '255.255.255.255']],
  ['the metadata of Azure', ['168.63.129.16', '::ffff:168.63.129.16']],
  ['unspecified and loopback in IPv6', ['::', '::1']],
  ['IPv4 within IPv6', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe']],
  ['IPv4-compatible', ['::127.0.0.1', '::7f00:1', '::8.8.8.8', '::808:808']],
  ['IPv4-translated', ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8']],
  ['NAT64', ['64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1']],
  ['6to4', ['2002:7f00:1::', '2002:808:808::1']],
  ['Teredo', ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2']],
  ['other protocols', ['2001:2::1', '2001:3::1', '2001:4:112::1', '2001:10::1', '2001:20::1', '2620:4f:8000::1', '5f00::1', '100::1']],
  ['documentation in IPv6', ['2001:db8::1', '3fff::1']],
  ['unique local', ['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1']],
  ['link-local in IPv6', ['fe80::1', 'fe80::1%eth0', 'febf::1']],
  ['site-local', ['fec0::1']],
  ['multicast in IPv6', ['ff02::1', 'ff0e::1']],
  ['not assigned', ['4000::1', '8000::1', 'e000::1', '1::1']],
  ['a public address with a zone', ['2606:4700:4700::1111%eth0']],
  [
    'no address',
    [
      '',
      'example.org',
      '8.8.8',
      '8.8.8.8.8',
      '134744072',
      '0x8.8.8.8',
      '010.8.8.8',
      '8.8.8.8 ',
      '[2606:4700:4700::1111]',
      ':::',
      '256.1.1.1',
    ],
  ],
]

describe('addresses', () => {
  for (const address of PUBLIC) {
    it(`allow ${address}, which is public`, () => {
      assert.equal(isAllowed(address, []), true)
    })
  }

  for (const [what, addresses] of NOT_PUBLIC) {
    for (const address of addresses) {
      it(`do not allow ${JSON.stringify(address)}: ${what}`, () => {
        assert.equal(isAllowed(address, []), false)
      })
    }
  }

  it('are allowed by a range from its first to its last', () => {
    assert.deepEqual(
      ['10.1.255.255', '10.2.0.0', '10.2.255.255', '10.3.0.0'].map((address) => isAllowedWith(address, '10.2.0.0/16')),
      [false, true, true, false],
    )
    assert.deepEqual(
      ['fd00::ffff', 'fd00:1::', 'fd00:1:ffff:ffff:ffff:ffff:ffff:ffff', 'fd00:2::'].map((address) =>
        isAllowedWith(address, 'fd00:1::/32'),
      ),
      [false, true, true, false],
    )
  })

  it('are allowed one by one', () => {
    assert.equal(isAllowedWith('127.0.0.1', '127.0.0.1', '::1'), true)
    assert.equal(isAllowedWith('::1', '127.0.0.1', '::1'), true)
    assert.equal(isAllowedWith('127.0.0.2', '127.0.0.1', '::1'), false)
    assert.equal(isAllowedWith('168.63.129.16', '168.63.129.16'), true)
  })

  it('of IPv4 within IPv6 are allowed as those of IPv4, however either is written', () => {
    assert.equal(isAllowedWith('::ffff:10.0.0.1', '10.0.0.0/8'), true)
    assert.equal(isAllowedWith('::ffff:a00:1', '10.0.0.0/8'), true)
    assert.equal(isAllowedWith('10.0.0.1', '::ffff:10.0.0.0/104'), true)
    assert.equal(isAllowedWith('192.168.0.1', '::ffff:10.0.0.0/104'), false)
    assert.equal(isAllowedWith('10.0.0.1', '::/0'), false)
    assert.equal(isAllowedWith('::10.0.0.1', '10.0.0.0/8'), false)
  })

  it('of one family are not allowed by a range of the other', () => {
    assert.equal(isAllowedWith('fd00::1', '0.0.0.0/0'), false)
    assert.equal(isAllowedWith('10.0.0.1', 'fd00::/8'), false)
  })

  for (const text of [
    '',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10/8',
    'fd00::/129',
    '::ffff:10.0.0.0/95',
    'fe80::%1/64',
    'all',
  ]) {
    it(`have no range ${JSON.stringify(text)}`, () => {
      assert.equal(rangeOf(text), undefined)
    })
  }
})
