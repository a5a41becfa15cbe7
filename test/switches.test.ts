import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setAccount } from '../packages/server/actions/accounts.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { switchApi } from '../packages/server/actions/switches.ts'
import { aTask } from './builders.ts'
import { filledWith, operationsOf } from './operations.ts'
import { assertProblem, ENGINES, HOUR, openWorld, type World } from './world.ts'

const change = (world: World, what: Parameters<typeof setAccount>[2]) => setAccount(world.operator, world.account.email, what)

/** Each thing that shuts one account out, how it is undone, and what its clients are told meanwhile. */
const SHUTTERS: { what: string; code: string; shut(world: World): Promise<unknown>; open(world: World): Promise<unknown> }[] = [
  {
    what: 'access turned off',
    code: 'access_disabled',
    shut: (world) => change(world, { apiAccess: false }),
    open: (world) => change(world, { apiAccess: true }),
  },
  {
    what: 'a plan without the API',
    code: 'plan_required',
    shut: (world) => change(world, { plan: 'free' }),
    open: (world) => change(world, { plan: 'pro' }),
  },
  {
    what: 'encryption',
    code: 'vault_account_unsupported',
    shut: (world) => change(world, { vault: true }),
    open: (world) => change(world, { vault: false }),
  },
]

for (const engine of ENGINES) {
  describe(`the switch of the API (${engine})`, () => {
    it('turns every operation off at once, with or without a token', async () => {
      await using world = await openWorld(engine)
      await switchApi(world.operator, false)

      for (const { method, path } of await operationsOf(world)) {
        for (const client of [world.api, world.anonymous])
          assertProblem(await client.send(method, filledWith(path, '7')), 503, 'api_disabled')
      }
    })

    it('turns it on again at once, with everything as it was', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await switchApi(world.operator, false)
      await world.api.delete(`/tasks/${task.id}`)
      await switchApi(world.operator, true)

      const reply = await world.api.get(`/tasks/${task.id}`)

      assert.deepEqual([reply.status, reply.body], [200, task])
    })

    it('stays off over a restart', async () => {
      await using world = await openWorld(engine)
      await switchApi(world.operator, false)

      await world.restart()

      assertProblem(await world.api.get('/me'), 503, 'api_disabled')
    })

    it('leaves the probes and the public pages on', async () => {
      await using world = await openWorld(engine)
      await switchApi(world.operator, false)

      for (const path of ['//healthz', '//readyz', '//v1/openapi.json', '//docs/', '//errors/api_disabled']) {
        assert.equal((await world.anonymous.get(path)).status, 200, path)
      }
    })

    it('leaves the timers on', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      await switchApi(world.operator, false)
      world.advance(HOUR)
      await world.service.timers.wake()
      await switchApi(world.operator, true)

      assert.equal((await world.api.get(`/tasks/${task.id}`)).body.disposition, 'in_progress')
    })
  })

  for (const { what, code, shut, open } of SHUTTERS) {
    describe(`an account with ${what} (${engine})`, () => {
      it(`is refused with ${code} at every operation, from the next request on`, async () => {
        await using world = await openWorld(engine)
        await shut(world)

        for (const { method, path } of await operationsOf(world)) {
          assertProblem(await world.api.send(method, filledWith(path, '7')), 403, code)
        }
      })

      it('loses nothing by it, and is let in again from the next request on', async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())
        await shut(world)
        await world.api.delete(`/tasks/${task.id}`)
        await open(world)

        const reply = await world.api.get(`/tasks/${task.id}`)

        assert.deepEqual([reply.status, reply.body], [200, task])
      })

      it('stays refused over a restart', async () => {
        await using world = await openWorld(engine)
        await shut(world)

        await world.restart()

        assertProblem(await world.api.get('/me'), 403, code)
      })

      it('does not shut out another account', async () => {
        await using world = await openWorld(engine)
        const other = await world.newAccount()
        await shut(world)

        assert.equal((await other.api.get('/me')).status, 200)
      })

      it('has its tasks woken all the same', async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
        await shut(world)
        world.advance(HOUR)
        await world.service.timers.wake()
        await open(world)

        assert.equal((await world.api.get(`/tasks/${task.id}`)).body.disposition, 'in_progress')
      })
    })
  }

  describe(`the API access of a plan (${engine})`, () => {
    it('holds for every account that has the plan, from the next request on', async () => {
      await using world = await openWorld(engine)
      const [pro, other] = [await world.newAccount('pro'), await world.newAccount('pro')]
      await setPlan(world.operator, 'pro', { apiAccess: false })
      const shut = [await pro.api.get('/me'), await other.api.get('/me')]
      await setPlan(world.operator, 'pro', { apiAccess: true })

      const opened = await pro.api.get('/me')

      for (const reply of shut) assertProblem(reply, 403, 'plan_required')
      assert.equal(opened.status, 200)
      assert.equal((await world.api.get('/me')).status, 200)
    })

    it('is refused in words that name the plan', async () => {
      await using world = await openWorld(engine, { plan: 'free' })

      const body = assertProblem(await world.api.get('/me'), 403, 'plan_required')

      assert.match(body.detail as string, /\bfree\b/)
    })
  })
}
