import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { invite, makeFirstLink, makeResetLink } from '../packages/server/actions/links.ts'
import type { Operator } from '../packages/server/actions/operator.ts'
import { openPasswords } from '../packages/server/actions/passwords.ts'
import { resetPassword } from '../packages/server/actions/people.ts'
import { startService } from '../packages/server/service.ts'
import { readSettings } from '../packages/server/settings.ts'
import { checkLedgers } from '../packages/server/store/checks.ts'
import { beginCopy, COPIED_TABLES, finishCopy, OWN_TABLES } from '../packages/server/store/copying.ts'
import { nameOf, openStore, withEngine, withTarget } from '../packages/server/store/open.ts'
import type { Engine, Value } from '../packages/server/store/store.ts'
import { aProject, aStep, aTask, aWorkflow } from './builders.ts'
import { putTasks } from './bulk.ts'
import { type Client, clientOf } from './client.ts'
import { aDatabase, contentsOf, ENGINES, type EngineName, type Home, meddle, placeOf } from './database.ts'
import { FIVETAB, fivetab, fivetabJson } from './fivetab.ts'
import { aVisitor, PASSWORD } from './people.ts'
import { aWebhook } from './receiver.ts'
import { HOUR, openWorld, type TestAccount, type World } from './world.ts'

/** More than two transactions of a copy hold. */
const MANY = 5_000

const DIRECTIONS = ENGINES.flatMap((from) => ENGINES.map((to) => [from, to] as const))

/** The words after `fivetab` that copy to `target`. */
const copyTo = (target: Home) => ['copy', '--to', wordFor(target)]

function wordFor(target: Home): string {
  const { databaseUrl, dataDir } = placeOf(target)
  return databaseUrl ?? dataDir
}

/** All that the two should have in common, in an order of its own. */
async function dataOf(home: Home): Promise<Record<string, string[]>> {
  const contents = await contentsOf(home)
  const names = Object.keys(contents).filter((name) => !OWN_TABLES.includes(name) && !name.startsWith('sqlite_'))
  return Object.fromEntries(names.map((name) => [name, contents[name]?.map((row) => JSON.stringify(row)).sort() ?? []]))
}

/** Asserts that the copy holds what the source holds, and bears no mark. */
async function assertSame(source: Home, target: Home): Promise<void> {
  const [expected, actual] = [await dataOf(source), await dataOf(target)]
  assert.deepEqual(Object.keys(actual).sort(), [...COPIED_TABLES].sort())
  // Told by table, for what differs is easier to find in one.
  for (const name of COPIED_TABLES) assert.deepEqual(actual[name], expected[name], name)
}

/** Puts something into every table. */
async function fill(world: World): Promise<void> {
  await fivetab(world, 'plan set pro --active-tasks 17')
  await fivetab(world, 'plan set own --writes-per-day 4711')
  const project = await world.given(aProject({ description: 'Größe, 漢字, 👩‍🚀 and a\nnew line; "quotes", \\ and $1' }))
  assert.equal((await world.api.patch(`/projects/${project.id}`, { position: 1 / 3 })).status, 200)
  await world.api.post('/tasks', { title: 'Once' }, { 'idempotency-key': 'a key' })
  await world.given(aTask({ title: 'Of a project', project_id: project.id, due_date: '2026-12-24' }))
  const task = await world.given(aTask({ onStatus: 'Review' }))
  await world.given(aStep(await world.given(aTask()), { name: 'Ask' }))
  const [first] = (await world.api.get(`/tasks/${task.id}/steps`)).body.data
  assert.equal((await world.api.patch(`/tasks/${task.id}/steps/${first.id}`, { completed: true })).status, 200)
  await world.api.post(`/tasks/${(await world.given(aTask())).id}/complete`)
  const webhook = await world.given(aWebhook({ url: 'https://192.88.100.1/hook' }))
  await world.api.post(`/webhooks/${webhook.id}/test`)
  const other = await world.newAccount('pro')
  await aTask({ title: 'Of somebody else' })(other.api)
  await aWorkflow()(other.api)
  await signInTo(other.account, world.operator)
  const contents = await dataOf(world)
  for (const name of COPIED_TABLES) assert.notDeepEqual(contents[name], [], `nothing in ${name}`)
}

