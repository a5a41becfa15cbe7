import assert from 'node:assert/strict'
import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { Failure } from '@fivetab/domain/failure.ts'
import { openSqlite } from '../packages/server/store/sqlite.ts'
import { Duplicate, type Engine, type Reader, type Writer } from '../packages/server/store/store.ts'
import { aFolder } from './folder.ts'

interface Opened extends AsyncDisposable {
  engine: Engine
  /** How many writes each commit carried, in order. */
  commits: number[]
  /** Another connection to the same file, as another process would have it. */
  other: DatabaseSync
  folder: string
}

/** A database with a table of lamps, and one of bulbs whose lamp is looked for only at the commit. */
async function openLamps(): Promise<Opened> {
  const folder = aFolder()
  const file = join(folder.path, 'data', 'fivetab.db')
  const commits: number[] = []
  const engine = openSqlite(file, { committed: (jobs) => commits.push(jobs) })
  await engine.transact(async (writer) => {
    await writer.run('create table lamps (name text not null primary key)', [])
    await writer.run('create table bulbs (lamp text not null references lamps (name) deferrable initially deferred)', [])
    await writer.run('create table shades (lamp text not null references lamps (name))', [])
  })
  commits.length = 0
  const other = new DatabaseSync(file)
  return {
    engine,
    commits,
    other,
    folder: folder.path,
    [Symbol.asyncDispose]: async () => {
      other.close()
      await engine.close()
      folder[Symbol.dispose]()
    },
  }
}

const insert = (name: string) => (writer: Writer) => writer.run('insert into lamps (name) values ($1)', [name])

async function countIn(reader: Reader): Promise<number> {
  const row = await reader.one<{ count: number }>('select count(*) as count from lamps', [])
  return row?.count ?? -1
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `lamp ${index}`)

describe('commits of the embedded engine', () => {
  it('are shared by the writes that arrive together', async () => {
    await using lamps = await openLamps()

    await Promise.all(names(10).map((name) => lamps.engine.transact(insert(name))))

    assert.deepEqual(lamps.commits, [10])
    assert.equal(await countIn(lamps.engine), 10)
  })

  it('are shared by 64 writes at most', async () => {
    await using lamps = await openLamps()

    await Promise.all(names(150).map((name) => lamps.engine.transact(insert(name))))

    assert.deepEqual(lamps.commits, [64, 64, 22])
    assert.equal(await countIn(lamps.engine), 150)
  })

  it('carry the writes out one after another, in the order they came', async () => {
    await using lamps = await openLamps()
    const seen: number[] = []

    await Promise.all(
      names(5).map((name) =>
        lamps.engine.transact(async (writer) => {
          seen.push(await countIn(writer))
          await insert(name)(writer)
        }),
      ),
    )

    assert.deepEqual(seen, [0, 1, 2, 3, 4])
  })

  it('take back a failing write alone, and all of it', async () => {
    await using lamps = await openLamps()
    const failure = new Failure('precondition_failed', 'It has changed.')

    const results = await Promise.allSettled([
      lamps.engine.transact(insert('first')),
      lamps.engine.transact(async (writer) => {
        await insert('second')(writer)
        throw failure
      }),
      lamps.engine.transact(insert('third')),
    ])

    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal((results[1] as PromiseRejectedResult).reason, failure)
    assert.deepEqual(
      (await lamps.engine.all<{ name: string }>('select name from lamps order by name', [])).map(({ name }) => name),
      ['first', 'third'],
    )
  })

  it('are shared all the same when one of them refuses before it has written anything', async () => {
    await using lamps = await openLamps()
    const refuse = () => Promise.reject(new Failure('precondition_failed', 'It has changed.'))

    await Promise.allSettled([insert('first'), refuse, insert('third')].map((job) => lamps.engine.transact(job)))

    assert.deepEqual(lamps.commits, [3])
    assert.equal(await countIn(lamps.engine), 2)
  })

  it('have what is common to their jobs made once, and closed before the commit', async () => {
    await using lamps = await openLamps()
    const story: string[] = []
    const count = async (writer: Writer) => {
      const common = await writer.common(
        'count',
        async () => {
          story.push('made')
          return { jobs: 0 }
        },
        async ({ jobs }) => {
          await insert(`${jobs} jobs`)(writer)
        },
      )
      common.jobs += 1
    }

    await Promise.all([1, 2, 3].map(() => lamps.engine.transact(count)))
    await lamps.engine.transact(count)

    assert.deepEqual(story, ['made', 'made'])
    assert.deepEqual(
      (await lamps.engine.all<{ name: string }>('select name from lamps order by name', [])).map(({ name }) => name),
      ['1 jobs', '3 jobs'],
    )
  })

  it('tell a second row with the same key from other faults', async () => {
    await using lamps = await openLamps()
    await lamps.engine.transact(insert('desk'))

    await assert.rejects(lamps.engine.transact(insert('desk')), Duplicate)
    await assert.rejects(
      lamps.engine.transact((writer) => writer.run('insert into lamps (name) values ($1)', [null])),
      (error) => !(error instanceof Duplicate),
    )
  })

  it('come before any of their answers', async () => {
    await using lamps = await openLamps()
    const story: string[] = []
    lamps.commits.push = (...jobs) => {
      story.push(`committed ${jobs}`)
      return jobs.length
    }

    await Promise.all(
      ['first', 'second'].map(async (name) => {
        await lamps.engine.transact(async (writer) => {
          await insert(name)(writer)
          story.push(`${name} carried out`)
        })
        story.push(`${name} answered, ${lamps.other.prepare('select count(*) as count from lamps').get()?.count} seen by others`)
      }),
    )

    assert.deepEqual(story, [
      'first carried out',
      'second carried out',
      'committed 2',
      'first answered, 2 seen by others',
      'second answered, 2 seen by others',
    ])
  })

  it('are answered, and go on, though who observes them throws', async () => {
    using folder = aFolder()
    const engine = openSqlite(join(folder.path, 'lamps.db'), {
      committed: () => {
        throw new Error('the figures are broken')
      },
    })
    await engine.transact((writer) => writer.run('create table lamps (name text not null primary key)', []))

    const answered = await Promise.all(names(3).map((name) => engine.transact(insert(name))))
    await engine.transact(insert('desk'))

    assert.deepEqual(answered, [1, 1, 1])
    assert.equal(await countIn(engine), 4)
    await engine.close()
  })

  it('fail every write in them when they fail themselves', async () => {
    await using lamps = await openLamps()
    const own = new Failure('precondition_failed', 'Its own.')

    const results = await Promise.allSettled([
      lamps.engine.transact(insert('first')),
      lamps.engine.transact((writer) => writer.run('insert into bulbs (lamp) values ($1)', ['no such lamp'])),
      lamps.engine.transact(async () => {
        throw own
      }),
    ])

    for (const result of results) {
      assert.equal(result.status, 'rejected')
      assert.match(String(result.reason), /FOREIGN KEY/)
    }
    assert.deepEqual(lamps.commits, [])
    assert.equal(await countIn(lamps.engine), 0)
  })

  it('go on after one that failed', async () => {
    await using lamps = await openLamps()
    await assert.rejects(lamps.engine.transact((writer) => writer.run('insert into bulbs (lamp) values ($1)', ['no such lamp'])))

    await lamps.engine.transact(insert('desk'))

    assert.equal(await countIn(lamps.engine), 1)
  })

  it('are synchronised to the disk: a write-ahead log with synchronous=FULL on the connection that writes', async () => {
    await using lamps = await openLamps()

    const [journal, synchronous] = await lamps.engine.transact(async (writer) => [
      await writer.one('pragma journal_mode', []),
      await writer.one('pragma synchronous', []),
    ])

    assert.deepEqual({ ...(journal as object) }, { journal_mode: 'wal' })
    assert.deepEqual({ ...(synchronous as object) }, { synchronous: 2 })
  })
})

