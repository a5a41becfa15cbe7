import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Client, clientOf, exchange, type Reply } from '../test/client.ts'
import { fivetabJson } from '../test/fivetab.ts'
import { operationsIn } from '../test/operations.ts'
import { inTurns } from './keyed-writes.ts'
import {
  type DescribedOperation,
  type Document,
  emptyPool,
  type GeneratedRequest,
  generate,
  learn,
  optionsOf,
  type TokenName,
} from './request-generator.ts'
import { type OpenTally, openSite, openTally, type Running, randomFrom, type Scenario, type Site } from './scenario.ts'
import { REACHABLE } from './webhook-receivers.ts'

/** Requests made from the service's own document, right ones and wrong ones, many at once: whatever is sent, the answer is one that the document has. */

const AT_ONCE = 16

export const generatedRequests: Scenario = {
  name: 'requests generated from the document',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 420 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await using running = await site.serve({ environment: REACHABLE })
    const tally = openTally()
    const document: Document = (await running.api.get('/openapi.json')).body
    const contract = contractOf(document)
    const clients = await clientsFor(site, running)
    const random = randomFrom(seed)
    const pool = emptyPool()
    const counts = new Map<string, number>()
    const answered = new Set<string>()
    await inTurns([...Array(isShort ? 1_500 : 50_000).keys()], AT_ONCE, async (index) => {
      tally.attempts += 1
      if (index % 100 === 99) return broken(running, random, tally)
      const made = generate({ random, document, pool }, contract.operations)
      const reply = await replyTo(made, running, clients).catch((error: Error) => error)
      if (reply instanceof Error) return tally.fault(`no answer (${reply.message}) to ${curl(made)}`)
      counts.set(String(reply.status), (counts.get(String(reply.status)) ?? 0) + 1)
      const { operation, faults } = judge(contract, made, reply)
      if (operation !== null) answered.add(`${operation.operationId} ${reply.status}`)
      if (faults.length > 0) tally.fault(`${faults.join('; ')}: ${reply.status} ${reply.text.slice(0, 400)} to ${curl(made)}`)
      const surplus = learn(pool, made, reply)
      if (surplus !== undefined) await clients.all.delete(`/webhooks/${surplus}`)
    })
    tally.note(
      `answers: ${[...counts]
        .sort()
        .map(([status, count]) => `${count} × ${status}`)
        .join(', ')}; ${answered.size} kinds of them`,
    )
    return tally
  },
}

async function clientsFor(site: Site, { service, agent, api }: Running): Promise<Record<TokenName, Client>> {
  const scopes = 'tasks:read,projects:read,workflows:read'
  const { token } = await fivetabJson(site, `token create --account ${site.email} --name reading --scopes ${scopes} --expires-in 1d`)
  return { all: api, reading: clientOf(service.url, token, agent), none: clientOf(service.url, null, agent) }
}

/** A stream has no end: its beginning is its answer. */
async function replyTo(sent: GeneratedRequest, { service, agent }: Running, clients: Record<TokenName, Client>): Promise<Reply> {
  const { method, path, headers, raw, token } = sent
  if (!decoded(path)?.includes('/events/stream') || method !== 'GET') return clients[token].send(method, path, optionsOf(sent))
  const { hostname, port } = new URL(service.url)
  const authorization = token === 'none' ? {} : { authorization: `Bearer ${clients[token].token}` }
  const length = raw === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(raw) }
  const place = path.startsWith('//') ? path.slice(1) : `/v1${path}`
  const outgoing = request({ hostname, port, path: place, method, headers: { ...authorization, ...length, ...headers }, agent })
  outgoing.end(raw)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  outgoing.on('error', () => {})
  const { statusCode: status = 0, headers: received } = incoming
  const isStream = received['content-type'] === 'text/event-stream'
  const text = isStream ? String((await once(incoming, 'data'))[0]) : await textOf(incoming)
  if (isStream) outgoing.destroy()
  return { status, headers: received as Reply['headers'], text, body: isStream ? text : JSON.parse(text) }
}

/** The request in a form to try it again with; `$TOKEN` stands for the token. */
function curl({ method, path, headers, raw, token, mistakes }: GeneratedRequest): string {
  const address = path.startsWith('//') ? `$ROOT${path.slice(1)}` : `$API${path}`
  const sent = { ...(token !== 'none' && { authorization: 'Bearer $TOKEN' }), ...headers }
  const lines = Object.entries(sent).map(([name, value]) => `-H '${name}: ${value.slice(0, 100)}'`)
  const body = raw === undefined ? [] : [`-d '${typeof raw === 'string' ? raw.slice(0, 600) : Buffer.from(raw).toString('latin1')}'`]
  return ['curl -i -g -X', method, `'${address.slice(0, 400)}'`, ...lines, ...body, `# ${mistakes.join(', ') || 'right'}`].join(' ')
}

