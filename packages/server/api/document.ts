import swagger from '@fastify/swagger'
import { EVENT_TYPES, type EventKind, type EventType, kindOf, TEST_EVENT } from '@fivetab/domain/event.ts'
import { SCOPES } from '@fivetab/domain/scope.ts'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Api } from './api.ts'
import { PROBLEM_KINDS, type ProblemCode } from './problem.ts'

/** The API's own description: OpenAPI 3.1 out of the routes' schemas, a page to read it on, and a page for each kind of problem. */

const DESCRIPTION = `A task service that loses nothing and doubles nothing.

Send a personal access token with every request: \`Authorization: Bearer <ACCESS_TOKEN>\`. A token can do what its user can do, limited by its scopes:

${Object.entries(SCOPES)
  .map(([scope, allows]) => `- \`${scope}\`: ${allows}`)
  .join('\n')}

Errors are problem documents (RFC 9457); branch on \`code\`. Times are RFC 3339 in UTC with milliseconds. Unknown fields and parameters are refused.`

const TAGS = {
  'User and Dispositions': 'Who the token acts for, and the five states of a task.',
  Tasks: 'Tasks and what can be done with them.',
  Steps: 'The steps of a task: the Today Statuses of its Workflow, or its own checklist.',
  Projects: 'Optional groupings of tasks.',
  Workflows: 'Ways of working: a name and Statuses.',
  Statuses: 'The stages of a Workflow, each in one Disposition.',
  Events: 'Every change in the account, in order: to read, or to follow as they happen.',
  Webhooks: 'Addresses that are told of events, signed after Standard Webhooks.',
}

/** Prepares the document. To be called before the routes are added. */
export async function documentApi(app: Api, baseUrl: () => string): Promise<void> {
  const bodyOptional = new Set<string>()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Fivetab', version: '1.0.0-beta', description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      security: [{ token: [] }],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description:
              'A personal access token, `svc_pat_` and 46 characters. The names after it are the scopes that an operation needs.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `shape-${index}`) },
    transform: ({ schema, url, route }) => {
      const operation = route.config?.operation
      if (operation?.bodyOptional) bodyOptional.add(operation.operationId)
      return { schema: schema && (withoutHints(schema) as typeof schema), url: url.replace(/^\/v1(?=\/)/, '') }
    },
    transformObject: (document) =>
      'openapiObject' in document ? finish(document.openapiObject, baseUrl(), bodyOptional) : document.swaggerObject,
  })
}

interface Response {
  headers?: Record<string, object>
  content?: Record<string, { schema: { $ref?: string } }>
}

interface Operation {
  operationId: string
  requestBody?: { required: boolean }
  responses: Record<string, Response>
}

interface Described {
  servers?: unknown
  webhooks?: object
  paths?: Record<string, Record<string, Operation>>
  components?: { headers?: object; schemas?: Record<string, { properties?: object }> }
}

const header = (description: string, schema: object = { type: 'string' }) => ({ description, schema })
const seconds = { type: 'integer', minimum: 0 }

const HEADERS = {
  'X-Request-Id': header('The id of this request, to quote when asking for help.'),
  'RateLimit-Limit': header('The limit that has the fewest requests left.', seconds),
  'RateLimit-Remaining': header('How many requests of it are left.', seconds),
  'RateLimit-Reset': header('Seconds until its window ends.', seconds),
  ETag: header('The version of the resource.'),
  Location: header('The URL of the resource.', { type: 'string', format: 'uri' }),
  'Idempotent-Replayed': header('`true`: an earlier request with this key created the resource.', { type: 'string', enum: ['true'] }),
  'Retry-After': header('Seconds to wait before the next try.', seconds),
  'WWW-Authenticate': header('How to authenticate, and the scope that is missing.'),
  Deprecation: header('Since when, or from when on, this major version is deprecated (RFC 9745). Only once that is announced.'),
  Sunset: header('When this major version stops (RFC 8594). Only once that is announced.'),
} as const

type HeaderName = keyof typeof HEADERS

const RATE_LIMIT: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** `x-tidy` speaks to our own validator; a reader of the document has no use for it. */
function withoutHints<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, member) => (key === 'x-tidy' ? undefined : member)))
}

