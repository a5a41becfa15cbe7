/** UUIDv7 (RFC 9562): 48 bits of milliseconds, then version and variant around 74 bits that are random, or count up within one millisecond. */

const LAST_COUNTED = 0x3fff_ffff_ffff_ffffn

/** `count` cryptographically strong bytes. */
export type RandomBytes = (count: number) => Uint8Array

/** An id for the instant `now` (ms since the epoch) that is greater than `last`, so that ids made one after another sort in that order. */
export function nextId(now: number, last: string, random: RandomBytes): string {
  const fresh = compose(BigInt(now), randomBelow74Bits(random))
  return fresh > last ? fresh : successor(last)
}

/** An id for the instant `now`, in order with others only as far as their milliseconds differ. */
export function newId(now: number, random: RandomBytes): string {
  return nextId(now, '', random)
}

/** Random 74 bits with the highest clear, so that a good many can be counted up from there within the millisecond. */
function randomBelow74Bits(random: RandomBytes): bigint {
  return BigInt(`0x${Buffer.from(random(10)).toString('hex')}`) & ((1n << 73n) - 1n)
}

function compose(milliseconds: bigint, rest: bigint): string {
  const high = rest >> 62n
  const low = rest & LAST_COUNTED
  const hex = ((milliseconds << 80n) | (0x7n << 76n) | (high << 64n) | (0b10n << 62n) | low).toString(16).padStart(32, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function successor(id: string): string {
  const value = BigInt(`0x${id.replaceAll('-', '')}`)
  const milliseconds = value >> 80n
  const rest = (((value >> 64n) & 0xfffn) << 62n) | (value & LAST_COUNTED)
  return compose(milliseconds, rest + 1n)
}
