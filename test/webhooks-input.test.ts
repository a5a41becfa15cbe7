import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_PATTERNS } from '@fivetab/domain/event.ts'
import { aTask, type Resource } from './builders.ts'
import type { Reply } from './client.ts'
import { aWebhook, openReceiver } from './receiver.ts'
import { assertInvalid, ENGINES, openWorld, type World } from './world.ts'

/** What is wrong with an address is told in full by test/outgoing-destinations.test.ts; here it is that creating and changing ask at all. */

const URL = 'https://1.1.1.1/hook'

const WRONG_URLS: [url: unknown, code: string][] = [
  ['', 'too_short'],
  [null, 'invalid_type'],
  [7, 'invalid_type'],
  ['example.org/hook', 'invalid_format'],
  ['ftp://1.1.1.1/hook', 'invalid_value'],
  ['javascript:alert(1)', 'invalid_value'],
  ['https://ada:secret@1.1.1.1/hook', 'invalid_format'],
  ['https://1.1.1.1/hook#part', 'invalid_format'],
  ['https://1.1.1.1:99999/hook', 'invalid_format'],
  ['https://1.1.1.1/a b', 'invalid_format'],
  [`https://1.1.1.1/${'a'.repeat(2_033)}`, 'too_long'],
  ['http://127.0.0.1/hook', 'invalid_value'],
  ['http://2130706433/hook', 'invalid_value'],
  ['http://[::1]/hook', 'invalid_value'],
  ['http://[::ffff:10.0.0.1]/hook', 'invalid_value'],
  ['http://169.254.169.254/latest/meta-data', 'invalid_value'],
  ['http://192.168.1.7:8080/', 'invalid_value'],
  ['http://localhost/hook', 'invalid_value'],
  ['http://anything.localhost/hook', 'invalid_value'],
]

const WRONG_TYPES: [types: unknown, code: string, pointer: string][] = [
  [['task.created', 'task.gone'], 'invalid_value', '/event_types/1'],
  [['task'], 'invalid_value', '/event_types/0'],
  [['TASK.*'], 'invalid_value', '/event_types/0'],
  [['*.created'], 'invalid_value', '/event_types/0'],
  [[' task.*'], 'invalid_value', '/event_types/0'],
  [['webhook.test'], 'invalid_value', '/event_types/0'],
  [[7], 'invalid_type', '/event_types/0'],
  [[], 'too_short', '/event_types'],
  [Array.from({ length: 51 }, () => '*'), 'too_long', '/event_types'],
  ['*', 'invalid_type', '/event_types'],
  [null, 'invalid_type', '/event_types'],
]

/** The answers to creating and to changing a webhook with these fields. */
async function bothWith(world: World, fields: Resource): Promise<Reply[]> {
  const { id } = await world.given(aWebhook({ url: URL }))
  return [await world.api.post('/webhooks', { url: URL, event_types: ['*'], ...fields }), await world.api.patch(`/webhooks/${id}`, fields)]
}

for (const engine of ENGINES) {
  describe(`the address of a webhook (${engine})`, () => {
    it('is refused when nothing may be sent there', async () => {
      await using world = await openWorld(engine)
      for (const [url, code] of WRONG_URLS)
        for (const reply of await bothWith(world, { url })) {
          const [error] = assertInvalid(reply, ['body', 'url', code])
          assert.equal(error?.pointer, '/url')
        }
    })

    it('may have 2,048 characters, a port and a query', async () => {
      await using world = await openWorld(engine)
      for (const url of [`https://1.1.1.1/${'a'.repeat(2_032)}`, 'http://1.1.1.1:8080/hook?key=x', 'https://[2606:4700:4700::1111]/'])
        for (const { status, body } of await bothWith(world, { url })) {
          assert.ok(status < 300)
          assert.equal(body.url, url)
        }
    })

    it('is tidied of space around it', async () => {
      await using world = await openWorld(engine)
      for (const { body } of await bothWith(world, { url: ` ${URL}/other\n` })) assert.equal(body.url, `${URL}/other`)
    })

    it('may be one of the ranges that the operator allows, and then events are sent there', async () => {
      await using world = await openWorld(engine, { environment: { WEBHOOK_ALLOWED_RANGES: '10.0.0.0/8, 127.0.0.1' } })
      await using receiver = await openReceiver()
      await world.given(aWebhook(receiver))
      for (const [url, status] of [
        ['http://10.1.2.3/', 201],
        ['http://localhost:1/', 201],
        ['http://127.0.0.2/', 400],
        ['http://192.168.1.7/', 400],
        ['http://[::1]/', 400],
      ])
        assert.equal((await world.api.post('/webhooks', { url, event_types: ['webhook.*'] })).status, status, String(url))
      await world.given(aTask())

      await world.service.timers.deliver()

      assert.equal(receiver.received.length, 1)
    })
  })

  describe(`the event types of a webhook (${engine})`, () => {
    it('may be any that there is, all of a kind, or all', async () => {
      await using world = await openWorld(engine)
      for (const { status, body } of await bothWith(world, { event_types: EVENT_PATTERNS })) {
        assert.ok(status < 300)
        assert.deepEqual(body.event_types, EVENT_PATTERNS)
      }
    })

    it('are refused when they are anything else, by their place', async () => {
      await using world = await openWorld(engine)
      for (const [types, code, pointer] of WRONG_TYPES)
        for (const reply of await bothWith(world, { event_types: types })) {
          const [error] = assertInvalid(reply, ['body', 'event_types', code])
          assert.equal(error?.pointer, pointer)
        }
    })

    it('are folded when they are given twice', async () => {
      await using world = await openWorld(engine)
      const event_types = [...Array.from({ length: 49 }, () => 'task.*'), '*']
      for (const { body } of await bothWith(world, { event_types })) assert.deepEqual(body.event_types, ['task.*', '*'])
    })
  })

  describe(`what else a webhook is given (${engine})`, () => {
    it('is a description of up to 2,000 characters', async () => {
      await using world = await openWorld(engine)
      for (const description of ['', 'x'.repeat(2_000), 'Two\nlines', null])
        for (const { body } of await bothWith(world, { description })) assert.equal(body.description, description)
      for (const reply of await bothWith(world, { description: 'x'.repeat(2_001) }))
        assertInvalid(reply, ['body', 'description', 'too_long'])
      for (const reply of await bothWith(world, { description: 7 })) assertInvalid(reply, ['body', 'description', 'invalid_type'])
    })

    it('is neither null for a yes or no, nor anything of the service’s own', async () => {
      await using world = await openWorld(engine)
      for (const enabled of [null, 'true', 1])
        for (const reply of await bothWith(world, { enabled })) assertInvalid(reply, ['body', 'enabled', 'invalid_type'])
      for (const field of ['id', 'secret', 'disabled_reason', 'disabled_at', 'version', 'previous_secret_expires_at'])
        for (const reply of await bothWith(world, { [field]: 'x' })) assertInvalid(reply, ['body', field, 'unknown'])
    })

    it('is an address and types at least', async () => {
      await using world = await openWorld(engine)
      assertInvalid(await world.api.post('/webhooks', {}), ['body', 'url', 'required'], ['body', 'event_types', 'required'])
    })
  })
}