interface Contract {
  operations: readonly DescribedOperation[]
  paths: { pattern: RegExp; operations: Map<string, DescribedOperation> }[]
  /** The check of a body, by operation, status and media type. */
  bodies: Map<string, ValidateFunction>
  headers: Record<string, ValidateFunction>
}

const FORMATS = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uri: /^http:\/\/\S+$/,
  emoji: /^\p{Extended_Pictographic}|^\p{Regional_Indicator}/u,
}

function contractOf(document: Document): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format)
  ajv.addSchema(document, 'document')
  const operations = operationsIn(document) as DescribedOperation[]
  const bodies = new Map<string, ValidateFunction>()
  for (const { operationId, responses } of operations) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const [type, { schema }] of Object.entries(content as Record<string, { schema: object }>)) {
        bodies.set(`${operationId} ${status} ${type}`, ajv.compile(withRefsTo('document', schema)))
      }
    }
  }
  const named = (document.components as unknown as { headers: Record<string, { schema: object }> }).headers
  const headers = Object.fromEntries(Object.entries(named).map(([name, { schema }]) => [name, ajv.compile(schema)]))
  return { operations, paths: pathsOf(operations), bodies, headers }
}

/** The schema with its references to parts of a document as references into the document of that name. */
function withRefsTo(name: string, schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"${name}#`))
}

