import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { removeAccount, setAccount } from '../packages/server/actions/accounts.ts'
import { setPlan } from '../packages/server/actions/plans.ts'
import { switchApi } from '../packages/server/actions/switches.ts'
import { revokeToken } from '../packages/server/actions/tokens.ts'
import { aTask } from './builders.ts'
import type { Client } from './client.ts'
import { openSource, type Source } from './event-source.ts'
import { assertProblem, ENGINES, HOUR, MINUTE, openWorld, type World } from './world.ts'

interface Scene {
  world: World
  /** Whose stream it is; its token lasts an hour. */
  api: Client
}

interface Refusal {
  what: string
  happens(scene: Scene): Promise<unknown>
  /** What the stream says of it. */
  says: RegExp
  status: number
  code: string
}

const revoke = async ({ world, api }: Scene) => revokeToken(world.operator, (await api.get('/me')).body.token.id)

/** Everything that leaves the account and its log there. */
const REFUSALS: Refusal[] = [
  { what: 'its token is revoked', happens: revoke, says: /revoked/, status: 401, code: 'invalid_token' },
  { what: 'its token expires', happens: async ({ world }) => world.advance(HOUR), says: /expired/, status: 401, code: 'invalid_token' },
  {
    what: 'the API is off',
    happens: ({ world }) => switchApi(world.operator, false),
    says: /switched off/,
    status: 503,
    code: 'api_disabled',
  },
  {
    what: 'the account is shut',
    happens: ({ world }) => setAccount(world.operator, world.account.email, { apiAccess: false }),
    says: /turned API access off/,
    status: 403,
    code: 'access_disabled',
  },
  {
    what: 'the account gets a plan without API',
    happens: ({ world }) => setAccount(world.operator, world.account.email, { plan: 'free' }),
    says: /free/,
    status: 403,
    code: 'plan_required',
  },
  {
    what: 'its plan loses the API',
    happens: ({ world }) => setPlan(world.operator, 'unlimited', { apiAccess: false }),
    says: /unlimited/,
    status: 403,
    code: 'plan_required',
  },
  {
    what: 'the account is encrypted',
    happens: ({ world }) => setAccount(world.operator, world.account.email, { vault: true }),
    says: /encrypted/,
    status: 403,
    code: 'vault_account_unsupported',
  },
]

const DELETED: Refusal = {
  what: 'the account is deleted',
  happens: ({ world }) => removeAccount(world.operator, world.account.email),
  says: /no such token/,
  status: 401,
  code: 'invalid_token',
}

const openScene = async (world: World): Promise<Scene> => ({ world, api: await world.clientWith(SCOPE_NAMES, world.account, HOUR) })

const follow = ({ world, api }: Scene): Promise<Source> => openSource(world.service.url, api.token)

for (const engine of ENGINES) {
  describe(`a stream of events (${engine})`, () => {
    for (const { what, happens, says, status, code } of [...REFUSALS, DELETED]) {
      it(`ends when ${what}, also when nothing happens`, async () => {
        await using world = await openWorld(engine)
        const scene = await openScene(world)
        using source = await follow(scene)
        using ofAnother = await openSource(world.service.url, (await world.newAccount()).api.token)

        await happens(scene)
        await world.service.timers.lookAfterStreams()

        const [last, ...more] = await source.rest()
        assert.deepEqual([Object.keys(last ?? {}), more], [['comment'], []])
        assert.match(last?.comment ?? '', says)
        using again = await follow(scene)
        assertProblem(again.reply, status, code)
        ofAnother[Symbol.dispose]()
      })
    }

    for (const { what, happens, says } of REFUSALS) {
      it(`shows nothing that was written after ${what}`, async () => {
        await using world = await openWorld(engine)
        await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(MINUTE) }))
        const scene = await openScene(world)
        using source = await follow(scene)
        await world.given(aTask({ title: 'Before' }))

        const [{ data }] = (await source.events(1)) as [{ data: { title: string } }]
        await happens(scene)
        world.advance(MINUTE)
        assert.equal(await world.service.timers.wake(), 1)

        assert.equal(data.title, 'Before')
        const [last, ...more] = await source.rest()
        assert.deepEqual([Object.keys(last ?? {}), more], [['comment'], []])
        assert.match(last?.comment ?? '', says)
      })
    }

    it('goes on for other tokens of the account', async () => {
      await using world = await openWorld(engine)
      const scene = await openScene(world)
      using source = await follow(scene)
      using other = await follow({ world, api: world.api })

      await revoke(scene)
      await world.given(aTask())
      await world.service.timers.lookAfterStreams()

      assert.equal((await source.rest()).length, 1)
      assert.equal((await other.events(1)).length, 1)
    })

    it('shows nothing that was written after its token was revoked in the midst of many writes', async () => {
      await using world = await openWorld(engine)
      const scene = await openScene(world)
      const id = (await scene.api.get('/me')).body.token.id
      const sources = await Promise.all(Array.from({ length: 20 }, () => follow(scene)))
      let isRevoked = false
      const write = async () => {
        for (let count = 0; count < 10; count++) await world.given(aTask({ title: isRevoked ? 'After' : 'Before' }))
      }

      const writing = Promise.all(Array.from({ length: 8 }, write))
      await sources[0]?.events(20)
      await revokeToken(world.operator, id)
      isRevoked = true
      await writing

      for (const source of sources) {
        const blocks = await source.rest()
        const events = blocks.slice(0, -1).map(({ data }) => JSON.parse(data ?? '{}').data)
        assert.deepEqual(blocks.at(-1), { comment: 'The token was revoked.' })
        assert.deepEqual(new Set(events.map(({ title }) => title)), new Set(events.length > 0 ? ['Before'] : []))
      }
    })

    it('ends once and in order, though an event and a look find out at the same time that its token was revoked', async () => {
      await using world = await openWorld(engine)
      const scene = await openScene(world)
      const sources = await Promise.all(Array.from({ length: 20 }, () => follow(scene)))
      await revoke(scene)

      const writing = world.given(aTask())
      await Promise.all(Array.from({ length: 20 }, () => world.service.timers.lookAfterStreams()))
      await writing

      for (const source of sources) assert.deepEqual(await source.rest(), [{ comment: 'The token was revoked.' }])
      assert.deepEqual(
        world.logged.filter(({ level, err }) => Number(level) >= 40 || err !== undefined),
        [],
      )
    })
  })
}
