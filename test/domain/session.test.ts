import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endOfSession, hasEnded, type Session, usedSession } from '@fivetab/domain/session.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'

const MADE = Date.parse('2026-11-21T12:00:00.000Z')

const FRESH: Session = {
  id: 's',
  accountId: 'a',
  userAgent: null,
  createdAt: MADE,
  lastUsedAt: MADE,
  expiresAt: endOfSession(MADE, MADE),
}

describe('a session', () => {
  it('ends 30 days after its last use', () => {
    const used = usedSession(FRESH, MADE + 10 * DAY_MS)

    assert.equal(FRESH.expiresAt, MADE + 30 * DAY_MS)
    assert.equal(used.expiresAt, MADE + 40 * DAY_MS)
    assert.equal(hasEnded(used, MADE + 40 * DAY_MS - 1), false)
    assert.equal(hasEnded(used, MADE + 40 * DAY_MS), true)
  })

  it('ends 365 days after it was made, however much it is used', () => {
    let session = FRESH
    for (let day = 1; day < 365; day++) session = usedSession(session, MADE + day * DAY_MS)

    assert.equal(session.expiresAt, MADE + 365 * DAY_MS)
  })

  it('is the same after a use within ten minutes of the last', () => {
    assert.equal(usedSession(FRESH, MADE + 600_000 - 1), FRESH)
    assert.equal(usedSession(FRESH, MADE - DAY_MS), FRESH)
    assert.equal(usedSession(FRESH, MADE + 600_000).lastUsedAt, MADE + 600_000)
  })
})