function pathsOf(operations: readonly DescribedOperation[]): Contract['paths'] {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return [...byPath].map(([path, its]) => ({
    pattern: new RegExp(`^/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    operations: new Map(its.map((operation) => [operation.method, operation])),
  }))
}

interface Judgement {
  operation: DescribedOperation | null
  faults: string[]
}

function judge(contract: Contract, request: GeneratedRequest, reply: Reply): Judgement {
  const url = request.path.startsWith('//') ? request.path.slice(1) : `/v1${request.path}`
  // A fragment does not belong here (RFC 9112, 3.2); the service takes it for a query.
  const path = decoded(url.split(/[?#]/)[0] as string)
  const isTokenInUrl = url.includes('svc_pat_')
  const found = path === null ? undefined : contract.paths.find(({ pattern }) => pattern.test(path))
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const operation = found?.operations.get(method) ?? null
  if (reply.status === 500 || reply.status === 503) return { operation, faults: [`it answered ${reply.status}`] }
  if (reply.headers['x-request-id'] === undefined) return { operation, faults: ['there is no X-Request-Id'] }
  if (isTokenInUrl || path === null) return { operation, faults: problemFaults(request, reply, 400, 'invalid_request') }
  if (operation === null) return { operation, faults: [...problemFaults(request, reply, 404, 'not_found'), ...allowFaults(found, reply)] }
  return { operation, faults: [...answerFaults(contract, operation, request, reply), ...verdictFaults(request, reply)] }
}

/** Null for a path whose encoding stands for nothing. */
function decoded(path: string): string | null {
  try {
    decodeURIComponent(path)
    return decodeURI(path)
  } catch {
    return null
  }
}

function problemFaults({ method }: GeneratedRequest, { status, headers, body }: Reply, expected: number, code: string): string[] {
  const isRight =
    status === expected &&
    headers['content-type'] === 'application/problem+json' &&
    (method === 'HEAD' || (body.code === code && body.status === expected && body.request_id === headers['x-request-id']))
  return isRight ? [] : [`it should be a problem document of ${expected} ${code}`]
}

function allowFaults(found: Contract['paths'][number] | undefined, { headers }: Reply): string[] {
  const methods = [...(found?.operations.keys() ?? [])]
  const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join()
  const was = (headers.allow?.split(', ') ?? []).sort().join()
  return was === expected ? [] : [`Allow should be ${expected}`]
}

function answerFaults(
  { bodies, headers: checks }: Contract,
  { operationId, responses }: DescribedOperation,
  request: GeneratedRequest,
  reply: Reply,
): string[] {
  const { status, headers, body, text } = reply
  const described = responses[status]
  if (described === undefined) return ['the document does not have this status']
  const faults: string[] = []
  const types = Object.keys(described.content ?? {})
  const type = headers['content-type']?.split(';')[0]
  if (request.method === 'HEAD' || types.length === 0) {
    if (text !== '') faults.push('there is a body')
  } else if (type === undefined || !types.includes(type)) {
    faults.push(`the Content-Type is not ${types.join(' or ')}`)
  } else {
    const check = bodies.get(`${operationId} ${status} ${type}`)
    if (check?.(body) !== true) faults.push(`the body does not fit its schema (${JSON.stringify(check?.errors?.[0])})`)
  }
  for (const name of Object.keys(described.headers)) {
    const value = headers[name.toLowerCase()]
    if (value === undefined && isDue(name, reply)) faults.push(`${name} is missing`)
    if (value !== undefined && checks[name]?.(/^\d+$/.test(value) && name.startsWith('RateLimit') ? Number(value) : value) === false)
      faults.push(`${name} is malformed`)
  }
  if (body !== undefined && status >= 400 && (body.status !== status || body.request_id !== headers['x-request-id']))
    faults.push('the problem is of another answer')
  if (status < 300 && headers.etag !== undefined && request.method !== 'HEAD' && headers.etag !== body?.version)
    faults.push('the ETag is not the version')
  return faults
}

/** Of the headers that the document lists, some go with a part of the answers of their status only. */
function isDue(name: string, { body }: Reply): boolean {
  if (name === 'Deprecation' || name === 'Sunset') return false
  if (name === 'WWW-Authenticate') return body === undefined || body.code === 'invalid_token' || body.code === 'insufficient_scope'
  return true
}

/** What a right request may be refused for: by what is stored. */
const STORED = ['conflict', 'unknown_reference']

/** Whether it was accepted or refused as it should be. */
function verdictFaults({ isRight, token }: GeneratedRequest, { status, body }: Reply): string[] {
  if (isRight === false && status < 400) return ['it should be refused']
  if (isRight === false && token === 'all' && status !== 400) return ['it should be refused with 400']
  if (isRight !== true || status !== 400) return []
  const errors = body.errors as { name: string; code: string }[]
  const isStored = errors.every(({ name, code }) => STORED.includes(code) || (name === '' && code === 'out_of_range'))
  return isStored ? [] : ['it is right by the document, and should not be refused for itself']
}

const HOST = 'Host: tasks.example.org\r\nConnection: close\r\n'

/** Sends what no client would, and holds the answer against what the contract has for it. */
async function broken({ service }: Running, random: () => number, tally: OpenTally): Promise<void> {
  const bytes = BROKEN[Math.floor(random() * BROKEN.length)] as string
  const received = await exchange(service.url, bytes).catch((error: Error) => error.message)
  const [head = '', body = ''] = received.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1])
  const isProblem =
    [400, 401, 404].includes(status) && /^content-type: application\/problem\+json$/im.test(head) && body.includes(`"status":${status}`)
  if (!isProblem || !/^x-request-id: \S+$/im.test(head)) tally.fault(`${received.slice(0, 300)} to ${JSON.stringify(bytes.slice(0, 200))}`)
}

const BROKEN = [
  'nonsense\r\n\r\n',
  `GET /v1/me HTTP/9.9\r\n${HOST}\r\n`,
  `FROB /v1/me HTTP/1.1\r\n${HOST}\r\n`,
  `GET /v1/me HTTP/1.1\r\n${HOST}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
  `GET /v1/tasks/${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
  `GET /v1/me HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`,
  `GET /v1/me HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`,
  `GET /v1/me HTTP/1.1\r\n${HOST}X : a\r\n\r\n`,
  `GET /v1/me HTTP/1.1\r\n${HOST} folded: a\r\n\r\n`,
  `GET /v1/me HTTP/1.1\r\n${HOST}: a\r\n\r\n`,
  `GET  HTTP/1.1\r\n${HOST}\r\n`,
  `GET /v1/me\r\n${HOST}\r\n`,
  `POST /v1/tasks HTTP/1.1\r\n${HOST}Content-Length: -5\r\n\r\n`,
  `POST /v1/tasks HTTP/1.1\r\n${HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
  `POST /v1/tasks HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST /v1/tasks HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
  `GET /v1/tasks HTTP/1.1\r\n${HOST}Authorization: \x01\r\n\r\n`,
  'GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n',
  `CONNECT /v1/me HTTP/1.1\r\n${HOST}\r\n`,
]
