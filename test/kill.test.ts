import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { checkLedgers } from '../packages/server/store/checks.ts'
import { eventsAfter } from '../packages/server/store/events.ts'
import { withEngine } from '../packages/server/store/open.ts'
import type { Resource } from './builders.ts'
import { type Client, clientOf } from './client.ts'
import { aDatabase, type Database, ENGINES, type Home } from './database.ts'
import { anAccount, type ServiceProcess, serve } from './fivetab.ts'
import { allTasks } from './reading.ts'

const WRITERS = 64
const WRITES_EACH = 4
/** After how many answers each of the services is killed: before the first, among the first, between two commits, near the end. */
const KILLED_AFTER = [0, 1, 64, 150]

interface Running {
  service: ServiceProcess
  api: Client
  agent: Agent
}

async function start(home: Home, token: string): Promise<Running> {
  const service = await serve(home)
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS })
  return { service, agent, api: clientOf(service.url, token, agent) }
}

async function kill({ service, agent }: Running): Promise<void> {
  await service.end('SIGKILL')
  agent.destroy()
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

for (const engine of ENGINES) {
  describe(`a service that is killed again and again while it writes (${engine})`, { timeout: 120_000 }, () => {
    let home: Database
    /** The id of every task that must be there, by its key. */
    const expected = new Map<string, string>()
    let running: Running
    let accountId: string
    let acknowledged = 0
    let unanswered = 0

    before(async () => {
      home = await aDatabase(engine)
      const account = await anAccount(home)
      accountId = account.accountId
      running = await start(home, account.token)
      for (const [round, answers] of KILLED_AFTER.entries()) {
        const attempted = await writeUntilKilled(running, round, answers)
        for (const id of attempted.values()) id === null ? unanswered++ : acknowledged++
        running = await start(home, account.token)
        for (const [key, id] of await retry(running.api, attempted)) expected.set(key, id)
      }
    })

    after(async () => {
      await kill(running)
      await home[Symbol.asyncDispose]()
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
      const events = await withEngine(home.place, (opened) => eventsAfter(opened, accountId, 0, 100_000))

      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        Array.from({ length: expected.size }, (_, index) => index + 1),
      )
      assert.deepEqual(new Set(events.map(({ data }) => (data as Resource).id)), new Set(expected.values()))
    })

    it('counts as many active tasks as there are', async () => {
      const me = (await running.api.get('/me')).body

      assert.equal(me.plan.active_tasks, expected.size)
    })

    it('has a sound database', async () => {
      const findings = await withEngine(home.place, async (opened) => [...(await opened.inspect()), ...(await checkLedgers(opened))])

      // The server of the tests is not durable, and need not be.
      assert.deepEqual(
        findings.filter(({ what, ok }) => !ok && what !== 'durability'),
        [],
      )
    })
  })
}
