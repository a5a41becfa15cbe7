import { Readable } from 'node:stream'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { EVENT_TYPES, type EventType, eventToJson } from '@fivetab/domain/event.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import type { Plan } from '@fivetab/domain/plan.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Bell } from '../store/bell.ts'
import { type LoggedEvent, type LogPage, latestOf, readLog } from '../store/events.ts'
import type { Reader } from '../store/store.ts'
import type { Store } from '../store/turn.ts'
import { sessionRefusals } from './app/session.ts'
import { tokenRefusals } from './bearer.ts'
import type { Caller } from './caller.ts'

/**
 * Open streams of events (Server-Sent Events). Each has a place in its account's log and is given what comes after it, as fast as its reader takes
 * it and no faster: what a slow reader has not taken waits in the log and not in memory.
 */

/** How often streams are looked after, in ms: whether their readers are still let in, whether something was missed, whether one has stood still. */
export const STREAMS_PAUSE_MS = 1_000

/** After so long without a word, a stream is sent a comment. */
const SILENCE_MS = 15_000
/** A reader that takes nothing for so long, though something waits, is cut off. */
const STANDSTILL_MS = 10_000
/** How much waits in memory for one reader at most, and an event more. */
const BUFFER_BYTES = 64 * 1024
/** An event is handed over in parts of this size, so that it shows whether a slow reader takes anything of it. */
const PART_BYTES = 16 * 1024
/** How many events are read for a stream at first, and at most: as many as it takes, lest one that is slow has read a hundredfold of it. */
const FIRST_EVENTS_A_READ = 10
const EVENTS_A_READ = 100
const PASSES_A_READ = 100
const ACCOUNTS_A_READ = 100
const MAX_STREAMS = 10_000
/** A token or session may hold as many streams as it may make requests in so many seconds. */
const SECONDS_OF_REQUESTS = 6
/** What a client is asked to wait before it connects again; with some chance, so that all do not come at once. */
const RETRY_MS = 1_000

interface StreamRequest {
  types: readonly EventType[]
  /** The sequence after which it begins. */
  after: number
}

export interface Streams {
  /** @throws Failure `rate_limited` when the token or session has as many as it may, `unavailable` when the process has, or is stopping */
  open(caller: Caller, wanted: StreamRequest): Readable
  /** Looks after all streams: ends those whose token or session no longer lets in, sends what was missed, and a comment where nothing was said for long. */
  look(): Promise<void>
  /** How many are open. */
  count(): number
  /** Ends all of them, and waits for what is being read; their readers go on elsewhere, or later. */
  close(): Promise<void>
}

interface Stream {
  readonly readable: Readable
  /** What its reader was let in by: the id of a token or of a session. */
  readonly passId: string
  readonly isSession: boolean
  readonly wanted: ReadonlySet<EventType>
  /** All up to this sequence was given to the reader, or is not wanted. */
  position: number
  /** The last id that the reader was told. */
  told: number
  /** Whether there is room for more. */
  takes: boolean
  /** How many events are read for it at once. */
  appetite: number
  /** When it was last given something, in ms since the epoch. */
  saidAt: number
  /** Since when its reader has taken nothing though there is no room, in ms since the epoch, and how many bytes waited for it then. */
  stillSince: number
  waitingBytes: number
  /** Takes it out of its channel; false when it was out already. */
  leave(): boolean
}

/** The streams of one account, which are served one round after another. */
interface Channel {
  streams: Set<Stream>
  serving: Promise<void> | null
  /** Something has happened since the round began. */
  again: boolean
}

/** Of these tokens or sessions, those that let in no longer, by id, and why. */
type Refusals = (reader: Reader, ids: readonly string[], clock: () => number) => Promise<Map<string, Failure>>

interface StreamsOptions {
  store: Store
  bell: Bell
  /** Ms since the epoch. */
  clock: () => number
  log: FastifyBaseLogger
}

