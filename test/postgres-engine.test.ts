import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { Client } from 'pg'
import { openPostgres } from '../packages/server/store/postgres.ts'
import { Duplicate, type Engine, type Value, type Writer } from '../packages/server/store/store.ts'
import { aDatabase, ENGINES } from './database.ts'

/** What the engine for PostgreSQL promises below what every engine does; the like for the embedded one is in sqlite-engine.test.ts. */

interface Opened extends AsyncDisposable {
  engine: Engine
  url: string
  /** How many jobs shared each of the commits so far. */
  commits: number[]
  /** The values of the column `n`, in order. */
  stored(): Promise<number[]>
}

/** An engine on a database with the table `things (n primary key, text)`. */
async function openWithThings({ poolSize = 4 } = {}): Promise<Opened> {
  const database = await aDatabase('postgres')
  const url = database.place.databaseUrl ?? assert.fail()
  const commits: number[] = []
  const engine = openPostgres(url, { observer: { committed: (jobs) => commits.push(jobs) }, poolSize, isPatient: false })
  await engine.transact((writer) => writer.run(`create table things (n bigint primary key, text ${engine.dialect.text})`, []))
  commits.length = 0
  return {
    engine,
    url,
    commits,
    stored: async () => (await engine.all<{ n: number }>('select n from things order by n', [])).map(({ n }) => n),
    [Symbol.asyncDispose]: async () => {
      await engine.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const INSERT = 'insert into things (n) values ($1)'
const insert = (n: number) => (writer: Writer) => writer.put(INSERT, [n])

/** Does what the driver would not, on a connection of its own. */
async function elsewhere<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const isUnavailable = (error: unknown) => error instanceof Failure && error.code === 'unavailable'

/** Statements that make the server answer with an error of this SQLSTATE. */
const raise = (code: string) => `do $$ begin raise exception 'made up' using errcode = '${code}'; end $$`

describe('the PostgreSQL engine', { skip: !ENGINES.includes('postgres') }, () => {
  it('gives whole numbers as numbers, and sorts text by code points', async () => {
    await using opened = await openWithThings()
    const texts = ['~', 'a', 'B', 'é', 'Z', '_']
    await opened.engine.transact(async (writer) => {
      for (const [n, text] of texts.entries()) await writer.put('insert into things (n, text) values ($1, $2)', [2 ** 52 + n, text])
    })

    const rows = await opened.engine.all<{ n: number; text: string }>('select n, text from things order by text', [])

    assert.deepEqual(
      rows.map(({ text }) => text),
      [...texts].sort(),
    )
    assert.ok(rows.every(({ n }) => Number.isSafeInteger(n)))
  })

  it('fails a job by the first statement that failed, also one that nobody waited for, and stores nothing of it', async () => {
    await using opened = await openWithThings()
    await opened.engine.transact(insert(1))

    const failed = opened.engine.transact(async (writer) => {
      await writer.put(INSERT, [2])
      await writer.put(INSERT, [1])
      await writer.put(INSERT, [3])
    })

    await assert.rejects(failed, Duplicate)
    const readingAfterwards = opened.engine.transact(async (writer) => {
      await writer.put(INSERT, [1])
      return writer.one('select n from things', [])
    })
    await assert.rejects(readingAfterwards, Duplicate)
    assert.deepEqual(await opened.stored(), [1])
  })

  it('lets the jobs of a line that wait together share a commit, one after another in the order they came', async () => {
    await using opened = await openWithThings()
    const order: number[] = []
    const job = (n: number) => async (writer: Writer) => {
      order.push(n)
      await writer.put(INSERT, [n])
      await writer.all('select n from things', [])
      order.push(n)
    }

    await Promise.all([1, 2, 3, 4, 5].map((n) => opened.engine.transact(job(n), 'an account')))

    assert.deepEqual(order, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    assert.deepEqual(opened.commits, [5])
    assert.deepEqual(await opened.stored(), [1, 2, 3, 4, 5])
  })

  it('takes back a failing job of a shared commit alone', async () => {
    await using opened = await openWithThings()
    const jobs = [insert(1), insert(2), insert(2), insert(3), () => Promise.reject(new Error('it thinks better of it')), insert(4)]

    const outcomes = await Promise.allSettled(jobs.map((job) => opened.engine.transact(job, 'an account')))

    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'stored' : outcome.reason.constructor.name)),
      ['stored', 'stored', 'Duplicate', 'stored', 'Error', 'stored'],
    )
    assert.deepEqual(await opened.stored(), [1, 2, 3, 4])
  })

  it('takes one connection for a line, however many wait in it, so that others go on', async () => {
    await using opened = await openWithThings({ poolSize: 2 })
    await opened.engine.transact(insert(0))

    await elsewhere(opened.url, async (other) => {
      await other.query('begin; select * from things where n = 0 for update')
      const held = Array.from({ length: 20 }, (_, n) =>
        opened.engine.transact(async (writer) => {
          await writer.one('select n from things where n = 0 for update', [])
          await writer.put(INSERT, [n + 1])
        }, 'busy'),
      )

      await opened.engine.transact(insert(100), 'free')
      assert.deepEqual(await opened.stored(), [0, 100])
      await other.query('commit')
      await Promise.all(held)
    })

    assert.equal((await opened.stored()).length, 22)
  })

  for (const code of ['40001', '40P01']) {
    it(`carries a job out again when the server asks for it (${code}), with nothing of the first try stored`, async () => {
      await using opened = await openWithThings()
      let tries = 0

      await opened.engine.transact(async (writer) => {
        tries += 1
        await writer.put(INSERT, [tries])
        if (tries < 3) await writer.run(raise(code), [])
      })

      assert.equal(tries, 3)
      assert.deepEqual(await opened.stored(), [3])
    })
  }

  it('gives up after five tries', async () => {
    await using opened = await openWithThings()
    let tries = 0

    const failed = opened.engine.transact((writer) => {
      tries += 1
      return writer.run(raise('40001'), [])
    })

    await assert.rejects(failed, isUnavailable)
    assert.equal(tries, 5)
  })

  const meanings: [code: string, what: string, isPassing: boolean][] = [
    ['55P03', 'a lock that is not to be had', true],
    ['57014', 'a statement that took too long', true],
    ['57P01', 'a server that is shut down', true],
    ['53300', 'too many connections', true],
    ['25006', 'a standby', true],
    ['53100', 'a full disk', false],
    ['22012', 'a division by zero', false],
  ]
  for (const [code, what, isPassing] of meanings) {
    it(`takes ${what} (${code}) for ${isPassing ? 'unavailable' : 'a fault'}`, async () => {
      await using opened = await openWithThings()

      await assert.rejects(
        opened.engine.transact((writer) => writer.run(raise(code), [])),
        (error) => isUnavailable(error) === isPassing,
      )
      assert.deepEqual(await opened.stored(), [])
    })
  }

  it('gets over connections that break, in the midst of a transaction as well, and leaves nothing locked', async () => {
    await using opened = await openWithThings()
    await opened.engine.transact(insert(0))
    const hang = async (writer: Writer) => {
      await writer.one('select n from things where n = 0 for update', [])
      await elsewhere(opened.url, (other) =>
        other.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fivetab' and query like '%n = 0 for update'",
        ),
      )
      await writer.put(INSERT, [1])
    }

    await assert.rejects(opened.engine.transact(hang), isUnavailable)

    await opened.engine.transact(async (writer) => {
      await writer.one('select n from things where n = 0 for update', [])
      await writer.put(INSERT, [2])
    })
    assert.deepEqual(await opened.stored(), [0, 2])
  })

  it('gives a shared commit up at once when its connection is lost: what cannot be reached is not tried again job by job', async () => {
    await using opened = await openWithThings()
    let tries = 0
    const breaks = async (writer: Writer) => {
      tries += 1
      await writer.put(INSERT, [1])
      await writer.run('select pg_terminate_backend(pg_backend_pid()), $1::text', ['x'])
    }

    const outcomes = await Promise.allSettled([breaks, insert(2), insert(3)].map((job) => opened.engine.transact(job, 'an account')))

    for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isUnavailable(outcome.reason))
    assert.equal(tries, 1)
    assert.deepEqual(await opened.stored(), [])
  })

  it('says that it does not know when the connection breaks while the commit is under way', async () => {
    await using opened = await openWithThings()

    const broken = opened.engine.transact((writer) => writer.put('select pg_terminate_backend(pg_backend_pid()), $1::text', ['x']))

    await assert.rejects(broken, (error: Error) => isUnavailable(error) && /may be stored or not/.test(error.message))
    assert.deepEqual(await opened.stored(), [])
  })

  it('refuses at once, after a failed attempt to connect, instead of trying with every request', async () => {
    let attempts = 0
    const deaf = createServer((socket) => {
      attempts += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve))
    const { port } = deaf.address() as { port: number }
    const engine = openPostgres(`postgres://x:secret@127.0.0.1:${port}/x`, {
      observer: { committed: () => {} },
      poolSize: 4,
      isPatient: false,
    })
    const ask = () => engine.one('select 1', [])

    for (let time = 0; time < 20; time++) {
      await assert.rejects(ask(), (error: Error) => isUnavailable(error) && !error.message.includes('secret'))
    }

    assert.ok(attempts < 10, `${attempts} attempts`)
    await engine.close()
    deaf.close()
  })

  it('gives the reads of a snapshot one state', async () => {
    await using opened = await openWithThings()
    const count = async (reader: { one: Engine['one'] }) =>
      (await reader.one<{ count: number }>('select count(*) as count from things', []))?.count

    const counts = await opened.engine.snapshot(async (reader) => {
      const before = await count(reader)
      await opened.engine.transact(insert(1))
      return [before, await count(reader)]
    })

    assert.deepEqual(counts, [0, 0])
    assert.equal(await count(opened.engine), 1)
  })

  it('passes on what a snapshot throws, and uses its connection again', async () => {
    await using opened = await openWithThings({ poolSize: 1 })

    await assert.rejects(
      opened.engine.snapshot(() => Promise.reject(new Error('not found'))),
      /not found/,
    )

    assert.deepEqual(await opened.stored(), [])
  })

  it('sends a statement as it is once it has prepared very many', async () => {
    await using opened = await openWithThings()
    const values: Value[] = [1]

    for (let index = 0; index < 600; index++) {
      const row = await opened.engine.one<{ sum: number }>(`select $1::bigint + ${index} as sum`, values)
      assert.equal(row?.sum, index + 1)
    }
  })

  it('carries out what was accepted before it closes, and nothing after', async () => {
    await using opened = await openWithThings()
    const engine = openPostgres(opened.url, { observer: { committed: () => {} }, poolSize: 4, isPatient: false })
    const accepted = [1, 2, 3].map((n) => engine.transact(insert(n), 'an account'))

    const closed = engine.close()
    const late = engine.transact(insert(4))

    await assert.rejects(late, isUnavailable)
    await Promise.all([...accepted, closed])
    assert.deepEqual(await opened.stored(), [1, 2, 3])
  })
})
