import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { runCommandLine } from '../packages/server/cli/program.ts'
import { startService } from '../packages/server/service.ts'
import { migrate, NEWEST_SCHEMA, SchemaTooNew, schemaVersion } from '../packages/server/store/migrate.ts'
import { MIGRATIONS } from '../packages/server/store/migrations/index.ts'
import { databaseFile, openEngine, openStore } from '../packages/server/store/open.ts'
import type { Engine } from '../packages/server/store/store.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')

interface Folder extends Disposable {
  dataDir: string
}

function aFolder(): Folder {
  const dataDir = mkdtempSync(join(tmpdir(), 'fivetab-migrations-'))
  return { dataDir, [Symbol.dispose]: () => rmSync(dataDir, { recursive: true, force: true }) }
}

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

/** Everything that a database holds, table by table. */
function contentsOf(dataDir: string): Record<string, unknown[]> {
  using database = new DatabaseSync(databaseFile(dataDir))
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all()
  return Object.fromEntries(tables.map(({ name }) => [String(name), database.prepare(`select * from ${name}`).all()]))
}

/** Makes the database look as if a newer program had been at it. */
function makeNewer(dataDir: string): void {
  using database = new DatabaseSync(databaseFile(dataDir))
  database.exec("insert into migrations (number, name, applied_at) values (99, 'of tomorrow', 0)")
}

async function fivetab(dataDir: string, line: string): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runCommandLine(line.split(' '), {
    environment: { DATA_DIR: dataDir, PORT: '0' },
    clock: () => NOW,
    print: (said) => out.push(said),
    printError: (said) => err.push(said),
    startService: (settings) => startService(settings, pino({ level: 'silent' })),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

describe('migrating', () => {
  it('makes a fresh database with every migration, the three plans and the switch that is on', async () => {
    using folder = aFolder()

    const applied = await bringUp(folder.dataDir)

    assert.deepEqual(
      applied,
      MIGRATIONS.map(({ name }) => name),
    )
    const { migrations, plans, switches, accounts } = contentsOf(folder.dataDir)
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
    await bringUp(folder.dataDir)
    const before = contentsOf(folder.dataDir)

    assert.deepEqual(await bringUp(folder.dataDir, NOW + 1_000), [])

    assert.deepEqual(contentsOf(folder.dataDir), before)
  })

  it('keeps what the operator changed', async () => {
    using folder = aFolder()
    await fivetab(folder.dataDir, 'plan set free --active-tasks 7')
    await fivetab(folder.dataDir, 'api off')
    const before = contentsOf(folder.dataDir)

    await bringUp(folder.dataDir)

    assert.deepEqual(contentsOf(folder.dataDir), before)
  })

  const MIDDLE = /create table events/
  const END = /insert into switches/
  for (const [where, statement] of [
    ['in the middle', MIDDLE],
    ['at the very end', END],
  ] as const) {
    it(`leaves nothing behind when it fails ${where}, and succeeds the next time`, async () => {
      using folder = aFolder()

      const failed = onEngine(folder.dataDir, (engine) =>
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
      assert.deepEqual(contentsOf(folder.dataDir), {})
      assert.equal(await onEngine(folder.dataDir, schemaVersion), 0)
      assert.equal((await bringUp(folder.dataDir)).length, MIGRATIONS.length)
    })
  }

  it('is done once when several processes start at once on an empty folder', async () => {
    using folder = aFolder()
    const fivetabFile = join(import.meta.dirname, '../packages/server/fivetab.js')

    const outcomes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, [fivetabFile, 'migrate', '--json'], { env: { DATA_DIR: folder.dataDir } })
        const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
        assert.equal(code, 0, err)
        return JSON.parse(out)
      }),
    )

    const names = MIGRATIONS.map(({ name }) => name)
    assert.deepEqual(
      outcomes.flatMap(({ applied }) => applied),
      names,
    )
    assert.equal(contentsOf(folder.dataDir).plans?.length, 3)
  })
})

describe('a database of a newer schema', () => {
  it('is refused when the store is opened, and the message says what to do', async () => {
    using folder = aFolder()
    await bringUp(folder.dataDir)
    makeNewer(folder.dataDir)

    await assert.rejects(
      openStore(folder.dataDir, () => NOW, randomBytes),
      (error: Error) => {
        assert.ok(error instanceof SchemaTooNew)
        assert.match(error.message, new RegExp(`schema 99.*only up to ${NEWEST_SCHEMA}.*newer Fivetab.*restore a backup`))
        return true
      },
    )
  })

  const lines = [
    'serve',
    'migrate',
    'migrate --check',
    'account list',
    'account create --email ada@example.org',
    'token revoke 019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20',
    'plan list',
    'api off',
  ]
  for (const line of lines) {
    it(`is refused with exit code 1 and left as it is: fivetab ${line}`, async () => {
      using folder = aFolder()
      await bringUp(folder.dataDir)
      makeNewer(folder.dataDir)
      const before = contentsOf(folder.dataDir)

      const { code, out, err } = await fivetab(folder.dataDir, line)

      assert.deepEqual({ code, out }, { code: 1, out: '' })
      assert.match(err, /^The database has schema 99/)
      assert.deepEqual(contentsOf(folder.dataDir), before)
    })
  }

  it('can be backed up', async () => {
    using folder = aFolder()
    await bringUp(folder.dataDir)
    makeNewer(folder.dataDir)

    assert.equal((await fivetab(folder.dataDir, `backup ${join(folder.dataDir, 'copy.db')}`)).code, 0)
  })
})

describe('fivetab migrate', () => {
  it('tells what it applied, and then that there is nothing to do', async () => {
    using folder = aFolder()

    assert.deepEqual(JSON.parse((await fivetab(folder.dataDir, 'migrate --json')).out), {
      schema: NEWEST_SCHEMA,
      applied: MIGRATIONS.map(({ name }) => name),
    })
    assert.deepEqual(JSON.parse((await fivetab(folder.dataDir, 'migrate --json')).out), { schema: NEWEST_SCHEMA, applied: [] })
    assert.match((await fivetab(folder.dataDir, 'migrate')).out, /Nothing to do/)
  })

  it('--check only tells: exit code 1 before, 0 after', async () => {
    using folder = aFolder()

    const before = await fivetab(folder.dataDir, 'migrate --check --json')
    assert.deepEqual({ code: before.code, ...JSON.parse(before.out) }, { code: 1, schema: 0, newest: NEWEST_SCHEMA })
    assert.match((await fivetab(folder.dataDir, 'migrate --check')).out, /Run fivetab migrate/)
    await fivetab(folder.dataDir, 'migrate')
    const after = await fivetab(folder.dataDir, 'migrate --check')

    assert.equal(after.code, 0)
    assert.match(after.out, /newest schema/)
  })
})
