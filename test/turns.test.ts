import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { timerIn } from '../packages/server/actions/actor.ts'
import { deleteTaskById, updateTaskById } from '../packages/server/actions/tasks.ts'
import { insertAccount } from '../packages/server/store/accounts.ts'
import { usageOf } from '../packages/server/store/ledgers.ts'
import { openStore } from '../packages/server/store/open.ts'
import type { Turn } from '../packages/server/store/turn.ts'
import { aDatabase, ENGINES, type EngineName } from './database.ts'
import { openWorld } from './world.ts'

const ACCOUNT = '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20'

for (const engine of ENGINES) {
  describe(`turns that share a commit (${engine})`, () => {
    it('hand the ledger on to each other', async () => {
      await using opened = await openWithAccount(engine)
      const addOne = async ({ ledger }: Turn) => ++ledger.activeTasks

      const counts = await Promise.all([1, 2, 3].map(() => opened.store.write(ACCOUNT, addOne)))

      assert.deepEqual(counts, [1, 2, 3])
      assert.equal((await usageOf(opened.store, ACCOUNT)).activeTasks, 3)
    })

    it('find the ledger as it was before one that was refused', async () => {
      await using opened = await openWithAccount(engine)
      const ids: string[] = []
      const refused = async (turn: Turn) => {
        turn.ledger.activeTasks += 1
        ids.push(turn.newId())
        throw new Failure('task_limit_reached', 'Too many.')
      }
      const addOne = async (turn: Turn) => {
        ids.push(turn.newId())
        return ++turn.ledger.activeTasks
      }

      const results = await Promise.allSettled([addOne, refused, addOne].map((job) => opened.store.write(ACCOUNT, job)))

      assert.deepEqual(
        results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
        [1, 'task_limit_reached', 2],
      )
      assert.equal((await usageOf(opened.store, ACCOUNT)).activeTasks, 2)
    })

    it('find a task as those before them left it, though it was read once for all', async () => {
      await using world = await openWorld(engine)
      const { body: task } = await world.api.post('/tasks', { title: 'First' })
      const by = timerIn(world.service.store, world.account.id)

      const results = await Promise.allSettled([
        updateTaskById(by, task.id, { title: 'Second' }, null),
        updateTaskById(by, task.id, { notes: 'third' }, ['"2"']),
        updateTaskById(by, task.id, { title: 'Too late' }, ['"2"']),
        deleteTaskById(by, task.id, ['"3"']),
        updateTaskById(by, task.id, { title: 'Gone' }, null),
      ])

      assert.deepEqual(
        results.map((result) => (result.status === 'fulfilled' ? (result.value?.title ?? 'deleted') : result.reason.code)),
        ['Second', 'Second', 'precondition_failed', 'deleted', 'not_found'],
      )
    })

    it('find the ledger as it was before one that failed with something written', async () => {
      await using opened = await openWithAccount(engine)
      const fails = async (turn: Turn) => {
        turn.ledger.activeTasks += 1
        await turn.put('update accounts set name = $2 where id = $1', [ACCOUNT, 'Half'])
        throw new Error('It breaks.')
      }
      const addOne = async ({ ledger }: Turn) => ++ledger.activeTasks

      const results = await Promise.allSettled([addOne, fails, addOne, addOne].map((job) => opened.store.write(ACCOUNT, job)))

      assert.deepEqual(
        results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
        [1, 'It breaks.', 2, 3],
      )
      assert.equal((await usageOf(opened.store, ACCOUNT)).activeTasks, 3)
      assert.equal((await opened.store.one<{ name: string | null }>('select name from accounts', []))?.name, null)
    })
  })
}

/** A store with one account in it. */
async function openWithAccount(engine: EngineName) {
  const database = await aDatabase(engine)
  const store = await openStore(database.place, () => Date.parse('2026-11-21T08:00:00Z'), randomBytes)
  await store.transact((writer) =>
    insertAccount(writer, {
      id: ACCOUNT,
      email: 'ada@example.org',
      name: null,
      timeZone: 'UTC',
      planKey: 'pro',
      apiAccess: true,
      vault: false,
      createdAt: 0,
    }),
  )
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
