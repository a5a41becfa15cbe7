/**
 * Keeps a copy of an account in a file, and the file in step with the account:
 *
 *   FIVETAB_URL=http://127.0.0.1:3000/v1 FIVETAB_TOKEN=svc_pat_… node examples/mirror.ts copy.json
 *
 * It follows docs/sync.md. It can be stopped or killed at any instant: the file is right as of its `sequence`, and the next start goes on from there.
 * The token needs tasks:read, projects:read and workflows:read.
 */

import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

const { FIVETAB_URL = 'http://127.0.0.1:3000/v1', FIVETAB_TOKEN = '' } = process.env

/** What is kept here. Without it, a token with more scopes is told of more, such as webhooks. */
const TYPES = 'task.*,project.*,workflow.*,status.*'
const ANSWER_MS = 30_000
/** The service says something every 15 s: a stream that is silent for three times as long is dead. */
const SILENCE_MS = 45_000
const LONGEST_BACKOFF_MS = 30_000

type Resource = { object: 'task' | 'project' | 'workflow' | 'status'; id: string; [field: string]: unknown }

type Event = { sequence: number; type: string; data: Resource }

/** The account as it was after the event of this sequence: its resources by id, which no two have in common. */
type Copy = { sequence: number; resources: Record<string, Resource> }

function apply({ resources }: Copy, { type, data }: Event): void {
  if (type.endsWith('.deleted')) delete resources[data.id]
  else resources[data.id] = data
}

/** An answer that is not the one that was hoped for. */
class Refusal extends Error {
  readonly status: number
  readonly retryAfterMs: number
  /** The log no longer holds all that came after the sequence that was sent. */
  readonly isOutOfReach: boolean

  constructor({ status, headers }: Response, problem: { detail?: string; errors?: { code: string; detail: string }[] }) {
    const errors = problem.errors ?? []
    super(`${status}: ${errors.map(({ detail }) => detail).join(' ') || problem.detail}`)
    this.status = status
    this.retryAfterMs = (Number(headers.get('retry-after')) || 0) * 1000
    this.isOutOfReach = errors.some(({ code }) => code === 'out_of_range')
  }
}

/** @throws Refusal, or whatever else a connection fails with */
async function request(path: string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(`${FIVETAB_URL}${path}`, { signal, headers: { Authorization: `Bearer ${FIVETAB_TOKEN}`, ...headers } })
  if (response.ok) return response
  throw new Refusal(response, (await response.json().catch(() => ({}))) as object)
}

/** Asks until there is an answer, with growing pauses and some chance in them. @throws Refusal that asking again would not change */
async function persistently<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      const refusal = error instanceof Refusal ? error : null
      if (refusal !== null && refusal.status !== 429 && refusal.status < 500) throw refusal
      const backoffMs = Math.min(LONGEST_BACKOFF_MS, 1000 * 2 ** attempt) * (0.5 + Math.random() / 2)
      await pause(Math.max(backoffMs, refusal?.retryAfterMs ?? 0))
    }
  }
}

type Page<T> = { data: T[]; next_cursor: string | null; latest_sequence: number }

const pageAt = <T>(path: string): Promise<Page<T>> =>
  persistently(async () => (await request(path, AbortSignal.timeout(ANSWER_MS))).json() as Promise<Page<T>>)

async function* pagesOf<T>(path: string): AsyncGenerator<Page<T>> {
  let page = await pageAt<T>(path)
  yield page
  while (page.next_cursor !== null) {
    page = await pageAt<T>(`${path}&cursor=${page.next_cursor}`)
    yield page
  }
}

async function readEverything(): Promise<Copy> {
  const copy: Copy = { sequence: (await pageAt<Event>('/events?limit=1')).latest_sequence, resources: {} }
  const read = async (path: string) => {
    for await (const { data } of pagesOf<Resource>(path)) for (const resource of data) copy.resources[resource.id] = resource
  }
  await read('/tasks?include_archived=true&limit=100')
  await read('/projects?include_archived=true&limit=100')
  await read('/workflows?limit=100')
  for (const { object, id } of Object.values(copy.resources)) {
    if (object === 'workflow') await read(`/workflows/${id}/statuses`).catch(unlessGone)
  }
  // What was read is of many instants. With all that has happened since the first, it is the account at one.
  for await (const { data, latest_sequence } of pagesOf<Event>(`/events?after=${copy.sequence}&types=${TYPES}&limit=100`)) {
    for (const event of data) apply(copy, event)
    copy.sequence = latest_sequence
  }
  return copy
}

/** A Workflow may be deleted while everything is read; the log tells of it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Refusal && error.status === 404)) throw error
}

/** The text of the stream of all that comes after this sequence, until it ends or breaks: either way one connects again. */
async function openStream(after: number): Promise<AsyncGenerator<string>> {
  const silence = new AbortController()
  const watchdog = setTimeout(() => silence.abort(), SILENCE_MS).unref()
  const { body } = await request(`/events/stream?types=${TYPES}`, silence.signal, { 'Last-Event-ID': String(after) })
  return (async function* () {
    try {
      // It gives at once all that came since it was last asked, and a character that is cut between two chunks in one piece.
      for await (const text of Readable.fromWeb(body as NonNullable<typeof body>).setEncoding('utf8')) {
        watchdog.refresh()
        yield text
      }
    } catch {
      // The connection broke.
    }
  })()
}

/**
 * The messages of Server-Sent Events (as the HTML standard defines them) that each piece of text completes; pieces may be cut anywhere. `id` is
 * the last that was told. `data` is empty where a message tells only how far the stream has come, or nothing.
 */
export async function* messagesIn(pieces: AsyncIterable<string>): AsyncGenerator<{ id: string; data: string }[]> {
  let [rest, id] = ['', '']
  let data: string[] = []
  for await (const piece of pieces) {
    // A carriage return at the end may be the first half of a line's end.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    const messages = []
    for (const line of lines) {
      // A comment is a field without a name.
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'id') id = value
      if (field === 'data') data.push(value)
      if (line !== '') continue
      messages.push({ id, data: data.join('\n') })
      data = []
    }
    yield messages
  }
}

/** Keeps the copy up to date until the connection ends. */
async function follow(copy: Copy, file: string): Promise<void> {
  for await (const messages of messagesIn(await persistently(() => openStream(copy.sequence)))) {
    const before = copy.sequence
    for (const { id, data } of messages) {
      if (data !== '') apply(copy, JSON.parse(data))
      if (id !== '') copy.sequence = Number(id)
    }
    if (copy.sequence !== before) await save(copy, file)
  }
}

/**
 * A file is renamed in one step, so that it is always whole, and the copy and its sequence change together. This writes all of it each time; a
 * database would store what the events say, and the sequence, in one transaction.
 */
async function save(copy: Copy, file: string): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(copy), { flush: true })
  await rename(`${file}.new`, file)
}

/** @throws Refusal, such as of a token that has ended */
async function keepInStep(file: string): Promise<never> {
  let copy: Copy | null = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : null
  for (;;) {
    try {
      if (copy === null) {
        copy = await readEverything()
        await save(copy, file)
      }
      process.stdout.write(`${Object.keys(copy.resources).length} resources as of event ${copy.sequence}; following\n`)
      await follow(copy, file)
      await pause(1000 * (1 + Math.random()))
    } catch (error) {
      if (!(error instanceof Refusal && error.isOutOfReach)) throw error
      process.stdout.write(`${error.message}\n`)
      copy = null
    }
  }
}

if (import.meta.main) {
  const [file = 'copy.json'] = process.argv.slice(2)
  await keepInStep(file).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
}
