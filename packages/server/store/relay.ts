import { Socket } from 'node:net'
import { Client } from 'pg'

/** Carries short words from this process to the others on the same database, soon and most likely. */
export interface Relay {
  send(word: string): void
  /** Calls `listener` with every word of another process. */
  onWord(listener: (word: string) => void): void
  close(): Promise<void>
}

/** How long words are gathered, in ms, to be sent in one statement. */
const GATHERING_MS = 5
/** PostgreSQL takes 7,999 bytes at once; a word is an id of 36. */
const WORDS_A_STATEMENT = 200
const FIRST_BACKOFF_MS = 100
const LONGEST_BACKOFF_MS = 5_000
const CONNECT_TIMEOUT_MS = 3_000
/** A server that does not answer for so long is given up. */
const ANSWER_TIMEOUT_MS = 6_000
/** A connection on which nothing was said for so long is looked after by the system. */
const KEEP_ALIVE_AFTER_MS = 10_000

/**
 * A relay through PostgreSQL's LISTEN and NOTIFY, over a connection of its own that is made anew when it breaks; what is said meanwhile is lost.
 *
 * Words are sent by themselves after the commit that they are about, not within it: a transaction that notifies waits at its commit for every
 * other one that does, which would put all writes of all accounts in one line.
 */
export function postgresRelay(url: string): Relay {
  const listeners: ((word: string) => void)[] = []
  let connection: { client: Client; channel: string } | null = null
  let closing = false
  let backoffMs = FIRST_BACKOFF_MS
  let retry: NodeJS.Timeout | undefined
  const gathered = new Set<string>()
  let sending: NodeJS.Timeout | undefined
  let socket = new Socket()
  let connecting = connect()

  async function connect(): Promise<void> {
    const own = new Socket()
    socket = own
    const client = new Client({
      stream: () => own,
      connectionString: url,
      application_name: 'fivetab relay',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    })
    client.on('error', () => lost(client))
    client.on('end', () => lost(client))
    try {
      await client.connect()
      // Several services can have schemas of their own in one database, and a channel belongs to the database.
      const { rows } = await client.query("select left('fivetab ' || current_schema(), 63) as channel, pg_backend_pid() as pid")
      const [{ channel, pid }] = rows as [{ channel: string; pid: number }]
      client.on('notification', ({ payload = '', processId }) => {
        if (processId !== pid) for (const word of payload.split(' ')) for (const listener of listeners) listener(word)
      })
      await client.query(`listen ${client.escapeIdentifier(channel)}`)
      connection = { client, channel }
      backoffMs = FIRST_BACKOFF_MS
    } catch {
      lost(client)
    }
  }

  const givenUp = new WeakSet<Client>()

  function lost(client: Client): void {
    if (givenUp.has(client)) return
    givenUp.add(client)
    if (connection?.client === client) connection = null
    client.end().catch(() => {})
    if (closing) return
    retry = setTimeout(() => {
      connecting = connect()
    }, backoffMs)
    backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)
  }

  /** Sends what is gathered, and what is gathered meanwhile: one statement after another. */
  async function flush(): Promise<void> {
    while (gathered.size > 0) {
      const words = [...gathered].slice(0, WORDS_A_STATEMENT)
      for (const word of words) gathered.delete(word)
      const { client, channel } = connection ?? {}
      await client?.query('select pg_notify($1, $2)', [channel, words.join(' ')]).catch(() => lost(client))
    }
    sending = undefined
  }

  return {
    send: (word) => {
      gathered.add(word)
      sending ??= setTimeout(flush, GATHERING_MS)
    },
    onWord: (listener) => void listeners.push(listener),
    close: async () => {
      closing = true
      clearTimeout(retry)
      clearTimeout(sending)
      connection = null
      // Without a farewell, which a server that stands still would not answer.
      socket.destroy()
      await connecting
    },
  }
}
