import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, copyFileSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Environment } from '../packages/server/settings.ts'
import { databaseFile } from '../packages/server/store/open.ts'
import type { Finding } from '../packages/server/store/store.ts'
import { aProject, aTask } from './builders.ts'
import { aDatabase, contentsOf, ENGINES, type EngineName, type Home, meddle } from './database.ts'
import { fivetab, fivetabProcess, type Outcome } from './fivetab.ts'
import { aFolder } from './folder.ts'
import { HOUR, openWorld, type World } from './world.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')

interface Diagnosis {
  code: number
  findings: Finding[]
  err: string
}

async function diagnose(where: Home | string, clock = () => NOW, environment: Environment = {}): Promise<Diagnosis> {
  return diagnosisOf(await fivetab(where, 'doctor --json', { clock, environment }))
}

function diagnosisOf({ code, out, err }: Outcome): Diagnosis {
  return { code, findings: out === '' ? [] : JSON.parse(out), err }
}

/** What is found wrong. That the tests' own PostgreSQL is not durable is no matter. */
function wrongOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ what, ok, detail }) => !ok && !(what === 'durability' && detail.startsWith('fsync=off')))
}

function assertNothingWrong({ code, findings, err }: Diagnosis): void {
  assert.deepEqual(wrongOf(findings), [], err)
  assert.equal(code, findings.every(({ ok }) => ok) ? 0 : 1)
  assert.ok(
    findings.some(({ what }) => what === 'clock'),
    JSON.stringify(findings),
  )
}

/** Asserts that exactly `what` is found wrong, with exit code 1, and that the advice matches. */
function assertWrong({ code, findings, err }: Diagnosis, what: string, detail: RegExp): void {
  const wrong = wrongOf(findings)
  assert.deepEqual(
    { code, wrong: wrong.map((finding) => finding.what) },
    { code: 1, wrong: [what] },
    JSON.stringify(findings.length === 0 ? err : findings),
  )
  assert.match(wrong[0]?.detail ?? '', detail)
}

interface Copy extends Disposable {
  dataDir: string
  file: string
}

/** A copy of the world's data as a stopped service leaves it: one file. */
async function copyOf(world: World): Promise<Copy> {
  const folder = aFolder()
  const dataDir = folder.path
  const file = databaseFile(dataDir)
  await meddle(world, 'pragma wal_checkpoint(truncate)')
  copyFileSync(databaseFile(world.dataDir), file)
  return {
    dataDir,
    file,
    [Symbol.dispose]: () => {
      chmodSync(dataDir, 0o700)
      folder[Symbol.dispose]()
    },
  }
}

function overwrite(file: string, position: number, bytes: Uint8Array): void {
  const opened = openSync(file, 'r+')
  writeSync(opened, bytes, 0, bytes.length, position)
  closeSync(opened)
}

const EXAMINED: Record<EngineName, readonly string[]> = {
  sqlite: [
    'active tasks',
    'clock',
    'database integrity',
    'durability',
    'event logs',
    'folder of data',
    'free disk',
    'references',
    'schema',
    'settings',
  ],
  postgres: ['active tasks', 'clock', 'durability', 'event logs', 'schema', 'server', 'settings'],
}

const NOT_YET: Record<EngineName, RegExp> = {
  sqlite: /none yet at .*fivetab\.db/,
  postgres: /none yet at PostgreSQL at 127\.0\.0\.1/,
}

