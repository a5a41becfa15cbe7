import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { join } from 'node:path'
import type { Event } from '@fivetab/domain/event.ts'
import { SCOPE_NAMES, type Scope } from '@fivetab/domain/scope.ts'
import { pino } from 'pino'
import { createAccount } from '../packages/server/actions/accounts.ts'
import { invite } from '../packages/server/actions/links.ts'
import type { Operator } from '../packages/server/actions/operator.ts'
import { beginSession } from '../packages/server/actions/sessions.ts'
import { createToken } from '../packages/server/actions/tokens.ts'
import { type Service, startService } from '../packages/server/service.ts'
import { type Environment, readSettings } from '../packages/server/settings.ts'
import { eventsAfter } from '../packages/server/store/events.ts'
import type { Writer } from '../packages/server/store/store.ts'
import type { Given } from './builders.ts'
import { type Client, clientOf, type Reply } from './client.ts'
import { aUsedDatabase, type EngineName, type Home } from './database.ts'
import { type SignedUp, signUpAs, type Visitor, visitorOf } from './visitor.ts'

/** A running service of a test's own, with its own database, clock and hands to reach it. Nothing of it is shared, and nothing sleeps. */

export { ENGINES, type EngineName } from './database.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A whole minute, at noon, on a day like any other. */
const START = Date.parse('2026-11-21T12:00:00.000Z')

export interface TestAccount {
  id: string
  email: string
}

export interface World extends Home, AsyncDisposable {
  /** A client with a token of every scope, in the world's first account. */
  api: Client
  /** A client without a token. */
  anonymous: Client
  account: TestAccount
  service: Service
  operator: Operator
  dataDir: string
  /** Each line that the service logged, parsed. */
  logged: Record<string, unknown>[]
  /** The time of the world, in ms since the epoch. */
  clock(): number
  /** The time of the world as the API writes it. */
  readonly now: string
  /** Moves time; nothing else happens by that. */
  advance(ms: number): void
  /** The time of the world `ms` from now, as the API writes it. */
  later(ms: number): string
  /** Another account, with its own client of every scope. */
  newAccount(plan?: string): Promise<{ account: TestAccount; api: Client }>
  /** A client with a token of exactly these scopes in the account (the first one if not said). */
  clientWith(scopes: readonly Scope[], of?: TestAccount, lifetimeMs?: number): Promise<Client>
  /** Somebody at the app who is not signed in. */
  visitor(): Visitor
  /** Somebody who is signed in to the account (the first one if not said), which has no password. */
  signIn(of?: TestAccount): Promise<Visitor>
  /** Somebody who has signed up by an invitation, with an account of their own, and is signed in; `fields` are what else they have sent. */
  signUp(fields?: Record<string, unknown>): Promise<SignedUp>
  /** Makes, through the API, what a builder describes, and answers with it as it is on the wire. */
  given(thing: Given): ReturnType<Given>
  /** The log of the account (the first one if not said). */
  events(of?: TestAccount): Promise<Event[]>
  /** Stops the service, and starts it again on the same data, after `meanwhile`. */
  restart(meanwhile?: () => void): Promise<void>
  /** Another service on the same data, as a second instance would be. It is stopped with the world. */
  another(): Promise<Instance>
}

export interface Instance {
  service: Service
  /** A client of it with the token of the world's own. */
  api: Client
  operator: Operator
}

export interface WorldOptions {
  environment?: Environment
  plan?: string
  logLevel?: string
  /** The folder of the web app as it was built; if not said, it was not. */
  webApp?: string
}

