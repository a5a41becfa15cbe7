import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { openStore } from '../packages/server/store/open.ts'
import type { Reader } from '../packages/server/store/store.ts'
import type { Store } from '../packages/server/store/turn.ts'
import { aDatabase, ENGINES, type EngineName } from './database.ts'

for (const engine of ENGINES) {
  describe(`reads that are known (${engine})`, () => {
    it('are carried out once for all that ask in the same turn of the event loop', async () => {
      await using opened = await openTwice(engine)

      const given = await Promise.all(Array.from({ length: 10 }, () => opened.isOn(opened.store)))

      assert.deepEqual(given, Array(10).fill(1))
      assert.equal(opened.reads(), 1)
    })

    it('show what this process stored before', async () => {
      await using opened = await openTwice(engine)
      const seen: unknown[] = []

      for (const isOn of [0, 1, 0]) {
        await opened.turn(opened.store, isOn)
        seen.push(await opened.isOn(opened.store))
      }

      assert.deepEqual(seen, [0, 1, 0])
    })

    it('show what another process stored before', async () => {
      await using opened = await openTwice(engine)
      const seen: unknown[] = []

      for (const isOn of [0, 1, 0]) {
        await opened.turn(opened.other, isOn)
        await nextTurnOfTheLoop()
        seen.push(await opened.isOn(opened.store))
      }

      assert.deepEqual(seen, [0, 1, 0])
    })

    it('are asked for again after one that failed', async () => {
      await using opened = await openTwice(engine)
      const fails = () => Promise.reject(new Error('It breaks.'))

      await assert.rejects(opened.store.known('the switch', fails), /It breaks/)

      assert.equal(await opened.isOn(opened.store), 1)
    })

    it('are kept apart by their names', async () => {
      await using opened = await openTwice(engine)

      const given = await Promise.all(['one', 'other'].map((name) => opened.store.known(name, async () => name)))

      assert.deepEqual(given, ['one', 'other'])
    })
  })
}

if (ENGINES.includes('postgres')) {
  describe('reads that are known (postgres)', () => {
    it('do not wait for one before them that hangs', async () => {
      await using opened = await openTwice('postgres')
      let hangs = false
      void opened.store.known('the switch', () => {
        hangs = true
        return new Promise<never>(() => {})
      })
      while (!hangs) await nextTurnOfTheLoop()

      assert.deepEqual(await Promise.all([opened.isOn(opened.store), opened.isOn(opened.store)]), [1, 1])
      assert.equal(opened.reads(), 1)
    })
  })
}

describe('reads that are known (sqlite)', () => {
  it('are not carried out again while nothing is stored', async () => {
    await using opened = await openTwice('sqlite')

    for (let number = 0; number < 5; number++) {
      await nextTurnOfTheLoop()
      await opened.isOn(opened.store)
    }

    assert.equal(opened.reads(), 1)
  })
})

/** Two stores on one database, as two processes have them, and a switch to read and to turn. */
async function openTwice(engine: EngineName) {
  const database = await aDatabase(engine)
  const open = () => openStore(database.place, () => 0, randomBytes)
  const [store, other] = [await open(), await open()]
  let reads = 0
  const read = async (reader: Reader) => {
    reads += 1
    return (await reader.one<{ is_on: number }>("select is_on from switches where name = 'api'", []))?.is_on
  }
  return {
    store,
    other,
    reads: () => reads,
    isOn: (by: Store) => by.known('the switch', read),
    turn: (by: Store, isOn: number) => by.transact((writer) => writer.run("update switches set is_on = $1 where name = 'api'", [isOn])),
    async [Symbol.asyncDispose]() {
      await Promise.all([store.close(), other.close()])
      await database[Symbol.asyncDispose]()
    },
  }
}
