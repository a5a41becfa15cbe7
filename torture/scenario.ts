import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as PostgresClient } from 'pg'
import { readSettings } from '../packages/server/settings.ts'
import { eventsAfter } from '../packages/server/store/events.ts'
import { withEngine } from '../packages/server/store/open.ts'
import { type Client, clientOf, type Reply } from '../test/client.ts'
import type { EngineName, Home } from '../test/database.ts'
import { fivetab, fivetabJson, type ServeOptions, type ServiceProcess, serve } from '../test/fivetab.ts'
import { type PostgresServer, startPostgres } from '../test/postgres.ts'
import type { SmallDisk } from '../test/small-disk.ts'

/** What a scenario is, and what it has at hand: a database of its own that keeps what it acknowledged, services on it, and a seed. */

/** What a scenario found. All but the first should be 0. */
export interface Tally {
  attempts: number
  /** Acknowledged, and not there afterwards. */
  lost: number
  /** There more often than it was asked for. */
  doubled: number
  /** Anything else that is not as the contract says. */
  wrong: number
  /** What a reader of the table should know besides: figures, and the first of what went wrong. */
  notes: string[]
}

export interface Scenario {
  name: string
  engines: readonly EngineName[]
  /** How long it may take, in seconds: in the short form and in full. */
  limitSeconds: { short: number; full: number }
  run(trial: Trial): Promise<Tally>
}

interface Trial {
  engine: EngineName
  /** The short form: fewer rounds of the same. */
  isShort: boolean
  seed: number
}

/** A tally that a scenario adds to. */
export interface OpenTally extends Tally {
  note(text: string): void
  /** Counts something as wrong, and notes it if it is among the first. */
  fault(text: string): void
}

const MAX_FAULTS_NOTED = 5

export function openTally(): OpenTally {
  const notes: string[] = []
  const tally: OpenTally = {
    attempts: 0,
    lost: 0,
    doubled: 0,
    wrong: 0,
    notes,
    note: (text) => void notes.push(text),
    fault: (text) => {
      tally.wrong += 1
      if (tally.wrong <= MAX_FAULTS_NOTED) notes.push(`WRONG: ${text}`)
    },
  }
  return tally
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A database with one account and a token of every scope in it. */
export interface Site extends Home, AsyncDisposable {
  engine: EngineName
  dataDir: string
  /** The server, when the engine is PostgreSQL; it is durable, unlike that of the tests. */
  postgres: PostgresServer | null
  accountId: string
  email: string
  token: string
  /** A service on this database, in a process of its own. */
  serve(options?: ServeOptions): Promise<Running>
}

export interface Running extends AsyncDisposable {
  service: ServiceProcess
  api: Client
  agent: Agent
}

/** One on PostgreSQL. */
export interface PostgresSite extends Site {
  postgres: PostgresServer
}

const ROOM_FOR_ALL = ['-c', 'max_connections=200']
/** Files as small as can be, so that little room is soon taken. */
const SMALL_LOG = { initdb: ['--wal-segsize=1'], server: ['-c', 'min_wal_size=2MB', '-c', 'max_wal_size=4MB'] }
/** Every scope that a token can have use of. */
export const SCOPES = 'tasks:read,tasks:write,projects:read,projects:write,workflows:read,workflows:write,webhooks:manage'
const EMAIL = 'ada@example.org'

/** Opens a site, all of whose data are on `disk` when one is given. */
export async function openSite(engine: EngineName, disk?: SmallDisk): Promise<Site> {
  await using opened = new AsyncDisposableStack()
  const dataDir = engine === 'sqlite' && disk !== undefined ? disk.path : mkdtempSync(join(tmpdir(), 'fivetab-torture-'))
  if (dataDir !== disk?.path) opened.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const postgres = engine === 'postgres' ? await openPostgres(disk) : null
  opened.defer(() => postgres?.stop())
  const environment = { DATA_DIR: dataDir, PATH: process.env.PATH, ...(postgres && { DATABASE_URL: postgres.url }) }
  const home = { environment }
  const { id } = await fivetabJson(home, `account create --email ${EMAIL}`)
  const { token } = await fivetabJson(home, `token create --account ${EMAIL} --name torture --scopes ${SCOPES} --expires-in 30d`)
  await fivetabJson(home, 'plan set unlimited --token-per-minute 100000000 --account-per-minute 100000000 --writes-per-day 100000000')
  const kept = opened.move()
  return {
    engine,
    environment,
    dataDir,
    postgres,
    accountId: id,
    email: EMAIL,
    token,
    serve: async (options) => {
      const service = await serve(home, options)
      const agent = new Agent({ keepAlive: true })
      return {
        service,
        agent,
        api: clientOf(service.url, token, agent),
        [Symbol.asyncDispose]: async () => {
          agent.destroy()
          await service.end('SIGKILL')
        },
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function openPostgres(disk: SmallDisk | undefined): Promise<PostgresServer> {
  if (disk === undefined) return startPostgres(ROOM_FOR_ALL)
  return startPostgres([...ROOM_FOR_ALL, ...SMALL_LOG.server], { inFolder: disk.path, initdbFlags: SMALL_LOG.initdb })
}

export async function openPostgresSite(): Promise<PostgresSite> {
  return (await openSite('postgres')) as PostgresSite
}

/** Keeps `load` going, which ends by itself once `isOver`, while `work` is carried out. */
export async function during(load: (isOver: () => boolean) => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  let isOver = false
  const loaded = load(() => isOver)
  try {
    await work()
  } finally {
    isOver = true
    await loaded
  }
}

/** Why a reply is not a problem document of the contract with one of these statuses; null when it is. */
export function notTheProblem({ status, headers, body, text }: Reply, statuses: readonly number[]): string | null {
  const isRight =
    statuses.includes(status) &&
    headers['content-type'] === 'application/problem+json' &&
    body.status === status &&
    body.code === (status === 503 ? 'api_disabled' : 'internal_error') &&
    body.request_id === headers['x-request-id'] &&
    [body.type, body.title, body.detail].every((member) => typeof member === 'string' && member !== '') &&
    (status !== 503 || /^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
  return isRight ? null : `an answer was ${status} ${JSON.stringify(headers)} ${text.slice(0, 500)}`
}

/** The log of an account (the site's own if not said), read past the services. */
export function eventsOf(site: Site, accountId = site.accountId) {
  return withEngine(readSettings(site.environment), (engine) => eventsAfter(engine, accountId, 0, 1_000_000))
}

/** What the doctor finds wrong, but for the free disk. */
export async function faultsOf(site: Site, clock = Date.now): Promise<string[]> {
  const { out } = await fivetab(site, 'doctor --json', { clock })
  const findings = JSON.parse(out) as { what: string; ok: boolean; detail: string }[]
  return findings.filter(({ what, ok }) => !ok && what !== 'free disk').map(({ what, detail }) => `${what}: ${detail}`)
}

/** A name that nothing had before. */
export function uniqueName(): string {
  return randomBytes(8).toString('hex')
}

/** A connection past the services to the site's PostgreSQL. */
export async function sqlOn(site: Site): Promise<PostgresClient> {
  const client = new PostgresClient(site.environment.DATABASE_URL)
  client.on('error', () => {})
  await client.connect()
  return client
}
