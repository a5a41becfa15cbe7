import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask } from './builders.ts'
import { assertInvalid, ENGINES, openWorld } from './world.ts'

/** Bodies that say the same in other words. */
const EQUAL: [what: string, first: string, second: string][] = [
  ['other whitespace', '{"title":"One","estimate_minutes":1}', ' {\n\t"title" : "One",\r\n "estimate_minutes" : 1 } '],
  ['keys in another order', '{"title":"One","estimate_minutes":1}', '{"estimate_minutes":1,"title":"One"}'],
  ['1 and 1.0', '{"title":"One","estimate_minutes":1}', '{"title":"One","estimate_minutes":1.0}'],
  ['100 and 1e2', '{"title":"One","estimate_minutes":100}', '{"title":"One","estimate_minutes":1e2}'],
  ['an escape and the character', '{"title":"One \\u00e9"}', '{"title":"One é"}'],
  ['an escaped key', '{"title":"One"}', '{"\\u0074itle":"One"}'],
]

const DIFFERENT: [what: string, first: string, second: string][] = [
  ['a null and nothing', '{"title":"One","notes":null}', '{"title":"One"}'],
  ['capitals', '{"title":"One"}', '{"title":"ONE"}'],
  ['composed and decomposed characters', '{"title":"\\u00e9"}', '{"title":"e\\u0301"}'],
  ['a number and another', '{"title":"One","estimate_minutes":1}', '{"title":"One","estimate_minutes":2}'],
]

const MALFORMED: [what: string, key: string][] = [
  ['empty', ''],
  ['of 256 characters', 'k'.repeat(256)],
  ['with a tab', 'a\tb'],
  ['with a character outside ASCII', 'cl\u00e9'],
]

const UNUSUAL: [what: string, key: string][] = [
  ['of one character', 'k'],
  ['of 255 characters', 'k'.repeat(255)],
  [
    'of every printable character',
    Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
      .join('')
      .trim(),
  ],
]

for (const engine of ENGINES) {
  describe(`what an Idempotency-Key compares (${engine})`, () => {
    for (const [what, first, second] of EQUAL) {
      it(`takes bodies for the same that differ in ${what}`, async () => {
        await using world = await openWorld(engine)
        const headers = { 'idempotency-key': 'k' }
        const made = await world.api.send('POST', '/tasks', { raw: first, headers })

        const retry = await world.api.send('POST', '/tasks', { raw: second, headers })

        assert.deepEqual([made.status, retry.status, retry.body.id], [201, 200, made.body.id])
      })
    }

    it('takes nested objects for the same whose keys are in another order', async () => {
      await using world = await openWorld(engine)
      const headers = { 'idempotency-key': 'k' }
      const made = await world.api.post('/workflows', { name: 'A', statuses: [{ name: 'B', disposition: 'done' }] }, headers)

      const retry = await world.api.post('/workflows', { statuses: [{ disposition: 'done', name: 'B' }], name: 'A' }, headers)

      assert.deepEqual([made.status, retry.status], [201, 200])
    })

    it('takes lists for different whose items are in another order', async () => {
      await using world = await openWorld(engine)
      const headers = { 'idempotency-key': 'k' }
      const statuses = [
        { name: 'B', disposition: 'done' },
        { name: 'C', disposition: 'done' },
      ]
      await world.api.post('/workflows', { name: 'A', statuses }, headers)

      const reply = await world.api.post('/workflows', { name: 'A', statuses: statuses.toReversed() }, headers)

      assertInvalid(reply, ['header', 'Idempotency-Key', 'conflict'])
    })

    for (const [what, first, second] of DIFFERENT) {
      it(`takes bodies for different that differ in ${what}`, async () => {
        await using world = await openWorld(engine)
        const headers = { 'idempotency-key': 'k' }
        const made = await world.api.send('POST', '/tasks', { raw: first, headers })

        const reply = await world.api.send('POST', '/tasks', { raw: second, headers })

        assert.equal(made.status, 201)
        assertInvalid(reply, ['header', 'Idempotency-Key', 'conflict'])
      })
    }

    it('takes keys for different that differ in case', async () => {
      await using world = await openWorld(engine)
      const made = await world.api.post('/tasks', { title: 'One' }, { 'idempotency-key': 'key' })

      const reply = await world.api.post('/tasks', { title: 'One' }, { 'idempotency-key': 'KEY' })

      assert.equal(reply.status, 201)
      assert.notEqual(reply.body.id, made.body.id)
    })

    it('takes a path for the same whose ids are written in capitals', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const headers = { 'idempotency-key': 'k' }
      const made = await world.api.post(`/tasks/${task.id}/steps`, { name: 'One' }, headers)

      const retry = await world.api.post(`/tasks/${task.id.toUpperCase()}/steps`, { name: 'One' }, headers)

      assert.deepEqual([made.status, retry.status, retry.body.id], [201, 200, made.body.id])
    })

    it('takes a path for the same that is percent-encoded', async () => {
      await using world = await openWorld(engine)
      const headers = { 'idempotency-key': 'k' }
      const made = await world.api.post('/tasks', { title: 'One' }, headers)

      const retry = await world.api.post('/%74asks', { title: 'One' }, headers)

      assert.deepEqual([made.status, retry.status, retry.body.id], [201, 200, made.body.id])
    })

    for (const [what, key] of MALFORMED) {
      it(`refuses a key ${what}`, async () => {
        await using world = await openWorld(engine)

        const reply = await world.api.post('/tasks', { title: 'One' }, { 'idempotency-key': key })

        assertInvalid(reply, ['header', 'Idempotency-Key', 'invalid_format'])
        assert.deepEqual(await world.events(), [])
      })
    }

    for (const [what, key] of UNUSUAL) {
      it(`takes a key ${what}`, async () => {
        await using world = await openWorld(engine)
        const made = await world.api.post('/tasks', { title: 'One' }, { 'idempotency-key': key })

        const retry = await world.api.post('/tasks', { title: 'One' }, { 'idempotency-key': key })

        assert.deepEqual([made.status, retry.status], [201, 200])
      })
    }
  })
}
