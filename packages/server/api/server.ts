import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { Failure } from '@fivetab/domain/failure.ts'
import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { WebhookMaking } from '../actions/webhooks.ts'
import { announcements } from './announcements.ts'
import type { Api } from './api.ts'
import { type AppOptions, addApp } from './app/server.ts'
import { APP_SHAPES } from './app/shapes.ts'
import { letInByToken, tokenInUrl } from './bearer.ts'
import { parseBodies } from './body.ts'
import { brokenRequests } from './broken.ts'
import { dispositionRoutes } from './dispositions.ts'
import { documentApi, documentRoutes } from './document.ts'
import { eventRoutes } from './events.ts'
import { rateLimitHeaders, takeBack } from './limits.ts'
import { meRoutes } from './me.ts'
import type { RequestObserver } from './observer.ts'
import { allowedMethods, hasEmptySegment, pathList } from './paths.ts'
import { underPressure } from './pressure.ts'
import { probeRoutes, type Readiness } from './probes.ts'
import { BadRequest, sendProblem } from './problem.ts'
import { projectRoutes } from './projects.ts'
import { parseQuery } from './query.ts'
import { requestCheck } from './request.ts'
import { serializers } from './serialization.ts'
import { SHAPES } from './shapes.ts'
import { statusRoutes } from './statuses.ts'
import { stepRoutes } from './steps.ts'
import type { Streams } from './streams.ts'
import { taskRoutes } from './tasks.ts'
import { partChecks } from './validation.ts'
import { webAppRoutes } from './web-app.ts'
import { webhookRoutes } from './webhooks.ts'
import { workflowRoutes } from './workflows.ts'

/** The HTTP service: what every request passes, and the list of routes. */

export interface ServiceOptions extends AppOptions {
  log: FastifyBaseLogger
  deprecation: number | null
  sunset: number | null
  /** Resident memory in bytes above which requests are refused. */
  maxMemoryBytes: number
  readiness: Readiness
  observer: RequestObserver
  streams: Streams
  webhooks: WebhookMaking
  /** The addresses of proxies that are believed whom they ask for; IP addresses and ranges. */
  trustedProxies: readonly string[]
  /** The folder of the web app as it was built. */
  webApp: string
}

const MAX_BODY_BYTES = 256 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** Timeouts act only when connections are looked at. */
const CONNECTIONS_CHECK_MS = 1_000

