import { setTimeout as pause } from 'node:timers/promises'
import type { Reply } from '../test/client.ts'
import { fivetabJson } from '../test/fivetab.ts'
import { aPerson, type Clients, clientsOf, type Person, serveBoth } from './instances.ts'
import { during, type OpenTally, openSite, openTally, type Scenario, type Site } from './scenario.ts'

/** What an operator says on one command line holds on every instance, while clients ask at both without a pause. */

/** What shuts a client out, and what it is told then. */
interface Word {
  say(person: Person): string
  takeBack(person: Person): string | null
  isHeard(reply: Reply): boolean
  /** How long it may take; 0 when the next request has to know. */
  withinMs: number
}

const isProblem =
  (code: string) =>
  ({ body }: Reply) =>
    body.code === code

const change = (of: string, to: string, back: string, code: string): Word => ({
  say: ({ email }) => `account set ${email} --${of} ${to}`,
  takeBack: ({ email }) => `account set ${email} --${of} ${back}`,
  isHeard: isProblem(code),
  withinMs: 0,
})

const WORDS: Record<string, Word> = {
  'a token revoked': {
    say: ({ tokenId }) => `token revoke ${tokenId}`,
    takeBack: () => null,
    isHeard: isProblem('invalid_token'),
    withinMs: 0,
  },
  'access turned off': change('api-access', 'off', 'on', 'access_disabled'),
  'an account encrypted': change('vault', 'on', 'off', 'vault_account_unsupported'),
  'another plan': { ...change('plan', 'free', 'unlimited', 'plan_required'), withinMs: 2_000 },
  'a plan changed': {
    say: () => 'plan set unlimited --token-per-minute 7777777',
    takeBack: () => 'plan set unlimited --token-per-minute 100000000',
    isHeard: ({ headers }) => headers['ratelimit-limit'] === '7777777',
    withinMs: 2_000,
  },
  'the API off': { say: () => 'api off', takeBack: () => 'api on', isHeard: isProblem('api_disabled'), withinMs: 2_000 },
  'an account deleted': {
    say: ({ email }) => `account delete ${email}`,
    takeBack: () => null,
    isHeard: isProblem('invalid_token'),
    withinMs: 0,
  },
}

const API_OFF = 'The API is switched off for now.'
const REST_MS = 10

export const operatorsWord: Scenario = {
  name: 'an operator’s word, heard by both instances',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 180 },
  run: async ({ engine, isShort }) => {
    await using site = await openSite(engine)
    await using instances = await serveBoth(site)
    const tally = openTally()
    for (let round = 0; round < (isShort ? 2 : 20); round++) {
      for (const [what, word] of Object.entries(WORDS)) {
        const person = await aPerson(site)
        const clients = clientsOf(instances, person)
        await during(
          (isOver) => askAtBoth(clients, tally, isOver),
          () => sayAndAsk(site, what, word, person, clients, tally),
        )
      }
    }
    return tally
  },
}

async function sayAndAsk(site: Site, what: string, word: Word, person: Person, clients: Clients, tally: OpenTally): Promise<void> {
  const asBefore = async () =>
    (await Promise.all(clients.map((api) => api.get('/me')))).every((reply) => reply.status === 200 && !word.isHeard(reply))
  if (!(await asBefore())) tally.fault(`${what}: it was so before`)
  await fivetabJson(site, word.say(person))
  await untilBoth(what, word.withinMs, tally, async () => (await Promise.all(clients.map((api) => api.get('/me')))).every(word.isHeard))
  const back = word.takeBack(person)
  if (back === null) return
  await fivetabJson(site, back)
  await untilBoth(`${what}, taken back`, word.withinMs, tally, asBefore)
}

const GIVE_UP_AFTER_MS = 5_000

async function untilBoth(what: string, withinMs: number, tally: OpenTally, isSo: () => Promise<boolean>): Promise<void> {
  tally.attempts += 1
  const said = performance.now()
  for (;;) {
    const asked = performance.now() - said
    if (await isSo()) return
    if (asked >= withinMs) tally.fault(`${what}: not heard by a request ${Math.round(asked)} ms later`)
    if (asked > GIVE_UP_AFTER_MS) return
    tally.note(`${what}: not heard by the next request`)
  }
}

/** Clients that read and write for themselves, so that every instance knows the account well. Whatever they are told, it is no fault of the service. */
async function askAtBoth(clients: Clients, tally: OpenTally, isOver: () => boolean): Promise<void> {
  const asking = [...clients, ...clients].map(async (api, index) => {
    while (!isOver()) {
      const { status, body, text } = await (index < clients.length ? api.get('/tasks?limit=1') : api.post('/tasks', { title: 'Work' }))
      if (status >= 500 && body?.detail !== API_OFF) tally.fault(`a request beside it was answered ${status}: ${text}`)
      await pause(REST_MS)
    }
  })
  await Promise.all(asking)
}