/** Gives the account a password, a session and a tab of its own, and makes links of both kinds. */
async function signInTo({ email, id }: TestAccount, operator: Operator): Promise<void> {
  const gate = { ...operator, passwords: openPasswords(randomBytes), signUp: 'invite' as const }
  const { value: link } = await makeResetLink(operator, email, HOUR)
  await resetPassword(gate, aVisitor(), { link, password: PASSWORD })
  await makeResetLink(operator, email, HOUR)
  await invite(operator, { email: 'bob@example.org', planKey: 'own', lifetimeMs: HOUR })
  await operator.store.transact((writer) =>
    writer.run("insert into tabs (account_id, disposition, label, color) values ($1, 'waiting', 'Größe', '#112233')", [id]),
  )
}

/** Puts many tasks into two accounts. */
async function fillWithMany(world: World): Promise<void> {
  const { account } = await world.newAccount()
  await putTasks(world, MANY)
  await putTasks(world, MANY, { of: account })
}

/** Copies between engines that are changed for the purpose. */
function copyBetween(source: Home, target: Home, change: { source?: (engine: Engine) => Engine; target?: (engine: Engine) => Engine }) {
  const same = (engine: Engine) => engine
  return withEngine(placeOf(source), (reading) =>
    withTarget(placeOf(target), async (writing) => {
      const [from, to] = [(change.source ?? same)(reading), (change.target ?? same)(writing)]
      const begun = await beginCopy(from, to, nameOf(placeOf(source)), Date.now())
      await finishCopy(from, to, { ...begun, watch: () => {} })
    }),
  )
}

class CutOff extends Error {}

/** Copies to a target that carries out so many transactions and then none, as if the process ended there; answers with whether it came to that. */
async function isCutOff(source: Home, target: Home, transactions: number): Promise<boolean> {
  let left = transactions
  const failing = (engine: Engine): Engine => ({
    ...engine,
    transact: async (job, line) => {
      if (left === 0) throw new CutOff()
      left -= 1
      return engine.transact(job, line)
    },
  })
  try {
    await copyBetween(source, target, { target: failing })
    return false
  } catch (error) {
    if (error instanceof CutOff) return true
    throw error
  }
}

/** How many transactions a copy to the engine takes: one makes the tables, one marks them, the last takes the mark away. */
async function transactionsOf(source: Home, engine: EngineName): Promise<number> {
  await using target = await aDatabase(engine)
  let count = 0
  const counting = (engine: Engine): Engine => ({
    ...engine,
    transact: (job, line) => {
      count += 1
      return engine.transact(job, line)
    },
  })
  await copyBetween(source, target, { target: counting })
  return count
}

/** Runs a service on the target, with the world's clock, and hands a client with the world's token to `look`. */
async function onCopy<T>(world: World, target: Home, look: (api: Client) => Promise<T>): Promise<T> {
  const settings = readSettings({ ...target.environment, PORT: '0' })
  const service = await startService(settings, pino({ level: 'silent' }), { clock: world.clock, random: randomBytes, runTimers: false })
  try {
    return await look(clientOf(service.url, world.api.token))
  } finally {
    await service.stop()
  }
}

/** What the API tells of an account. */
async function told(api: Client) {
  const bodies: unknown[] = []
  for (const path of ['/me', '/projects', '/workflows', '/tasks', '/tasks?disposition=done']) {
    const { status, body } = await api.get(path)
    assert.equal(status, 200, JSON.stringify(body))
    bodies.push(body)
  }
  for (const { id } of (await api.get('/tasks')).body.data) bodies.push((await api.get(`/tasks/${id}/steps`)).body)
  return bodies
}

describe('the tables', () => {
  for (const engine of ENGINES) {
    it(`that a copy takes along, and those that it need not, are all there are (${engine})`, async () => {
      await using home = await aDatabase(engine)
      await fivetab(home, 'migrate')

      const names = Object.keys(await contentsOf(home)).filter((name) => !name.startsWith('sqlite_'))

      assert.deepEqual(
        names.filter((name) => !OWN_TABLES.includes(name)),
        [...COPIED_TABLES].sort(),
      )
    })
  }

  it('are read in the order of their keys, without a sort', async () => {
    await using world = await openWorld('sqlite')
    await fill(world)
    await using target = await aDatabase('sqlite')
    const steps: string[] = []
    const explaining = (engine: Engine): Engine => ({
      ...engine,
      all: async <Row>(sql: string, values: readonly Value[]) => {
        const plan = await engine.all<{ detail: string }>(`explain query plan ${sql}`, values)
        steps.push(...plan.map(({ detail }) => detail))
        return engine.all<Row>(sql, values)
      },
    })

    await copyBetween(world, target, { source: explaining })

    const byKey = /^SEARCH (\w+) USING (?:PRIMARY KEY|INDEX sqlite_autoindex_\1_1)/
    assert.deepEqual(new Set(steps.map((step) => byKey.exec(step)?.[1])), new Set(COPIED_TABLES))
    assert.deepEqual(
      steps.filter((step) => !byKey.test(step)),
      [],
    )
  })
})

