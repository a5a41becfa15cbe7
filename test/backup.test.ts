import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { pino } from 'pino'
import { startService } from '../packages/server/service.ts'
import { readSettings } from '../packages/server/settings.ts'
import { eventsAfter } from '../packages/server/store/events.ts'
import { aTask, type Resource } from './builders.ts'
import { putTasks } from './bulk.ts'
import { type Client, clientOf } from './client.ts'
import { fivetab } from './fivetab.ts'
import { aFolder } from './folder.ts'
import { limit } from './limits.ts'
import { allTasks } from './reading.ts'
import { ENGINES, openWorld, type World } from './world.ts'

/** Runs a service on `dataDir`, hands a client with the world's token to `look`, and stops it again. */
async function restored<T>(
  world: World,
  dataDir: string,
  look: (api: Client, logOf: (accountId: string) => ReturnType<typeof eventsAfter>) => Promise<T>,
) {
  const service = await startService(readSettings({ DATA_DIR: dataDir, PORT: '0' }), pino({ level: 'silent' }), {
    clock: world.clock,
    random: randomBytes,
    runTimers: false,
  })
  try {
    return await look(clientOf(service.url, world.api.token), (accountId) => eventsAfter(service.store, accountId, 0, 100_000))
  } finally {
    await service.stop()
  }
}

