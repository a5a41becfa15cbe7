import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_PATTERNS, EVENT_TYPES } from '@fivetab/domain/event.ts'
import {
  disabled,
  enabledAgain,
  isEnabled,
  newWebhook,
  patchWebhook,
  signingSecrets,
  typesFor,
  type Webhook,
  webhookToWire,
  withNewSecret,
} from '@fivetab/domain/webhook.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const DAY = 86_400_000
const URL = 'https://example.org/hook'

function aWebhook(input: Partial<Parameters<typeof newWebhook>[1]> = {}): Webhook {
  return newWebhook({ id: 'webhook', secret: 'whsec_one', now: NOW }, { url: URL, event_types: ['*'], ...input })
}

describe('a webhook', () => {
  it('is enabled at first, or disabled by the request that makes it', () => {
    assert.deepEqual([isEnabled(aWebhook()), aWebhook().disabledAt], [true, null])
    const off = aWebhook({ enabled: false })
    assert.deepEqual([isEnabled(off), off.disabledReason, off.disabledAt], [false, 'request', NOW])
  })

  it('has each pattern once, in the order they came', () => {
    const types = ['task.*', 'project.created', 'task.*', 'project.created']
    assert.deepEqual(aWebhook({ event_types: types }).eventTypes, ['task.*', 'project.created'])
    assert.deepEqual(patchWebhook(aWebhook(), { event_types: types }, NOW).eventTypes, ['task.*', 'project.created'])
  })

  it('keeps what a change does not name', () => {
    const webhook = aWebhook({ description: 'Mirror' })
    assert.deepEqual(patchWebhook(webhook, {}, NOW + 1), webhook)
    assert.deepEqual(patchWebhook(webhook, { description: null }, NOW + 1), { ...webhook, description: null })
  })

  it('keeps the reason and the time of its disabling when it is disabled again', () => {
    const gone = disabled(aWebhook(), 'gone', NOW + 1)
    assert.deepEqual(disabled(gone, 'failing', NOW + 2), gone)
    assert.deepEqual(patchWebhook(gone, { enabled: false }, NOW + 2), gone)
  })

  it('forgets them when it is enabled', () => {
    assert.deepEqual(enabledAgain(disabled(aWebhook(), 'gone', NOW)), aWebhook())
    assert.deepEqual(patchWebhook(disabled(aWebhook(), 'failing', NOW), { enabled: true }, NOW + 1), aWebhook())
  })

  it('is enabled by its operator alone when it was disabled by its operator', () => {
    const off = disabled(aWebhook(), 'operator', NOW)
    assert.throws(() => patchWebhook(off, { enabled: true }, NOW + 1), { code: 'invalid_request' })
    assert.deepEqual(patchWebhook(off, { description: 'Mirror' }, NOW + 1), { ...off, description: 'Mirror' })
    assert.deepEqual(enabledAgain(off), aWebhook())
  })

  it('never shows its secrets', () => {
    const wire = JSON.stringify(webhookToWire(withNewSecret(aWebhook(), 'whsec_two', NOW)))
    assert.ok(!wire.includes('whsec_'))
  })
})

describe('the secrets that sign', () => {
  it('are the new one and the one before, for a day', () => {
    const webhook = withNewSecret(aWebhook(), 'whsec_two', NOW)
    assert.deepEqual(signingSecrets(webhook, NOW), ['whsec_two', 'whsec_one'])
    assert.deepEqual(signingSecrets(webhook, NOW + DAY - 1), ['whsec_two', 'whsec_one'])
    assert.deepEqual(signingSecrets(webhook, NOW + DAY), ['whsec_two'])
    assert.deepEqual(signingSecrets(aWebhook(), NOW), ['whsec_one'])
  })

  it('are the last two, however often it is rotated', () => {
    const webhook = withNewSecret(withNewSecret(aWebhook(), 'whsec_two', NOW), 'whsec_three', NOW + 1)
    assert.deepEqual(signingSecrets(webhook, NOW + 1), ['whsec_three', 'whsec_two'])
  })
})

describe('the types that a webhook is told of', () => {
  it('are all of them for *, those of a kind, or one', () => {
    assert.deepEqual(typesFor({ eventTypes: ['*'] }), EVENT_TYPES)
    assert.deepEqual(typesFor({ eventTypes: ['status.*'] }), ['status.created', 'status.updated', 'status.deleted'])
    assert.deepEqual(typesFor({ eventTypes: ['webhook.disabled', 'task.woke'] }), ['task.woke', 'webhook.disabled'])
  })

  it('have each type once, whatever is asked for twice', () => {
    assert.deepEqual(typesFor({ eventTypes: EVENT_PATTERNS }), EVENT_TYPES)
  })

  it('are some for every pattern there is', () => {
    for (const pattern of EVENT_PATTERNS) assert.ok(typesFor({ eventTypes: [pattern] }).length > 0, pattern)
  })
})
