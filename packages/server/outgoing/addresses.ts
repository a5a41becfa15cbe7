import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Which IP addresses requests may be sent to: public ones, and those that the operator allows. What a name leads to is not looked at here. */

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** One address of a range, and how many of its first bits all of the range have. */
export type AddressRange = readonly [Address, number]

/** All that is public in IPv6 so far (RFC 4291, 2.4). Outside of it lie addresses that stand for others, such as those of NAT64. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** Where Azure serves its machines. It looks public and is not. */
const AZURE_METADATA = '168.63.129.16'
/** The first bits of an IPv6 address that holds one of IPv4. */
const MAPPED_BITS = 96

/** The range that `text` says, such as `10.0.0.0/8`, `fd00::/8` or one address alone; undefined when it says none. */
export function rangeOf(text: string): AddressRange | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const given = parse(address)
  if (given === undefined) return undefined
  const allBits = given.kind() === 'ipv4' ? 32 : 128
  const shared = bits === undefined ? allBits : Number(bits)
  const first = unmapped(given)
  const left = first === given ? shared : shared - MAPPED_BITS
  return shared <= allBits && left >= 0 ? [first, left] : undefined
}

/** Whether requests may be sent to `address`: it is public, or in one of `ranges`. What is no address, or has a zone, is not allowed. */
export function isAllowed(address: string, ranges: readonly AddressRange[]): boolean {
  const parsed = parse(address)
  if (parsed === undefined) return false
  const judged = unmapped(parsed)
  return isPublic(judged) || ranges.some(([first, bits]) => first.kind() === judged.kind() && judged.match([first, bits]))
}

/** A host as it stands in a URL, with an IPv6 address out of its brackets. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' ? address.toString() !== AZURE_METADATA : address.match(GLOBAL_UNICAST)
}

/** An IPv6 address that holds one of IPv4 (::ffff:a.b.c.d) is reached as the latter, so it is judged as that. */
function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/**
 * Node says what an address is, since ipaddr.js takes octal numbers and the like too. It also takes `::1.2.3.4` for `::ffff:1.2.3.4`, so that IPv6 is
 * first brought into the form without dots, as URLs have it. They know no zones.
 */
function parse(text: string): Address | undefined {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text)
  const url = isIPv6(text) ? URL.parse(`http://[${text}]`) : null
  return url === null ? undefined : ipaddr.IPv6.parse(withoutBrackets(url.hostname))
}
