import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { invite, makeFirstLink } from '../packages/server/actions/links.ts'
import { signIn } from '../packages/server/actions/people.ts'
import { listSessions } from '../packages/server/actions/sessions.ts'
import { prune } from '../packages/server/timers/pruning.ts'
import { aTask, aWorkflow } from './builders.ts'
import { putTasks } from './bulk.ts'
import { contentsOf } from './database.ts'
import { aVisitor, openPeople, PASSWORD } from './people.ts'
import { DAY, ENGINES, openWorld, type World } from './world.ts'

/** Prunes, and answers with how many transactions that took. */
async function transactionsToPrune(world: World): Promise<number> {
  const { store, timers } = world.service
  const { transact } = store
  let count = 0
  store.transact = (job) => {
    count += 1
    return transact(job)
  }
  try {
    await timers.prune()
  } finally {
    store.transact = transact
  }
  return count
}

for (const engine of ENGINES) {
  describe(`pruning (${engine})`, () => {
    it('forgets the events of every account that are more than 30 days old, and no others', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      for (const api of [world.api, other.api]) await aTask({ title: 'Old' })(api)
      world.advance(1)
      for (const api of [world.api, other.api]) await aTask({ title: 'Thirty days old' })(api)
      world.advance(30 * DAY)
      await world.given(aTask({ title: 'New' }))

      const { events } = await world.service.timers.prune()

      assert.equal(events, 2)
      assert.deepEqual(
        (await world.events()).map(({ sequence }) => sequence),
        [2, 3],
      )
      assert.deepEqual(
        (await world.events(other.account)).map(({ sequence }) => sequence),
        [2],
      )
    })

    it('forgets them all, however many are in one account', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      await putTasks(world, 1_300, { workflow })
      await world.api.post(`/workflows/${workflow.id}/statuses`, { name: 'Proofread', disposition: 'in_progress' })
      const old = (await world.events()).length
      world.advance(31 * DAY)
      await world.given(aTask())

      const { events } = await world.service.timers.prune()

      assert.ok(old > 1_300)
      assert.equal(events, old)
      assert.deepEqual(
        (await world.events()).map(({ type }) => type),
        ['task.created'],
      )
    })

    it('leaves accounts alone that have nothing to forget', async () => {
      await using world = await openWorld(engine)
      const others = await Promise.all(Array.from({ length: 10 }, () => world.newAccount()))
      const ofNone = await transactionsToPrune(world)
      await world.given(aTask())
      world.advance(31 * DAY)
      for (const { api } of others) await aTask()(api)

      const ofOne = await transactionsToPrune(world)

      assert.equal(ofOne, ofNone + 1)
      assert.deepEqual(await world.events(), [])
    })

    it('forgets sessions, links and tries once they have ended, and no others', async () => {
      await using people = await openPeople(engine)
      const { accountId } = (await people.person()).session
      await makeFirstLink(people.operator)
      await invite(people.operator, { lifetimeMs: 90 * DAY })
      await signIn(people.gate, aVisitor(), { email: 'ada@example.org', password: 'a wrong password' }, null).catch(() => {})
      people.advance(30 * DAY + 1)
      const credentials = { email: 'ada@example.org', password: PASSWORD }
      const { session } = await signIn(people.gate, aVisitor(), credentials, null)

      const pruned = await prune(people.store, people.clock(), 30)

      assert.partialDeepStrictEqual(pruned, { sessions: 1, links: 1 })
      assert.deepEqual(await listSessions(people.gate, accountId), [session])
      const { sessions, one_time_links, tries } = await contentsOf(people.home)
      assert.equal(sessions?.length, 1)
      assert.partialDeepStrictEqual(one_time_links, [{ kind: 'invitation' }])
      assert.ok(tries?.every((one) => (one as { began_at: number }).began_at === people.clock()))
    })
  })
}
