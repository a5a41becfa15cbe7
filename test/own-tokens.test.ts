import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Failure } from '@fivetab/domain/failure.ts'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { isTokenValue } from '@fivetab/domain/token.ts'
import { type Actor, operatorIn } from '../packages/server/actions/actor.ts'
import { createOwnToken, hashOfToken, listOwnTokens, revokeOwnToken } from '../packages/server/actions/tokens.ts'
import { admittance, insertToken } from '../packages/server/store/tokens.ts'
import { UNKNOWN_ID } from './builders.ts'
import { ENGINES } from './database.ts'
import { openPeople, type People } from './people.ts'

const DAY = 86_400_000

async function personIn(people: People, email?: string): Promise<Actor> {
  const { session } = await people.person(email)
  return { ...operatorIn(people.store, session.accountId), cause: 'app' }
}

const aToken = { name: 'laptop', scopes: ['tasks:read'], lifetimeDays: 30 }

for (const engine of ENGINES) {
  describe(`a person's own tokens (${engine})`, () => {
    it('are made with a value that works, and listed newest first', async () => {
      await using people = await openPeople(engine)
      const by = await personIn(people)

      const first = await createOwnToken(by, randomBytes, { name: ' laptop ', scopes: ['tasks:write', 'tasks:read'], lifetimeDays: 366 })
      const second = await createOwnToken(by, randomBytes, { ...aToken, scopes: SCOPE_NAMES, lifetimeDays: 1 })

      assert.ok(isTokenValue(first.value))
      assert.partialDeepStrictEqual(first.token, { name: 'laptop', scopes: ['tasks:read', 'tasks:write'], lastUsedAt: null })
      assert.equal(first.token.expiresAt, people.clock() + 366 * DAY)
      assert.deepEqual((await admittance(people.store, hashOfToken(first.value))).bearer?.token, first.token)
      assert.deepEqual(await listOwnTokens(by), [second.token, first.token])
    })

    it('are refused with every problem at once', async () => {
      await using people = await openPeople(engine)
      const by = await personIn(people)
      const making = createOwnToken(by, randomBytes, { name: 'x'.repeat(101), scopes: ['tasks:read', 'all'], lifetimeDays: 367 })

      await assert.rejects(making, (error: Failure) => {
        const told = error.more.problems?.map(({ field, code }) => `${field} ${code}`)
        assert.deepEqual(told, ['name too_long', 'scopes invalid_value', 'lifetime_days out_of_range'])
        return true
      })
      for (const lifetimeDays of [0, -1, 1.5, Number.NaN]) {
        await assert.rejects(createOwnToken(by, randomBytes, { ...aToken, lifetimeDays }), { code: 'invalid_request' })
      }
      assert.deepEqual(await listOwnTokens(by), [])
    })

    it('are 100 that work at most, however many come at once', async () => {
      await using people = await openPeople(engine)
      const by = await personIn(people)
      const make = (lifetimeDays = 30) => createOwnToken(by, randomBytes, { ...aToken, lifetimeDays })
      const [short, other] = [await make(1), await make()]
      await Promise.all(Array.from({ length: 90 }, () => make()))

      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => make()))

      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 8)
      await revokeOwnToken(by, other.token.id)
      await make()
      await assert.rejects(make(), { code: 'invalid_request' })
      people.advance(short.token.expiresAt - people.clock())
      await make()
    })

    it('are forgotten once they ended, but for the newest 900: those of all that work stay', async () => {
      await using people = await openPeople(engine)
      const by = await personIn(people)
      const { token } = await createOwnToken(by, randomBytes, aToken)
      const ended = (number: number) => ({ ...token, id: `019aa4a5-4c00-7b3e-8000-${100_000_000_000 + number}`, revokedAt: people.clock() })
      await people.store.transact(async (writer) => {
        for (let number = 0; number < 903; number++) await insertToken(writer, ended(number), `hash ${number}`)
      })

      const { token: last } = await createOwnToken(by, randomBytes, aToken)

      const ids = (await listOwnTokens(by)).map(({ id }) => id)
      assert.equal(ids.length, 902)
      for (const id of [token.id, last.id, ended(3).id, ended(902).id]) assert.ok(ids.includes(id), id)
      assert.ok(!ids.includes(ended(2).id))
    })

    it('are ended by the person alone, and stay as they ended', async () => {
      await using people = await openPeople(engine)
      const [by, bob] = [await personIn(people), await personIn(people, 'bob@example.org')]
      const { token } = await createOwnToken(by, randomBytes, aToken)

      for (const id of [UNKNOWN_ID, '']) await assert.rejects(revokeOwnToken(by, id), { code: 'not_found' })
      await assert.rejects(revokeOwnToken(bob, token.id), { code: 'not_found' })
      const ended = await revokeOwnToken(by, token.id)
      people.advance(1_000)

      assert.equal(ended.revokedAt, people.clock() - 1_000)
      assert.deepEqual(await revokeOwnToken(by, token.id), ended)
      assert.deepEqual(await listOwnTokens(by), [ended])
    })

    it('are nothing that a token can make, show or end', async () => {
      await using people = await openPeople(engine)
      const person = await personIn(people)
      const { token } = await createOwnToken(person, randomBytes, aToken)
      const by: Actor = { ...person, cause: 'api', tokenId: token.id }

      for (const work of [() => createOwnToken(by, randomBytes, aToken), () => listOwnTokens(by), () => revokeOwnToken(by, token.id)]) {
        await assert.rejects(work, (error) => error instanceof Failure && error.code === 'not_signed_in')
      }
    })
  })
}
