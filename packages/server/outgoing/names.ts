import dns from 'node:dns'
import { setTimeout as wait } from 'node:timers/promises'

/** Resolves host names, so that the names of one person that nobody answers for do not keep those of all others waiting. */
export interface Names {
  /**
   * All addresses of `name`, those of IPv4 first; at least one.
   * @throws Error with a sentence for a person, when it has none or nobody says so in time (some seconds)
   */
  addressesOf(name: string): Promise<readonly string[]>
  /** Gives up what is being asked of DNS. */
  close(): void
}

export interface NamesOptions {
  /** The DNS servers, as addresses with or without a port; the machine's own if not said. */
  servers?: readonly string[]
  /** How long the first try of a question to DNS waits; the next waits longer. */
  timeoutMs?: number
  /** The machine's own way, which knows the hosts file. */
  lookup?: (name: string) => Promise<readonly string[]>
}

const TIMEOUT_MS = 2_000
const TRIES = 2
/**
 * Of some hundred questions at one instant most are lost, since a server's socket holds no more; so they go out a few at a time. A question keeps its
 * place for a moment only, so that it does not matter to others whether it is ever answered.
 */
const QUESTIONS_AT_ONCE = 50
const QUESTION_KEEPS_PLACE_MS = 10
const MOST_QUESTIONS_WAITING = 10_000
/** Each takes one of the four threads that files need too, for as long as the machine likes. */
const LOOKUPS_AT_ONCE = 2
const MOST_LOOKUPS_WAITING = 200

/** These are never asked for (RFC 6761, 6.3): whoever answers for them could answer anything. */
export const LOCALHOST = /^(.+\.)?localhost\.?$/i
const LOOPBACK = ['127.0.0.1', '::1']

/** What DNS says when nobody answered, which the machine's own way would only find out again, on a thread. */
const UNANSWERED: readonly unknown[] = [dns.TIMEOUT, dns.CANCELLED]

export function openNames({ servers, timeoutMs = TIMEOUT_MS, lookup = lookUp }: NamesOptions = {}): Names {
  const resolver = new dns.promises.Resolver({ timeout: timeoutMs, tries: TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  const askInTurn = takeTurns(QUESTIONS_AT_ONCE, MOST_QUESTIONS_WAITING)
  const lookUpInTurn = takeTurns(LOOKUPS_AT_ONCE, MOST_LOOKUPS_WAITING)
  /** Names that are being asked for: whoever asks for the same meanwhile gets the same answer. */
  const asked = new Map<string, Promise<readonly string[]>>()
  let closed = false

  async function resolve(name: string): Promise<readonly string[]> {
    const { answers } = await askInTurn(() => ask(name))
    const settled = await answers
    const addresses = settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    if (settled.some((answer) => answer.status === 'rejected' && UNANSWERED.includes(answer.reason.code))) return []
    return lookUpInTurn(async () => (closed ? [] : lookup(name)))
  }

  /** The answers are not waited for: see QUESTIONS_AT_ONCE. */
  async function ask(name: string): Promise<{ answers: Promise<PromiseSettledResult<string[]>[]> }> {
    const answers = Promise.allSettled(closed ? [] : [resolver.resolve4(name), resolver.resolve6(name)])
    await Promise.race([answers, wait(QUESTION_KEEPS_PLACE_MS)])
    return { answers }
  }

  async function resolveOrThrow(name: string): Promise<readonly string[]> {
    const addresses = await resolve(name).catch(() => [])
    if (addresses.length === 0) throw unresolved(name)
    return addresses
  }

  return {
    addressesOf: (name) => {
      if (LOCALHOST.test(name)) return Promise.resolve(LOOPBACK)
      const answer = asked.get(name) ?? resolveOrThrow(name).finally(() => asked.delete(name))
      asked.set(name, answer)
      return answer
    },
    close: () => {
      closed = true
      resolver.cancel()
    },
  }
}

export function unresolved(name: string): Error {
  return new Error(`The name ${name} could not be resolved.`)
}

async function lookUp(name: string): Promise<readonly string[]> {
  const found = await dns.promises.lookup(name, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
}

/** Carries out jobs, `atOnce` of them at a time. @throws Error when `mostWaiting` wait already */
function takeTurns(atOnce: number, mostWaiting: number): <T>(job: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []

  return async (job) => {
    if (running < atOnce) running++
    else if (waiting.length < mostWaiting) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw new Error('too many are waiting')
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      // The place is handed on.
      else next()
    }
  }
}