/** Adds what schemas do not say: the server's address, which bodies may be left out, and the headers of every response. */
function finish<Document extends object>(document: Document, baseUrl: string, bodyOptional: ReadonlySet<string>): Document {
  const described: Described = document
  described.servers = [{ url: `${baseUrl}/v1` }]
  described.webhooks = Object.fromEntries(([...EVENT_TYPES, TEST_EVENT] as const).map((type) => [type, { post: deliveryOf(type) }]))
  described.components = { ...withoutHints(described.components), headers: HEADERS }
  for (const operation of Object.values(described.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    if (operation.requestBody && bodyOptional.has(operation.operationId)) operation.requestBody.required = false
    for (const [status, response] of Object.entries(operation.responses)) {
      const names = headersOf(operation, Number(status), hasVersion(operation, described.components.schemas ?? {}))
      response.headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
    }
  }
  return document
}

const RESOURCES: Record<EventKind, string> = {
  task: 'Task',
  project: 'Project',
  workflow: 'Workflow',
  status: 'Status',
  disposition: 'Disposition',
  webhook: 'Webhook',
}

const DELIVERY_HEADERS = {
  'webhook-id': 'The id of the event: the same with every try, so that a receiver can tell one that it has seen.',
  'webhook-timestamp': 'When this try was made, in seconds since 1970. Refuse what is older than 5 minutes.',
  'webhook-signature':
    '`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body` by the secret; two of them with a space between while a secret is being rotated.',
}

/** The request that a receiver of webhooks gets for an event of this type. */
function deliveryOf(type: EventType | typeof TEST_EVENT): object {
  const resource = RESOURCES[type === TEST_EVENT ? 'webhook' : kindOf(type)]
  const itsOwn = { type: 'object', properties: { type: { const: type }, data: { $ref: `#/components/schemas/${resource}` } } }
  return {
    operationId: `${type.replace('.', '-')}-event`,
    summary: type === TEST_EVENT ? 'Somebody tries the webhook out' : `${resource} ${type.split('.')[1]}`,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.entries(DELIVERY_HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Event' }, itsOwn] } } },
    },
    responses: {
      '2XX': { description: 'The event is taken.' },
      410: { description: 'The receiver is gone for good: the webhook is disabled.' },
      default: { description: 'Whatever else is answered, a redirect too, is a failure: it is tried again.' },
    },
  }
}

/** Whether an operation's success is one resource that has a version. */
function hasVersion({ responses }: Operation, schemas: Record<string, { properties?: object }>): boolean {
  const success = responses[200] ?? responses[201]
  const name = success?.content?.['application/json']?.schema.$ref?.split('/').at(-1) ?? ''
  return 'version' in (schemas[name]?.properties ?? {})
}

function headersOf({ responses }: Operation, status: number, isVersioned: boolean): HeaderName[] {
  const names: HeaderName[] = ['X-Request-Id', 'Deprecation', 'Sunset']
  const creates = 201 in responses
  if (status !== 401 && status !== 503) names.push(...RATE_LIMIT)
  if (status === 412 || (status < 400 && status !== 204 && isVersioned)) names.push('ETag')
  if (creates && status < 300) names.push('Location')
  if (creates && status === 200) names.push('Idempotent-Replayed')
  if (status === 429 || status === 503) names.push('Retry-After')
  if (status === 401 || status === 403) names.push('WWW-Authenticate')
  return names
}

/** Scalar keeps its styles in the page and evaluates nothing; apart from that, a page of ours talks to this service alone. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The public pages: the document, the page that shows it, and where the `type` of a problem leads. */
export function documentRoutes(app: Api): void {
  app.get('/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  app.get<{ Params: { code: string } }>('/errors/:code', { schema: { hide: true } }, async (request, reply) => {
    const { code } = request.params
    if (!Object.hasOwn(PROBLEM_KINDS, code)) return reply.callNotFound()
    const { status, title, meaning } = PROBLEM_KINDS[code as ProblemCode]
    return sendText(reply, `${code} (${status})\n\n${title}. ${meaning}\n`)
  })

  app.register(async (pages) => {
    pages.addHook('onSend', async (_request, reply, payload) => {
      reply
        .header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
        .header('X-Content-Type-Options', 'nosniff')
        .header('Referrer-Policy', 'no-referrer')
      return payload
    })
    pages.get('/docs', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs/', 301))
    let page: Promise<FastifyInstance> | null = null
    for (const url of ['/docs/', '/docs/js/scalar.js']) {
      pages.get(url, { schema: { hide: true } }, async (_request, reply) => {
        page ??= openPage().catch((error) => {
          page = null
          throw error
        })
        const { statusCode, headers, rawPayload } = await (await page).inject(url)
        return reply.status(statusCode).type(String(headers['content-type'])).send(rawPayload)
      })
    }
  })
}

/** The page that shows the document. It is loaded for the first who looks at it: with its script it takes about 70 MiB and a tenth of a second. */
async function openPage(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const page = Fastify()
  await page.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '../v1/openapi.json',
      pageTitle: 'Fivetab API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  return page
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}
