import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { Failure } from '@fivetab/domain/failure.ts'
import ipaddr from 'ipaddr.js'
import type { Writer } from '../store/store.ts'
import { claimTry, giveBackTry, TRIES_WINDOW_MS, type Try, triesOf } from '../store/tries.ts'
import type { Gate, Visitor } from './gate.ts'

/**
 * Limits on guessing, in fixed windows of a quarter of an hour that all instances share. A try is claimed before anything is looked at, so that no
 * number of guesses at once gets past them; one that is refused is none. What is stored names neither an address nor a net.
 */

type Counting = Pick<Gate, 'store' | 'clock'>

interface Limit {
  key: string
  tries: number
}

const OF_ADDRESS_FROM_NET = 10
const OF_ADDRESS = 100
const OF_NET = 50

/** How many passwords may be tried for an e-mail address from one net, for an address at all, and from a net whatever the address. */
function passwordLimits(email: string, visitor: Visitor): Limit[] {
  const [address, net] = [email.toLowerCase(), netOf(visitor.net)]
  return [
    { key: keyOf('password', 'address and net', address, net), tries: OF_ADDRESS_FROM_NET },
    { key: keyOf('password', 'address', address), tries: OF_ADDRESS },
    { key: keyOf('password', 'net', net), tries: OF_NET },
  ]
}

/**
 * Carries out `check`, the checking of a password that was sent for an e-mail address, whether or not anybody has that. The try counts if the answer
 * is undefined, for a wrong one.
 * @throws Failure `rate_limited`, and what `check` throws
 */
export async function guessingPassword<T>(
  gate: Counting,
  visitor: Visitor,
  email: string,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const tries = await claim(gate, passwordLimits(email, visitor))
  let isWrong = false
  try {
    const answer = await check()
    isWrong = answer === undefined
    return answer
  } finally {
    if (!isWrong) await giveBack(gate, tries)
  }
}

/** Counts one of what a net may do 50 times in a quarter of an hour: signing up, changing an address, looking at a link. @throws Failure `rate_limited` */
export async function countVisit(gate: Counting, visitor: Visitor, what: 'sign-up' | 'address' | 'link'): Promise<void> {
  await claim(gate, [{ key: keyOf(what, 'net', netOf(visitor.net)), tries: OF_NET }])
}

async function claim({ store, clock }: Counting, limits: readonly Limit[]): Promise<Try[]> {
  // In one order, so that nobody who claims waits for another who does.
  const inOrder = limits.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const now = clock()
  // Read first: whoever goes on trying when there is nothing left has nothing written.
  for (const { key, tries } of inOrder) {
    const { used, beganAt } = await triesOf(store, key, now)
    if (used >= tries) throw tooManyTries(beganAt, now)
  }
  const { claimed, fullSince } = await store.transact((writer) => claimAll(writer, inOrder, now))
  if (fullSince !== null) throw tooManyTries(fullSince, now)
  return claimed
}

/** All or none. It does not throw for none, since others may share the transaction. */
async function claimAll(writer: Writer, limits: readonly Limit[], now: number): Promise<{ claimed: Try[]; fullSince: number | null }> {
  const claimed: Try[] = []
  for (const { key, tries } of limits) {
    const one = await claimTry(writer, key, tries, now)
    if (one === undefined) {
      for (const taken of claimed) await giveBackTry(writer, taken)
      return { claimed: [], fullSince: (await triesOf(writer, key, now)).beganAt }
    }
    claimed.push(one)
  }
  return { claimed, fullSince: null }
}

async function giveBack({ store }: Counting, tries: readonly Try[]): Promise<void> {
  await store.transact(async (writer) => {
    for (const one of tries) await giveBackTry(writer, one)
  })
}

function tooManyTries(beganAt: number, now: number): Failure {
  const retryAfterSeconds = Math.max(1, Math.ceil((beganAt + TRIES_WINDOW_MS - now) / 1000))
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return new Failure('rate_limited', `There were too many tries. Wait ${minutes} minute${minutes === 1 ? '' : 's'}, then try again.`, {
    retryAfterSeconds,
  })
}

function keyOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts))
}

/** An IP address with a port, as some proxies write it, which each connection has of its own. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?::\d+)?$/

/** What of an IP address one person or firm has for itself: all of IPv4, and of IPv6 the first 64 bits. */
export function netOf(address: string): string {
  const { v4, v6 } = WITH_PORT.exec(address)?.groups ?? {}
  const [bare = ''] = (v4 ?? v6 ?? address).split('%')
  if (!isIPv6(bare)) return bare
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex')
}
