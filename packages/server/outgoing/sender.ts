import { Agent } from 'undici'
import { beginningOf, plain, retryAfterOf } from './answer.ts'
import { connectorTo } from './connector.ts'
import type { Destinations } from './destinations.ts'

/** What came of one request. */
export interface Outcome {
  /** HTTP status; null when there was no answer, or not the whole of it in time. */
  status: number | null
  /** The first 4 KiB of the answer's body as text without control characters; '' for none; null without an answer. */
  body: string | null
  /** Why there is no answer, in a sentence for a person; null when there is one. */
  error: string | null
  /** How long Retry-After asks to wait, in ms from now; null when it says nothing usable. */
  retryAfterMs: number | null
  durationMs: number
}

/** Sends requests to servers that are not ours. */
export interface Sender {
  /** Sends one POST, and answers within the timeout with what came of it. Redirects are not followed, bodies not unpacked. Never throws. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Outcome>
  /** Breaks off what is under way. */
  close(): Promise<void>
}

export interface SenderOptions {
  /** For a whole answer: connection, headers and body. */
  timeoutMs?: number
}

const TIMEOUT_MS = 15_000
/** Long enough for several events one after another, short enough not to keep connections to thousands of servers. */
const IDLE_CONNECTION_MS = 4_000
const MAX_ERROR_LENGTH = 300

const BROKEN_OFF = 'The connection was closed before the answer was complete.'
const UNREACHABLE = 'The server cannot be reached.'
const STOPPED = 'The service was stopped before there was an answer.'

/** In the words of a person, what Node and undici say by codes. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: BROKEN_OFF,
  EPIPE: BROKEN_OFF,
  UND_ERR_SOCKET: BROKEN_OFF,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be made in time.',
  UND_ERR_CLOSED: STOPPED,
  UND_ERR_DESTROYED: STOPPED,
}

/** `clock` gives ms since the epoch. */
export function openSender(destinations: Destinations, clock: () => number, { timeoutMs = TIMEOUT_MS }: SenderOptions = {}): Sender {
  const closing = new AbortController()
  const agent = new Agent({
    connect: connectorTo(destinations, timeoutMs, closing.signal),
    allowH2: false,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
  })

  async function send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Omit<Outcome, 'durationMs'>> {
    const fault = destinations.faultOf(url)
    if (fault !== null) return noAnswer(fault.detail)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const { origin, pathname, search } = new URL(url)
      const answer = await agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers: { ...headers, 'accept-encoding': 'identity' },
        body,
        signal,
      })
      const retryAfterMs = retryAfterOf(answer.headers['retry-after'], clock())
      return { status: answer.statusCode, body: await beginningOf(answer.body), error: null, retryAfterMs }
    } catch (error) {
      return noAnswer(signal.aborted ? `No answer within ${timeoutMs / 1_000} s.` : inWords(error))
    }
  }

  return {
    post: async (url, headers, body) => {
      const begin = performance.now()
      const outcome = await send(url, headers, body)
      return { ...outcome, durationMs: Math.round(performance.now() - begin) }
    },
    close: async () => {
      await agent.destroy()
      closing.abort()
    },
  }
}

function noAnswer(error: string): Omit<Outcome, 'durationMs'> {
  return { status: null, body: null, error, retryAfterMs: null }
}

/** A message may hold words of the other side, such as the names in its certificate. */
function inWords(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return WORDS[code] ?? plain((message || code || 'The request failed.').slice(0, MAX_ERROR_LENGTH))
}
