import { UNKNOWN_ID } from '../test/builders.ts'
import type { Reply, SendOptions } from '../test/client.ts'
import type { Operation } from '../test/operations.ts'

/** Requests made from the service's own document: right ones, and right ones with something wrong with them. */

/** A JSON Schema, as far as the document has any. */
interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

interface Parameter {
  name: string
  in: string
  schema: Schema
}

export type DescribedOperation = Operation & {
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
}

export interface Document {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema> }
}

/** What is sent, and what is known of the answer beforehand. */
export interface GeneratedRequest {
  method: string
  /** Below `/v1`, unless it begins with `//`, which stands for the root. */
  path: string
  headers: Record<string, string>
  raw?: string | Uint8Array
  token: TokenName
  /** True when it is right by the document, false when it must be refused, null when that is open. */
  isRight: boolean | null
  /** What was done to it, for a reader. */
  mistakes: string[]
}

/** Whose token it is sent with: of every scope, of scopes for reading, or what is no token. */
export type TokenName = 'all' | 'reading' | 'none'

/** Ids of what is there, and addresses of pages that follow on one that was read. */
export interface Pool {
  tasks: string[]
  projects: string[]
  workflows: string[]
  webhooks: string[]
  /** With the ids of what they belong to. */
  steps: [task: string, id: string][]
  statuses: [workflow: string, id: string][]
  deliveries: [webhook: string, id: string][]
  /** Places that the log has come to. */
  sequences: number[]
  pages: string[]
  keys: { operationId: string; key: string; raw: string }[]
}

export function emptyPool(): Pool {
  return {
    tasks: [],
    projects: [],
    workflows: [],
    webhooks: [],
    steps: [],
    statuses: [],
    deliveries: [],
    sequences: [0],
    pages: [],
    keys: [],
  }
}

const POOL_SIZE = 40

/** Takes in what an answer shows to be there, and forgets what it says is gone. Answers with a webhook that is one too many, or undefined. */
export function learn(pool: Pool, { method, path, token }: GeneratedRequest, { status, body }: Reply): string | undefined {
  if (status === 204) forget(pool, path)
  if (status === 200 && body?.latest_sequence !== undefined) push(pool.sequences, body.latest_sequence)
  // Where a token sees less, the page that follows is its own.
  if (status === 200 && token === 'all' && body?.object === 'list' && body.next_cursor !== null) {
    const [list, query = ''] = path.split('?')
    const parameters = new URLSearchParams(query)
    parameters.set('cursor', body.next_cursor)
    push(pool.pages, `${list}?${parameters}`)
  }
  if (status === 202) push(pool.deliveries, [body.webhook_id, body.id])
  if (status !== 201 || method !== 'POST') return undefined
  if (body.object === 'task') push(pool.tasks, body.id)
  if (body.object === 'project') push(pool.projects, body.id)
  if (body.object === 'workflow') push(pool.workflows, body.id)
  if (body.object === 'webhook') return push(pool.webhooks, body.id)
  if (body.object === 'step') push(pool.steps, [body.task_id, body.id])
  for (const status of body.object === 'status' ? [body] : (body.statuses ?? [])) push(pool.statuses, [status.workflow_id, status.id])
  return undefined
}

/** Answers with the one that has to make room. */
function push<T>(all: T[], one: T): T | undefined {
  all.push(one)
  return all.length > POOL_SIZE ? all.shift() : undefined
}

function forget(pool: Pool, path: string): void {
  const gone = path.split(/[/?]/).at(-1) as string
  for (const name of ['tasks', 'projects', 'workflows', 'webhooks'] as const) pool[name] = pool[name].filter((id) => id !== gone)
  for (const name of ['steps', 'statuses', 'deliveries'] as const) pool[name] = pool[name].filter((ids) => !ids.includes(gone))
}

interface Chance {
  random: () => number
  document: Document
  pool: Pool
}

function anyOf<T>({ random }: Pick<Chance, 'random'>, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}

