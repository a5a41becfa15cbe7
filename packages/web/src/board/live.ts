import type { QueryClient } from '@tanstack/react-query'
import { ask, Refused } from '../client/http.ts'
import { type Board, type EventWire, withEvents } from './board.ts'
import { BOARD_KEY, creationsAnswered } from './pending.ts'

/** Following the account's log while the page is looked at, so that what happens elsewhere is on the screen. */

export type Standing = 'connecting' | 'live' | 'interrupted'

/** A page that nobody sees lets its stream go after so long: a browser has few connections to one service, six of them over HTTP/1.1. */
const HIDDEN_PATIENCE_MS = 10_000
/** How long events wait for the answer to a creation of this page: shown before it, the new thing would be there twice. */
const CREATION_PATIENCE_MS = 1_000
/** How far apart the board takes events, so that a script that makes thousands of them leaves the page time for the person. */
const TAKING_PAUSE_MS = 100
/** Before a stream that the service has refused is asked for again: at first, and at most when it is refused time after time. */
const REFUSED_PAUSE_MS = 2_000
const LONGEST_REFUSED_PAUSE_MS = 30_000

export interface Followed {
  client: QueryClient
  stands(standing: Standing): void
  /** Something happened to a webhook, which is no part of the board. */
  webhookChanged(): void
  /** Somebody else may be signed in by now, or nobody. */
  sessionDoubted(): void
  /** The log no longer holds what comes next: everything is to be read anew. */
  lost(): void
}

/** Follows the log from where the board is, until the answer is called. */
export function follow({ client, stands, webhookChanged, sessionDoubted, lost }: Followed): () => void {
  let source: EventSource | null = null
  let ended = false
  let hiding: ReturnType<typeof setTimeout> | undefined
  let comingBack: ReturnType<typeof setTimeout> | undefined
  let pauseMs = REFUSED_PAUSE_MS
  let waiting: EventWire[] = []
  let taking = false

  const boardNow = () => client.getQueryData<Board>(BOARD_KEY)
  const sequenceNow = () => waiting.at(-1)?.sequence ?? boardNow()?.sequence

  function open(): void {
    const after = sequenceNow()
    if (source !== null || ended || after === undefined || document.visibilityState === 'hidden') return
    stands('connecting')
    let isInterrupted = false
    source = new EventSource(`/app/events/stream?after=${after}`)
    source.onopen = () => {
      pauseMs = REFUSED_PAUSE_MS
      stands('live')
      // In another tab of the browser somebody else may have signed in.
      if (isInterrupted) sessionDoubted()
      isInterrupted = false
    }
    source.onmessage = ({ data }) => {
      waiting.push(JSON.parse(data) as EventWire)
      void take()
    }
    source.onerror = () => {
      isInterrupted = true
      stands('interrupted')
      // A stream that broke off is opened again by the browser; one that was refused is not.
      if (source?.readyState !== EventSource.CLOSED) return
      close()
      comingBack = setTimeout(() => void comeBack(), pauseMs)
      pauseMs = Math.min(2 * pauseMs, LONGEST_REFUSED_PAUSE_MS)
    }
  }

  function close(): void {
    clearTimeout(comingBack)
    source?.close()
    source = null
  }

  /** Opens it again, unless what follows is lost. Why a stream is refused, the browser does not tell; the log itself does. */
  async function comeBack(): Promise<void> {
    const refusal = await ask('GET', `/events?after=${sequenceNow()}&limit=1`).catch((error: unknown) => error)
    if (ended) return
    if (refusal instanceof Refused && refusal.problem.code === 'invalid_request') return lost()
    if (refusal instanceof Refused && refusal.problem.code === 'not_signed_in') sessionDoubted()
    open()
  }

  async function take(): Promise<void> {
    if (taking) return
    taking = true
    while (waiting.length > 0) {
      if (waiting.some(({ type, cause }) => type.endsWith('.created') && cause === 'app'))
        await creationsAnswered(client, CREATION_PATIENCE_MS)
      const events = waiting
      waiting = []
      client.setQueryData<Board>(BOARD_KEY, (board) => board && withEvents(board, events))
      if (events.some(({ type }) => type.startsWith('webhook.'))) webhookChanged()
      await new Promise((resolve) => setTimeout(resolve, TAKING_PAUSE_MS))
    }
    taking = false
  }

  function visibilityChanged(): void {
    clearTimeout(hiding)
    if (document.visibilityState === 'visible') open()
    else hiding = setTimeout(close, HIDDEN_PATIENCE_MS)
  }

  document.addEventListener('visibilitychange', visibilityChanged)
  open()
  return () => {
    ended = true
    clearTimeout(hiding)
    document.removeEventListener('visibilitychange', visibilityChanged)
    close()
  }
}