describe('waiting writes of the embedded engine', () => {
  it('are at most 10,000: the next is refused, and those that wait are carried out', async () => {
    await using lamps = await openLamps()
    const waiting = names(10_000).map((name) => lamps.engine.transact(insert(name)))

    assert.equal(lamps.engine.waiting(), 10_000)
    await assert.rejects(lamps.engine.transact(insert('one too many')), (error: Failure) => {
      assert.equal(error.code, 'unavailable')
      assert.ok((error.more.retryAfterSeconds ?? 0) > 0)
      return true
    })
    await Promise.all(waiting)

    assert.equal(await countIn(lamps.engine), 10_000)
    assert.equal(lamps.engine.waiting(), 0)
  })

  it('are carried out before it closes, and none after', async () => {
    await using lamps = await openLamps()
    const file = join(lamps.folder, 'closing.db')
    const engine = openSqlite(file, { committed: () => {} })
    const made = engine.transact((writer) => writer.run('create table lamps (name text not null primary key)', []))
    const inserted = names(100).map((name) => engine.transact(insert(name)))

    const closed = engine.close()
    await assert.rejects(engine.transact(insert('late')), { code: 'unavailable' })
    await Promise.all([made, ...inserted, closed])

    using database = new DatabaseSync(file)
    assert.equal(database.prepare('select count(*) as count from lamps').get()?.count, 100)
  })

  it('wait while another process writes, and then go on', async () => {
    await using lamps = await openLamps()
    lamps.other.exec("begin immediate; insert into lamps (name) values ('theirs')")
    let isAnswered = false
    const written = lamps.engine.transact(insert('ours')).then(() => {
      isAnswered = true
    })

    for (let turn = 0; turn < 20; turn++) await nextTurnOfTheLoop()
    assert.equal(isAnswered, false)
    assert.equal(await countIn(lamps.engine), 0)
    lamps.other.exec('commit')
    await written

    assert.equal(await countIn(lamps.engine), 2)
  })

  it('are refused in the end when another process does not let go, and nothing of them is stored', async (t) => {
    await using lamps = await openLamps()
    lamps.other.exec('begin immediate')
    let now = 0
    t.mock.method(performance, 'now', () => {
      now += 1_500
      return now
    })

    await assert.rejects(lamps.engine.transact(insert('ours')), (error: Failure) => {
      assert.equal(error.code, 'unavailable')
      assert.match(error.message, /locked/)
      return true
    })
    lamps.other.exec('rollback')

    assert.equal(await countIn(lamps.engine), 0)
    await lamps.engine.transact(insert('later'))
    assert.equal(await countIn(lamps.engine), 1)
  })
})