/** A request to one of the operations. */
export function generate(chance: Chance, operations: readonly DescribedOperation[]): GeneratedRequest {
  const { random } = chance
  const first = anyOf(chance, operations)
  // Fewer deletions, or there would be little to ask about.
  const operation = first.method === 'DELETE' && random() < 0.6 ? anyOf(chance, operations) : first
  const request = rightRequest(chance, operation)
  if (random() < 0.45) return request
  for (let count = random() < 0.7 ? 1 : 2; count > 0; count--) {
    const [name, spoil] = anyOf(chance, MISTAKES)
    const spoilt = spoil(request, chance, operation)
    if (spoilt === null) continue
    // The last one says: what it made wrong, no other makes right again.
    Object.assign(request, spoilt, { mistakes: [...request.mistakes, name] })
  }
  // Then what was wrong may be right.
  if (request.mistakes.some((name) => ELSEWHERE.includes(name))) request.isRight = null
  return request
}

function rightRequest(chance: Chance, operation: DescribedOperation): GeneratedRequest {
  const { random, pool } = chance
  const { method, operationId, requestBody } = operation
  const headers: Record<string, string> = {}
  for (const { name, in: place } of operation.parameters ?? []) {
    if (place === 'header' && random() < 0.3) headers[name.toLowerCase()] = headerValue(chance, name)
  }
  const list = new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}\\?`)
  const nextPages = method === 'GET' ? pool.pages.filter((page) => list.test(page)) : []
  const path =
    nextPages.length > 0 && random() < 0.3 ? anyOf(chance, nextPages) : `${pathOf(chance, operation.path)}${queryOf(chance, operation)}`
  const request: GeneratedRequest = { method, path, headers, token: 'all', isRight: true, mistakes: [] }
  if (requestBody === undefined || (!requestBody.required && random() < 0.5)) return request
  const schema = requestBody.content['application/json']?.schema ?? {}
  request.raw = JSON.stringify(valueFor(chance, schema, ''))
  headers['content-type'] = anyOf(chance, ['application/json', 'application/json', 'application/json; charset=utf-8', 'Application/JSON'])
  const key = headers['idempotency-key']
  if (key !== undefined) {
    const used = pool.keys.filter((one) => one.operationId === operationId)
    if (used.length > 0 && random() < 0.3) Object.assign(request, { raw: anyOf(chance, used).raw })
    push(pool.keys, { operationId, key, raw: request.raw })
  }
  return request
}

function headerValue({ random, pool }: Chance, name: string): string {
  if (name === 'Idempotency-Key') {
    const again = random() < 0.3 ? pool.keys.at(-1 - Math.floor(random() * pool.keys.length)) : undefined
    return again?.key ?? `key ${Math.floor(random() * 1e9)}`
  }
  if (name === 'Last-Event-ID') return String(anyOf({ random }, pool.sequences))
  return anyOf({ random }, ['*', '"1"', '1', '"2"', 'W/"1"', '"1", "2"', '"9"'])
}

/** The path with ids for its parameters, most often of things that are there. */
function pathOf(chance: Chance, path: string): string {
  const { pool, random } = chance
  const [, kind = ''] = path.split('/')
  const { step_id, status_id, delivery_id } = { step_id: pool.steps, status_id: pool.statuses, delivery_id: pool.deliveries }
  const pairs = path.includes('{step_id}')
    ? step_id
    : path.includes('{status_id}')
      ? status_id
      : path.includes('{delivery_id}')
        ? delivery_id
        : []
  const pair = pairs.length > 0 && random() < 0.85 ? anyOf(chance, pairs) : null
  const own = kind in pool ? (pool[kind as 'tasks' | 'projects' | 'workflows' | 'webhooks'] as string[]) : []
  return path
    .replace('{id}', pair?.[0] ?? anyId(chance, own))
    .replace(/\{\w+\}/, pair?.[1] ?? anyId(chance, random() < 0.5 ? pool.statuses.map(([, id]) => id) : pool.steps.map(([, id]) => id)))
}

function anyId(chance: Chance, there: readonly string[]): string {
  return there.length > 0 && chance.random() < 0.85 ? anyOf(chance, there) : UNKNOWN_ID
}

function queryOf(chance: Chance, { parameters = [] }: DescribedOperation): string {
  const query = new URLSearchParams()
  for (const { name, in: place, schema } of parameters) {
    // A cursor is right only as it was given.
    if (place === 'query' && name !== 'cursor' && chance.random() < 0.2) query.set(name, String(parameterFor(chance, schema, name)))
  }
  return query.size > 0 ? `?${query}` : ''
}

function parameterFor(chance: Chance, schema: Schema, name: string): unknown {
  if (name === 'after') return anyOf(chance, chance.pool.sequences)
  if (name === 'types')
    return Array.from({ length: 1 + Math.floor(chance.random() * 3) }, () => anyOf(chance, patternsIn(chance))).join(',')
  return valueFor(chance, schema, name)
}

/** What a webhook, and whoever reads the log, can ask for. */
function patternsIn({ document }: Chance): readonly unknown[] {
  return document.components.schemas.CreateWebhook?.properties?.event_types?.items?.enum ?? []
}

/** Addresses of a port at which nobody listens; the service was told that it may reach them. */
const ADDRESSES = ['http://127.0.0.1:9', 'https://127.0.0.1:9/hooks?a=b', 'http://127.1:9/é', 'http://2130706433:9/']
/** What no webhook may have. */
const NO_ADDRESSES = [
  'nonsense',
  'ftp://127.0.0.1:9/',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]:9/',
  'http://[::ffff:10.0.0.1]/',
  'http://0xa.1/',
  'http://ada:secret@127.0.0.1:9/',
  'http://127.0.0.1:9/#here',
  '//127.0.0.1:9/',
  'http://127.0.0.1:99999/',
]

const TEXTS = [
  'One',
  'Write it',
  '🎈',
  'é',
  "'; drop table tasks; --",
  '%',
  '_',
  '\\',
  '"',
  '<b>',
  '0',
  'null',
  '__proto__',
  '日本語',
  'a​b',
]

/** A value that fits the schema, and that is sensible where the schema cannot say what is. */
function valueFor(chance: Chance, schema: Schema, name: string): unknown {
  const { random, document, pool } = chance
  if (schema.$ref !== undefined) return valueFor(chance, document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name)
  const type = anyOf(chance, [schema.type ?? 'string'].flat())
  if (schema.enum !== undefined) return anyOf(chance, schema.enum)
  if (type === 'null') return null
  // Each webhook that is on is sent every event, in vain.
  if (name === 'enabled') return random() < 0.1
  if (type === 'boolean') return random() < 0.5
  if (type === 'integer' || type === 'number') return numberOf(chance, schema, type === 'integer')
  if (type === 'array') {
    const length = Math.max(schema.minItems ?? 0, Math.floor(random() * 5))
    return Array.from({ length }, () => valueFor(chance, schema.items ?? {}, name))
  }
  if (type === 'object') return objectOf(chance, schema)
  if (name === 'url') return anyOf(chance, ADDRESSES)
  if (schema.format === 'uuid') {
    const [kind = ''] = name.split('_')
    return anyId(chance, { project: pool.projects, workflow: pool.workflows, status: pool.statuses.map(([, id]) => id) }[kind] ?? [])
  }
  if (schema.format === 'date') return anyOf(chance, ['2026-12-01', '2028-02-29', '0001-01-01', '9999-12-31'])
  if (schema.format === 'date-time')
    return anyOf(chance, ['2099-12-01T08:00:00Z', '2099-12-01T08:00:00.123456+01:00', '9999-12-31T23:59:59.999Z'])
  if (schema.format === 'emoji') return anyOf(chance, ['🎈', '✍️', '👩‍👩‍👧‍👦', '🇨🇭'])
  return textOf(chance, schema)
}

function numberOf({ random }: Chance, { minimum = -1e6, maximum = 1e6 }: Schema, isWhole: boolean): number {
  const choice = anyOf({ random }, [minimum, maximum, minimum + random() * (maximum - minimum), Math.min(maximum, Math.max(minimum, 1.5))])
  return isWhole ? Math.floor(choice) : choice
}

function textOf(chance: Chance, { minLength = 0, maxLength = 100 }: Schema): string {
  const { random } = chance
  if (random() < 0.03) return anyOf(chance, ['x', '🎈', 'é']).repeat(maxLength)
  if (minLength === 0 && random() < 0.1) return ''
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => anyOf(chance, TEXTS)).join(' ')
}

function objectOf(chance: Chance, { properties = {}, required = [] }: Schema): Record<string, unknown> {
  const likelihood = anyOf(chance, [0.1, 0.3, 0.6])
  const isSaid = (name: string) => required.includes(name) || name === 'enabled' || chance.random() < likelihood
  const chosen = Object.entries(properties).filter(([name]) => isSaid(name))
  return Object.fromEntries(chosen.map(([name, schema]) => [name, valueFor(chance, schema, name)]))
}

type Spoilt = Partial<GeneratedRequest> & Pick<GeneratedRequest, 'isRight'>
/** What to put in place of parts of a request; null when it has nothing to be spoilt so. */
type Mistake = (request: GeneratedRequest, chance: Chance, operation: DescribedOperation) => Spoilt | null

const HOSTILE = [
  '',
  ' ',
  '\0',
  'a\u0007b',
  '\ud800',
  'a\udc00b',
  '\u202e',
  '\ufeff',
  '\r\n',
  '\u2028',
  '\x7f',
  '\u0085',
  '../../etc/passwd',
  '{{7*7}}',
  '\u1160',
]
const NUMBERS = [0, -0, -1, 1.5, 101, 525_601, 2 ** 31, 2 ** 53, 1e15, 1e21, 1e308, -1e308, 5e-324]
const OTHERS: unknown[] = [true, false, null, [], {}, [[]], { a: 1 }, '', 'x', ...NUMBERS]
const HUGE = '{"a":1e999,"position":1e999,"minutes":123456789012345678901234567890}'

/** The body as an object; null for none. */
function bodyOf({ raw }: GeneratedRequest): Record<string, unknown> | null {
  if (typeof raw !== 'string') return null
  try {
    const body = JSON.parse(raw)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : null
  } catch {
    return null
  }
}

function withField(request: GeneratedRequest, name: string, value: unknown, isRight: boolean | null): Spoilt | null {
  const body = bodyOf(request)
  return body && { raw: JSON.stringify({ ...body, [name]: value }), isRight }
}

function schemaOf({ document }: Chance, { requestBody }: DescribedOperation): Schema {
  const schema = requestBody?.content['application/json']?.schema ?? {}
  return schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
}

function anyField(chance: Chance, operation: DescribedOperation): [string, Schema] | null {
  const fields = Object.entries(schemaOf(chance, operation).properties ?? {})
  return fields.length === 0 ? null : anyOf(chance, fields)
}

/** Whether the type of a value is among those of the schema. */
function isOfType(value: unknown, { type = 'string' }: Schema): boolean {
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return [type].flat().some((one) => one === own || (own === 'number' && (one === 'integer' ? Number.isInteger(value) : one === 'number')))
}

/** JSON with a member of the body given twice. */
const twice = (raw: string) => raw.replace(/^\{("[^"]+":(?:"[^"]*"|[\w.-]+))(?=[,}])/, '{$1,$1')

const addQuery = (path: string, parameter: string) => `${path}${path.includes('?') ? '&' : '?'}${parameter}`
const withHeader = ({ headers }: GeneratedRequest, name: string, value: string) => ({ headers: { ...headers, [name]: value } })

const MISTAKES: readonly (readonly [name: string, spoil: Mistake])[] = [
  [
    'a value of another type',
    (request, chance, operation) => {
      const field = anyField(chance, operation)
      const value = anyOf(chance, OTHERS)
      return field && withField(request, field[0], value, isOfType(value, field[1]) ? null : false)
    },
  ],
  [
    'a hostile text',
    (request, chance, operation) => {
      const field = anyField(chance, operation)
      return field && withField(request, field[0], anyOf(chance, HOSTILE), null)
    },
  ],
  [
    'a text at its limit',
    (request, chance, operation) => {
      const [name, { maxLength = 0 }] = anyField(chance, operation) ?? ['', {}]
      const length = maxLength + anyOf(chance, [-1, 0, 1])
      return maxLength === 0 ? null : withField(request, name, anyOf(chance, ['x', '🎈']).repeat(length), length > maxLength ? false : null)
    },
  ],
  [
    'a number at its limit',
    (request, chance, operation) => {
      const [name, { minimum, maximum }] = anyField(chance, operation) ?? ['', {}]
      if (minimum === undefined || maximum === undefined) return null
      const value = anyOf(chance, [minimum - 1, minimum, maximum, maximum + 1])
      return withField(request, name, value, value < minimum || value > maximum ? false : null)
    },
  ],
  [
    'a list at its limit',
    (request, chance) => {
      const length = anyOf(chance, [100, 101])
      const statuses = Array.from({ length }, () => ({ name: 'One', disposition: 'done' }))
      if (request.path === '/webhooks')
        return withField(request, 'event_types', Array(Math.round(length / 2)).fill('*'), length > 100 ? false : null)
      return request.path === '/workflows' ? withField(request, 'statuses', statuses, length > 100 ? false : null) : null
    },
  ],
  [
    'a field missing',
    (request, chance, operation) => {
      const body = bodyOf(request)
      if (body === null || Object.keys(body).length === 0) return null
      const name = anyOf(chance, Object.keys(body))
      const { [name]: _, ...rest } = body
      return { raw: JSON.stringify(rest), isRight: schemaOf(chance, operation).required?.includes(name) ? false : null }
    },
  ],
  [
    'a field too many',
    (request, chance) =>
      withField(request, anyOf(chance, ['titel', 'constructor', 'toString', '', 'id', 'version', 'a'.repeat(2_000)]), 1, false),
  ],
  [
    '__proto__ in the body',
    ({ raw }) =>
      typeof raw === 'string' && raw.startsWith('{')
        ? { raw: raw.replace('{', '{"__proto__":{"a":1},').replace(',}', '}'), isRight: false }
        : null,
  ],
  ['a member twice', ({ raw }) => (typeof raw === 'string' && twice(raw) !== raw ? { raw: twice(raw), isRight: false } : null)],
  [
    'broken JSON',
    ({ raw }, chance) =>
      typeof raw === 'string' && raw.length > 1
        ? { raw: raw.slice(0, Math.max(1, Math.floor(raw.length * chance.random()))), isRight: false }
        : null,
  ],
  [
    'no object',
    ({ raw }, chance) => (raw === undefined ? null : { raw: anyOf(chance, ['[]', 'null', '1', '"x"', 'true', '[{}]']), isRight: false }),
  ],
  ['numbers without end', ({ raw }) => (raw === undefined ? null : { raw: HUGE, isRight: false })],
  [
    'very deep',
    ({ raw }, chance) => (raw === undefined ? null : { raw: `${'[{"a":'.repeat(anyOf(chance, [16, 17, 5_000]))}1`, isRight: false }),
  ],
  ['too large', ({ raw }) => (raw === undefined ? null : { raw: JSON.stringify({ notes: 'x'.repeat(262_144) }), isRight: false })],
  [
    'no UTF-8',
    ({ raw }) => (raw === undefined ? null : { raw: Buffer.from('{"title":"\xff\xfe","name":"\xc0"}', 'latin1'), isRight: false }),
  ],
  ['a byte order mark', ({ raw }) => (typeof raw === 'string' ? { raw: `\ufeff${raw}`, isRight: null } : null)],
  [
    'an empty body',
    ({ raw }, _, { requestBody }) => (raw === undefined ? null : { raw: '', isRight: requestBody?.required ? false : null }),
  ],
  [
    'another Content-Type',
    (request, chance) => {
      const types = [
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
        'application/merge-patch+json',
        'json',
      ]
      return request.raw === undefined || request.raw.length === 0
        ? null
        : { ...withHeader(request, 'content-type', anyOf(chance, types)), isRight: false }
    },
  ],
  [
    'an odd Content-Type',
    (request, chance) => ({
      ...withHeader(request, 'content-type', anyOf(chance, ['', ';', 'application/json;;', 'application/json, text/plain', 'é', '*/*'])),
      isRight: null,
    }),
  ],
  [
    'a body where there is none',
    (request, chance) => ({
      ...withHeader(request, 'content-type', 'application/json'),
      raw: anyOf(chance, ['{}', '{"a":1}', 'x']),
      isRight: null,
    }),
  ],
  [
    'an encoding',
    (request, chance) => ({
      ...withHeader(
        request,
        anyOf(chance, ['content-encoding', 'accept-encoding', 'accept']),
        anyOf(chance, ['gzip', 'br', 'x', 'text/html;q=0.1']),
      ),
      isRight: null,
    }),
  ],
  ['in chunks', (request) => ({ ...withHeader(request, 'transfer-encoding', 'chunked'), isRight: null })],
  [
    'a malformed condition',
    (request, chance, { parameters = [] }) => {
      const name = anyOf(chance, ['If-Match', 'If-None-Match'])
      const isKnown = parameters.some((parameter) => parameter.name === name)
      return {
        ...withHeader(request, name.toLowerCase(), anyOf(chance, ['"', '', ',', '"a', 'W/', '*, "1"', 'é', '"x" "y"'])),
        isRight: isKnown ? false : null,
      }
    },
  ],
  ['a very long condition', (request) => ({ ...withHeader(request, 'if-match', Array(900).fill('"1"').join(',')), isRight: null })],
  [
    'a malformed key',
    (request, chance, { parameters = [] }) => {
      const isKnown = parameters.some(({ name }) => name === 'Idempotency-Key')
      return {
        ...withHeader(request, 'idempotency-key', anyOf(chance, ['', 'k'.repeat(256), 'é', '\u0080', '\t\tk\tk'])),
        isRight: isKnown ? false : null,
      }
    },
  ],
  [
    'an unknown parameter',
    ({ path }, chance) => ({
      path: addQuery(path, anyOf(chance, ['limt=5', '__proto__=1', 'a[b]=c', '=', 'x', 'constructor', '%00=1', 'LIMIT=5'])),
      isRight: false,
    }),
  ],
  [
    'a parameter twice',
    ({ path }, _, { operationId }) =>
      /^list(Tasks|Projects|Workflows|Webhooks|Deliveries|Events)$/.test(operationId)
        ? { path: addQuery(path, 'limit=1&limit=1'), isRight: false }
        : null,
  ],
  [
    'a wrong parameter',
    ({ path }, chance, { parameters = [] }) => {
      const ofQuery = parameters.filter(({ in: place }) => place === 'query')
      if (ofQuery.length === 0) return null
      const value = anyOf(chance, [
        '',
        '0',
        '101',
        '-1',
        '1e1',
        'x'.repeat(201),
        '%00',
        '%ff',
        'null',
        'tomorrow',
        '2026-02-30',
        '🎈',
        ' 5',
        '%F0%9F%8E%88',
        '+',
      ])
      return {
        path: addQuery(path, `${anyOf(chance, ofQuery).name}=${/[^\x21-\x7e]/.test(value) ? encodeURIComponent(value) : value}`),
        isRight: null,
      }
    },
  ],
  [
    'an address that may not be reached',
    (request, chance, { path, method }) =>
      path.startsWith('/webhooks') && (path === '/webhooks' || method === 'PATCH')
        ? withField(request, 'url', anyOf(chance, NO_ADDRESSES), false)
        : null,
  ],
  [
    'a place that the log has not come to',
    (request, chance, { operationId }) => {
      const sequence = anyOf(chance, ['999999999999999', '9'.repeat(16), '1e3', 'x'])
      if (operationId === 'streamEvents' && chance.random() < 0.5)
        return { ...withHeader(request, 'last-event-id', sequence), isRight: false }
      return /^(list|stream)Events$/.test(operationId) ? { path: addQuery(request.path, `after=${sequence}`), isRight: false } : null
    },
  ],
  [
    'a malformed id',
    ({ path }, chance) =>
      /\/[0-9a-f-]{36}/.test(path)
        ? {
            path: path.replace(
              /(?<=\/)[0-9a-f-]{36}/,
              anyOf(chance, ['7', '__proto__', '%20', '%00', UNKNOWN_ID.slice(1), `%7b${UNKNOWN_ID}%7d`, 'x'.repeat(3_000)]),
            ),
            isRight: false,
          }
        : null,
  ],
  ['an id in capitals', ({ path }) => ({ path: path.replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase()), isRight: null })],
  ['an odd path', ({ path }, chance) => ({ path: oddPath(chance, path), isRight: null })],
  [
    'another method',
    (_, chance) => ({
      method: anyOf(chance, [
        'PUT',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
        'SEARCH',
        'HEAD',
        'GET',
        'POST',
        'PATCH',
        'DELETE',
        'M-SEARCH',
        'PURGE',
      ]),
      isRight: null,
    }),
  ],
  ['another token', (_, chance) => ({ token: anyOf(chance, ['reading', 'reading', 'none'] as const), isRight: null })],
  [
    'a malformed Authorization',
    (request, chance) => ({
      ...withHeader(
        request,
        'authorization',
        anyOf(chance, [
          '',
          'Bearer',
          'Bearer ',
          'Basic YTpi',
          'Bearer svc_pat_x',
          'Bearer é',
          `Bearer svc_pat_${'a'.repeat(46)}`,
          `Bearer ${'x'.repeat(4_000)}`,
        ]),
      ),
      isRight: false,
      token: 'none',
    }),
  ],
  ['a token in the URL', ({ path }) => ({ path: addQuery(path, 'access_token=svc_pat_x'), isRight: false })],
  [
    'an odd header',
    (request, chance) => ({
      ...withHeader(
        request,
        anyOf(chance, [
          'x-http-method-override',
          'expect',
          'x-forwarded-for',
          'range',
          'if-modified-since',
          'x-request-id',
          'origin',
          'accept-version',
        ]),
        anyOf(chance, ['DELETE', 'é', '', 'x'.repeat(3_000), '"', '1.0.0']),
      ),
      isRight: null,
    }),
  ],
]

/** Those after which a request goes to another operation or to none, or has a body that nobody may look at. */
const ELSEWHERE = ['an odd path', 'another method', 'a body where there is none']

function oddPath(chance: Chance, path: string): string {
  const [own = '', query] = path.split('?')
  const odd = anyOf(chance, [
    `${own}/`,
    own.replace(/\/(?=[^/]*$)/, '//'),
    `${own}/more`,
    own.toUpperCase(),
    own.replace('s', '%73'),
    own.replace('s', '%zz'),
    `${own}%00`,
    `${own}.json`,
    `${own};a=b`,
    `${own}#x`,
    `${own}%2f`,
    `${own}/..`,
    `//v2${own}`,
    `/v1${own}`,
    own.slice(0, -1),
    `${own}%ff`,
    `//v1${own}/`,
  ])
  return query === undefined ? odd : `${odd}?${query}`
}

/** How a test's client sends it. */
export function optionsOf({ headers, raw }: GeneratedRequest): SendOptions {
  return { headers, ...(raw !== undefined && { raw }) }
}
