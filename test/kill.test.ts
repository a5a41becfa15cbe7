import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import type { Context } from '../packages/server/cli/context.ts'
import { runCommandLine } from '../packages/server/cli/program.ts'
import { eventsAfter } from '../packages/server/store/events.ts'
import { openEngine } from '../packages/server/store/open.ts'
import type { Resource } from './builders.ts'
import { type Client, clientOf } from './client.ts'

const WRITERS = 64
const WRITES_EACH = 4
/** After how many answers each of the services is killed: before the first, among the first, between two commits, near the end. */
const KILLED_AFTER = [0, 1, 7, 32, 63, 64, 65, 100, 150, 200]

const FIVETAB = join(import.meta.dirname, '../packages/server/fivetab.js')
const READY = /Fivetab is ready at (http:[\w.:/]+\d)/

interface Running {
  child: ChildProcess
  api: Client
  agent: Agent
}

async function serve(dataDir: string, token: string): Promise<Running> {
  const child = spawn(process.execPath, [FIVETAB, 'serve'], { env: { DATA_DIR: dataDir, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = READY.exec(line)?.[1]
    if (url === undefined) continue
    const agent = new Agent({ keepAlive: true, maxSockets: WRITERS })
    return { child, agent, api: clientOf(url, token, agent) }
  }
  return assert.fail('it ended before it was ready')
}

async function kill({ child, agent }: Running): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  agent.destroy()
}

async function fivetab(dataDir: string, line: string): Promise<Resource> {
  const out: string[] = []
  const context: Context = {
    environment: { DATA_DIR: dataDir },
    clock: Date.now,
    print: (text) => out.push(text),
    printError: (text) => out.push(text),
    startService: () => assert.fail('It is started in a process of its own.'),
  }
  assert.equal(await runCommandLine([...line.split(' '), '--json'], context), 0, out.join('\n'))
  return JSON.parse(out.join('\n'))
}

/** Creates the task that belongs to the key, again or for the first time. */
const create = (api: Client, key: string) => api.post('/tasks', { title: `Task ${key}` }, { 'idempotency-key': key })

/**
 * Lets 64 writers write at once until the service has answered `answers` times, kills it, and returns the ids of the tasks whose creation
 * it acknowledged, by key; null for those without an answer.
 */
async function writeUntilKilled(running: Running, round: number, answers: number): Promise<Map<string, string | null>> {
  const attempted = new Map<string, string | null>()
  let answered = 0
  let killed: Promise<void> | null = null
  const killWhenDue = () => {
    if (answered >= answers) killed ??= kill(running)
  }
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let write = 0; write < WRITES_EACH && killed === null; write++) {
      const key = `${round}-${writer}-${write}`
      attempted.set(key, null)
      const reply = await create(running.api, key).catch(() => null)
      if (reply === null) return
      assert.equal(reply.status, 201, reply.text)
      attempted.set(key, reply.body.id)
      answered += 1
      killWhenDue()
    }
  })
  killWhenDue()
  await Promise.all(writers)
  assert.ok(killed, 'it was never killed')
  await killed
  return attempted
}

/** Retries every attempt with its key; asserts that what was acknowledged is there, as it was. */
async function retry(api: Client, attempted: Map<string, string | null>): Promise<Map<string, string>> {
  const settled = new Map<string, string>()
  await Promise.all(
    [...attempted].map(async ([key, id]) => {
      const reply = await create(api, key)
      if (id === null) assert.ok(reply.status === 201 || reply.status === 200, reply.text)
      else assert.deepEqual({ status: reply.status, id: reply.body.id }, { status: 200, id })
      settled.set(key, reply.body.id)
    }),
  )
  return settled
}

async function allTasks(api: Client): Promise<Resource[]> {
  const tasks: Resource[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply = await api.get(`/tasks?limit=100${cursor && `&cursor=${cursor}`}`)
    assert.equal(reply.status, 200, reply.text)
    const page: Resource = reply.body
    tasks.push(...page.data)
    cursor = page.next_cursor
  }
  return tasks
}

describe('a service that is killed again and again while it writes', { timeout: 120_000 }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fivetab-kill-'))
  /** The id of every task that must be there, by its key. */
  const expected = new Map<string, string>()
  let running: Running
  let accountId = ''
  let acknowledged = 0
  let unanswered = 0

  before(async () => {
    accountId = (await fivetab(dataDir, 'account create --email ada@example.org')).id
    const { token } = await fivetab(
      dataDir,
      'token create --account ada@example.org --name x --scopes tasks:read,tasks:write --expires-in 1d',
    )
    running = await serve(dataDir, token)
    for (const [round, answers] of KILLED_AFTER.entries()) {
      const attempted = await writeUntilKilled(running, round, answers)
      for (const id of attempted.values()) id === null ? unanswered++ : acknowledged++
      running = await serve(dataDir, token)
      for (const [key, id] of await retry(running.api, attempted)) expected.set(key, id)
    }
  })

  after(async () => {
    await kill(running)
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('was killed in the midst of it', () => {
    assert.ok(acknowledged >= KILLED_AFTER.reduce((sum, answers) => sum + answers))
    assert.ok(unanswered > 0)
  })

  it('has lost no acknowledged write and doubled none', async () => {
    const tasks = await allTasks(running.api)

    assert.deepEqual(new Map(tasks.map(({ id, title }) => [title.replace('Task ', ''), id])), expected)
    assert.equal(tasks.length, expected.size)
  })

  it('has one event for each task, and no gap in the sequence', async () => {
    const engine = openEngine(dataDir)
    const events = await eventsAfter(engine, accountId, 0, 100_000)
    await engine.close()

    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      Array.from({ length: expected.size }, (_, index) => index + 1),
    )
    assert.deepEqual(new Set(events.map(({ data }) => (data as Resource).id)), new Set(expected.values()))
  })

  it('counts right', async () => {
    const me = (await running.api.get('/me')).body

    assert.equal(me.plan.active_tasks, expected.size)
  })

  it('has a sound database', async () => {
    const findings: Resource[] = await fivetab(dataDir, 'doctor')

    assert.deepEqual(
      findings.filter(({ ok }) => !ok),
      [],
    )
  })
})
