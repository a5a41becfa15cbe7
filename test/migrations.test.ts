import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import type { Context } from '../packages/server/cli/context.ts'
import { startService } from '../packages/server/service.ts'
import { migrate, NEWEST_SCHEMA, SchemaTooNew, schemaVersion } from '../packages/server/store/migrate.ts'
import { MIGRATIONS } from '../packages/server/store/migrations/index.ts'
import { openEngine, openStore } from '../packages/server/store/open.ts'
import type { Engine } from '../packages/server/store/store.ts'
import { UNKNOWN_ID } from './builders.ts'
import { fivetab, fivetabProcess } from './fivetab.ts'
import { aFolder, contentsOf, meddle } from './folder.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')

/** Hands the engine on the folder's database to `work`, and closes it. */
async function onEngine<T>(dataDir: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = openEngine(dataDir)
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

const bringUp = (dataDir: string, now = NOW) => onEngine(dataDir, (engine) => migrate(engine, now))

/** Makes the database look as if a newer program had been at it. */
function makeNewer(dataDir: string): void {
  meddle(dataDir, "insert into migrations (number, name, applied_at) values (99, 'of tomorrow', 0)")
}

describe('migrating', () => {
  it('makes a fresh database with every migration, the three plans and the switch that is on', async () => {
    using folder = aFolder()

    const applied = await bringUp(folder.path)

    assert.deepEqual(
      applied,
      MIGRATIONS.map(({ name }) => name),
    )
    const { migrations, plans, switches, accounts } = contentsOf(folder.path)
    assert.deepEqual(
      migrations?.map((row) => ({ ...(row as object) })),
      MIGRATIONS.map(({ name }, index) => ({ number: index + 1, name, applied_at: NOW })),
    )
    assert.equal(plans?.length, 3)
    assert.deepEqual({ ...(switches?.[0] as object) }, { name: 'api', is_on: 1 })
    assert.deepEqual(accounts, [])
  })

  it('does nothing to a database that has the newest schema', async () => {
    using folder = aFolder()
    await bringUp(folder.path)
    const before = contentsOf(folder.path)

    assert.deepEqual(await bringUp(folder.path, NOW + 1_000), [])

    assert.deepEqual(contentsOf(folder.path), before)
  })

  it('keeps what the operator changed', async () => {
    using folder = aFolder()
    await fivetab(folder.path, 'plan set free --active-tasks 7')
    await fivetab(folder.path, 'api off')
    const before = contentsOf(folder.path)

    await bringUp(folder.path)

    assert.deepEqual(contentsOf(folder.path), before)
  })

  const MIDDLE = /create table events/
  const END = /insert into switches/
  for (const [where, statement] of [
    ['in the middle', MIDDLE],
    ['at the very end', END],
  ] as const) {
    it(`leaves nothing behind when it fails ${where}, and succeeds the next time`, async () => {
      using folder = aFolder()

      const failed = onEngine(folder.path, (engine) =>
        migrate(
          {
            ...engine,
            transact: (job) =>
              engine.transact((writer) =>
                job({
                  ...writer,
                  run: (sql, values) => (statement.test(sql) ? Promise.reject(new Error('the disk is full')) : writer.run(sql, values)),
                }),
              ),
          },
          NOW,
        ),
      )

      await assert.rejects(failed, /the disk is full/)
      assert.deepEqual(contentsOf(folder.path), {})
      assert.equal(await onEngine(folder.path, schemaVersion), 0)
      assert.equal((await bringUp(folder.path)).length, MIGRATIONS.length)
    })
  }

  it('is done once when several processes start at once on an empty folder', async () => {
    using folder = aFolder()

    const outcomes = await Promise.all(Array.from({ length: 4 }, () => fivetabProcess(folder.path, 'migrate --json')))

    const names = MIGRATIONS.map(({ name }) => name)
    for (const { code, err } of outcomes) assert.equal(code, 0, err)
    assert.deepEqual(
      outcomes.flatMap(({ out }) => JSON.parse(out).applied),
      names,
    )
    assert.equal(contentsOf(folder.path).plans?.length, 3)
  })
})

describe('a database of a newer schema', () => {
  it('is refused when the store is opened, and the message says what to do', async () => {
    using folder = aFolder()
    await bringUp(folder.path)
    makeNewer(folder.path)

    await assert.rejects(
      openStore(folder.path, () => NOW, randomBytes),
      (error: Error) => {
        assert.ok(error instanceof SchemaTooNew)
        assert.match(error.message, new RegExp(`schema 99.*only up to ${NEWEST_SCHEMA}.*newer Fivetab.*restore a backup`))
        return true
      },
    )
  })

  const REALLY_SERVING: Partial<Context> = {
    environment: { PORT: '0' },
    startService: (settings) => startService(settings, pino({ level: 'silent' })),
  }
  const lines = [
    'serve',
    'migrate',
    'migrate --check',
    'account list',
    'account create --email ada@example.org',
    `token revoke ${UNKNOWN_ID}`,
    'plan list',
    'api off',
  ]
  for (const line of lines) {
    it(`is refused with exit code 1 and left as it is: fivetab ${line}`, async () => {
      using folder = aFolder()
      await bringUp(folder.path)
      makeNewer(folder.path)
      const before = contentsOf(folder.path)

      const { code, out, err } = await fivetab(folder.path, line, REALLY_SERVING)

      assert.deepEqual({ code, out }, { code: 1, out: '' })
      assert.match(err, /^The database has schema 99/)
      assert.deepEqual(contentsOf(folder.path), before)
    })
  }

  it('can be backed up', async () => {
    using folder = aFolder()
    await bringUp(folder.path)
    makeNewer(folder.path)

    assert.equal((await fivetab(folder.path, `backup ${join(folder.path, 'copy.db')}`)).code, 0)
  })
})

describe('fivetab migrate', () => {
  it('tells what it applied, and then that there is nothing to do', async () => {
    using folder = aFolder()

    assert.deepEqual(JSON.parse((await fivetab(folder.path, 'migrate --json')).out), {
      schema: NEWEST_SCHEMA,
      applied: MIGRATIONS.map(({ name }) => name),
    })
    assert.deepEqual(JSON.parse((await fivetab(folder.path, 'migrate --json')).out), { schema: NEWEST_SCHEMA, applied: [] })
    assert.match((await fivetab(folder.path, 'migrate')).out, /Nothing to do/)
  })

  it('--check only tells: exit code 1 before, 0 after', async () => {
    using folder = aFolder()

    const before = await fivetab(folder.path, 'migrate --check --json')
    assert.deepEqual({ code: before.code, ...JSON.parse(before.out) }, { code: 1, schema: 0, newest: NEWEST_SCHEMA })
    assert.match((await fivetab(folder.path, 'migrate --check')).out, /Run fivetab migrate/)
    await fivetab(folder.path, 'migrate')
    const after = await fivetab(folder.path, 'migrate --check')

    assert.equal(after.code, 0)
    assert.match(after.out, /newest schema/)
  })
})
