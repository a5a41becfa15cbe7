import { setTimeout as pause } from 'node:timers/promises'
import { aTask, type Resource } from '../test/builders.ts'
import { anyOf, aPerson, clientsOf, serveBoth, verifyAccounts } from './instances.ts'
import { inTurns } from './keyed-writes.ts'
import { eventsOf, openSite, openTally, randomFrom, type Scenario, sqlOn } from './scenario.ts'

/** One account is held by a transaction that takes long, with a task due in it. Tasks of others are due meanwhile, one after another. */

const AT_ONCE = 16
const EVERY_MS = 25
const LEAD_MS = 1_500
const AWAKE_WITHIN_MS = 1_000

export const heldAccount: Scenario = {
  name: 'tasks due while another account is held',
  engines: ['postgres'],
  limitSeconds: { short: 60, full: 120 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await using instances = await serveBoth(site)
    const [tally, random] = [openTally(), randomFrom(seed)]
    const [held, free] = [await aPerson(site), await aPerson(site)]
    const count = isShort ? 100 : 300
    const due = Date.now() + LEAD_MS
    const sleep = (time: number) => aTask({ disposition: 'on_hold', on_hold_until: new Date(time).toISOString() })
    await sleep(due)(clientsOf(instances, held)[0])
    await inTurns([...Array(count).keys()], AT_ONCE, async (index) => {
      await sleep(due + index * EVERY_MS)(anyOf(clientsOf(instances, free), random))
    })
    tally.attempts = count
    const hand = await sqlOn(site)
    try {
      await hand.query('begin')
      await hand.query('select 1 from ledgers where account_id = $1 for update', [held.accountId])
      await pause(due + count * EVERY_MS - Date.now())
      await hand.query('rollback')
    } finally {
      await hand.end()
    }
    await pause(2 * AWAKE_WITHIN_MS)
    const woken = (await eventsOf(site, free.accountId)).filter(({ type }) => type === 'task.woke')
    const lags = woken
      .map(({ occurredAt, previous }) => occurredAt - Date.parse((previous as Resource).on_hold_until))
      .sort((a, b) => a - b)
    tally.lost += count - woken.length
    tally.note(`woke ${lags[0]} to ${lags.at(-1)} ms after the time, half of them ${lags[Math.floor(lags.length / 2)]} ms`)
    const late = lags.filter((ms) => ms > AWAKE_WITHIN_MS)
    if (late.length > 0) tally.fault(`${late.length} of ${count} woke more than ${AWAKE_WITHIN_MS} ms after the time`)
    const heldLog = await eventsOf(site, held.accountId)
    if (heldLog.length !== 2) tally.fault(`the task of the account that was held has ${heldLog.length} events`)
    await verifyAccounts(site, instances, [held, free], tally)
    return tally
  },
}
