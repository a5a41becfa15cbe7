import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { aTask, type Resource } from './builders.ts'
import { aWebhook, deliveriesTo, openReceiver, REACHABLE } from './receiver.ts'
import { ENGINES, type EngineName, openWorld, type World } from './world.ts'

/** What becomes of an outcome when the database fails at the very moment at which it is stored. */

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

const UNAVAILABLE = new Failure('unavailable', 'The database cannot be reached.')

/** Delivers, and has the first storing of an outcome fail: before anything of it is stored, or after all of it is. */
async function deliverWithTrouble(world: World, when: 'before' | 'after'): Promise<void> {
  const { store, timers } = world.service
  const { transact } = store
  let transactions = 0
  store.transact = async (job, line) => {
    transactions += 1
    // The first one claims the webhook.
    const isOutcome = transactions === 2
    if (isOutcome && when === 'before') throw UNAVAILABLE
    const result = await transact(job, line)
    if (isOutcome) throw UNAVAILABLE
    return result
  }
  try {
    await timers.deliver()
  } finally {
    store.transact = transact
  }
}

const errorsOf = (world: World) => world.logged.filter(({ level }) => Number(level) >= 50)

for (const engine of ENGINES) {
  describe(`an outcome that is stored (${engine})`, () => {
    for (const when of ['before', 'after'] as const) {
      it(`is stored once when the database is away for a moment (${when} the commit), and its event is sent once`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        const webhook = await world.given(aWebhook(receiver))
        for (let i = 0; i < 2; i += 1) await world.given(aTask())

        await deliverWithTrouble(world, when)

        assert.deepEqual(
          receiver.received.map(({ event }) => event.sequence),
          [1, 2],
        )
        assert.deepEqual(
          (await deliveriesTo(world.api, webhook)).map(({ sequence, state, attempts }: Resource) => [sequence, state, attempts.length]),
          [
            [1, 'succeeded', 1],
            [2, 'succeeded', 1],
          ],
        )
        assert.deepEqual(errorsOf(world), [])
      })

      it(`disables the webhook all the same (${when} the commit)`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        receiver.answer = 410
        const webhook = await world.given(aWebhook(receiver))
        await world.given(aTask())

        await deliverWithTrouble(world, when)

        assert.equal((await world.api.get(`/webhooks/${webhook.id}`)).body.disabled_reason, 'gone')
      })
    }
  })
}