for (const [from, to] of DIRECTIONS) {
  describe(`fivetab copy (${from} to ${to})`, () => {
    it('brings everything along, and the API tells the same of it', async () => {
      await using world = await openWorld(from)
      await fill(world)
      await using target = await aDatabase(to)

      const copied = await fivetab(world, copyTo(target))

      assert.equal(copied.code, 0, copied.err)
      await assertSame(world, target)
      assert.deepEqual(await onCopy(world, target, told), await told(world.api))
      assert.ok((await withEngine(target.place, checkLedgers)).every(({ ok }) => ok))
    })

    it('goes on where it was cut off, wherever that was', async () => {
      await using world = await openWorld(from)
      await fillWithMany(world)
      const transactions = await transactionsOf(world, to)
      assert.ok(transactions > 7, `${transactions}`)
      // Before the target has tables; without the mark; with nothing but it; after the first rows; in the midst; with all but the end.
      for (const after of [0, 1, 2, 3, 5, transactions - 1]) {
        await using target = await aDatabase(to)
        assert.ok(await isCutOff(world, target, after))

        const resumed = await fivetab(world, copyTo(target))

        assert.equal(resumed.code, 0, resumed.err)
        assert.equal(resumed.err.includes('Going on'), after >= 2)
        await assertSame(world, target)
      }
    })

    it('comes to its end however often it is cut off', async () => {
      await using world = await openWorld(from)
      await fill(world)
      await putTasks(world, MANY)
      await using target = await aDatabase(to)
      let times = 0

      await isCutOff(world, target, 2)
      while (await isCutOff(world, target, 1)) times += 1

      assert.ok(times > 2, `${times}`)
      await assertSame(world, target)
    })

    it('goes on after its process was killed', async () => {
      await using world = await openWorld(from)
      await fillWithMany(world)
      await using target = await aDatabase(to)
      const child = spawn(process.execPath, [FIVETAB, ...copyTo(target)], {
        env: world.environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child.stderr.once('data', () => child.kill('SIGKILL'))
      assert.deepEqual(await once(child, 'close'), [null, 'SIGKILL'])
      assert.equal((await fivetab(target, 'account list')).code, 1)
      const { tasks } = await dataOf(target)
      assert.ok(tasks !== undefined && tasks.length > 0 && tasks.length < 2 * MANY)

      const resumed = await fivetab(world, copyTo(target))

      assert.equal(resumed.code, 0, resumed.err)
      await assertSame(world, target)
    })

    it('tells what was changed meanwhile, and leaves the mark', async () => {
      await using world = await openWorld(from)
      await fillWithMany(world)
      await using target = await aDatabase(to)
      const all = await transactionsOf(world, to)
      assert.ok(await isCutOff(world, target, all - 1))
      const { id, email } = world.account
      await meddle(
        world,
        `update tasks set title = 'Changed' where account_id = '${id}' and id = (select max(id) from tasks where account_id = '${id}')`,
      )
      await meddle(target, `delete from tokens where account_id = '${id}'`)

      const { code, out, err } = await fivetab(world, copyTo(target))

      assert.deepEqual({ code, out }, { code: 1, out: '' })
      assert.ok(err.includes(`account ${email} (${id}), table tasks: ${MANY} rows in both, but not the same`), err)
      // A row that went from the end of the target comes again.
      assert.doesNotMatch(err, /table tokens/)
      assert.equal(err.match(/ table /g)?.length, 1)
      assert.match(err, /changed meanwhile: stop the service/)
      assert.match((await fivetab(target, 'account list')).err, /unfinished copy/)
    })

    it('finds accounts that came or went, and changes of what is common to all', async () => {
      await using world = await openWorld(from)
      await fill(world)
      await using target = await aDatabase(to)
      assert.ok(await isCutOff(world, target, (await transactionsOf(world, to)) - 1))
      await meddle(world, "update plans set writes_per_day = 1 where key = 'own'")
      await fivetab(world, 'account delete person2@example.org')

      const { code, err } = await fivetab(world, copyTo(target))

      assert.equal(code, 1)
      assert.match(err, / {2}table plans: 4 rows in both, but not the same\n {2}table accounts: 1 rows in the source, 2 in the target\n/)
    })

    it('refuses a target that holds accounts, and leaves it as it is', async () => {
      await using world = await openWorld(from)
      await using target = await openWorld(to)
      const before = await contentsOf(target)

      const { code, out, err } = await fivetab(world, copyTo(target))

      assert.deepEqual({ code, out }, { code: 2, out: '' })
      assert.match(err, /not empty/)
      assert.deepEqual(await contentsOf(target), before)
    })

    it('takes a target that a service was started on and nobody has used', async () => {
      await using world = await openWorld(from)
      await using target = await aDatabase(to)
      const store = await openStore(target.place, Date.now, randomBytes)
      await makeFirstLink({ store, clock: Date.now, random: randomBytes })
      await store.close()

      const { code, err } = await fivetab(world, copyTo(target))

      assert.equal(code, 0, err)
      await assertSame(world, target)
    })

    it('refuses to go on with the copy of another database', async () => {
      await using world = await openWorld(from)
      await using another = await aDatabase(from)
      await fivetab(another, 'account create --email ada@example.org')
      await using target = await aDatabase(to)
      assert.ok(await isCutOff(world, target, 3))
      const before = await contentsOf(target)

      const { code, err } = await fivetab(another, copyTo(target))

      assert.equal(code, 2)
      assert.ok(err.includes(`unfinished copy of another database, ${nameOf(placeOf(world))}`), err)
      assert.deepEqual(await contentsOf(target), before)
      assert.equal((await fivetab(world, copyTo(target))).code, 0)
    })

    it('refuses a source and a target of another schema', async () => {
      for (const [number, told] of [
        [99, /newer Fivetab/],
        [-1, /fivetab migrate/],
      ] as const) {
        const change = number > 0 ? `insert into migrations values (${number}, 'x', 0)` : 'delete from migrations where number > 1'
        for (const changed of ['source', 'target']) {
          await using source = await aDatabase(from)
          await using target = await aDatabase(to)
          for (const home of [source, target]) await fivetab(home, 'migrate')
          await meddle(changed === 'source' ? source : target, change)

          const { code, err } = await fivetab(source, copyTo(target))

          assert.equal(code, 1, changed)
          assert.match(err, told)
        }
      }
    })
  })
}

for (const engine of ENGINES) {
  describe(`fivetab copy (${engine})`, () => {
    it('refuses a source without a database', async () => {
      await using source = await aDatabase(engine)
      await using target = await aDatabase('sqlite')

      const { code, err } = await fivetab(source, copyTo(target))

      assert.equal(code, 2)
      assert.match(err, /There is no database of Fivetab/)
    })

    it('refuses the source as its own target, also when it is empty', async () => {
      await using home = await aDatabase(engine)
      await fivetab(home, 'migrate')
      const before = await contentsOf(home)

      const { code, err } = await fivetab(home, copyTo(home))

      assert.equal(code, 2)
      assert.match(err, /The target is the source itself/)
      assert.deepEqual(await contentsOf(home), before)
    })

    it('leaves no other command and no service to a target before it is done', async () => {
      await using world = await openWorld('sqlite')
      await using target = await aDatabase(engine)
      await using further = await aDatabase('sqlite')
      assert.ok(await isCutOff(world, target, 3))
      const start = { startService: () => startService(readSettings(target.environment), pino({ level: 'silent' })) }

      for (const line of ['serve', 'account list', 'plan list', 'api off', 'migrate', 'migrate --check', copyTo(further)]) {
        const { code, err } = await fivetab(target, line, start)
        assert.equal(code, 1, `${line}`)
        assert.ok(err.includes(`${nameOf(target.place)} holds an unfinished copy of ${nameOf(placeOf(world))}.`), err)
        assert.match(err, /Run the same fivetab copy again/)
      }
      const doctor = await fivetab(target, 'doctor')
      assert.equal(doctor.code, 1)
      assert.match(doctor.out, /WRONG {2}database: .* unfinished copy/)
    })

    it('never prints a password', async () => {
      await using world = await openWorld('sqlite')
      await using target = await aDatabase(engine)
      const address = 'postgres://ada:geheim@127.0.0.1:1/fivetab'
      const outcomes = [
        await fivetab(world, ['copy', '--to', address]),
        await fivetab(world, ['copy', '--to', address.replace('postgres', 'mysql')]),
        await fivetab(world, ['copy', '--to', 'postgres://ada:geheim@no host/fivetab']),
        await fivetab({ environment: { ...target.environment, DATABASE_URL: address } }, copyTo(target)),
        await fivetab(world, copyTo(target)),
      ]

      const password = new URL(target.place.databaseUrl ?? address).password
      for (const { out, err } of outcomes) assert.ok(!/geheim/.test(out + err) && !(out + err).includes(password), out + err)
      assert.deepEqual(
        outcomes.map(({ code }) => code),
        [1, 2, 2, 1, 0],
      )
    })
  })
}

describe('fivetab copy', () => {
  it('refuses what is neither an address of PostgreSQL nor a folder', async () => {
    await using world = await openWorld('sqlite')
    await using target = await aDatabase('sqlite')
    const file = join(target.dataDir, 'fivetab.db')
    writeFileSync(file, '')

    for (const word of ['', 'mysql://127.0.0.1/fivetab', 'postgres://no host', 'file:///tmp/x', file]) {
      const { code, err } = await fivetab(world, ['copy', '--to', word])
      assert.equal(code, 2, word)
      assert.match(err, /an address such as postgres:|is a file/)
    }
    assert.equal((await fivetab(world, 'copy')).code, 2)
  })

  it('says how to go on when it fails in the midst', async () => {
    await using world = await openWorld('sqlite')
    const workflow = await world.given(aWorkflow())
    await meddle(world, `update statuses set workflow_id = 'nowhere' where workflow_id = '${workflow.id}'`)
    await using target = await aDatabase('sqlite')

    const { code, out, err } = await fivetab(world, copyTo(target))
    assert.deepEqual({ code, out }, { code: 1, out: '' })
    assert.match(err, /The copy is unfinished. Run the same command again/)
    await meddle(world, `update statuses set workflow_id = '${workflow.id}' where workflow_id = 'nowhere'`)

    assert.equal((await fivetab(world, copyTo(target))).code, 0)
    await assertSame(world, target)
  })

  it('sums up what it did, for a person and as JSON', async () => {
    await using world = await openWorld('sqlite')
    await putTasks(world, 100)
    await using target = await aDatabase('sqlite')
    await using another = await aDatabase('sqlite')
    const ticking = () => {
      let time = 0
      return () => (time += 1_000)
    }
    // Plans, the switch, the account, its token and its ledger besides the tasks.
    const rows = 3 + 1 + 1 + 1 + 1 + 100

    const { out } = await fivetab(world, copyTo(target), { clock: ticking() })
    const json = await fivetabJson(world, copyTo(another), { clock: ticking() })

    const [from, to] = [nameOf(placeOf(world)), nameOf(another.place)]
    assert.deepEqual(json, { from, to, accounts: 1, rows, seconds: 2 })
    assert.ok(out.startsWith(`Copied 1 account, ${rows} rows in all, from ${from} to ${nameOf(target.place)} in 2.0 s.`), out)
  })

  it('tells how far it is in a line for every 10 %', async () => {
    await using world = await openWorld('sqlite')
    await fillWithMany(world)
    await using target = await aDatabase('sqlite')

    const { err } = await fivetab(world, copyTo(target))

    const lines = err.split('\n').map((line) => /^(\w+): (\d+) %, (\d+) of (\d+) rows, account (\d) of 2$/.exec(line) ?? assert.fail(line))
    for (const doing of ['copying', 'checking']) {
      const percents = lines.filter(([, word]) => word === doing).map(([, , percent]) => Number(percent))
      assert.ok(percents.length >= 5 && percents.length <= 10, `${percents}`)
      assert.equal(percents.at(-1), 100)
      assert.equal(new Set(percents.map((percent) => Math.floor(percent / 10))).size, percents.length)
    }
    assert.deepEqual(
      lines.map((line) => line[1]).filter((doing, index, all) => doing !== all[index - 1]),
      ['copying', 'checking'],
    )
    const [, , , rows, allRows, account] = lines.at(-1) ?? []
    assert.deepEqual([rows, account], [allRows, '2'])
  })

  it('shows a bar in one line of a terminal', async () => {
    await using world = await openWorld('sqlite')
    await fillWithMany(world)
    await using target = await aDatabase('sqlite')
    const shown: string[] = []

    const { err } = await fivetab(world, copyTo(target), { rewrite: (line) => shown.push(line) })

    assert.equal(err, '')
    assert.equal(shown.pop(), '')
    for (const line of shown) assert.match(line, /^\[#* *\] (copying|checking): \d+ %, \d+ of \d+ rows, account [0-2] of 2$/)
    assert.ok(shown.some((line) => /^\[#{5,15} +\] copying: [2-7]\d %/.test(line)))
    assert.match(shown.at(-1) ?? '', /^\[#{20}\] checking: 100 %/)
    assert.ok(shown.every((line) => line.length < 80))
  })
})
