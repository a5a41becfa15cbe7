/** UUIDv7 (RFC 9562): 48 bits of milliseconds, then version and variant around 74 bits that are random, or count up within one millisecond. */

/** `count` cryptographically strong bytes. */
export type RandomBytes = (count: number) => Uint8Array

const DRAWN_AT_ONCE = 4_096

/** The same source, asked for many bytes at a time: a draw costs more than what it gives. No byte is given twice. */
export function inLargeDraws(random: RandomBytes): RandomBytes {
  let drawn: Uint8Array = new Uint8Array()
  let given = 0
  return (count) => {
    if (count > DRAWN_AT_ONCE) return random(count)
    if (given + count > drawn.length) {
      drawn = random(DRAWN_AT_ONCE)
      given = 0
    }
    given += count
    return drawn.subarray(given - count, given)
  }
}

/** An id for the instant `now` (ms since the epoch) that is greater than `last`, so that ids made one after another sort in that order. */
export function nextId(now: number, last: string, random: RandomBytes): string {
  const fresh = compose(now, random(10))
  return fresh > last ? fresh : successor(last)
}

/** An id for the instant `now`, in order with others only as far as their milliseconds differ. */
export function newId(now: number, random: RandomBytes): string {
  return nextId(now, '', random)
}

/** The highest of the random bits stays clear, so that a good many can be counted up from there within the millisecond. */
function compose(milliseconds: number, bytes: Uint8Array): string {
  const [first, variant] = [(bytes[0] as number) & 0x7f, 0x80 | ((bytes[2] as number) & 0x3f)]
  const rest = Buffer.from(bytes).toString('hex')
  return hyphenated(`${milliseconds.toString(16).padStart(12, '0')}7${inHex(first)}${rest[2]}${inHex(variant)}${rest.slice(6)}`)
}

const inHex = (byte: number) => byte.toString(16).padStart(2, '0')

const LAST_COUNTED = 0x3fff_ffff_ffff_ffffn
const NODE_BITS = 0xffff_ffff_ffff

function successor(id: string): string {
  const node = Number.parseInt(id.slice(24), 16)
  if (node < NODE_BITS) return id.slice(0, 24) + (node + 1).toString(16).padStart(12, '0')
  const value = BigInt(`0x${id.replaceAll('-', '')}`)
  const counted = ((((value >> 64n) & 0xfffn) << 62n) | (value & LAST_COUNTED)) + 1n
  const next = ((value >> 80n) << 80n) | (0x7n << 76n) | ((counted >> 62n) << 64n) | (0b10n << 62n) | (counted & LAST_COUNTED)
  return hyphenated(next.toString(16).padStart(32, '0'))
}

function hyphenated(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
