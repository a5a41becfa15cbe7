import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from './postgres.ts'

/** Redis or Valkey, whichever is on this machine. */

export interface RedisServer extends AsyncDisposable {
  url: string
  /** Ends it at once, and answers once it has ended. */
  kill(): Promise<void>
}

/** Starts a server that keeps nothing; null where there is none. */
export async function startRedis(): Promise<RedisServer | null> {
  const program = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)
  if (program === undefined) return null
  const port = await freePort()
  const child = spawn(program, ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  await untilReady(child)
  return { url: `redis://127.0.0.1:${port}`, kill, [Symbol.asyncDispose]: kill }
}

function untilReady({ stdout }: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stdout === null) return reject(new Error('its output is not read'))
    const lines = createInterface({ input: stdout })
    lines.on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve()
    })
    lines.once('close', () => reject(new Error('it ended before it was ready')))
  })
}