for (const engine of ENGINES) {
  describe(`the doctor (${engine})`, () => {
    it('finds nothing wrong with a service at work, and exits with 0', async () => {
      await using world = await openWorld(engine)
      await world.newAccount()
      await world.given(aTask({ disposition: 'done' }))
      const task = await world.given(aTask({ onStatus: 'Review' }))
      await world.api.post(`/tasks/${task.id}/archive`)
      await world.api.delete(`/tasks/${(await world.given(aTask())).id}`)
      await world.given(aProject())

      const diagnosis = await diagnose(world)

      assertNothingWrong(diagnosis)
      assert.deepEqual(diagnosis.findings.map(({ what }) => what).sort(), EXAMINED[engine])
    })

    it('finds nothing wrong after old events were forgotten', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())
      world.advance(31 * 24 * HOUR)
      await world.given(aTask())
      await world.service.timers.prune()

      assertNothingWrong(await diagnose(world, world.clock))
    })

    it('finds nothing wrong when all events were forgotten', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())
      world.advance(31 * 24 * HOUR)
      await world.service.timers.prune()

      assertNothingWrong(await diagnose(world, world.clock))
    })

    it('tells a person in lines', async () => {
      await using world = await openWorld(engine)
      await meddle(world, 'update ledgers set active_tasks = 3')

      const { code, out } = await fivetab(world, 'doctor', { clock: world.clock })

      assert.equal(code, 1)
      assert.match(out, /^ok {5}settings: /m)
      assert.match(out, /^WRONG {2}active tasks: person1@example\.org says 3 and has 0/m)
    })

    it('finds a counter that was changed by hand', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())
      await meddle(world, 'update ledgers set active_tasks = 7')

      assertWrong(await diagnose(world), 'active tasks', /person1@example\.org says 7 and has 1.*[Rr]estore/)
    })

    const gaps: [name: string, statement: string][] = [
      ['in the middle of a log', 'delete from events where sequence = 2'],
      ['at the end of a log', 'delete from events where sequence = 3'],
      ['after a log that says it is longer', 'update ledgers set last_sequence = 4'],
    ]
    for (const [name, statement] of gaps) {
      it(`finds a gap ${name}`, async () => {
        await using world = await openWorld(engine)
        for (const title of ['One', 'Two', 'Three']) await world.given(aTask({ title }))
        await meddle(world, statement)

        assertWrong(await diagnose(world), 'event logs', /gaps in the logs of person1@example\.org.*[Rr]estore/)
      })
    }

    it('finds a newer schema, and names what to run', async () => {
      await using world = await openWorld(engine)
      await meddle(world, "insert into migrations (number, name, applied_at) values (99, 'of tomorrow', 0)")

      assertWrong(await diagnose(world), 'schema', /99.*newer Fivetab/)
    })

    it('finds an older schema, and names what to run', async () => {
      await using world = await openWorld(engine)
      await meddle(world, 'delete from migrations')

      assertWrong(await diagnose(world), 'schema', /0.*fivetab migrate/)
    })

    it('finds a clock that is behind the last write', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())

      assertWrong(await diagnose(world, () => NOW - HOUR), 'clock', /11:00:00.*12:00:00.*Set the clock/)
    })

    it('bears with a clock that is behind by a moment', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())

      assertNothingWrong(await diagnose(world, () => NOW - 1_000))
    })

    it('finds every wrong setting', async () => {
      await using world = await openWorld(engine)

      const { code, findings } = await diagnose(world, () => NOW, { PORT: 'x', LOG_LEVEL: 'loud' })

      assert.equal(code, 1)
      assert.deepEqual(
        findings.map(({ what, ok }) => ({ what, ok })),
        [
          { what: 'settings', ok: false },
          { what: 'settings', ok: false },
        ],
      )
      assert.match(findings.map(({ detail }) => detail).join('\n'), /^PORT=x.*\nLOG_LEVEL=loud/)
    })

    it('says where the database will be when there is none, finds nothing wrong, and makes none', async () => {
      await using home = await aDatabase(engine)

      const { findings } = await diagnose(home)

      assert.deepEqual(wrongOf(findings), [])
      assert.match(findings.find(({ what }) => what === 'database')?.detail ?? '', NOT_YET[engine])
      assert.deepEqual(readdirSync(home.dataDir), [])
      assert.deepEqual(await contentsOf(home), {})
    })
  })
}

/** Another user than root, who may read and write everything. */
const ANYBODY = process.getuid?.() === 0 ? { uid: 65_534 } : {}

function canRunAsAnybody(): boolean {
  return (
    process.env.CI !== undefined ||
    spawnSync(process.execPath, [join(import.meta.dirname, '../scripts/require-node.js')], ANYBODY).status === 0
  )
}

/** The doctor in a process of its own, since a user is a matter of the whole process. */
async function diagnoseAsAnybody(dataDir: string): Promise<Diagnosis> {
  return diagnosisOf(await fivetabProcess(dataDir, 'doctor --json', ANYBODY))
}

