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
  let gathered = new Set<string>()
  let sending: NodeJS.Timeout | undefined
  let connecting = connect()

  async function connect(): Promise<void> {
    const client = new Client({
      connectionString: url,
      application_name: 'fivetab relay',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
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

  const given = new WeakSet<Client>()

  function lost(client: Client): void {
    if (given.has(client)) return
    given.add(client)
    if (connection?.client === client) connection = null
    client.end().catch(() => {})
    if (closing) return
    retry = setTimeout(() => {
      connecting = connect()
    }, backoffMs)
    backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)
  }

  function flush(): void {
    sending = undefined
    const words = [...gathered]
    gathered = new Set()
    if (connection === null) return
    const { client, channel } = connection
    for (let from = 0; from < words.length; from += WORDS_A_STATEMENT) {
      const payload = words.slice(from, from + WORDS_A_STATEMENT).join(' ')
      client.query('select pg_notify($1, $2)', [channel, payload]).catch(() => lost(client))
    }
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
      await connecting
      const { client } = connection ?? {}
      connection = null
      if (client !== undefined && !given.has(client)) {
        given.add(client)
        await client.end().catch(() => {})
      }
    },
  }
}
