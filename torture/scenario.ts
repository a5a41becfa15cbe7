import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as PostgresClient } from 'pg'
import { eventsAfter } from '../packages/server/store/events.ts'
import { withEngine } from '../packages/server/store/open.ts'
import { type Client, clientOf } from '../test/client.ts'
import { type EngineName, type Home, placeOf } from '../test/database.ts'
import { fivetabJson, type ServeOptions, type ServiceProcess, serve } from '../test/fivetab.ts'
import { type PostgresServer, startPostgres } from '../test/postgres.ts'

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

export interface Trial {
  engine: EngineName
  /** The short form: fewer rounds of the same. */
  isShort: boolean
  seed: number
}

/** A tally that a scenario adds to. */
export function openTally(): Tally & { note(text: string): void } {
  const notes: string[] = []
  return { attempts: 0, lost: 0, doubled: 0, wrong: 0, notes, note: (text) => void (notes.length < MAX_NOTES && notes.push(text)) }
}

const MAX_NOTES = 5

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

const ROOM_FOR_ALL = ['-c', 'max_connections=200']
const SCOPES = 'tasks:read,tasks:write,projects:read,projects:write,workflows:read,workflows:write'
const EMAIL = 'ada@example.org'

export async function openSite(engine: EngineName): Promise<Site> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fivetab-torture-'))
  const postgres = engine === 'postgres' ? await startPostgres(ROOM_FOR_ALL) : null
  const environment = { DATA_DIR: dataDir, PATH: process.env.PATH, ...(postgres && { DATABASE_URL: postgres.url }) }
  const home = { environment }
  const { id } = await fivetabJson(home, `account create --email ${EMAIL}`)
  const { token } = await fivetabJson(home, `token create --account ${EMAIL} --name torture --scopes ${SCOPES} --expires-in 30d`)
  await fivetabJson(home, 'plan set unlimited --token-per-minute 100000000 --account-per-minute 100000000 --writes-per-day 100000000')
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
    [Symbol.asyncDispose]: async () => {
      await postgres?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The sequences of the account's log, read past the services. */
export function eventsOf(site: Site) {
  return withEngine(placeOf(site), (engine) => eventsAfter(engine, site.accountId, 0, 1_000_000))
}

/** What the doctor finds wrong, but for the free disk. */
export async function faultsOf(site: Site): Promise<string[]> {
  const { runCommandLine } = await import('../packages/server/cli/program.ts')
  const said: string[] = []
  await runCommandLine(['doctor', '--json'], {
    environment: site.environment,
    clock: Date.now,
    print: (line) => said.push(line),
    printError: (line) => said.push(line),
    startService: () => Promise.reject(new Error('Nobody asked for the service.')),
  })
  const findings = JSON.parse(said.join('\n')) as { what: string; ok: boolean; detail: string }[]
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