/** Opens a world on `engine`. Its timers run only when a test runs them: `world.service.timers.wake()`. */
export async function openWorld(engine: EngineName, options: WorldOptions = {}): Promise<World> {
  const database = await aUsedDatabase(engine)
  const environment = { ...database.environment, ...options.environment }
  let time = START
  const clock = () => time
  const logged: Record<string, unknown>[] = []
  const log = pino({ level: options.logLevel ?? 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) })
  const settings = readSettings({ PORT: '0', ...environment })
  const others: Service[] = []
  const webApp = options.webApp ?? join(settings.dataDir, 'none')
  const start = () => startService(settings, log, { clock, random: randomBytes, runTimers: false, webApp })
  const agent = new Agent({ keepAlive: true })

  let service = await start()
  const operator = (): Operator => ({ store: service.store, clock, random: randomBytes })
  let accounts = 0

  async function makeAccount(plan?: string): Promise<TestAccount> {
    accounts += 1
    const { id, email } = await createAccount(operator(), { email: `person${accounts}@example.org`, ...(plan && { plan }) })
    return { id, email }
  }

  async function clientWith(scopes: readonly Scope[], of: TestAccount, lifetimeMs: number): Promise<Client> {
    const { value } = await createToken(operator(), { email: of.email, name: 'test', scopes, lifetimeMs })
    return clientOf(service.url, value, agent)
  }

  const account = await makeAccount(options.plan)
  const world: World = {
    api: await clientWith(SCOPE_NAMES, account, 400 * DAY),
    anonymous: clientOf(service.url, null, agent),
    account,
    environment,
    dataDir: settings.dataDir,
    logged,
    clock,
    get service() {
      return service
    },
    get operator() {
      return operator()
    },
    get now() {
      return new Date(time).toISOString()
    },
    advance: (ms) => {
      time += ms
    },
    later: (ms) => new Date(time + ms).toISOString(),
    newAccount: async (plan) => {
      const other = await makeAccount(plan)
      return { account: other, api: await clientWith(SCOPE_NAMES, other, 400 * DAY) }
    },
    clientWith: (scopes, of = account, lifetimeMs = DAY) => clientWith(scopes, of, lifetimeMs),
    visitor: () => visitorOf(service.url, agent, settings.baseUrl ?? service.url),
    signIn: async (of = account) => {
      const begin = (writer: Writer) => beginSession(writer, { clock, random: randomBytes }, of.id, { net: '127.0.0.1', userAgent: null })
      const { value } = await service.store.transact(begin)
      return Object.assign(world.visitor(), { cookie: `fivetab=${value}` })
    },
    signUp: async (fields = {}) => {
      accounts += 1
      const { value: link } = await invite(operator(), { lifetimeMs: DAY })
      return signUpAs(visitorOf(service.url, agent, settings.baseUrl ?? service.url), {
        email: `person${accounts}@example.org`,
        link,
        ...fields,
      })
    },
    given: (thing) => thing(world.api),
    events: (of = account) => eventsAfter(service.store, of.id, 0, 100_000),
    restart: async (meanwhile) => {
      await service.stop()
      meanwhile?.()
      service = await start()
      world.api = clientOf(service.url, world.api.token, agent)
      world.anonymous = clientOf(service.url, null, agent)
    },
    another: async () => {
      const other = await start()
      others.push(other)
      return {
        service: other,
        api: clientOf(other.url, world.api.token, agent),
        operator: { store: other.store, clock, random: randomBytes },
      }
    },
    [Symbol.asyncDispose]: async () => {
      agent.destroy()
      await Promise.all([service, ...others].map((one) => one.stop()))
      await database[Symbol.asyncDispose]()
    },
  }
  return world
}

/** Sends the request 32 times at once, over connections that are open already, so that all arrive before any is answered. */
export async function thirtyTwo(world: World, ask: (index: number) => Promise<Reply>): Promise<Reply[]> {
  const indexes = Array.from({ length: 32 }, (_, index) => index)
  await Promise.all(indexes.map(() => world.anonymous.get('//healthz')))
  return Promise.all(indexes.map(ask))
}

/** Asserts a problem document of the contract, and answers with its body for more. */
export function assertProblem(
  reply: { status: number; headers: Record<string, string | undefined>; body: unknown },
  status: number,
  code: string,
) {
  const body = reply.body as Record<string, unknown>
  assert.deepEqual({ status: reply.status, code: body?.code }, { status, code }, JSON.stringify(reply.body))
  assert.equal(reply.headers['content-type'], 'application/problem+json')
  assert.equal(body.status, status)
  assert.equal(body.request_id, reply.headers['x-request-id'])
  assert.match(String(body.type), new RegExp(`^https?://.*/errors/${code}$`))
  assert.ok(String(body.title).length > 0 && String(body.detail).length > 0)
  return body
}

/** Asserts a 400 whose `errors` are exactly these, told by place, name and code, in any order. */
export function assertInvalid(reply: Parameters<typeof assertProblem>[0], ...expected: [place: string, name: string, code: string][]) {
  const body = assertProblem(reply, 400, 'invalid_request')
  const errors = body.errors as { in: string; name: string; code: string; detail: string; pointer?: string }[]
  const told = errors.map((error) => `${error.in} ${error.name} ${error.code}`)
  assert.deepEqual(told.sort(), expected.map((one) => one.join(' ')).sort(), JSON.stringify(errors))
  for (const error of errors) {
    assert.ok(error.detail.length > 0)
    assert.equal(error.pointer !== undefined, error.in === 'body')
  }
  return errors
}
