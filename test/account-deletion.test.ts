import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptyAccount } from '../packages/server/actions/accounts.ts'
import { checkLedgers } from '../packages/server/store/checks.ts'
import { aTask } from './builders.ts'
import { ENGINES, openWorld } from './world.ts'

for (const engine of ENGINES) {
  describe(`the deletion of an account that was cut off (${engine})`, () => {
    it('leaves an account that counts right, whatever was in it', async () => {
      await using world = await openWorld(engine)
      for (const disposition of ['waiting', 'done', 'waiting']) await world.given(aTask({ disposition }))

      const rows = await emptyAccount(world.operator, world.account.id, 2)

      assert.equal(rows, 4)
      assert.equal((await world.api.get('/me')).body.plan.active_tasks, 1)
      assert.deepEqual(
        (await checkLedgers(world.service.store)).filter(({ ok }) => !ok),
        [],
      )
    })
  })
}
