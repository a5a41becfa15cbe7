import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setAccount } from '../packages/server/actions/accounts.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { aTask } from './builders.ts'
import { assertInvalid, DAY, ENGINES, openWorld } from './world.ts'

for (const engine of ENGINES) {
  describe(`GET /me (${engine})`, () => {
    it('tells who the token acts for, and what it may do', async () => {
      await using world = await openWorld(engine, { plan: 'pro' })
      const client = await world.clientWith(['tasks:read', 'projects:write'], world.account, 30 * DAY)

      const reply = await client.get('/me')

      assert.equal(reply.status, 200)
      const { id, ...token } = reply.body.token
      assert.deepEqual(
        { ...reply.body, token },
        {
          object: 'user',
          id: world.account.id,
          email: world.account.email,
          name: null,
          time_zone: 'UTC',
          scopes: ['tasks:read', 'projects:write'],
          token: { name: 'test', expires_at: world.later(30 * DAY) },
          plan: { key: 'pro', active_task_limit: 5_000, active_tasks: 0 },
        },
      )
      assert.match(id, /^[0-9a-f-]{36}$/)
    })

    it('tells the name and the time zone that were set', async () => {
      await using world = await openWorld(engine)
      await setAccount(world.operator, world.account.email, { name: 'Ada Lovelace', timeZone: 'Europe/London' })

      const reply = await world.api.get('/me')

      assert.partialDeepStrictEqual(reply.body, { name: 'Ada Lovelace', time_zone: 'Europe/London' })
    })

    it('tells each token of itself', async () => {
      await using world = await openWorld(engine)
      const [one, two] = [await world.clientWith(['tasks:read']), await world.clientWith(['webhooks:manage'])]

      const [first, second] = [(await one.get('/me')).body, (await two.get('/me')).body]

      assert.equal(first.id, second.id)
      assert.notEqual(first.token.id, second.token.id)
      assert.deepEqual([first.scopes, second.scopes], [['tasks:read'], ['webhooks:manage']])
    })

    it('never shows the value of a token', async () => {
      await using world = await openWorld(engine)

      const { status, text } = await world.api.get('/me')

      assert.equal(status, 200)
      assert.ok(!text.includes('svc_pat_'), text)
    })

    it('counts the active tasks: neither done nor archived', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const archived = await world.given(aTask({ disposition: 'on_hold' }))
      const deleted = await world.given(aTask({ disposition: 'waiting' }))
      await world.given(aTask({ disposition: 'done' }))
      const counts = [(await world.api.get('/me')).body.plan.active_tasks]
      const { api } = world

      for (const change of [
        () => api.post(`/tasks/${task.id}/complete`),
        () => api.post(`/tasks/${archived.id}/archive`),
        () => api.delete(`/tasks/${deleted.id}`),
        () => api.patch(`/tasks/${task.id}`, { disposition: 'in_progress' }),
        () => api.post(`/tasks/${archived.id}/unarchive`),
      ]) {
        await change()
        counts.push((await api.get('/me')).body.plan.active_tasks)
      }

      assert.deepEqual(counts, [3, 2, 1, 0, 1, 2])
    })

    it('shows null for a plan without a limit, and a changed limit at once', async () => {
      await using world = await openWorld(engine)
      const before = (await world.api.get('/me')).body.plan
      await setPlan(world.operator, 'unlimited', { activeTasks: 7 })

      const after = (await world.api.get('/me')).body.plan

      assert.deepEqual([before.active_task_limit, after.active_task_limit], [null, 7])
    })

    it('takes no parameters', async () => {
      await using world = await openWorld(engine)

      assertInvalid(await world.api.get('/me?expand=plan'), ['query', 'expand', 'unknown'])
    })
  })

  describe(`GET /dispositions (${engine})`, () => {
    it('lists the five in tab order, whole', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.get('/dispositions')

      assert.equal(reply.status, 200)
      const { data, ...envelope } = reply.body
      assert.deepEqual(envelope, { object: 'list', has_more: false, next_cursor: null })
      assert.deepEqual(
        data.map(({ object, key, label, position }: Record<string, unknown>) => [object, key, label, position]),
        [
          ['disposition', 'not_started', 'Not started', 1],
          ['disposition', 'in_progress', 'Today', 2],
          ['disposition', 'waiting', 'Waiting', 3],
          ['disposition', 'on_hold', 'Later', 4],
          ['disposition', 'done', 'Done', 5],
        ],
      )
    })

    it('gives each a colour of its own', async () => {
      await using world = await openWorld(engine)

      const colors: string[] = (await world.api.get('/dispositions')).body.data.map(({ color }: { color: string }) => color)

      for (const color of colors) assert.match(color, /^#[0-9a-f]{6}$/)
      assert.equal(new Set(colors).size, 5)
    })

    for (const parameter of ['limit', 'cursor', 'sort']) {
      it(`takes no ${parameter}`, async () => {
        await using world = await openWorld(engine)

        assertInvalid(await world.api.get(`/dispositions?${parameter}=1`), ['query', parameter, 'unknown'])
      })
    }
  })
}
