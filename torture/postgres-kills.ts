import { setTimeout as pause } from 'node:timers/promises'
import type { Reply } from '../test/client.ts'
import { type Attempts, untilItStores, verify, writeFromAllSides } from './keyed-writes.ts'
import { during, notTheProblem, openPostgresSite, openTally, randomFrom, type Scenario } from './scenario.ts'

/** How long the service may take to store again once the server takes connections. */
const BACK_WITHIN_MS = 5_000

/** PostgreSQL is killed while 64 writers write with keys, and started again, with the service running on; then everything is retried with its key. */
export const postgresKilled: Scenario = {
  name: 'kill -9 of PostgreSQL during 64 keyed writes',
  engines: ['postgres'],
  limitSeconds: { short: 60, full: 180 },
  run: async ({ isShort, seed }) => {
    await using site = await openPostgresSite()
    const random = randomFrom(seed)
    const tally = openTally()
    const attempts: Attempts = new Map()
    let slowestMs = 0
    {
      await using running = await site.serve()
      const refused = (reply: Reply | null) => {
        const fault = reply === null ? 'there was no answer' : notTheProblem(reply, [503])
        if (fault !== null) tally.fault(`while PostgreSQL was away: ${fault}`)
      }
      const load = (isOver: () => boolean) => writeFromAllSides(running.api, 'write', attempts, isOver, refused)
      await during(load, async () => {
        for (let kill = 0; kill < (isShort ? 1 : 5); kill++) {
          await pause(200 + random() * 1_000)
          await site.postgres.kill()
          await pause(random() * 1_000)
          await site.postgres.start()
          slowestMs = Math.max(slowestMs, await untilItStores(running, `back-${kill}`, attempts))
        }
      })
    }
    if (slowestMs > BACK_WITHIN_MS) tally.fault(`the service stored again only after ${Math.round(slowestMs)} ms`)
    tally.note(`stored again at most ${Math.round(slowestMs)} ms after the server took connections`)
    await verify(site, attempts, tally)
    return tally
  },
}
