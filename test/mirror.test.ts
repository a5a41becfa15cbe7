import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { Scope } from '@fivetab/domain/scope.ts'
import { messagesIn } from '../examples/mirror.ts'
import { aTask, type Resource } from './builders.ts'
import { aChanger, everythingAfter, everythingIn } from './changes.ts'
import type { Client } from './client.ts'
import { meddle } from './database.ts'
import { aFolder } from './folder.ts'
import { limit } from './limits.ts'
import { DAY, ENGINES, openWorld, type World } from './world.ts'

const MIRROR = join(import.meta.dirname, '../examples/mirror.ts')
const READING: readonly Scope[] = ['tasks:read', 'projects:read', 'workflows:read']
const KILLS = 20
const CHANGES_EACH = 100
const GIVE_UP_AFTER_MS = 30_000

interface Copy {
  sequence: number
  resources: Record<string, Resource>
}

const copyIn = (file: string): Copy | null => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null)

const sequenceIn = (file: string): number => copyIn(file)?.sequence ?? -1

interface Mirror extends AsyncDisposable {
  child: ChildProcess
  kill(): Promise<void>
}

/** Starts the script, in a process of its own. It is killed when the test is over. */
function startMirror({ service }: World, { token }: Client, file: string): Mirror {
  const child = spawn(process.execPath, [MIRROR, file], {
    env: { FIVETAB_URL: `${service.url}/v1`, FIVETAB_TOKEN: token ?? '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { child, kill, [Symbol.asyncDispose]: kill }
}

/** Answers once `isRight`, which is asked at first and whenever something happens in the folder of the file. */
async function until(file: string, isRight: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = () => {
    if (isRight()) resolve()
  }
  const watcher = watch(dirname(file), look)
  const deadline = setTimeout(() => reject(new Error(`the copy stayed at ${sequenceIn(file)}`)), GIVE_UP_AFTER_MS)
  try {
    look()
    await promise
  } finally {
    watcher.close()
    clearTimeout(deadline)
  }
}

const lastSequence = async (api: Client): Promise<number> => (await api.get('/events?limit=1')).body.latest_sequence

async function* of<T>(...pieces: readonly T[]): AsyncGenerator<T> {
  yield* pieces
}

async function messagesOf(...pieces: readonly string[]) {
  return (await Array.fromAsync(messagesIn(of(...pieces)))).flat()
}

const STREAMS: [what: string, text: string, messages: { id: string; data: string }[]][] = [
  ['an id and data', 'id: 7\ndata: {"a":"b: c"}\n\n', [{ id: '7', data: '{"a":"b: c"}' }]],
  [
    'several',
    'id: 7\ndata: a\n\nid: 8\ndata: b\n\n',
    [
      { id: '7', data: 'a' },
      { id: '8', data: 'b' },
    ],
  ],
  ['no more than is complete', 'id: 7\ndata: a\n\nid: 8\ndata: b\n', [{ id: '7', data: 'a' }]],
  ['an id alone', 'id: 9\n\n', [{ id: '9', data: '' }]],
  ['CRLF', 'id: 7\r\ndata: ü\r\n\r\n', [{ id: '7', data: 'ü' }]],
  ['CR', 'id: 7\rdata: a\r\rid: 8\r\n', [{ id: '7', data: 'a' }]],
  ['data of several lines', 'id: 7\ndata: a\ndata:b\ndata:  c\ndata\n\n', [{ id: '7', data: 'a\nb\n c\n' }]],
  ['comments and other fields', ': id: 1\n:\nretry: 1500\nevent: x\nid:7\ndata:a\nidea: 8\n\n', [{ id: '7', data: 'a' }]],
  [
    'a message without an id, which has the last',
    'id: 7\ndata: a\n\n: still here\n\n',
    [
      { id: '7', data: 'a' },
      { id: '7', data: '' },
    ],
  ],
]

describe('the messages of a stream', () => {
  for (const [what, stream, messages] of STREAMS) {
    it(`are told apart, wherever it is cut: ${what}`, async () => {
      assert.deepEqual(await messagesOf(stream), messages)
      assert.deepEqual(await messagesOf(...stream.split('')), messages)
      for (let at = 0; at < stream.length; at++) assert.deepEqual(await messagesOf(stream.slice(0, at), stream.slice(at)), messages)
    })
  }
})

for (const engine of ENGINES) {
  describe(`a mirror of an account (${engine})`, { timeout: 120_000 }, () => {
    it(`misses nothing and has nothing left over after ${KILLS} kills among ${KILLS * CHANGES_EACH} changes, and is right after each`, async () => {
      await using world = await openWorld(engine)
      using folder = aFolder()
      await limit(world, { tokenPerMinute: 1_000_000, accountPerMinute: 1_000_000 })
      const file = join(folder.path, 'copy.json')
      const [reader, changer] = [await world.clientWith(READING, world.account, 399 * DAY), aChanger(world, [world.api])]

      for (let round = 0; round < KILLS; round++) {
        await using mirror = startMirror(world, reader, file)
        if (round % 2 === 0) {
          // In step, and among changes: after the fifth, the fifteenth, and so on.
          const last = await lastSequence(world.api)
          await until(file, () => sequenceIn(file) >= last)
          let killed: Promise<void> | undefined
          await changer.make(CHANGES_EACH, (made) => {
            if (made === 5 + 5 * round) killed = mirror.kill()
          })
          await killed
        } else {
          // While it catches up and writes: as soon as something happens to its files, or something more has. It opens the new one, fills it and
          // renames it, which is three times at least.
          const changing = changer.make(CHANGES_EACH)
          let left = ((round + 1) / 2) % 4
          await until(file, () => left-- <= 0)
          await mirror.kill()
          await changing
        }
        const { sequence, resources } = copyIn(file) ?? { sequence: 0, resources: {} }
        assert.deepEqual(resources, everythingAfter(await world.events(), sequence), `after kill ${round + 1}`)
      }

      await using mirror = startMirror(world, reader, file)
      const last = await lastSequence(world.api)
      await until(file, () => sequenceIn(file) >= last)
      await mirror.kill()
      assert.deepEqual(copyIn(file), { sequence: last, resources: await everythingIn(world.api) })
    })

    it('is right from its first word on, though everything changes while it is read', async () => {
      await using world = await openWorld(engine)
      using folder = aFolder()
      await limit(world, { tokenPerMinute: 1_000_000, accountPerMinute: 1_000_000 })
      const file = join(folder.path, 'copy.json')
      const changer = aChanger(world, [world.api])
      await changer.make(200)

      await using mirror = startMirror(world, await world.clientWith(READING, world.account, 399 * DAY), file)
      while (!existsSync(file)) await changer.make(10)
      await mirror.kill()

      const { sequence, resources } = copyIn(file) ?? assert.fail()
      assert.deepEqual(resources, everythingAfter(await world.events(), sequence))
    })

    it('begins anew when the log no longer reaches back to it', async () => {
      await using world = await openWorld(engine)
      using folder = aFolder()
      const file = join(folder.path, 'copy.json')
      const reader = await world.clientWith(READING, world.account, 399 * DAY)
      const task = await world.given(aTask())
      await using first = startMirror(world, reader, file)
      await until(file, () => sequenceIn(file) === 1)
      await first.kill()
      await world.api.delete(`/tasks/${task.id}`)
      world.advance(31 * DAY)
      const kept = await world.given(aTask())
      await world.service.timers.prune()

      await using second = startMirror(world, reader, file)
      await until(file, () => sequenceIn(file) === 3)
      await second.kill()

      assert.deepEqual(copyIn(file), { sequence: 3, resources: { [kept.id]: kept } })
    })

    it('knows how far the log has come where nothing happens to what it keeps', async () => {
      await using world = await openWorld(engine)
      using folder = aFolder()
      const file = join(folder.path, 'copy.json')
      await using mirror = startMirror(world, await world.clientWith(READING), file)
      await until(file, () => sequenceIn(file) === 0)
      const task = await world.given(aTask())
      await until(file, () => sequenceIn(file) === 1)
      await meddle(
        world,
        `insert into events (account_id, sequence, id, type, occurred_at, cause, data, previous)
         values ('${world.account.id}', 2, 'event', 'webhook.disabled', ${world.clock()}, 'timer', '{"id":"hook"}', '{}')`,
        `update ledgers set last_sequence = 2 where account_id = '${world.account.id}'`,
      )

      // One look finds out, the next one says so.
      for (let looks = 0; looks < 2; looks += 1) {
        world.advance(15_000)
        await world.service.timers.lookAfterStreams()
        await world.api.get('/events?limit=1')
      }

      await until(file, () => sequenceIn(file) === 2)
      await mirror.kill()
      assert.deepEqual(copyIn(file)?.resources, { [task.id]: task })
    })

    for (const [what, scopes, said] of [
      ['that there is not', null, /^401: There is no such token\.\n$/],
      ['that may not read projects', ['tasks:read', 'workflows:read'], /^403: This needs a token with the scope projects:read\.\n$/],
    ] as const) {
      it(`ends and says why, with a token ${what}`, async () => {
        await using world = await openWorld(engine)
        using folder = aFolder()
        const file = join(folder.path, 'copy.json')
        const client = scopes === null ? { ...world.api, token: `svc_pat_${'a'.repeat(43)}` } : await world.clientWith(scopes)

        await using mirror = startMirror(world, client, file)
        const [words, [code]] = await Promise.all([text(mirror.child.stderr as NodeJS.ReadableStream), once(mirror.child, 'exit')])

        assert.equal(code, 1)
        assert.match(words, said)
        assert.equal(existsSync(file), false)
      })
    }
  })
}
