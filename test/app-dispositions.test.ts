import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Resource } from './builders.ts'
import type { SignedUp } from './visitor.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld } from './world.ts'

const WAITING = { object: 'disposition', key: 'waiting', label: 'Waiting', color: '#b7791f', position: 3 }

const listOf = async (ada: SignedUp): Promise<Resource[]> => (await ada.get('/dispositions')).body.data

for (const engine of ENGINES) {
  describe(`the labels and colours of tabs (${engine})`, () => {
    it('are each account’s own, in the app and in the API', async () => {
      await using world = await openWorld(engine)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const { value } = (await ada.post('/tokens', { name: 'script', scopes: ['tasks:read'], lifetime_days: 1 })).body

      const reply = await ada.patch('/dispositions/waiting', { label: ' Elsewhere ', color: '#00ff7f' })

      const changed = { ...WAITING, label: 'Elsewhere', color: '#00ff7f' }
      assert.deepEqual([reply.status, reply.body], [200, changed])
      const list = await listOf(ada)
      assert.deepEqual(list[2], changed)
      assert.deepEqual(
        list.map(({ key }) => key),
        ['not_started', 'in_progress', 'waiting', 'on_hold', 'done'],
      )
      const { body } = await world.anonymous.get('/dispositions', { authorization: `Bearer ${value}` })
      assert.deepEqual(body.data, list)
      assert.deepEqual((await listOf(bob))[2], WAITING)
    })

    it('change one by one, and null is back to how it was', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await ada.patch('/dispositions/waiting', { label: 'Elsewhere' })

      const colored = (await ada.patch('/dispositions/waiting', { color: '#000000' })).body
      const unlabelled = (await ada.patch('/dispositions/waiting', { label: null })).body
      const plain = (await ada.patch('/dispositions/waiting', { color: null })).body

      assert.deepEqual([colored.label, colored.color], ['Elsewhere', '#000000'])
      assert.deepEqual([unlabelled.label, unlabelled.color], ['Waiting', '#000000'])
      assert.deepEqual(plain, WAITING)
    })

    it('are an event each time, as other changes are', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const reply = await ada.patch('/dispositions/waiting', { label: 'Elsewhere' })

      const [event, ...others] = (await ada.get('/events')).body.data
      const { id, ...told } = event
      assert.deepEqual(told, {
        object: 'event',
        sequence: 1,
        type: 'disposition.updated',
        occurred_at: world.now,
        cause: 'app',
        actor: null,
        request_id: reply.headers['x-request-id'],
        data: { ...WAITING, label: 'Elsewhere' },
        previous: { label: 'Waiting' },
      })
      assert.deepEqual(others, [])
    })

    it('are no event when nothing changes', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await ada.patch('/dispositions/waiting', { label: 'Elsewhere' })

      for (const body of [{}, { label: 'Elsewhere' }, { color: WAITING.color }, { color: null }]) {
        assert.deepEqual((await ada.patch('/dispositions/waiting', body)).body.label, 'Elsewhere')
      }

      assert.equal((await ada.get('/events')).body.latest_sequence, 1)
      assert.equal((await ada.get('/session')).body.user.plan.writes_today, 1)
    })

    it('have bounds, and every problem is named', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const refused: [body: object, ...expected: [place: string, name: string, code: string][]][] = [
        [{ label: '' }, ['body', 'label', 'too_short']],
        [{ label: 'x'.repeat(41) }, ['body', 'label', 'too_long']],
        [{ label: 'a\nb' }, ['body', 'label', 'malformed']],
        [{ color: '#00FF7F' }, ['body', 'color', 'invalid_format']],
        [
          { color: 'red', label: 7, position: 1 },
          ['body', 'color', 'invalid_format'],
          ['body', 'label', 'invalid_type'],
          ['body', 'position', 'unknown'],
        ],
      ]
      for (const [body, ...expected] of refused) assertInvalid(await ada.patch('/dispositions/waiting', body), ...expected)
      assert.equal((await ada.patch('/dispositions/waiting', { label: '🌷'.repeat(40) })).status, 200)
      assertInvalid(await ada.patch('/dispositions/later', { label: 'Later' }), ['path', 'key', 'invalid_value'])
    })

    it('are the app’s to change, and not the API’s', async () => {
      await using world = await openWorld(engine)

      assertProblem(await world.api.patch('/dispositions/waiting', { label: 'Elsewhere' }), 404, 'not_found')
    })

    it('change no task', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const task = (await ada.post('/tasks', { title: 'Buy boxes', disposition: 'waiting' })).body

      await ada.patch('/dispositions/waiting', { label: 'Elsewhere' })

      assert.deepEqual((await ada.get(`/tasks/${task.id}`)).body, task)
    })
  })
}
