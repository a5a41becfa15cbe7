import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EngineName } from '../test/database.ts'
import { allTasks } from '../test/reading.ts'
import { openSmallDisk } from '../test/small-disk.ts'
import { type Attempts, createOnce, untilItStores, verify } from './keyed-writes.ts'
import { notTheProblem, type OpenTally, openSite, openTally, type Running, type Scenario, type Site, sqlOn } from './scenario.ts'

/** The disk with the data fills until nothing more is stored; then there is room again. */

const AT_ONCE = 16
/** More than could ever fit. */
const MAX_ROUNDS = 1_000
/** The disk is full once so many rounds in a row stored nothing. */
const ROUNDS_REFUSED = 3
/** Two pages or three of a database, so that it fills soon; and nothing that could be packed into less. */
const NOTES = randomBytes(8_192).toString('base64')
const BACK_WITHIN_MS = 5_000
/** PostgreSQL takes 45 MiB before anything is in it. */
const DISKS: Record<EngineName, Parameters<typeof openSmallDisk>[0]> = {
  sqlite: { sizeMib: 16, ballastMib: 10 },
  postgres: { sizeMib: 72, ballastMib: 16 },
}

export const diskFull: Scenario = {
  name: 'a full disk',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 240 },
  run: async ({ engine, isShort }) => {
    const tally = openTally()
    for (let round = 0; round < (isShort ? 1 : 5); round++) await fillAndMakeRoom(engine, tally)
    return tally
  },
}

async function fillAndMakeRoom(engine: EngineName, tally: OpenTally): Promise<void> {
  using disk = openSmallDisk(DISKS[engine])
  if (disk === null) {
    tally.note('no small file system could be mounted here')
    if (process.env.CI) tally.wrong += 1
    return
  }
  await using site = await openSite(engine, disk)
  const attempts: Attempts = new Map()
  {
    await using running = await site.serve()
    const failed = await writeUntilFull(running, attempts, tally)
    await lookWhileFull(running, attempts, tally)
    disk.makeRoom()
    await startAgain(site, tally)
    const ms = await untilItStores(running, 'room', attempts, NOTES)
    if (ms > BACK_WITHIN_MS) tally.fault(`it stored again only ${Math.round(ms)} ms after there was room`)
    for (const key of failed) {
      const reply = await createOnce(running.api, key, attempts, NOTES)
      if (reply?.status !== 201) tally.fault(`the retry of what was answered 500, and so was not stored, was answered ${reply?.status}`)
    }
  }
  await verify(site, attempts, tally, NOTES)
}

/** Creates tasks until no more is stored, and returns the keys of those that were answered 500, which says that nothing of them was. */
async function writeUntilFull({ api }: Running, attempts: Attempts, tally: OpenTally): Promise<string[]> {
  const failed: string[] = []
  let refusals = 0
  let refusedInARow = 0
  for (let round = 0; refusedInARow < ROUNDS_REFUSED; round++) {
    if (round === MAX_ROUNDS) throw new Error('The disk never was full.')
    const keys = Array.from({ length: AT_ONCE }, (_, index) => `${round}-${index}`)
    const replies = await Promise.all(keys.map((key) => createOnce(api, key, attempts, NOTES)))
    for (const [index, reply] of replies.entries()) {
      if (reply?.status === 201) continue
      refusals += 1
      const fault = reply === null ? 'there was no answer' : notTheProblem(reply, [500, 503])
      if (fault !== null) tally.fault(`while the disk was full: ${fault}`)
      if (reply?.status === 500) failed.push(keys[index] as string)
    }
    refusedInARow = replies.every((reply) => reply?.status !== 201) ? refusedInARow + 1 : 0
  }
  tally.note(`${refusals} refused, ${failed.length} of them with 500`)
  return failed
}

/** What was acknowledged can be read, unless the server of the database has given up. */
async function lookWhileFull({ api }: Running, attempts: Attempts, tally: OpenTally): Promise<void> {
  const reply = await api.get('/tasks?limit=100')
  if (reply.status !== 200) {
    const fault = notTheProblem(reply, [503])
    if (fault !== null) tally.fault(`reading from a full disk: ${fault}`)
    return
  }
  const ids = new Set((await allTasks(api)).map(({ id }) => id))
  const missing = [...attempts.values()].filter((id) => id !== null && !ids.has(id)).length
  if (missing > 0) tally.fault(`${missing} tasks were acknowledged and could not be read while the disk was full`)
}

const SETTLED_WITHIN_MS = 20_000

/** PostgreSQL ends itself when it cannot write its log any more, and most often begins again by itself; if it does not, it is started. */
async function startAgain(site: Site, tally: OpenTally): Promise<void> {
  const { postgres } = site
  if (postgres === null) return
  const deadline = performance.now() + SETTLED_WITHIN_MS
  while (postgres.isRunning() && performance.now() < deadline) {
    const client = await sqlOn(site).catch(() => null)
    if (client !== null) return client.end()
    await pause(100)
  }
  tally.note('PostgreSQL had ended itself; it was started again')
  await postgres.start()
}
