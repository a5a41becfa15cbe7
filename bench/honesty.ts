import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../packages/server/store/open.ts'
import type { RequestParts } from './connection.ts'
import type { Contestant } from './contestants.ts'
import { PATHS } from './scripts.ts'
import { NOTES, OWN_TASKS, type Seed, stepId, taskId } from './seed.ts'

/** Whether contestants do the same work: what they answer, and what those that keep a log have written in it. */

/** Reads, and then changes a task that no connection has for its own. */
function requestsFor({ tasks }: Seed): RequestParts[] {
  const task = tasks - OWN_TASKS + 1
  const path = `/v1/tasks/${taskId(task)}`
  const step = `${path}/steps/${stepId(task)}`
  return [
    ...Object.values(PATHS).map((path) => ({ method: 'GET', path }) as const),
    { method: 'POST', path: '/v1/tasks', body: { title: 'One more', notes: NOTES } },
    { method: 'PATCH', path, body: { title: 'Another title' }, match: '"1"' },
    { method: 'POST', path: `${path}/complete` },
    { method: 'PATCH', path, body: { disposition: 'in_progress' } },
    { method: 'PATCH', path: step, body: { completed: true } },
    { method: 'PATCH', path: step, body: { completed: false } },
    { method: 'GET', path },
  ]
}

/** @throws AssertionError when an answer of `floor` is not Fivetab's */
export async function requireSameAnswers(fivetab: Contestant, floors: readonly Contestant[]): Promise<void> {
  const expected = await answersOf(fivetab)
  for (const floor of floors) assert.deepEqual(await answersOf(floor), expected, `${floor.name} does not answer as Fivetab does`)
}

/** For those on the embedded database. @throws AssertionError when `floor` has not recorded what Fivetab has, each having been asked the same */
export function requireSameRecords(fivetab: Contestant, floor: Contestant): void {
  assert.deepEqual(recordsOf(floor), recordsOf(fivetab))
}

async function answersOf({ urls: [url], seed }: Contestant) {
  const answers: unknown[] = []
  for (const { method, path, body, match } of requestsFor(seed)) {
    const reply = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${seed.token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(match && { 'if-match': match }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { status, headers } = reply
    assert.ok(reply.ok, `${method} ${path} was answered with ${status}`)
    answers.push([method, path, status, headers.get('etag'), headers.get('content-type'), comparable(await reply.text())])
  }
  return answers
}

function recordsOf({ seed }: Contestant) {
  const database = new DatabaseSync(databaseFile(seed.place.dataDir), { readOnly: true })
  try {
    const events = database.prepare('select sequence, type, cause, data, previous from events order by sequence').all()
    return {
      ledger: database.prepare('select active_tasks, last_sequence from ledgers').get(),
      events: events.map((event) => ({
        ...event,
        data: comparable(String(event.data)),
        previous: comparable(String(event.previous)),
      })),
    }
  } finally {
    database.close()
  }
}

/** JSON without what differs by its nature: times and ids that were made in this run, and the seal of a cursor. */
function comparable(json: string): unknown {
  const from = new Date().toISOString().slice(0, 10)
  return JSON.parse(json, (name, value) => {
    if (name === 'next_cursor' && typeof value === 'string') return value.split('.')[0]
    if (name.endsWith('_at') && typeof value === 'string' && value >= from) return 'now'
    return name === 'id' && typeof value === 'string' && !/^019aa4a5-4c00-7b3e-[89]000-/.test(value) ? 'new' : value
  })
}
