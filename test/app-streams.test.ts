import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { removeAccount } from '../packages/server/actions/accounts.ts'
import { switchApi } from '../packages/server/actions/switches.ts'
import { aTask } from './builders.ts'
import { openSource, type Source, type SourceOptions } from './event-source.ts'
import { limit } from './limits.ts'
import { type SignedUp, signInAs, type Visitor } from './visitor.ts'
import { assertProblem, DAY, ENGINES, openWorld, type World } from './world.ts'

const follow = (world: World, { cookie }: Visitor, options: SourceOptions = {}): Promise<Source> =>
  openSource(world.service.url, null, { base: '/app', headers: { cookie: cookie ?? '' }, ...options })

/** What ends a session, but for that of the stream's own browser. */
const ENDINGS: [what: string, happens: (world: World, ada: SignedUp, other: Visitor) => Promise<unknown>][] = [
  ['the person signs out there', (_world, ada) => ada.post('/sign_out')],
  ['it is ended elsewhere', (_world, ada, other) => other.delete(`/sessions/${ada.person.session_id}`)],
  ['the person signs out everywhere', (_world, _ada, other) => other.post('/sign_out_everywhere')],
  [
    'the password is changed',
    (_world, ada, other) => other.post('/me/password', { current_password: ada.password, password: 'another horse' }),
  ],
  ['it is not used for 30 days', async (world) => world.advance(30 * DAY)],
  ['the account is deleted', (world, ada) => removeAccount(world.operator, ada.person.email)],
]

for (const engine of ENGINES) {
  describe(`the app’s stream of events (${engine})`, () => {
    it('tells at once of what a program does', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const { value } = (await ada.post('/tokens', { name: 'script', scopes: ['tasks:write'], lifetime_days: 1 })).body
      using source = await follow(world, ada)

      await world.anonymous.post('/tasks', { title: 'Buy boxes' }, { authorization: `Bearer ${value}` })

      const [event] = await source.events(1)
      assert.partialDeepStrictEqual(event, { type: 'task.created', cause: 'api', data: { title: 'Buy boxes' } })
    })

    it('tells each of a person’s browsers of what another does, and nobody else', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const other = world.visitor()
      await signInAs(other, ada)
      using first = await follow(world, ada)
      using second = await follow(world, other)
      using theirs = await follow(world, bob)

      await aTask()(other)
      await ada.patch('/dispositions/waiting', { label: 'Elsewhere' })
      await aTask({ title: 'Of Bob' })(bob)

      for (const source of [first, second]) {
        const events = await source.events(2)
        assert.deepEqual(
          events.map(({ type, cause }) => `${type} ${cause}`),
          ['task.created app', 'disposition.updated app'],
        )
      }
      const [event] = await theirs.events(1)
      assert.equal(event.data.title, 'Of Bob')
    })

    it('goes on where it was', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      for (let times = 0; times < 3; times += 1) await aTask()(ada)

      using source = await follow(world, ada, { headers: { cookie: ada.cookie as string, 'last-event-id': '1' } })

      assert.deepEqual(
        (await source.events(2)).map(({ sequence }) => sequence),
        [2, 3],
      )
    })

    for (const [what, happens] of ENDINGS) {
      it(`ends when ${what}`, async () => {
        await using world = await openWorld(engine)
        const ada = await world.signUp()
        const other = world.visitor()
        await signInAs(other, ada)
        using source = await follow(world, ada)

        await happens(world, ada, other)
        await world.service.timers.lookAfterStreams()

        const blocks = await source.rest()
        assert.match(blocks.at(-1)?.comment ?? '', /Nobody is signed in/)
      })
    }

    it('shows nothing that was written after its session ended', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const other = world.visitor()
      await signInAs(other, ada)
      using source = await follow(world, ada)

      await other.delete(`/sessions/${ada.person.session_id}`)
      await aTask()(other)
      await world.service.timers.lookAfterStreams()

      assert.ok((await source.rest()).every(({ data }) => data === undefined))
    })

    it('goes on while the API is off', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      using source = await follow(world, ada)

      await switchApi(world.operator, false)
      await world.service.timers.lookAfterStreams()
      await aTask()(ada)

      assert.equal((await source.events(1))[0]?.type, 'task.created')
    })

    it('needs a session', async () => {
      await using world = await openWorld(engine)

      using source = await openSource(world.service.url, world.api.token, { base: '/app' })

      assertProblem(source.reply, 401, 'not_signed_in')
    })

    it('may be open as often as a token’s', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await limit(world, { tokenPerMinute: 20 })
      const other = world.visitor()
      await signInAs(other, ada)
      using _one = await follow(world, ada)
      using _two = await follow(world, ada)

      using third = await follow(world, ada)
      using elsewhere = await follow(world, other)

      assert.match(assertProblem(third.reply, 429, 'rate_limited').detail as string, /A session may have 2 streams/)
      assert.equal(elsewhere.reply.status, 200)
    })
  })
}