/** The service, ready to listen. */
export async function buildServer(options: ServiceOptions): Promise<Api> {
  const errorsUrl = () => `${options.baseUrl()}/errors`
  const broken = brokenRequests(errorsUrl)
  const app: Api = Fastify({
    loggerInstance: options.log,
    // One log for all requests: what is said of one names it by its id.
    childLoggerFactory: (log) => log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Node's own answer to a missing Host is no problem document; `requireHost` gives one.
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTIONS_CHECK_MS, requireHostHeader: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    routerOptions: { querystringParser: parseQuery, maxParamLength: 16_384 },
    clientErrorHandler: broken.refuse,
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id)
      reply.raw.once('finish', () => options.observer.answered(request, reply))
      // A URL that cannot be decoded reaches no hook; it may hold a token all the same.
      sendProblem(tokenInUrl(request.url) ?? error, request, reply, errorsUrl())
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.decorateRequest('caller', null)
  app.decorateRequest('admission', null)
  app.decorateRequest('conditions', null)
  for (const shape of SHAPES) app.addSchema(shape)
  // Requests are checked by `requestCheck`, which finds the problems of all their parts at once.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(serializers([...SHAPES, ...APP_SHAPES]))
  parseBodies(app)

  const paths = pathList(app)
  const answerUnknown: Answer = (request, reply) => {
    const methods = allowedMethods(paths, request.url)
    if (methods.length > 0) reply.header('Allow', methods.join(', '))
    const detail =
      methods.length > 0
        ? `${request.method} is not known for this path; there is ${methods.join(', ')}.`
        : 'There is no such endpoint. Paths are case-sensitive; /docs lists them.'
    return sendProblem(new Failure('not_found', detail), request, reply, errorsUrl())
  }
  // Hooks that wait for nothing call back: a promise for each would cost a request as much as reading its task.
  app.addHook('onRequest', (request, reply, done) => {
    broken.began(request.raw)
    reply.header('X-Request-Id', request.id)
    const inUrl = tokenInUrl(request.url)
    if (inUrl !== null) throw inUrl
    requireHost(request.raw)
    // What there is not has no type: the framework would refuse one that it cannot read.
    if (hasNoBody(request.raw)) delete request.headers['content-type']
    // At once: not even the body of such a request is looked at.
    if (request.is404) answerUnknown(request, reply)
    else done()
  })
  app.setNotFoundHandler(answerUnknown)
  app.server.on('connect', broken.refuseTunnel)
  // An expectation that is not known may be passed over (RFC 9110, 10.1.1); Node would answer 417 by itself.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onResponse', (request, reply, done) => {
    broken.answered(request.raw)
    options.observer.answered(request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, errorsUrl()))
  await documentApi(app, options.baseUrl)
  probeRoutes(app, options.readiness)
  documentRoutes(app)
  await webAppRoutes(app, options.webApp)

  await app.register(async (operations: Api) => {
    await addPassage(operations, options, answerUnknown)
    await operations.register(async (v1: Api) => addVersion1(v1, options), { prefix: '/v1' })
    await operations.register(async (own: Api) => addApp(own, options, (api) => addResources(api, options)), { prefix: '/app' })
  })
  return app
}

// What the app alone shows is no component of the API's document, which is made of the shapes that the framework knows.
const checkOf = partChecks([...SHAPES, ...APP_SHAPES])

type Answer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** What every request to an operation passes, whoever is let in to it, and in the order of the contract. */
async function addPassage(operations: Api, { counter, clock, maxMemoryBytes }: ServiceOptions, answerUnknown: Answer): Promise<void> {
  operations.addHook('onRequest', (request, reply, done) => {
    if (hasEmptySegment(request.url)) answerUnknown(request, reply)
    else done()
  })
  await underPressure(operations, maxMemoryBytes)
  operations.addHook('onError', async (request, _reply, error) => {
    const isLimit = error instanceof Failure && error.code === 'rate_limited'
    if (isLimit && request.admission !== null) takeBack(counter, request.admission, clock())
  })
  operations.addHook('onRoute', (route) => {
    const check = requestCheck(route, checkOf, clock)
    route.preValidation = (request, _reply, done) => {
      check(request)
      done()
    }
  })
  operations.addHook('onSend', (request, reply, payload, done) => {
    const { admission } = request
    if (admission !== null && reply.statusCode !== 401 && reply.statusCode !== 503) reply.headers(rateLimitHeaders(admission, clock()))
    done(null, payload)
  })
}

/** The API: for programs with a token. */
function addVersion1(v1: Api, options: ServiceOptions): void {
  v1.decorate('apiUrl', () => `${options.baseUrl()}/v1`)
  announcements(v1, options.deprecation, options.sunset)
  v1.addHook('onRequest', async (request) => letInByToken(request, options, options.clock()))
  meRoutes(v1)
  addResources(v1, options)
}

/** What programs and the app do alike. */
function addResources(api: Api, { streams, webhooks }: ServiceOptions): void {
  dispositionRoutes(api)
  taskRoutes(api)
  stepRoutes(api)
  projectRoutes(api)
  workflowRoutes(api)
  statusRoutes(api)
  eventRoutes(api, streams)
  webhookRoutes(api, webhooks)
}

/** @throws BadRequest for an HTTP/1.1 request that does not say whom it is for (RFC 9112, 3.2) */
function requireHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host !== undefined || httpVersion === '1.0') return
  throw new BadRequest([{ in: 'header', name: 'Host', code: 'required', detail: 'The header Host is required.' }])
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined
}
