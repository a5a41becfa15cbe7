import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Agent, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import type { Resource } from './builders.ts'
import type { Reply } from './client.ts'

/** A reader of streams of events for tests: it sends exactly the headers that it is given, and gives what comes block by block, none before it is asked for. */

/** What stands between two empty lines of a stream: its fields as they are, and what is said behind a colon. */
export interface Block {
  id?: string
  retry?: string
  data?: string
  comment?: string
}

export interface SourceOptions {
  /** What the address ends with, such as `?after=7`. */
  query?: string
  /** What the address begins with; `/v1` if not said. */
  base?: '/v1' | '/app'
  headers?: Record<string, string>
  agent?: Agent
}

export interface Source extends Disposable {
  /** Without a body when the answer is a stream. */
  reply: Reply
  /** The first block of the stream. */
  beginning: Block
  /** The next block; null when the stream has ended as it should. @throws when it was broken off, or nothing comes in time */
  next(): Promise<Block | null>
  /** The next `count` events, parsed. Asserts that nothing else comes in between, and that each has its sequence as id. */
  events(count: number): Promise<Resource[]>
  /** All blocks up to the end. @throws like `next` */
  rest(): Promise<Block[]>
}

/** How long to wait for what has to come, in ms. */
const PATIENCE_MS = 10_000

/** Opens a stream of the service at `url`, and answers once it has begun, or was refused. It is closed when the test is over. */
export async function openSource(url: string, token: string | null, options: SourceOptions = {}): Promise<Source> {
  const { query = '', base = '/v1', headers = {}, agent = false } = options
  const { hostname, port } = new URL(url)
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const outgoing = request({ hostname, port, path: `${base}/events/stream${query}`, headers: { ...authorization, ...headers }, agent })
  outgoing.end()
  const [incoming] = (await inTime(once(outgoing, 'response'))) as [IncomingMessage]
  // It may be broken off while nobody reads it.
  outgoing.on('error', () => {})
  const isStream = incoming.statusCode === 200
  const text = isStream ? '' : await textOf(incoming)
  const reply = {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers as Reply['headers'],
    text,
    body: text === '' ? undefined : JSON.parse(text),
  }
  const blocks = blocksOf(isStream ? incoming : Readable.from([]))

  async function next(): Promise<Block | null> {
    const { value } = await inTime(blocks.next())
    return value ?? null
  }

  async function events(count: number): Promise<Resource[]> {
    const found: Resource[] = []
    while (found.length < count) {
      const block = await next()
      const { id, data, ...more } = block ?? assert.fail(`the stream has ended after ${found.length} events`)
      const event = JSON.parse(data ?? assert.fail(`this came instead of an event: ${JSON.stringify(block)}`))
      assert.deepEqual([id, more], [String(event.sequence), {}])
      found.push(event)
    }
    return found
  }

  return {
    reply,
    beginning: (await next()) ?? {},
    next,
    events,
    rest: async () => {
      const all: Block[] = []
      for (let block = await next(); block !== null; block = await next()) all.push(block)
      return all
    },
    [Symbol.dispose]: () => outgoing.destroy(),
  }
}

async function* blocksOf(incoming: Readable): AsyncGenerator<Block, null> {
  let left = ''
  for await (const chunk of incoming.setEncoding('utf8')) {
    const texts = (left + chunk).split('\n\n')
    left = texts.pop() ?? ''
    for (const text of texts) yield blockOf(text)
  }
  assert.equal(left, '', 'the stream has ended in the midst of a block')
  return null
}

function blockOf(text: string): Block {
  const fields = text.split('\n').map((line) => {
    const [, name, value] = /^(\w*): (.*)$/.exec(line) ?? assert.fail(`no line of a stream: ${JSON.stringify(line)}`)
    assert.ok(['', 'id', 'retry', 'data'].includes(name as string), line)
    return [name === '' ? 'comment' : name, value]
  })
  assert.equal(new Set(fields.map(([name]) => name)).size, fields.length, text)
  return Object.fromEntries(fields)
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
