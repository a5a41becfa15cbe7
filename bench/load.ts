import { spawn, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import type { Figures } from './figures.ts'
import type { LoadOrder, Sample } from './write-load.ts'

/** Load from another core than the server's, and what it measured. */

const hasTaskset = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0
const hasWrk = spawnSync('wrk', ['-v']).error === undefined

export const tools = `${hasWrk ? 'wrk' : 'autocannon'}, ${hasTaskset ? 'server and load on a core each' : 'server and load on the same cores'}`

/** A command line that keeps to one core, where that can be had. */
export function onCore(core: number, command: readonly string[]): string[] {
  return hasTaskset ? ['taskset', '-c', String(core), ...command] : [...command]
}

export const SERVER_CORE = 0
const LOAD_CORE = 1

/** GETs `url` for `seconds` over `connections` that are kept open. @throws when any answer was not a success */
export function load(url: string, token: string, connections: number, seconds: number): Promise<Figures> {
  return hasWrk ? loadWithWrk(url, token, connections, seconds) : loadWithAutocannon(url, token, connections, seconds)
}

async function loadWithWrk(url: string, token: string, connections: number, seconds: number): Promise<Figures> {
  const command = onCore(LOAD_CORE, [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-H',
    `Authorization: Bearer ${token}`,
    url,
  ])
  const text = await startCommand(command).output
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`Not every answer was a success:\n${text}`)
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    p50Ms: milliseconds(/\n\s*50%\s+(\S+)/.exec(text)?.[1]),
    p99Ms: milliseconds(/\n\s*99%\s+(\S+)/.exec(text)?.[1]),
  }
}

/** A load that writes, keeps to a rate or takes many tokens, by a process of our own. @throws when any answer was not the right one */
export async function loadByScript(order: LoadOrder): Promise<Figures> {
  return JSON.parse(await startCommand(commandFor(order)).output)
}

/** Such a load, which ends early when it is told to, and what it measured request by request. */
export function startDetailedLoad(order: LoadOrder): { stop(): void; samples: Promise<Sample[]> } {
  const { stop, output } = startCommand(commandFor({ ...order, inDetail: true }))
  return { stop, samples: output.then((text) => JSON.parse(text)) }
}

function commandFor(order: LoadOrder): string[] {
  return onCore(LOAD_CORE, [process.execPath, join(import.meta.dirname, 'write-load.ts'), JSON.stringify(order)])
}

function milliseconds(text = ''): number {
  const value = Number.parseFloat(text)
  if (text.endsWith('us')) return value / 1000
  return text.endsWith('ms') ? value : value * 1000
}

async function loadWithAutocannon(url: string, token: string, connections: number, seconds: number): Promise<Figures> {
  const result = await autocannon({ url, connections, duration: seconds, headers: { authorization: `Bearer ${token}` } })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`Not every answer was a success: ${result.non2xx} others, ${result.errors} errors`)
  return { requestsPerSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99 }
}

function startCommand([program = '', ...words]: readonly string[]): { stop(): void; output: Promise<string> } {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const output = new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`${program} ended with ${code}`))))
  })
  return { stop: () => child.kill('SIGTERM'), output }
}
