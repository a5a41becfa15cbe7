import type { QueryClient } from '@tanstack/react-query'
import { type Board, type EventWire, withEvent } from './board.ts'
import { BOARD_KEY, creationsAnswered } from './pending.ts'

/** Following the account's log while the page is looked at, so that what happens elsewhere is on the screen. */

export type Standing = 'connecting' | 'live' | 'interrupted'

/** A page that nobody sees lets its stream go after so long: a browser has few connections to one service. */
const HIDDEN_PATIENCE_MS = 60_000
/** How long events wait for the answer to a creation of this page: shown before it, the new thing would be there twice. */
const CREATION_PATIENCE_MS = 1_000
/** Before a stream that the service has refused is asked for again. */
const REFUSED_PAUSE_MS = 2_000

export interface Followed {
  client: QueryClient
  stands(standing: Standing): void
  /** Something happened to a webhook, which is no part of the board. */
  webhookChanged(): void
  /** The log no longer holds what comes next, or the session has ended: everything is to be read anew. */
  lost(): void
}

/** Follows the log from where the board is, until the answer is called. */
export function follow({ client, stands, webhookChanged, lost }: Followed): () => void {
  let source: EventSource | null = null
  let ended = false
  let hiding: ReturnType<typeof setTimeout> | undefined
  let waiting: EventWire[] = []
  let taking = false

  const boardNow = () => client.getQueryData<Board>(BOARD_KEY)

  function open(): void {
    const board = boardNow()
    if (source !== null || ended || board === undefined) return
    stands('connecting')
    source = new EventSource(`/app/events/stream?after=${waiting.at(-1)?.sequence ?? board.sequence}`)
    source.onopen = () => stands('live')
    source.onmessage = ({ data }) => {
      waiting.push(JSON.parse(data) as EventWire)
      void take()
    }
    source.onerror = () => {
      stands('interrupted')
      // A stream that broke off is opened again by the browser; one that was refused is not.
      if (source?.readyState !== EventSource.CLOSED) return
      close()
      setTimeout(() => {
        if (!ended) lost()
      }, REFUSED_PAUSE_MS)
    }
  }

  function close(): void {
    source?.close()
    source = null
  }

  async function take(): Promise<void> {
    if (taking) return
    taking = true
    while (waiting.length > 0) {
      if (waiting.some(({ type, cause }) => type.endsWith('.created') && cause === 'app'))
        await creationsAnswered(client, CREATION_PATIENCE_MS)
      const events = waiting
      waiting = []
      client.setQueryData<Board>(BOARD_KEY, (board) => board && events.reduce(withEvent, board))
      if (events.some(({ type }) => type.startsWith('webhook.'))) webhookChanged()
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
