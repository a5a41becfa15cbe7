import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { inLargeDraws, newId, nextId } from '../../packages/server/store/ids.ts'

const RUNS = { numRuns: 500 }
const NOW = Date.parse('2026-11-21T12:00:00Z')
const LAST_INSTANT = 2 ** 48 - 1
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const someBytes = fc.oneof(
  fc.uint8Array({ minLength: 10, maxLength: 10 }),
  fc.constantFrom(0x00, 0x3f, 0xff).map((byte) => new Uint8Array(10).fill(byte)),
)

/** A clock that stands, steps, runs back, or leaps anywhere that 48 bits of milliseconds reach. */
const anInstant = fc.oneof(fc.constant(NOW), fc.integer({ min: NOW - 5, max: NOW + 5 }), fc.integer({ min: 0, max: LAST_INSTANT }))

const calls = fc.array(fc.tuple(anInstant, someBytes), { minLength: 1, maxLength: 60 })

function idsOf(made: readonly [number, Uint8Array][]): string[] {
  const ids: string[] = []
  for (const [now, bytes] of made) ids.push(nextId(now, ids.at(-1) ?? '', () => bytes))
  return ids
}

/** The milliseconds in the first 48 bits of an id. */
function instantOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

describe('ids made one after another', () => {
  it('only ever go up, wherever the clock goes', () => {
    fc.assert(
      fc.property(calls, (made) => {
        const ids = idsOf(made)

        for (const [index, id] of ids.entries()) assert.ok(index === 0 || id > (ids[index - 1] as string), ids.join('\n'))
      }),
      RUNS,
    )
  })

  it('are UUIDs of version 7 and the RFC’s variant', () => {
    fc.assert(
      fc.property(calls, (made) => {
        for (const id of idsOf(made)) assert.match(id, UUID_V7)
      }),
      RUNS,
    )
  })

  it('carry the time of their making, or that of the last when the clock ran back', () => {
    fc.assert(
      fc.property(calls, (made) => {
        let latest = 0
        for (const [index, id] of idsOf(made).entries()) {
          latest = Math.max(latest, (made[index] as [number, Uint8Array])[0])
          assert.equal(instantOf(id), latest)
        }
      }),
      RUNS,
    )
  })

  it('go up by one when the random bytes do not', () => {
    const first = nextId(NOW, '', () => new Uint8Array(10).fill(0xff))
    const second = nextId(NOW, first, () => new Uint8Array(10))

    const time = first.slice(0, 13)
    assert.deepEqual([first, second], [`${time}-77ff-bfff-ffffffffffff`, `${time}-7800-8000-000000000000`])
  })
})

describe('an id that follows none', () => {
  it('carries its time and its random bits, with the highest clear', () => {
    const bytes = Uint8Array.of(0xff, 0xff, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01)

    const id = newId(0x0123456789ab, () => bytes)

    assert.equal(id.slice(0, 13), '01234567-89ab')
    assert.match(id, UUID_V7)
    assert.equal(id.slice(-12), '6789abcdef01')
  })

  it('asks for ten bytes', () => {
    const asked: number[] = []

    newId(NOW, (count) => {
      asked.push(count)
      return new Uint8Array(count)
    })

    assert.deepEqual(asked, [10])
  })
})

describe('random bytes that are drawn many at a time', () => {
  it('are those of the source, in its order, each given once', () => {
    let next = 0
    const draws: number[] = []
    const random = inLargeDraws((count) => {
      draws.push(count)
      return Uint8Array.from({ length: count }, () => next++ % 256)
    })

    const given = Array.from({ length: 1_000 }, () => [...random(10)]).flat()

    // What is left of a draw when it does not suffice is thrown away.
    const lastOfDraw = Math.floor(4_096 / 10) * 10
    assert.deepEqual(
      given.slice(0, lastOfDraw),
      Array.from({ length: lastOfDraw }, (_, index) => index % 256),
    )
    assert.deepEqual(
      given.slice(lastOfDraw, lastOfDraw + 10),
      Array.from({ length: 10 }, (_, index) => index),
    )
    assert.deepEqual(draws, [4_096, 4_096, 4_096])
  })

  it('are drawn apart when they are more than that', () => {
    const random = inLargeDraws((count) => new Uint8Array(count))

    assert.equal(random(10_000).length, 10_000)
  })
})