describe('a backup', () => {
  it('made while 200 writes land is complete up to one commit, and a service runs on it', async () => {
    await using world = await openWorld('sqlite')
    using folder = aFolder()
    const before = await Promise.all(Array.from({ length: 20 }, () => world.given(aTask({ onStatus: 'Review' }))))
    const copy = join(folder.path, 'fivetab.db')

    const writes = Array.from({ length: 200 }, (_, index) => world.api.post('/tasks', { title: `Task ${index}` }))
    await Promise.any(writes)
    const backedUp = await fivetab(world, ['backup', copy])
    const replies = await Promise.all(writes)

    assert.equal(backedUp.code, 0, backedUp.err)
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
    const log = await world.events()
    const [tasks, copiedLog, me] = await restored(world, folder.path, async (api, logOf) => [
      await allTasks(api),
      await logOf(world.account.id),
      (await api.get('/me')).body,
    ])
    assert.ok(copiedLog.length >= before.length)
    assert.deepEqual(copiedLog, log.slice(0, copiedLog.length))
    const created = copiedLog.filter(({ type }) => type === 'task.created')
    assert.deepEqual(
      tasks.map(({ id }) => id),
      created.map(({ data }) => (data as Resource).id),
    )
    assert.equal(me.plan.active_tasks, created.length)
  })

  it('ends while writers never stop', { timeout: 30_000 }, async ({ signal }) => {
    await using world = await openWorld('sqlite')
    using folder = aFolder()
    await limit(world, { tokenPerMinute: 1e9, accountPerMinute: 1e9, writesPerDay: 1e9 })
    await putTasks(world, 4_000, { notes: 'All work and no play. '.repeat(80) })
    let isOver = false
    const written = [0, 0, 0, 0]
    const writers = written.map(async (_, writer) => {
      while (!isOver && !signal.aborted) {
        assert.equal((await world.api.post('/tasks', { title: 'One more' })).status, 201)
        written[writer] = (written[writer] ?? 0) + 1
      }
    })
    while (written.some((count) => count === 0)) await nextTurnOfTheLoop()

    const { code, err } = await fivetab(world, ['backup', join(folder.path, 'fivetab.db')])
    isOver = true
    await Promise.all(writers)

    assert.ok(!signal.aborted, 'it ended only when the writers did')
    assert.equal(code, 0, err)
    const diagnosis = await fivetab(folder.path, 'doctor', { clock: world.clock })
    assert.equal(diagnosis.code, 0, diagnosis.out)
    const tasks = await restored(world, folder.path, async (api) => (await api.get('/me')).body.plan.active_tasks)
    assert.ok(tasks >= 4_000 + written.length, `${tasks}`)
  })

  it('holds every write that was answered before it began', async () => {
    await using world = await openWorld('sqlite')
    using folder = aFolder()
    const task = await world.given(aTask({ onStatus: 'Review' }))
    const changed = (await world.api.patch(`/tasks/${task.id}`, { title: 'Rewritten' })).body

    await fivetab(world, ['backup', join(folder.path, 'fivetab.db')])
    await world.api.delete(`/tasks/${task.id}`)

    const copied = await restored(world, folder.path, async (api) => (await api.get(`/tasks/${task.id}`)).body)
    assert.deepEqual(copied, changed)
  })

  it('is one healthy file that its owner alone can read', async () => {
    await using world = await openWorld('sqlite')
    using folder = aFolder()
    await world.given(aTask())
    const copy = join(folder.path, 'fivetab.db')

    const { out } = await fivetab(world, ['backup', copy, '--json'])

    assert.deepEqual(readdirSync(folder.path), ['fivetab.db'])
    assert.deepEqual(JSON.parse(out), { file: copy, bytes: statSync(copy).size })
    assert.equal((statSync(copy).mode & 0o777).toString(8), '600')
    assert.equal((await fivetab(folder.path, 'doctor', { clock: world.clock })).code, 0)
  })

  it('does not overwrite a file', async () => {
    await using world = await openWorld('sqlite')
    using folder = aFolder()
    const taken = join(folder.path, 'monday.db')
    writeFileSync(taken, 'precious')

    const { code, err } = await fivetab(world, ['backup', taken])

    assert.equal(code, 2)
    assert.match(err, /monday\.db exists already\. Choose another name/)
    assert.equal(readFileSync(taken, 'utf8'), 'precious')
    assert.deepEqual(readdirSync(folder.path), ['monday.db'])
  })

  it('is made after one that was cut off', async () => {
    await using world = await openWorld('sqlite')
    using folder = aFolder()
    const copy = join(folder.path, 'fivetab.db')
    writeFileSync(`${copy}.unfinished`, randomBytes(10_000))

    const { code, err } = await fivetab(world, ['backup', copy])

    assert.equal(code, 0, err)
    assert.equal((await fivetab(folder.path, 'doctor', { clock: world.clock })).code, 0)
  })

  it('into a folder that is not there exits with 2 and says so', async () => {
    await using world = await openWorld('sqlite')
    using folder = aFolder()
    const copy = join(folder.path, 'nowhere', 'fivetab.db')

    const { code, err } = await fivetab(world, ['backup', copy])

    assert.equal(code, 2)
    assert.match(err, /could not be written to .*nowhere/)
    assert.deepEqual(readdirSync(folder.path), [])
  })

  it('onto a folder exits with 2', async () => {
    await using world = await openWorld('sqlite')
    using folder = aFolder()

    assert.equal((await fivetab(world, ['backup', folder.path])).code, 2)
    assert.deepEqual(readdirSync(folder.path), [])
  })
})

describe('a backup without a database', () => {
  it('exits with 2, names where it looked, and makes neither', async () => {
    using folder = aFolder()
    const dataDir = join(folder.path, 'empty')
    mkdirSync(dataDir)

    const { code, err } = await fivetab(dataDir, ['backup', join(folder.path, 'copy.db')])

    assert.equal(code, 2)
    assert.match(err, /no database .*empty.*DATA_DIR/)
    assert.deepEqual(readdirSync(dataDir), [])
    assert.ok(!existsSync(join(folder.path, 'copy.db')))
  })
})

describe('a backup of PostgreSQL', { skip: !ENGINES.includes('postgres') }, () => {
  it('is refused with exit code 2, names what makes one, and writes nothing', async () => {
    await using world = await openWorld('postgres')
    using folder = aFolder()

    const { code, out, err } = await fivetab(world, ['backup', join(folder.path, 'fivetab.db')])

    assert.deepEqual({ code, out }, { code: 2, out: '' })
    assert.match(err, /PostgreSQL.*pg_dump/)
    assert.deepEqual(readdirSync(folder.path), [])
  })
})
