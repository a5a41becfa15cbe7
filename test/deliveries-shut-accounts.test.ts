import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setAccount } from '../packages/server/actions/accounts.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { switchApi } from '../packages/server/actions/switches.ts'
import { aTask } from './builders.ts'
import { aWebhook, inTheMidst, openReceiver, REACHABLE } from './receiver.ts'
import { ENGINES, type EngineName, openWorld, type World } from './world.ts'

/** What an operator's word to shut the API means for webhooks. */

const openReachable = (engine: EngineName) => openWorld(engine, { environment: REACHABLE })

const WORDS: { what: string; say(world: World, isOpen: boolean): Promise<unknown> }[] = [
  { what: 'the API is off', say: (world, isOpen) => switchApi(world.operator, isOpen) },
  { what: 'its account is shut', say: ({ operator, account }, isOpen) => setAccount(operator, account.email, { apiAccess: isOpen }) },
  { what: 'its account is encrypted', say: ({ operator, account }, isOpen) => setAccount(operator, account.email, { vault: !isOpen }) },
  {
    what: 'its plan is without the API',
    say: ({ operator, account }, isOpen) => setAccount(operator, account.email, { plan: isOpen ? 'unlimited' : 'free' }),
  },
  { what: 'its plan loses the API', say: ({ operator }, isOpen) => setPlan(operator, 'unlimited', { apiAccess: isOpen }) },
]

for (const engine of ENGINES) {
  describe(`a webhook (${engine})`, () => {
    for (const { what, say } of WORDS) {
      it(`is sent nothing while ${what}, and then all that it was not sent`, async () => {
        await using world = await openReachable(engine)
        await using receiver = await openReceiver()
        await world.given(aWebhook(receiver))
        receiver.answer = 500
        await world.given(aTask())
        await world.service.timers.deliver()
        receiver.answer = 200
        await world.given(aTask())

        await say(world, false)
        world.advance(6_000)
        await world.service.timers.deliver()
        const meanwhile = receiver.received.length
        await say(world, true)
        await world.service.timers.deliver()

        assert.equal(meanwhile, 1)
        assert.deepEqual(
          receiver.received.map(({ event }) => event.sequence),
          [1, 2, 1],
        )
      })
    }

    it('of another account is sent what it is to be sent', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      const other = await world.newAccount()
      for (const api of [world.api, other.api]) {
        await aWebhook(receiver)(api)
        await aTask()(api)
      }
      await setAccount(world.operator, world.account.email, { apiAccess: false })

      await world.service.timers.deliver()

      assert.equal(receiver.received.length, 1)
    })

    it('keeps the outcome of an attempt that was under way when its account was shut', async () => {
      await using world = await openReachable(engine)
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      await world.given(aTask())

      await inTheMidst(world, receiver, 200, () => setAccount(world.operator, world.account.email, { apiAccess: false }))
      await setAccount(world.operator, world.account.email, { apiAccess: true })
      await world.service.timers.deliver()

      assert.equal(receiver.received.length, 1)
    })
  })
}
