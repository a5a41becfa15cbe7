import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE_MS } from '../packages/server/api/minute-counter.ts'
import type { Client } from '../test/client.ts'
import { fivetabJson } from '../test/fivetab.ts'
import { anyOf, aPerson, aToken, clientsOf, type Instances, serveBoth, withinOne } from './instances.ts'
import { inTurns } from './keyed-writes.ts'
import { type OpenTally, openSite, openTally, randomFrom, type Scenario, type Site, uniqueName } from './scenario.ts'

/** A limit of the minute is used up at both instances at once. */

const LIMIT = 600
/** Several instances together may let so much more through. */
const SLACK = 0.05
const AT_ONCE = 32
const FRESH_MINUTES = 2

interface Scene {
  site: Site
  instances: Instances
  tally: OpenTally
  random: () => number
}

export const sharedLimits: Scenario = {
  name: 'a limit of the minute, used up at both instances',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 90, full: 420 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await using instances = await serveBoth(site)
    const scene: Scene = { site, instances, tally: openTally(), random: randomFrom(seed) }
    for (const share of [0.5, 0.9, 1]) await ofToken(scene, LIMIT, share)
    for (const limit of isShort ? [1, 20] : [1, 20, 60, 3_000]) await ofToken(scene, limit, 0.5)
    await ofAccount(scene)
    if (!isShort) await ofFreshMinutes(scene)
    return scene.tally
  },
}

/** `share` is the part of the requests that goes to the first instance. */
async function ofToken(scene: Scene, limit: number, share: number): Promise<void> {
  const { site, instances, random } = scene
  const passed = await withinOne(MINUTE_MS, async () => {
    const [one, other] = clientsOf(instances, await aPerson(site, await aPlan(site, `--token-per-minute ${limit}`)))
    return spend(scene, limit, () => (random() < share ? one : other))
  })
  hold(scene, `a token, ${share * 100} % at one instance`, passed, limit, share === 1)
}

/** Two tokens share what their account has. */
async function ofAccount(scene: Scene): Promise<void> {
  const { site, instances, random } = scene
  const passed = await withinOne(MINUTE_MS, async () => {
    const person = await aPerson(site, await aPlan(site, `--account-per-minute ${LIMIT}`))
    const tokens = [clientsOf(instances, person), clientsOf(instances, await aToken(site, person.email))] as const
    return spend(scene, LIMIT, () => anyOf(anyOf(tokens, random), random))
  })
  hold(scene, 'an account', passed, LIMIT)
}

/** One token in minute after minute, each from its beginning. */
async function ofFreshMinutes(scene: Scene): Promise<void> {
  const { site, instances, random } = scene
  const clients = clientsOf(instances, await aPerson(site, await aPlan(site, `--token-per-minute ${LIMIT}`)))
  for (let minute = 0; minute < FRESH_MINUTES; minute++) {
    await pause(MINUTE_MS - (Date.now() % MINUTE_MS))
    const passed = await spend(scene, LIMIT, () => anyOf(clients, random))
    hold(scene, 'a token in a new minute', passed, LIMIT)
  }
}

/** A new plan that allows very much, but for `limit`. */
async function aPlan(site: Site, limit: string): Promise<string> {
  const key = `plan-${uniqueName()}`
  await fivetabJson(site, `plan set ${key} --token-per-minute 1000000 --account-per-minute 1000000`)
  await fivetabJson(site, `plan set ${key} ${limit}`)
  return key
}

/** Asks half as often again as may be, each time by the client that `choose` gives, and answers with how many requests passed. */
async function spend({ tally }: Scene, limit: number, choose: () => Client): Promise<number> {
  let passed = 0
  const clients = Array.from({ length: Math.ceil(limit * 1.5) + AT_ONCE }, choose)
  await inTurns(clients, AT_ONCE, async (api) => {
    const { status, headers, text } = await api.get('/dispositions')
    tally.attempts += 1
    if (status === 200) passed += 1
    else if (status !== 429 || !(Number(headers['retry-after']) >= 1)) tally.fault(`a request was answered ${status}: ${text}`)
  })
  return passed
}

/** Who counts alone is exact. */
function hold({ site, tally }: Scene, what: string, passed: number, limit: number, isAlone = false): void {
  const most = isAlone || site.engine === 'sqlite' ? limit : Math.floor(limit * (1 + SLACK))
  tally.note(`${what}: ${passed} of ${limit}`)
  tally.lost += Math.max(0, limit - passed)
  tally.doubled += Math.max(0, passed - most)
}