export function openStreams({ store, bell, clock, log }: StreamsOptions): Streams {
  const channels = new Map<string, Channel>()
  let count = 0
  let closing = false
  bell.onRing((accountId) => {
    const channel = channels.get(accountId)
    if (channel !== undefined) void serve(accountId, channel)
  })

  function open(caller: Caller, { types, after }: StreamRequest): Readable {
    if (closing || count >= MAX_STREAMS) {
      const reason = closing ? 'The service is stopping.' : `This instance has as many streams open as it can, ${MAX_STREAMS}.`
      throw new Failure('unavailable', reason, { retryAfterSeconds: 5 })
    }
    const { account, plan } = caller
    const isSession = caller.session !== null
    const passId = caller.session === null ? caller.token.id : caller.session.id
    const channel: Channel = channels.get(account.id) ?? { streams: new Set(), serving: null, again: false }
    requireRoom([...channel.streams].filter((stream) => stream.passId === passId).length, isSession ? 'A session' : 'A token', plan)
    channels.set(account.id, channel)
    const readable = new Readable({
      highWaterMark: BUFFER_BYTES,
      read: () => {
        if (stream.takes) return
        stream.takes = true
        void serve(account.id, channel)
      },
      destroy: (error, done) => {
        stream.leave()
        done(error)
      },
    })
    const now = clock()
    const stream: Stream = {
      readable,
      passId,
      isSession,
      wanted: new Set(types),
      position: after,
      told: after,
      takes: true,
      appetite: FIRST_EVENTS_A_READ,
      saidAt: now,
      stillSince: now,
      waitingBytes: 0,
      leave: () => {
        if (!channel.streams.delete(stream)) return false
        count -= 1
        if (channel.streams.size === 0) channels.delete(account.id)
        return true
      },
    }
    channel.streams.add(stream)
    count += 1
    // The id tells where it begins, so that whoever loses it before the first event goes on from there.
    say(stream, `retry: ${Math.round(RETRY_MS * (1 + Math.random()))}\nid: ${after}\n\n`)
    void serve(account.id, channel)
    return readable
  }

  function say(stream: Stream, text: string | Uint8Array): void {
    const { readable } = stream
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    let hasRoom = true
    for (let from = 0; from < bytes.length; from += PART_BYTES) hasRoom = readable.push(bytes.subarray(from, from + PART_BYTES))
    stream.saidAt = clock()
    stream.takes = hasRoom
    if (!hasRoom) {
      stream.stillSince = stream.saidAt
      stream.waitingBytes = readable.readableLength
    }
  }

  /** Whether its reader has taken nothing for too long. */
  function standsStill(stream: Stream, now: number): boolean {
    const { readableLength } = stream.readable
    if (stream.takes || readableLength < stream.waitingBytes) {
      stream.stillSince = now
      stream.waitingBytes = readableLength
    }
    return now - stream.stillSince >= STANDSTILL_MS
  }

  /** Ends it, unless it has ended already. */
  function end(stream: Stream, reason: string): void {
    if (!stream.leave()) return
    // Whoever does not read would not read this either, and is waited for no longer.
    if (!stream.takes) return void stream.readable.destroy()
    say(stream, `: ${reason}\n\n`)
    stream.readable.push(null)
  }

  /** Gives the account's streams all that there is for them. Never throws: what failed is tried again with the next look. */
  function serve(accountId: string, channel: Channel): Promise<void> {
    channel.again = true
    channel.serving ??= (async () => {
      try {
        while (channel.again) {
          channel.again = false
          if (await serveOnce(accountId, channel)) channel.again = true
          // The embedded database answers within this turn: others come in between.
          if (channel.again) await nextTurnOfTheLoop()
        }
      } catch (err) {
        log.warn({ err }, 'streams of an account could not be served; it is tried again')
      } finally {
        channel.serving = null
      }
    })()
    return channel.serving
  }

  /** A page for each of the account's streams that has room; those near each other share one. Answers whether there is more. */
  async function serveOnce(accountId: string, channel: Channel): Promise<boolean> {
    const ready = [...channel.streams].filter(({ takes }) => takes).sort((a, b) => a.position - b.position)
    let hasMore = false
    for (let [last] = ready; last !== undefined; [last] = ready) {
      const page = await readLog(store, accountId, { after: last.position, types: EVENT_TYPES, limit: last.appetite })
      const beyond = ready.findIndex(({ position }) => position > page.through)
      const streams = ready.splice(0, beyond === -1 ? ready.length : beyond)
      if (page.events.length === 0 && page.earliest - 1 <= last.position) continue
      // After the log was read: what a token that was revoked since, or a session that has ended, may not see was written after that.
      await endUnwelcome(streams)
      giveAll(channel, streams, page)
      hasMore ||= page.hasMore && streams.some((stream) => stream.takes && channel.streams.has(stream))
    }
    return hasMore
  }

  function giveAll(channel: Channel, streams: readonly Stream[], page: LogPage): void {
    const texts = new Map<LoggedEvent, Uint8Array>()
    for (const stream of streams) {
      if (!channel.streams.has(stream)) continue
      if (page.earliest - 1 > stream.position) end(stream, 'What comes next is no longer in the log.')
      else give(stream, page, texts)
    }
  }

  /** Gives a reader what it wants of a page, as far as there is room. `texts` keeps what others want too. */
  function give(stream: Stream, { events, through }: LogPage, texts: Map<LoggedEvent, Uint8Array>): void {
    let given = 0
    for (const event of events) {
      if (event.sequence <= stream.position) continue
      if (!stream.takes) {
        stream.appetite = Math.max(1, given)
        return
      }
      if (stream.wanted.has(event.type)) {
        const text = texts.get(event) ?? Buffer.from(`id: ${event.sequence}\ndata: ${eventToJson(event)}\n\n`)
        texts.set(event, text)
        say(stream, text)
        stream.told = event.sequence
      }
      stream.position = event.sequence
      given += 1
    }
    stream.position = through
    stream.appetite = Math.min(stream.appetite * 2, EVENTS_A_READ)
  }

  /** Ends those of the streams whose tokens or sessions no longer let in. */
  async function endUnwelcome(streams: readonly Stream[]): Promise<void> {
    const { token = [], session = [] } = Object.groupBy(streams, ({ isSession }) => (isSession ? 'session' : 'token'))
    await endRefused(token, tokenRefusals)
    await endRefused(session, sessionRefusals)
  }

  async function endRefused(streams: readonly Stream[], refusalsOf: Refusals): Promise<void> {
    const byPass = [...Map.groupBy(streams, ({ passId }) => passId)]
    for (let from = 0; from < byPass.length; from += PASSES_A_READ) {
      const some = byPass.slice(from, from + PASSES_A_READ)
      const ids = some.map(([passId]) => passId)
      const refused = await refusalsOf(store, ids, clock)
      for (const [passId, its] of some) {
        const refusal = refused.get(passId)
        if (refusal !== undefined) for (const stream of its) end(stream, refusal.message)
      }
    }
  }

  async function look(): Promise<void> {
    const now = clock()
    for (const stream of all()) if (standsStill(stream, now)) stream.readable.destroy()
    try {
      await endUnwelcome(all())
      await serveThoseBehind()
    } finally {
      // Also while the database is away.
      for (const stream of all()) if (stream.takes && now - stream.saidAt >= SILENCE_MS) keepAlive(stream)
    }
  }

  /** What a hint was lost for. */
  async function serveThoseBehind(): Promise<void> {
    const accountIds = [...channels.keys()]
    for (let from = 0; from < accountIds.length; from += ACCOUNTS_A_READ) {
      for (const [accountId, latest] of await latestOf(store, accountIds.slice(from, from + ACCOUNTS_A_READ))) {
        const channel = channels.get(accountId)
        if ([...(channel?.streams ?? [])].some(({ position }) => position < latest)) void serve(accountId, channel as Channel)
      }
    }
  }

  function all(): Stream[] {
    return [...channels.values()].flatMap(({ streams }) => [...streams])
  }

  /** A comment, and with it how far the stream has come where that says more than the last event did. */
  function keepAlive(stream: Stream): void {
    say(stream, stream.position > stream.told ? `: still here\nid: ${stream.position}\n\n` : ': still here\n\n')
    stream.told = stream.position
  }

  return {
    open,
    look,
    count: () => count,
    close: async () => {
      closing = true
      const serving = [...channels.values()].map((channel) => channel.serving)
      for (const stream of all()) end(stream, 'The service is stopping.')
      await Promise.all(serving)
    },
  }
}

/** @throws Failure `rate_limited` */
function requireRoom(open: number, who: string, plan: Plan): void {
  const limit = Math.max(1, Math.floor((plan.tokenPerMinute * SECONDS_OF_REQUESTS) / 60))
  if (open < limit) return
  throw new Failure('rate_limited', `${who} may have ${limit} streams open at once, and it has.`, { retryAfterSeconds: 5 })
}
