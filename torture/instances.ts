import assert from 'node:assert/strict'
import type { Event } from '@fivetab/domain/event.ts'
import type { Resource } from '../test/builders.ts'
import { type Client, clientOf, type Reply } from '../test/client.ts'
import { fivetabJson, type ServeOptions } from '../test/fivetab.ts'
import { pagesOf } from '../test/reading.ts'
import { eventsOf, faultsOf, type OpenTally, type Running, SCOPES, type Site, uniqueName } from './scenario.ts'

/** Two services on one database, accounts that use both, and what must be true of an account whatever was done to it. */

/** On PostgreSQL two processes; the embedded database has one, which stands for both. */
export interface Instances extends AsyncDisposable {
  both: readonly [Running, Running]
}

export async function serveBoth(site: Site, options: readonly [ServeOptions, ServeOptions] = [{}, {}]): Promise<Instances> {
  await using opened = new AsyncDisposableStack()
  const one = opened.use(await site.serve(options[0]))
  const other = site.engine === 'sqlite' ? one : opened.use(await site.serve(options[1]))
  const kept = opened.move()
  return { both: [one, other], [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** An account with a token of it. */
export interface Person {
  accountId: string
  email: string
  token: string
  tokenId: string
}

/** A new account of the plan, with a token. */
export async function aPerson(site: Site, plan = 'unlimited'): Promise<Person> {
  const email = `${uniqueName()}@example.org`
  const { id } = await fivetabJson(site, `account create --email ${email} --plan ${plan}`)
  return { accountId: id, email, ...(await aToken(site, email)) }
}

export async function aToken(site: Site, email: string): Promise<Pick<Person, 'token' | 'tokenId'>> {
  const { id, token } = await fivetabJson(site, `token create --account ${email} --name torture --scopes ${SCOPES} --expires-in 30d`)
  return { token, tokenId: id }
}

/** A client of each of the two instances. */
export type Clients = readonly [Client, Client]

export function clientsOf({ both }: Instances, { token }: Pick<Person, 'token'>): Clients {
  const [one, other] = both.map(({ service, agent }) => clientOf(service.url, token, agent))
  return [one as Client, other as Client]
}

/** Of the two, one that chance chooses. */
export function anyOf<T>([one, other]: readonly [T, T], random: () => number): T {
  return random() < 0.5 ? one : other
}

/** Sends `count` requests at once, each to an instance that chance chooses, over connections that are open already. */
export async function atOnce(
  clients: Clients,
  count: number,
  random: () => number,
  ask: (api: Client, index: number) => Promise<Reply>,
): Promise<Reply[]> {
  const chosen = Array.from({ length: count }, () => anyOf(clients, random))
  await Promise.all(chosen.map((api) => api.get('//healthz')))
  return Promise.all(chosen.map(ask))
}

/** Carries `work` out until it began and ended in the same window of `windowMs` (a clock minute, a UTC day), and answers as it did then. */
export async function withinOne<T>(windowMs: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const window = Math.floor(Date.now() / windowMs)
    const result = await work()
    if (Math.floor(Date.now() / windowMs) === window) return result
  }
}

/** The number of a version on the wire, such as 7 for `"7"` in quotes. */
export function versionOf({ version }: Resource): number {
  return Number(JSON.parse(version))
}

/** Looks whether the accounts' logs and tasks say the same, with nothing missing, and whether the doctor is content. */
export async function verifyAccounts(site: Site, { both }: Instances, people: readonly Person[], tally: OpenTally): Promise<void> {
  for (const person of people) {
    const events = await eventsOf(site, person.accountId)
    const api = clientOf(both[0].service.url, person.token, both[0].agent)
    const tasks = (await pagesOf(api, '/tasks?include_archived=true&limit=100')).flat()
    verifyLog(events, tally)
    verifyTasks(events, tasks, tally)
  }
  for (const fault of await faultsOf(site)) tally.fault(fault)
}

/** A log counts 1, 2, 3; its times and ids never go back; each event of a resource takes up where the one before it ended. */
function verifyLog(events: readonly Event[], tally: OpenTally): void {
  const last = new Map<string, Resource>()
  for (const [index, event] of events.entries()) {
    const { sequence, occurredAt, id, type, previous } = event
    const before = events[index - 1]
    if (sequence !== index + 1) tally.fault(`event ${index + 1} of a log has the sequence ${sequence}`)
    if (before !== undefined && (before.occurredAt > occurredAt || before.id >= id))
      tally.fault(`event ${sequence} is older than the one before`)
    const data: Resource = event.data
    const known = last.get(data.id)
    const expected = (known === undefined ? 0 : versionOf(known)) + (type.endsWith('.deleted') ? 0 : 1)
    if (versionOf(data) !== expected) tally.fault(`event ${sequence} (${type}) shows version ${data.version} instead of ${expected}`)
    if (known !== undefined && !isEqual({ ...data, ...previous }, known))
      tally.fault(`event ${sequence} (${type}) does not follow on the one before`)
    last.set(data.id, data)
  }
}

/** Every task is as its last event shows it, and there is no other. */
function verifyTasks(events: readonly Event[], tasks: readonly Resource[], tally: OpenTally): void {
  const told = new Map<string, Resource>()
  for (const { type, data } of events) {
    const { id }: Resource = data
    if (type === 'task.deleted') told.delete(id)
    else if (type.startsWith('task.')) told.set(id, data)
  }
  for (const task of tasks) {
    if (!isEqual(task, told.get(task.id))) tally.fault(`the log and the list differ on the task ${task.id}`)
    told.delete(task.id)
  }
  tally.lost += told.size
  tally.doubled += tasks.length - new Set(tasks.map(({ id }) => id)).size
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other)
    return true
  } catch {
    return false
  }
}