describe('reads of the embedded engine', () => {
  it('do not see what is not committed', async () => {
    await using lamps = await openLamps()

    const [inside, outside] = await lamps.engine.transact(async (writer) => {
      await insert('desk')(writer)
      return [await countIn(writer), await countIn(lamps.engine)]
    })

    assert.deepEqual([inside, outside], [1, 0])
    assert.equal(await countIn(lamps.engine), 1)
  })

  it('cannot write', async () => {
    await using lamps = await openLamps()

    await assert.rejects(lamps.engine.all("insert into lamps (name) values ('desk') returning name", []), /readonly/)
    assert.equal(await countIn(lamps.engine), 0)
  })

  it('of one snapshot see one state, and the reads after it the newest', async () => {
    await using lamps = await openLamps()

    const seen = await lamps.engine.snapshot(async (reader) => {
      const before = await countIn(reader)
      lamps.other.exec("insert into lamps (name) values ('theirs')")
      return [before, await countIn(reader)]
    })

    await nextTurnOfTheLoop()
    assert.deepEqual(seen, [0, 0])
    assert.equal(await countIn(lamps.engine), 1)
  })

  it('of a snapshot that fails pass its error on and keep no old state', async () => {
    await using lamps = await openLamps()
    const error = new Error('its own')

    const failed = lamps.engine.snapshot(async (reader) => {
      await countIn(reader)
      throw error
    })

    await assert.rejects(failed, (reason) => reason === error)
    lamps.other.exec("insert into lamps (name) values ('theirs')")
    await nextTurnOfTheLoop()
    assert.equal(await countIn(lamps.engine), 1)
  })

  it('of one turn of the event loop see one state, unless this process stores something', async () => {
    await using lamps = await openLamps()
    const seen = [await countIn(lamps.engine)]

    lamps.other.exec("insert into lamps (name) values ('theirs')")
    seen.push(await countIn(lamps.engine))
    await lamps.engine.transact(insert('ours'))
    seen.push(await countIn(lamps.engine))

    assert.deepEqual(seen, [0, 0, 2])
  })

  it('of a log that cannot be read fail alone', async () => {
    await using lamps = await openLamps()
    for (const name of names(300)) await lamps.engine.transact(insert(`${name} ${'x'.repeat(2_000)}`))
    await nextTurnOfTheLoop()
    await lamps.engine.one('select name from lamps limit 1', [])
    truncateSync(join(lamps.folder, 'data', 'fivetab.db-wal'), 40_000)

    await assert.rejects(lamps.engine.one('select group_concat(name) from lamps', []))
    await nextTurnOfTheLoop()

    assert.equal((await lamps.engine.one<{ one: number }>('select 1 as one', []))?.one, 1)
  })

  it('of snapshots at the same time each get theirs', async () => {
    await using lamps = await openLamps()
    await lamps.engine.transact(insert('desk'))

    const counts = await Promise.all(names(20).map(() => lamps.engine.snapshot((reader) => countIn(reader))))

    assert.deepEqual(counts, Array(20).fill(1))
  })

  it('give numbered parameters their values wherever and however often they stand', async () => {
    await using lamps = await openLamps()

    const row = await lamps.engine.one<{ text: string }>(
      'select $10 || $1 || $2 || $1 || $3 || $4 || $5 || $6 || $7 || $8 || $9 as text',
      'abcdefghij'.split(''),
    )

    assert.equal(row?.text, 'jabacdefghi')
  })
})

describe('the file of the embedded engine', () => {
  it('can be read by its owner alone, its log too, and so its folder', async () => {
    await using lamps = await openLamps()
    await lamps.engine.transact(insert('desk'))
    const folder = join(lamps.folder, 'data')

    const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)])

    assert.deepEqual(Object.fromEntries(modes), { 'fivetab.db': '600', 'fivetab.db-shm': '600', 'fivetab.db-wal': '600' })
    assert.equal((statSync(folder).mode & 0o777).toString(8), '700')
  })

  it('holds no row that points to nothing', async () => {
    await using lamps = await openLamps()

    await assert.rejects(
      lamps.engine.transact((writer) => writer.run('insert into shades (lamp) values ($1)', ['no such lamp'])),
      /FOREIGN KEY/,
    )
    await lamps.engine.transact(async (writer) => {
      await insert('desk')(writer)
      await writer.run('insert into shades (lamp) values ($1)', ['desk'])
    })
    await assert.rejects(
      lamps.engine.transact((writer) => writer.run('delete from lamps', [])),
      /FOREIGN KEY/,
    )
  })
})
