import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { postgresRelay, type Relay } from '../packages/server/store/relay.ts'
import { aUsedDatabase } from './database.ts'
import { openPassage, type Passage } from './passage.ts'
import { freePort } from './postgres.ts'
import { ENGINES } from './world.ts'

const GIVE_UP_AFTER_MS = 10_000

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS
  while (!isSo()) {
    assert.ok(performance.now() < deadline, `it did not come to ${isSo}`)
    await nextTurnOfTheLoop()
  }
}

/** A relay with all that it has heard. */
interface Party extends AsyncDisposable {
  relay: Relay
  heard: string[]
}

function partyAt(url: string): Party {
  const heard: string[] = []
  const relay = postgresRelay(url)
  relay.onWord((word) => heard.push(word))
  return { relay, heard, [Symbol.asyncDispose]: () => relay.close() }
}

let greetings = 0

/** Answers once each hears the other, and has heard all that it was sent. */
async function meet(one: Party, other: Party): Promise<void> {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    greetings += 1
    const [hello, last] = [`hello-${greetings}`, `last-${greetings}`]
    await until(() => {
      from.relay.send(hello)
      return to.heard.includes(hello)
    })
    from.relay.send(last)
    await until(() => to.heard.includes(last))
  }
  for (const { heard } of [one, other]) heard.length = 0
}

interface Meeting extends AsyncDisposable {
  one: Party
  other: Party
  /** The way of the other to the database, and what leads there. */
  passage: Passage
  url: string
}

/** Two relays on a schema of their own, which hear each other. */
async function openMeeting(): Promise<Meeting> {
  await using opened = new AsyncDisposableStack()
  const { environment } = opened.use(await aUsedDatabase('postgres'))
  const url = new URL(environment.DATABASE_URL ?? assert.fail())
  const passage = opened.use(await openPassage(Number(url.port)))
  const one = opened.use(partyAt(url.href))
  url.port = String(passage.port)
  const other = opened.use(partyAt(url.href))
  await meet(one, other)
  const kept = opened.move()
  return { one, other, passage, url: url.href, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** How long a relay may take to close, in ms, whatever has become of its server. */
const SOON_MS = 1_000

/** Asserts that it does so soon. */
async function close(relay: Relay): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not close soon')), SOON_MS)
  })
  await Promise.race([relay.close(), late]).finally(() => clearTimeout(timer))
}

describe('a relay', { skip: !ENGINES.includes('postgres'), timeout: 60_000 }, () => {
  it('carries words to the other, and not back to the sender', async () => {
    await using meeting = await openMeeting()
    const { one, other } = meeting

    one.relay.send('there')
    await until(() => other.heard.length > 0)
    other.relay.send('back')
    await until(() => one.heard.length > 0)

    assert.deepEqual([one.heard, other.heard], [['back'], ['there']])
  })

  it('carries thousands of words', async () => {
    await using meeting = await openMeeting()
    const words = Array.from({ length: 2_000 }, (_, index) => `${index}-4c00-7b3e-8f10-2f6f1d0c9a20-0123`)

    for (const word of words) meeting.one.relay.send(word)
    await until(() => meeting.other.heard.length >= 2_000)

    assert.deepEqual(meeting.other.heard.toSorted(), words.toSorted())
  })

  it('carries a word that is said many times at once only once', async () => {
    await using meeting = await openMeeting()

    for (let count = 0; count < 100; count++) meeting.one.relay.send('again')
    await until(() => meeting.other.heard.length > 0)
    meeting.one.relay.send('last')
    await until(() => meeting.other.heard.includes('last'))

    assert.deepEqual(meeting.other.heard, ['again', 'last'])
  })

  it('is silent to another schema of the same database', async () => {
    await using meeting = await openMeeting()
    await using elsewhere = await openMeeting()

    meeting.one.relay.send('here')
    await until(() => meeting.other.heard.length > 0)
    elsewhere.one.relay.send('elsewhere')
    await until(() => elsewhere.other.heard.length > 0)

    assert.deepEqual([meeting.other.heard, elsewhere.other.heard], [['here'], ['elsewhere']])
  })

  it('loses what is said while it is cut off, and carries on by itself', async () => {
    await using meeting = await openMeeting()
    const { one, other, passage } = meeting

    passage.cut()
    await until(() => passage.count() === 0)
    one.relay.send('lost')
    other.relay.send('lost too')
    await meet(one, other)
    one.relay.send('later')
    await until(() => other.heard.includes('later'))

    assert.deepEqual([one.heard, other.heard], [[], ['later']])
  })

  it('closes soon while it is connected', async () => {
    await using meeting = await openMeeting()

    await close(meeting.other.relay)
  })

  it('closes soon while nobody listens where its server was', async () => {
    await using meeting = await openMeeting()
    const relay = postgresRelay(`postgres://x:x@127.0.0.1:${await freePort()}/x`)
    const { other, passage } = meeting
    passage.cut()

    await close(relay)
    await close(other.relay)
  })

  it('closes soon while its server does not answer', async () => {
    await using meeting = await openMeeting()
    // One that has only listened waits for no answer.
    const { relay, heard } = partyAt(meeting.url)
    await until(() => {
      meeting.one.relay.send('there')
      return heard.length > 0
    })
    meeting.passage.block()

    try {
      await close(relay)
    } finally {
      meeting.passage.cut()
    }
  })

  it('closes soon while its server has yet to answer', async () => {
    await using meeting = await openMeeting()
    meeting.passage.block()
    const relay = postgresRelay(`postgres://x:x@127.0.0.1:${meeting.passage.port}/x`)
    await until(() => meeting.passage.count() === 2)

    try {
      await close(relay)
    } finally {
      meeting.passage.cut()
    }
  })

  it('can be told words when it is closed, for nobody', async () => {
    await using meeting = await openMeeting()
    await meeting.one.relay.close()

    meeting.one.relay.send('nobody')
    await meeting.one.relay.close()
  })
})
