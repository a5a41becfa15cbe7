import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { databaseFile } from '../packages/server/store/open.ts'
import { onCore, SERVER_CORE } from './load.ts'
import { PATHS } from './scripts.ts'
import { environmentOf, type Seed } from './seed.ts'

/** The servers that are measured, each with a database of its own that begins as the others' do. */

export interface Contestant {
  name: string
  /** One address, or that of each instance. */
  urls: readonly [string, ...string[]]
  seed: Seed
  pids: readonly number[]
  /** From its start to its word that it is ready; of instances the slowest. */
  readyMs: number
  stop(): Promise<void>
}

const ROOT = join(import.meta.dirname, '..')
const running = new Set<ChildProcess>()

/** Starts a server, by the words after `node` in the folder of the project, and answers once it has printed its address. */
async function start(name: string, seed: Seed, words: readonly string[], input = ''): Promise<Contestant> {
  const [program = '', ...rest] = onCore(SERVER_CORE, [process.execPath, ...words])
  const startedAt = performance.now()
  const child = spawn(program, rest, {
    cwd: ROOT,
    env: { ...environmentOf(seed.place), PORT: '0', LOG_LEVEL: 'info' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  running.add(child)
  const ended = once(child, 'exit').then(() => running.delete(child))
  child.stdin.end(input)
  const url = await Promise.race([addressIn(child), ended.then(() => Promise.reject(new Error(`${name} ended before it was ready`)))])
  const readyMs = performance.now() - startedAt
  child.stdout.resume()
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { name, urls: [url], seed, pids: [child.pid ?? 0], readyMs, stop }
}

async function addressIn(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
    if (address !== null) return address[0]
  }
  throw new Error('It printed no address.')
}

/** Ends whatever still runs. */
export async function stopAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }),
  )
}

/** The same database in a place of its own. Nobody may have it open. */
export async function copyOf(seed: Seed, name: string): Promise<Seed> {
  const { dataDir, databaseUrl } = seed.place
  if (databaseUrl === null) {
    const copy = `${dataDir}-${name}`
    cpSync(dataDir, copy, { recursive: true })
    return { ...seed, place: { dataDir: copy, databaseUrl } }
  }
  const copy = new URL(databaseUrl)
  copy.pathname = `${copy.pathname}_${name}`
  await inPostgres(databaseUrl, `create database ${copy.pathname.slice(1)} template ${new URL(databaseUrl).pathname.slice(1)}`)
  return { ...seed, place: { dataDir, databaseUrl: copy.href } }
}

/** Carries out a statement that no database of the server may be in use for, but its own `postgres`. */
export async function inPostgres(databaseUrl: string, sql: string): Promise<void> {
  const address = new URL(databaseUrl)
  address.pathname = '/postgres'
  const client = new Client({ connectionString: address.href })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** The words after `node` of `npm start`: what it says of memory is part of what is measured. */
const AS_BY_NPM_START = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start as string).split(' ').slice(1)

/** Fivetab, complete: one process, or several on the same database. */
export async function startFivetab(seed: Seed, name = 'fivetab', instances = 1): Promise<Contestant> {
  const one = () => start(name, seed, AS_BY_NPM_START)
  const first = await one()
  const others = await Promise.all(Array.from({ length: instances - 1 }, one))
  const all = [first, ...others]
  return {
    ...first,
    urls: [first.urls[0], ...others.map(({ urls }) => urls[0])],
    pids: all.flatMap(({ pids }) => pids),
    readyMs: Math.max(...all.map(({ readyMs }) => readyMs)),
    stop: async () => void (await Promise.all(all.map(({ stop }) => stop()))),
  }
}

/** The floor: `floor.ts`, or `floor-postgres.ts`. */
export function startFloor(seed: Seed, name: string, ...flags: string[]): Promise<Contestant> {
  const { dataDir, databaseUrl } = seed.place
  const where = databaseUrl === null ? ['bench/floor.ts', databaseFile(dataDir)] : ['bench/floor-postgres.ts', databaseUrl]
  return start(name, seed, [...where, '--account', seed.accountId, ...flags])
}

/** The ceiling (`bare.ts`), which answers every path that is read with what `model` answers with. */
export async function startBare(model: Contestant): Promise<Contestant> {
  const answers = await Promise.all(
    Object.values(PATHS).map(async (path) => {
      const answer = await fetch(model.urls[0] + path, { headers: { authorization: `Bearer ${model.seed.token}` } })
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)))
      return [path, { headers, body: await answer.text() }] as const
    }),
  )
  return start('bare', model.seed, ['bench/bare.ts'], JSON.stringify(Object.fromEntries(answers)))
}

/** The memory that a server holds (resident set), in MiB; of instances that of the largest. */
export function memoryMiB({ pids }: Contestant): number {
  const sizes = pids.map((pid) => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024)
  return Math.max(...sizes)
}
