import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import {
  draftFromLink,
  READ_SCOPES,
  stateOf,
  taskLine,
  WRITE_SCOPES,
  whoLine,
  withScope,
} from '../../packages/web/src/pages/settings/tokens.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const at = (days: number) => new Date(NOW + days * DAY_MS).toISOString()

describe('a link to the form of a new token', () => {
  for (const [how, search] of [
    ['with commas', '?name=backup&scopes=tasks:read,projects:read'],
    ['with spaces', '?name=backup&scopes=tasks:read%20projects:read'],
    ['with plus signs', '?name=backup&scopes=tasks:read+projects:read'],
    ['with commas and spaces, more than needed', '?name=backup&scopes=,%20tasks:read%20,,%20projects:read%20'],
    ['one by one', '?name=backup&scopes=projects:read&scopes=tasks:read'],
    ['twice', '?name=backup&scopes=tasks:read,tasks:read,projects:read'],
  ] as const) {
    it(`fills in its name and its scopes ${how}, in the order of the contract`, () => {
      const { draft, unknown, isFilled } = draftFromLink(search)

      assert.equal(draft.name, 'backup')
      assert.deepEqual(draft.scopes, ['tasks:read', 'projects:read'])
      assert.deepEqual(unknown, [])
      assert.equal(isFilled, true)
    })
  }

  it('has what it asks for in vain named', () => {
    const { draft, unknown } = draftFromLink('?scopes=tasks:read,everything,toString,Tasks:Read')

    assert.deepEqual(draft.scopes, ['tasks:read'])
    assert.deepEqual(unknown, ['everything', 'toString', 'Tasks:Read'])
  })

  for (const search of ['', '?', '?name=', '?scopes=', '?name=&scopes=%20,', '?other=1']) {
    it(`without a wish fills in nothing (${search})`, () => {
      const { draft, unknown, isFilled } = draftFromLink(search)

      assert.deepEqual(draft, { name: '', scopes: [], lifetime: '90' })
      assert.deepEqual(unknown, [])
      assert.equal(isFilled, false)
    })
  }
})

describe('choosing scopes', () => {
  it('of all that read takes none that change anything', () => {
    assert.deepEqual(READ_SCOPES, ['tasks:read', 'projects:read', 'workflows:read'])
  })

  it('of all that read and write leaves webhooks out', () => {
    assert.deepEqual(
      WRITE_SCOPES,
      SCOPE_NAMES.filter((scope) => scope !== 'webhooks:manage'),
    )
  })

  it('adds one in its place and takes one away', () => {
    assert.deepEqual(withScope(['webhooks:manage', 'projects:read'], 'tasks:read', true), [
      'tasks:read',
      'projects:read',
      'webhooks:manage',
    ])
    assert.deepEqual(withScope(['tasks:read', 'projects:read'], 'tasks:read', false), ['projects:read'])
  })
})

describe('the state of a token', () => {
  for (const [what, made, ends, revoked, state] of [
    ['works long before its end', -10, 80, null, 'works'],
    ['ends soon a week before', -83, 7, null, 'ends_soon'],
    ['works more than a week before', -82, 7.01, null, 'works'],
    ['that was made for a week works at its beginning', 0, 7, null, 'works'],
    ['that was made for a week ends soon in its last quarter', -5.5, 1.5, null, 'ends_soon'],
    ['is expired at its end', -30, 0, null, 'expired'],
    ['that was revoked is that', -10, 80, at(-1), 'revoked'],
    ['that was revoked and has expired since is revoked', -10, -1, at(-5), 'revoked'],
  ] as const) {
    it(what, () => {
      assert.equal(stateOf({ created_at: at(made), expires_at: at(ends), revoked_at: revoked }, NOW), state)
    })
  }
})

describe('the lines to try a token with', () => {
  const VALUE = 'svc_pat_0123456789012345678901234567890123456789abcdef'
  /** What a shell makes of the words of a line, with something that prints them in place of curl. */
  const wordsOf = async (line: string) => {
    const { stdout } = await promisify(execFile)('sh', ['-c', line.replace(/^curl/, "printf '%s\\n'")])
    return stdout.trimEnd().split('\n')
  }

  it('ask a shell for the API with the token in its header', async () => {
    assert.deepEqual(await wordsOf(whoLine('https://tasks.example.org', VALUE)), [
      '-H',
      `Authorization: Bearer ${VALUE}`,
      'https://tasks.example.org/v1/me',
    ])
  })

  it('send a task as JSON', async () => {
    const words = await wordsOf(taskLine('http://localhost:3000', VALUE, 'Meine erste Aufgabe per API'))

    assert.deepEqual(words.slice(0, 5), ['-H', `Authorization: Bearer ${VALUE}`, '-H', 'Content-Type: application/json', '-d'])
    assert.deepEqual(JSON.parse(words[5] ?? ''), { title: 'Meine erste Aufgabe per API' })
    assert.equal(words[6], 'http://localhost:3000/v1/tasks')
  })
})
