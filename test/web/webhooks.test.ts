import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newWebhook, webhookToWire } from '@fivetab/domain/webhook.ts'
import { changesOf, creationOf, draftOf, lookAgainIn, NEW_WEBHOOK } from '../../packages/web/src/pages/settings/webhooks.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const webhook = webhookToWire(
  newWebhook(
    { id: 'hook', secret: 'whsec_', now: NOW },
    { url: 'https://example.org/hooks', event_types: ['task.*', 'project.created'], description: 'Mirror' },
  ),
)

describe('the draft of a webhook', () => {
  it('that nobody touched changes nothing', () => {
    assert.deepEqual(changesOf(webhook, draftOf(webhook)), {})
    assert.deepEqual(changesOf({ ...webhook, description: null }, draftOf({ ...webhook, description: null })), {})
  })

  it('sends what was changed and nothing else', () => {
    const draft = draftOf(webhook)

    assert.deepEqual(changesOf(webhook, { ...draft, url: 'https://example.net/' }), { url: 'https://example.net/' })
    assert.deepEqual(changesOf(webhook, { ...draft, event_types: ['*'] }), { event_types: ['*'] })
    assert.deepEqual(changesOf(webhook, { ...draft, event_types: ['project.created', 'task.*'] }), {})
    assert.deepEqual(changesOf(webhook, { ...draft, description: '' }), { description: null })
  })

  it('of a new one takes all events, and an empty description for none', () => {
    assert.deepEqual(creationOf({ ...NEW_WEBHOOK, url: 'https://example.org/' }), {
      url: 'https://example.org/',
      event_types: ['*'],
      description: null,
    })
  })
})

describe('looking again at deliveries', () => {
  const due = (ms: number) => ({ next_attempt_at: new Date(NOW + ms).toISOString() })

  it('is done often while one is due within the minute, or overdue', () => {
    assert.equal(lookAgainIn([{ next_attempt_at: null }, due(59_000)], NOW), 2_000)
    assert.equal(lookAgainIn([due(-5_000)], NOW), 2_000)
  })

  it('is done seldom while nothing is about to happen', () => {
    assert.equal(lookAgainIn([], NOW), 20_000)
    assert.equal(lookAgainIn([{ next_attempt_at: null }, due(300_000)], NOW), 20_000)
  })
})