describe('the doctor of a file', () => {
  it('finds rows that point to nothing', async () => {
    await using world = await openWorld('sqlite')
    const project = await world.given(aProject())
    await world.given(aTask({ project_id: project.id }))
    await meddle(world, 'delete from projects')

    assertWrong(await diagnose(world), 'references', /1 rows point to nothing.*[Rr]estore/)
  })

  it('finds a page of the database that is damaged', async () => {
    await using world = await openWorld('sqlite')
    for (let index = 0; index < 50; index++) await world.given(aTask({ title: `Task ${index}` }))
    using copy = await copyOf(world)
    overwrite(copy.file, statSync(copy.file).size - 3 * 4096, new Uint8Array(4096).fill(0xa5))

    const { code, findings, err } = await diagnose(copy.dataDir)

    assert.equal(code, 1)
    const integrity = findings.find(({ what }) => what === 'database integrity')
    assert.equal(integrity?.ok, false, err)
    assert.match(integrity?.detail ?? '', /restore the last backup/i)
  })

  const unreadable: [name: string, damage: (file: string) => void][] = [
    ['is no database', (file) => writeFileSync(file, 'This is a letter, not a database. '.repeat(300))],
    ['has lost its head', (file) => overwrite(file, 0, new Uint8Array(100))],
    ['is damaged from its second page on', (file) => overwrite(file, 4096, new Uint8Array(statSync(file).size - 4096).fill(0xa5))],
    ['is damaged in its table of contents', (file) => overwrite(file, 100, new Uint8Array(3996).fill(0xa5))],
  ]
  for (const [name, damage] of unreadable) {
    it(`finds, in JSON and with exit code 1, that the file ${name}`, async () => {
      await using world = await openWorld('sqlite')
      await world.given(aTask())
      using copy = await copyOf(world)
      damage(copy.file)

      const { code, findings, err } = await diagnose(copy.dataDir)

      assert.equal(code, 1)
      assert.ok(
        findings.some(({ what, ok, detail }) => /database/.test(what) && !ok && /backup/.test(detail)),
        `${JSON.stringify(findings)} ${err}`,
      )
    })
  }

  const locked: [name: string, lock: (copy: Copy) => void][] = [
    ['the folder', ({ dataDir }) => chmodSync(dataDir, 0)],
    ['the database', ({ file }) => chmodSync(file, 0)],
  ]
  for (const [name, lock] of locked) {
    it(`finds that ${name} belongs to another user`, async (t) => {
      if (!canRunAsAnybody()) return t.skip('this folder cannot be read by anybody but root')
      await using world = await openWorld('sqlite')
      using copy = await copyOf(world)
      chmodSync(copy.dataDir, 0o755)
      lock(copy)

      const diagnosis = await diagnoseAsAnybody(copy.dataDir)

      assert.equal(diagnosis.code, 1, JSON.stringify(diagnosis))
      const folder = diagnosis.findings.find(({ what }) => what === 'folder of data')
      assert.equal(folder?.ok, false, JSON.stringify(diagnosis))
      assert.match(folder?.detail ?? '', /user that runs the service/)
    })
  }
})

describe('the doctor of PostgreSQL', { skip: !ENGINES.includes('postgres') }, () => {
  it('tells the version of the server', async () => {
    await using world = await openWorld('postgres')

    const { findings } = await diagnose(world)

    assert.match(findings.find(({ what }) => what === 'server')?.detail ?? '', /^PostgreSQL \d+/)
  })

  it('finds a server that can lose what was acknowledged, and names what to set', async () => {
    await using world = await openWorld('postgres')

    const { code, findings } = await diagnose(world)

    const durability = findings.find(({ what }) => what === 'durability')
    assert.deepEqual([code, durability?.ok], [1, false])
    assert.match(durability?.detail ?? '', /^fsync=off, .*can be lost: set fsync/)
  })

  it('finds that nobody answers, and tells no password', async () => {
    const { code, out, err } = await fivetab({ environment: { DATABASE_URL: 'postgres://ada:Surprise@127.0.0.1:1/fivetab' } }, 'doctor')

    assert.equal(code, 1)
    assert.match(out, /^WRONG {2}database: .*DATABASE_URL/m)
    assert.doesNotMatch(out + err, /Surprise/)
  })
})
