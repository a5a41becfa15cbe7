import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makeTokenValue } from '@fivetab/domain/token.ts'
import { removeAccount } from '../packages/server/actions/accounts.ts'
import { revokeToken } from '../packages/server/actions/tokens.ts'
import type { Reply } from './client.ts'
import { contentsOf } from './database.ts'
import { filledWith, operationsOf } from './operations.ts'
import { assertProblem, DAY, ENGINES, HOUR, openWorld } from './world.ts'

/** Swaps the case of the letter at `index`, or changes the digit there. */
function altered(token: string, index: number): string {
  const character = token.at(index) as string
  const other = /\d/.test(character) ? String((Number(character) + 1) % 10) : character === 'a' ? 'b' : 'a'
  return token.slice(0, index) + other + token.slice(index + 1)
}

const REFUSED: [what: string, header: (token: string) => string][] = [
  ['an empty header', () => ''],
  ['a scheme without a token', () => 'Bearer'],
  ['a token without a scheme', (token) => token],
  ['another scheme', (token) => `Basic ${token}`],
  ['a token without its prefix', (token) => `Bearer ${token.slice('svc_pat_'.length)}`],
  ['a token in quotes', (token) => `Bearer "${token}"`],
  ['two tokens', (token) => `Bearer ${token} ${token}`],
  ['two tokens with a comma', (token) => `Bearer ${token}, ${token}`],
  ['a token in capitals', (token) => `Bearer ${token.toUpperCase()}`],
  ['a token that goes on', (token) => `Bearer ${token}0`],
  ['a token that is cut off', (token) => `Bearer ${token.slice(0, -1)}`],
  ['a token with one character changed', (token) => `Bearer ${altered(token, 20)}`],
  ['a token with its checksum changed', (token) => `Bearer ${altered(token, token.length - 1)}`],
  ['a well-formed token that was never made', () => `Bearer ${makeTokenValue(randomBytes)}`],
]

function assertUnauthorized(reply: Reply): void {
  assertProblem(reply, 401, 'invalid_token')
  assert.equal(reply.headers['www-authenticate'], 'Bearer')
}

for (const engine of ENGINES) {
  describe(`authentication (${engine})`, () => {
    it('refuses a request without a token', async () => {
      await using world = await openWorld(engine)

      assertUnauthorized(await world.anonymous.get('/me'))
    })

    for (const [what, header] of REFUSED) {
      it(`refuses ${what}`, async () => {
        await using world = await openWorld(engine)

        assertUnauthorized(await world.anonymous.get('/me', { authorization: header(world.api.token as string) }))
      })
    }

    it('reads no token from a cookie or another header', async () => {
      await using world = await openWorld(engine)
      const { token } = world.api as { token: string }

      assertUnauthorized(await world.anonymous.get('/me', { cookie: `token=${token}`, 'x-api-key': token }))
    })

    it('takes the scheme in any case', async () => {
      await using world = await openWorld(engine)

      const reply = await world.anonymous.get('/me', { authorization: `bEARER ${world.api.token}` })

      assert.equal(reply.status, 200)
    })

    it('asks for a token at every operation', async () => {
      await using world = await openWorld(engine)

      for (const { method, path } of await operationsOf(world)) assertUnauthorized(await world.anonymous.send(method, filledWith(path)))
    })

    it('takes a token to the last millisecond of its life, and not after', async () => {
      await using world = await openWorld(engine)
      const client = await world.clientWith(['tasks:read'], world.account, HOUR)
      world.advance(HOUR - 1)
      const last = await client.get('/me')
      world.advance(1)

      const after = await client.get('/me')

      assert.equal(last.status, 200)
      assertUnauthorized(after)
    })

    it('refuses a revoked token from the next request on, and no other token', async () => {
      await using world = await openWorld(engine)
      const client = await world.clientWith(['tasks:read'])
      const me = (await client.get('/me')).body
      await revokeToken(world.operator, me.token.id)

      const revoked = await client.get('/me')
      const other = await world.api.get('/me')

      assertUnauthorized(revoked)
      assert.equal(other.status, 200)
    })

    it('keeps a token revoked over a restart', async () => {
      await using world = await openWorld(engine)
      const me = (await world.api.get('/me')).body
      await revokeToken(world.operator, me.token.id)

      await world.restart()

      assertUnauthorized(await world.api.get('/me'))
    })

    it('refuses the tokens of an account that was deleted', async () => {
      await using world = await openWorld(engine)
      const other = await world.newAccount()
      await removeAccount(world.operator, other.account.email)

      assertUnauthorized(await other.api.get('/me'))
    })

    it('answers alike for a token that never was, has expired or was revoked, but for the words', async () => {
      await using world = await openWorld(engine)
      const expired = await world.clientWith(['tasks:read'], world.account, HOUR)
      const revoked = await world.clientWith(['tasks:read'], world.account, DAY)
      await revokeToken(world.operator, (await revoked.get('/me')).body.token.id)
      world.advance(2 * HOUR)

      const replies = [await world.anonymous.get('/tasks'), await expired.get('/tasks'), await revoked.get('/tasks')]

      for (const reply of replies) assertUnauthorized(reply)
      const [first, ...others] = replies.map(({ body: { detail, request_id, ...rest }, headers }) => [rest, Object.keys(headers)])
      for (const other of others) assert.deepEqual(other, first)
    })

    it('stores the hash of a token and never its value', async () => {
      await using world = await openWorld(engine)
      const token = world.api.token as string
      await world.api.get('/me')

      const files = readdirSync(world.dataDir).map((name) => readFileSync(join(world.dataDir, name), 'latin1'))
      const stored = [JSON.stringify(await contentsOf(world)), ...files].join('')

      assert.ok(stored.includes(hash('sha256', token)))
      assert.ok(!stored.includes(token) && !stored.includes(token.slice('svc_pat_'.length)))
    })

    it('logs no token, whatever became of the request', async () => {
      await using world = await openWorld(engine, { logLevel: 'trace' })
      const token = world.api.token as string
      await world.api.post('/tasks', { title: 'One' })
      await world.api.post('/tasks', { title: 1 })
      await world.api.get('/nowhere')
      await world.anonymous.get('/me', { authorization: `Bearer ${altered(token, 20)}` })
      await world.anonymous.get('/me', { authorization: `Basic ${token}` })

      const log = JSON.stringify(world.logged)

      assert.ok(world.logged.length >= 5)
      assert.ok(!log.includes(token.slice(21)), log)
    })
  })
}
