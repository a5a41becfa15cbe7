import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { Agent } from 'node:http'
import { describe, it } from 'node:test'
import { cannot } from './cannot.ts'
import { type Client, clientOf } from './client.ts'
import { anAccount, fivetab, serve } from './fivetab.ts'
import { aFolder } from './folder.ts'
import { allTasks } from './reading.ts'
import { openSmallDisk } from './small-disk.ts'
import { assertProblem, openWorld } from './world.ts'

const AT_ONCE = 16
/** More than could ever fit. */
const MAX_ATTEMPTS = 3_000
/** Two pages or three of the database, so that it fills soon. */
const NOTES = 'All work and no play. '.repeat(500)

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

/** Asserts that what was acknowledged is stored and nothing else, over the API. */
async function assertStored(api: Client, expected: Iterable<string>): Promise<void> {
  const titles = (await allTasks(api)).map(({ title }) => title)
  assert.deepEqual(titles.sort(), [...expected].sort())
}

/** What the doctor says to a person, but for the free disk: that little is free is what this is about. */
async function doctor(dataDir: string, clock: () => number): Promise<string> {
  const { out, err } = await fivetab(dataDir, 'doctor', { clock })
  return `${out}\n${err}`.replace(/^WRONG {2}free disk.*$/m, '')
}

describe('a full disk', { timeout: 60_000 }, () => {
  it('makes writes fail, loses nothing that was acknowledged, leaves reads alone, and is over once there is room', async (t) => {
    using disk = openSmallDisk({ sizeMib: 16, ballastMib: 10 })
    if (disk === null) return cannot(t, 'no small file system can be mounted here')
    await using world = await openWorld('sqlite', { environment: { DATA_DIR: disk.path }, logLevel: 'fatal' })

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
    assert.doesNotMatch(await doctor(disk.path, world.clock), /WRONG/)
  })

  it('is survived by a restart before there is room', async (t) => {
    using disk = openSmallDisk({ sizeMib: 16, ballastMib: 10 })
    if (disk === null) return cannot(t, 'no small file system can be mounted here')
    await using world = await openWorld('sqlite', { environment: { DATA_DIR: disk.path }, logLevel: 'fatal' })
    const stored = await writeUntilFull(world.api)

    await world.restart()

    await assertStored(world.api, stored)
    disk.makeRoom()
    assert.equal((await world.api.post('/tasks', { title: 'Room' })).status, 201)
  })
})

/** `ulimit -f` counts blocks of 512 bytes in a POSIX shell, and of 1,024 in bash: 1 or 2 MiB here. */
const BLOCKS = 2_048

/** Gives a process files that must not grow beyond a few MiB. */
const LIMITED = ['sh', '-c', `ulimit -S -f ${BLOCKS} && exec "$0" "$@"`]

describe('a file that must not grow', { timeout: 60_000 }, () => {
  it('makes writes fail, loses nothing that was acknowledged, leaves reads alone, and is over once it may', async (t) => {
    if (spawnSync('prlimit', ['--version']).status !== 0) return cannot(t, 'there is no prlimit here')
    using folder = aFolder()
    const { token } = await anAccount(folder.path)
    await using service = await serve(folder.path, { environment: { PATH: process.env.PATH }, under: LIMITED, signal: t.signal })
    const agent = new Agent({ keepAlive: true })
    t.after(() => agent.destroy())
    const api = clientOf(service.url, token, agent)

    const stored = await writeUntilFull(api)

    assert.ok(stored.size > 0)
    await assertStored(api, stored)
    assert.equal(spawnSync('prlimit', ['--pid', String(service.child.pid), '--fsize=unlimited:unlimited']).status, 0)
    assert.equal((await api.post('/tasks', { title: 'Room' })).status, 201)
    await assertStored(api, [...stored, 'Room'])
    assert.deepEqual(await service.end('SIGTERM'), [0, null])
  })
})
