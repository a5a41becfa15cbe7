import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Context } from '../packages/server/cli/context.ts'
import { runCommandLine } from '../packages/server/cli/program.ts'
import type { Environment } from '../packages/server/settings.ts'
import type { Resource } from './builders.ts'
import type { Home } from './database.ts'

/** The program as its operator has it: a command line, and a service in a process of its own. */

export const FIVETAB = join(import.meta.dirname, '../packages/server/fivetab.js')
const READY = /Fivetab is ready at (http:[\w.:/]+\d)/

export interface Outcome {
  /** The exit code; -1 when a signal ended the process. */
  code: number
  /** What was printed, and what was printed as an error. */
  out: string
  err: string
}

/** A command line after the word `fivetab`: its words, or all of them in one string, parted by spaces. */
type CommandLine = string | readonly string[]

const wordsOf = (line: CommandLine) => (typeof line !== 'string' ? line : line === '' ? [] : line.split(' '))

/** What a command works on: a folder of data, or whatever the settings of a home say. */
type Where = string | Home

const environmentOf = (where: Where): Environment => (typeof where === 'string' ? { DATA_DIR: where } : where.environment)

/** Runs a command, in this process. Its clock is the real one, and it can neither wait nor start a service, unless `around` says otherwise. */
export async function fivetab(where: Where, line: CommandLine, around: Partial<Context> = {}): Promise<Outcome> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runCommandLine(wordsOf(line), {
    clock: Date.now,
    print: (said) => out.push(said),
    printError: (said) => err.push(said),
    pause: () => assert.fail('Nobody asked to wait.'),
    readPassword: () => assert.fail('Nobody asked for a password.'),
    startService: () => assert.fail('Nobody asked for the service.'),
    ...around,
    environment: { ...environmentOf(where), ...around.environment },
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** Runs a command with `--json`, and answers with the one value that it printed. Asserts that it succeeded. */
export async function fivetabJson(where: Where, line: CommandLine, around: Partial<Context> = {}): Promise<Resource> {
  const { code, out, err } = await fivetab(where, [...wordsOf(line), '--json'], around)
  assert.equal(code, 0, `${out}\n${err}`)
  assert.doesNotMatch(out, /\n/)
  return JSON.parse(out)
}

/** Runs a command in a process of its own: as this user on this Node, unless `as` says otherwise. */
export async function fivetabProcess(where: Where, line: CommandLine, as: { uid?: number; node?: string } = {}): Promise<Outcome> {
  const { node = process.execPath, ...user } = as
  const child = spawn(node, [FIVETAB, ...wordsOf(line)], { ...user, env: environmentOf(where), stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code ?? -1, out, err }
}

/** Makes an account with a token for its tasks that lasts a day. */
export async function anAccount(where: Where): Promise<{ accountId: string; token: string }> {
  const { id } = await fivetabJson(where, 'account create --email ada@example.org')
  const { token } = await fivetabJson(
    where,
    'token create --account ada@example.org --name x --scopes tasks:read,tasks:write --expires-in 1d',
  )
  return { accountId: id, token }
}

export interface ServiceProcess extends AsyncDisposable {
  child: ChildProcess
  url: string
  /** All that it has printed so far, line by line. */
  printed: readonly string[]
  /** Sends the signal, and answers with the exit code and the signal that ended it, once it has ended and all that it printed is here. */
  end(signal: NodeJS.Signals): Promise<[code: number | null, signal: NodeJS.Signals | null]>
}

export interface ServeOptions {
  environment?: Environment
  /** The words of a command that runs the words put behind it, such as `nice`. */
  under?: readonly string[]
  /** Kills it too: the signal of a test that may run out of time, and then comes to no end of its own. */
  signal?: AbortSignal
}

/** Starts a service, in a process of its own, and answers once it is ready. It is killed when the test is over. */
export async function serve(where: Where, { environment = {}, under = [], signal }: ServeOptions = {}): Promise<ServiceProcess> {
  const [command = process.execPath, ...words] = [...under, process.execPath, FIVETAB, 'serve']
  const child = spawn(command, words, {
    env: { ...environmentOf(where), PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    killSignal: 'SIGKILL',
    signal,
  })
  const ended = once(child, 'close') as ReturnType<ServiceProcess['end']>
  const end: ServiceProcess['end'] = (signal) => {
    child.kill(signal)
    return ended
  }
  const printed: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => {
      printed.push(line)
      const found = READY.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    lines.once('close', () => reject(new Error('it ended before it was ready')))
  })
  return {
    child,
    url,
    printed,
    end,
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL')
    },
  }
}
