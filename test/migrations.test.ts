import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import type { Context } from '../packages/server/cli/context.ts'
import { startService } from '../packages/server/service.ts'
import { migrate, NEWEST_SCHEMA, SchemaTooNew, schemaVersion } from '../packages/server/store/migrate.ts'
import { MIGRATIONS } from '../packages/server/store/migrations/index.ts'
import { openStore, withEngine } from '../packages/server/store/open.ts'
import { UNKNOWN_ID } from './builders.ts'
import { aDatabase, contentsOf, type Database, ENGINES, meddle } from './database.ts'
import { fivetab, fivetabProcess } from './fivetab.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')

const bringUp = ({ place }: Database, now = NOW) => withEngine(place, (opened) => migrate(opened, now))

/** Makes the database look as if a newer program had been at it. */
function makeNewer(home: Database): Promise<void> {
  return meddle(home, "insert into migrations (number, name, applied_at) values (99, 'of tomorrow', 0)")
}

for (const engine of ENGINES) {
  describe(`migrating (${engine})`, () => {
    it('makes a fresh database with every migration, the three plans and the switch that is on', async () => {
      await using home = await aDatabase(engine)

      const applied = await bringUp(home)

      assert.deepEqual(
        applied,
        MIGRATIONS.map(({ name }) => name),
      )
      const { migrations, plans, switches, accounts } = await contentsOf(home)
      assert.deepEqual(
        migrations?.map((row) => ({ ...(row as object) })),
        MIGRATIONS.map(({ name }, index) => ({ number: index + 1, name, applied_at: NOW })),
      )
      assert.equal(plans?.length, 3)
      assert.deepEqual({ ...(switches?.[0] as object) }, { name: 'api', is_on: 1 })
      assert.deepEqual(accounts, [])
    })

    it('does nothing to a database that has the newest schema', async () => {
      await using home = await aDatabase(engine)
      await bringUp(home)
      const before = await contentsOf(home)

      assert.deepEqual(await bringUp(home, NOW + 1_000), [])

      assert.deepEqual(await contentsOf(home), before)
    })

    it('keeps what the operator changed', async () => {
      await using home = await aDatabase(engine)
      await fivetab(home, 'plan set free --active-tasks 7')
      await fivetab(home, 'api off')
      const before = await contentsOf(home)

      await bringUp(home)

      assert.deepEqual(await contentsOf(home), before)
    })

    const MIDDLE = /create table events/
    const END = /insert into switches/
    for (const [where, statement] of [
      ['in the middle', MIDDLE],
      ['at the very end', END],
    ] as const) {
      it(`leaves nothing behind when it fails ${where}, and succeeds the next time`, async () => {
        await using home = await aDatabase(engine)

        const failed = withEngine(home.place, (opened) =>
          migrate(
            {
              ...opened,
              transact: (job) =>
                opened.transact((writer) =>
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
        assert.deepEqual(await contentsOf(home), {})
        assert.equal(await withEngine(home.place, schemaVersion), 0)
        assert.equal((await bringUp(home)).length, MIGRATIONS.length)
      })
    }

    it('is done once when several processes start at once where there is nothing', async () => {
      await using home = await aDatabase(engine)

      const outcomes = await Promise.all(Array.from({ length: 4 }, () => fivetabProcess(home, 'migrate --json')))

      const names = MIGRATIONS.map(({ name }) => name)
      for (const { code, err } of outcomes) assert.equal(code, 0, err)
      assert.deepEqual(
        outcomes.flatMap(({ out }) => JSON.parse(out).applied),
        names,
      )
      assert.equal((await contentsOf(home)).plans?.length, 3)
    })
  })

  describe(`a database of a newer schema (${engine})`, () => {
    it('is refused when the store is opened, and the message says what to do', async () => {
      await using home = await aDatabase(engine)
      await bringUp(home)
      await makeNewer(home)

      await assert.rejects(
        openStore(home.place, () => NOW, randomBytes),
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
        await using home = await aDatabase(engine)
        await bringUp(home)
        await makeNewer(home)
        const before = await contentsOf(home)

        const { code, out, err } = await fivetab(home, line, REALLY_SERVING)

        assert.deepEqual({ code, out }, { code: 1, out: '' })
        assert.match(err, /^The database has schema 99/)
        assert.deepEqual(await contentsOf(home), before)
      })
    }
  })

  describe(`fivetab migrate (${engine})`, () => {
    it('tells what it applied, and then that there is nothing to do', async () => {
      await using home = await aDatabase(engine)

      assert.deepEqual(JSON.parse((await fivetab(home, 'migrate --json')).out), {
        schema: NEWEST_SCHEMA,
        applied: MIGRATIONS.map(({ name }) => name),
      })
      assert.deepEqual(JSON.parse((await fivetab(home, 'migrate --json')).out), { schema: NEWEST_SCHEMA, applied: [] })
      assert.match((await fivetab(home, 'migrate')).out, /Nothing to do/)
    })

    it('--check only tells: exit code 1 before, 0 after', async () => {
      await using home = await aDatabase(engine)

      const before = await fivetab(home, 'migrate --check --json')
      assert.deepEqual({ code: before.code, ...JSON.parse(before.out) }, { code: 1, schema: 0, newest: NEWEST_SCHEMA })
      assert.match((await fivetab(home, 'migrate --check')).out, /Run fivetab migrate/)
      await fivetab(home, 'migrate')
      const after = await fivetab(home, 'migrate --check')

      assert.equal(after.code, 0)
      assert.match(after.out, /newest schema/)
    })
  })
}

describe('a file of a newer schema', () => {
  it('can be backed up', async () => {
    await using home = await aDatabase('sqlite')
    await bringUp(home)
    await makeNewer(home)

    assert.equal((await fivetab(home, `backup ${join(home.dataDir, 'copy.db')}`)).code, 0)
  })
})
