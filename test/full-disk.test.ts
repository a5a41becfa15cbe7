import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { runCommandLine } from '../packages/server/cli/program.ts'
import type { Resource } from './builders.ts'
import { type Client, clientOf } from './client.ts'
import { assertProblem, ENGINES, openWorld } from './world.ts'

const MIB = 1024 * 1024
const AT_ONCE = 16
/** More than could ever fit. */
const MAX_ATTEMPTS = 3_000
/** Two pages or three of the database, so that it fills soon. */
const NOTES = 'All work and no play. '.repeat(500)

/** A folder that holds 16 MiB at most, most of it taken by ballast: a write-ahead log and its database grow to the rest, and fit well without. */
interface SmallDisk extends Disposable {
  path: string
  makeRoom(): void
}

function openSmallDisk(): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'fivetab-disk-'))
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...words: string[]) => {
    const [command, ...rest] = [...asRoot, ...words] as [string, ...string[]]
    return spawnSync(command, rest).status === 0
  }
  if (!run('mount', '-t', 'tmpfs', '-o', `size=16m,mode=0700,uid=${process.getuid?.()}`, 'tmpfs', path)) {
    rmSync(path, { recursive: true, force: true })
    return null
  }
  const ballast = join(path, 'ballast')
  writeFileSync(ballast, Buffer.alloc(10 * MIB))
  return {
    path,
    makeRoom: () => rmSync(ballast),
    [Symbol.dispose]: () => {
      run('umount', path)
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Says that a test cannot be made here; where tests are run for everyone, that is a failure. */
function cannot(t: TestContext, reason: string): void {
  assert.equal(process.env.CI, undefined, reason)
  t.skip(reason)
}

/** Creates tasks until no more is stored, and returns the titles of those that were acknowledged. Asserts that all others were `internal_error`. */
async function writeUntilFull(api: Client): Promise<Set<string>> {
  const stored = new Set<string>()
  let refusedInARow = 0
  for (let attempt = 0; refusedInARow < 3; attempt++) {
    assert.ok(attempt < MAX_ATTEMPTS / AT_ONCE, 'it never was full')
    const titles = Array.from({ length: AT_ONCE }, (_, index) => `Task ${attempt}-${index}`)
    const replies = await Promise.all(titles.map((title) => api.post('/tasks', { title, notes: NOTES })))
    for (const [index, reply] of replies.entries()) {
      if (reply.status === 201) stored.add(titles[index] as string)
      else assertProblem(reply, 500, 'internal_error')
    }
    refusedInARow = replies.every(({ status }) => status === 500) ? refusedInARow + 1 : 0
  }
  return stored
}

async function allTitles(api: Client): Promise<string[]> {
  const titles: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply = await api.get(`/tasks?limit=100${cursor && `&cursor=${cursor}`}`)
    assert.equal(reply.status, 200, reply.text)
    const page: Resource = reply.body
    titles.push(...page.data.map(({ title }: Resource) => title))
    cursor = page.next_cursor
  }
  return titles
}

/** Asserts that what was acknowledged is stored and nothing else, over the API. */
async function assertStored(api: Client, expected: Iterable<string>): Promise<void> {
  assert.deepEqual((await allTitles(api)).sort(), [...expected].sort())
}

async function doctor(dataDir: string, clock: () => number): Promise<string> {
  const said: string[] = []
  await runCommandLine(['doctor'], {
    environment: { DATA_DIR: dataDir },
    clock,
    print: (line) => said.push(line),
    printError: (line) => said.push(line),
    startService: () => assert.fail('Nobody asked for the service.'),
  })
  // That little is free is what this is about.
  return said.join('\n').replace(/^WRONG {2}free disk.*$/m, '')
}

for (const engine of ENGINES) {
  describe(`a full disk (${engine})`, { timeout: 60_000 }, () => {
    it('makes writes fail, loses nothing that was acknowledged, leaves reads alone, and is over once there is room', async (t) => {
      using disk = openSmallDisk()
      if (disk === null) return cannot(t, 'no small file system can be mounted here')
      await using world = await openWorld(engine, { environment: { DATA_DIR: disk.path }, logLevel: 'fatal' })

      const stored = await writeUntilFull(world.api)

      assert.ok(stored.size > 0)
      await assertStored(world.api, stored)
      assert.equal((await world.anonymous.get('//healthz')).status, 200)
      disk.makeRoom()
      for (const title of ['Room 1', 'Room 2', 'Room 3']) {
        assert.equal((await world.api.post('/tasks', { title, notes: NOTES })).status, 201)
        stored.add(title)
      }
      await assertStored(world.api, stored)
      assert.deepEqual(
        (await world.events()).map(({ sequence }) => sequence),
        Array.from(stored, (_, index) => index + 1),
      )
      assert.equal((await world.api.get('/me')).body.plan.active_tasks, stored.size)
      assert.doesNotMatch(await doctor(disk.path, () => Date.parse(world.now)), /WRONG/)
    })

    it('is survived by a restart before there is room', async (t) => {
      using disk = openSmallDisk()
      if (disk === null) return cannot(t, 'no small file system can be mounted here')
      await using world = await openWorld(engine, { environment: { DATA_DIR: disk.path }, logLevel: 'fatal' })
      const stored = await writeUntilFull(world.api)

      await world.restart()

      await assertStored(world.api, stored)
      disk.makeRoom()
      assert.equal((await world.api.post('/tasks', { title: 'Room' })).status, 201)
    })
  })
}

const FIVETAB = join(import.meta.dirname, '../packages/server/fivetab.js')
const READY = /Fivetab is ready at (http:[\w.:/]+\d)/
/** `ulimit -f` counts blocks of 512 bytes in a POSIX shell, and of 1,024 in bash: 1 or 2 MiB here. */
const BLOCKS = 2_048

/** A service in a process whose files must not grow beyond a few MiB. */
async function serveLimited(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn('sh', ['-c', `ulimit -S -f ${BLOCKS} && exec "$0" "$1" serve`, process.execPath, FIVETAB], {
    env: { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info', PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const found = READY.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    lines.once('close', () => reject(new Error('it ended before it was ready')))
  })
  return { child, url }
}

describe('a file that must not grow', { timeout: 60_000 }, () => {
  it('makes writes fail, loses nothing that was acknowledged, leaves reads alone, and is over once it may', async (t) => {
    if (spawnSync('prlimit', ['--version']).status !== 0) return cannot(t, 'there is no prlimit here')
    const dataDir = mkdtempSync(join(tmpdir(), 'fivetab-limited-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const run = async (line: string) => {
      const out: string[] = []
      const context = { environment: { DATA_DIR: dataDir }, clock: Date.now, print: (text: string) => out.push(text) }
      const code = await runCommandLine(line.split(' '), { ...context, printError: context.print, startService: () => assert.fail() })
      assert.equal(code, 0, out.join('\n'))
      return JSON.parse(out.join('\n'))
    }
    await run('account create --email ada@example.org --json')
    const { token } = await run('token create --account ada@example.org --name x --scopes tasks:read,tasks:write --expires-in 1d --json')
    const { child, url } = await serveLimited(dataDir)
    t.after(() => child.kill('SIGKILL'))
    const agent = new Agent({ keepAlive: true })
    t.after(() => agent.destroy())
    const api = clientOf(url, token, agent)

    const stored = await writeUntilFull(api)

    assert.ok(stored.size > 0)
    await assertStored(api, stored)
    assert.equal(spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:unlimited']).status, 0)
    assert.equal((await api.post('/tasks', { title: 'Room' })).status, 201)
    await assertStored(api, [...stored, 'Room'])
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
  })
})
