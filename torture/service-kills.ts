import { setTimeout as pause } from 'node:timers/promises'
import { type Attempts, verify, writeFromAllSides } from './keyed-writes.ts'
import { during, openSite, openTally, randomFrom, type Scenario } from './scenario.ts'

/** The service is killed again and again while 64 writers write with keys; then everything is retried with its key. */
export const servicesKilled: Scenario = {
  name: 'kill -9 of the service during 64 keyed writes',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 240 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    const random = randomFrom(seed)
    const tally = openTally()
    const attempts: Attempts = new Map()
    for (let round = 0; round < (isShort ? 3 : 20); round++) {
      await using running = await site.serve()
      const load = (isOver: () => boolean) => writeFromAllSides(running.api, `${round}`, attempts, isOver)
      await during(load, async () => {
        await pause(20 + random() * 250)
        await running.service.end('SIGKILL')
      })
    }
    await verify(site, attempts, tally)
    return tally
  },
}
