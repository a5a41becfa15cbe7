import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '@fivetab/domain/event.ts'
import { aTask, aWorkflow, type Resource, statusOf } from '../test/builders.ts'
import type { Client, Reply } from '../test/client.ts'
import { taskNow } from '../test/reading.ts'
import { anyOf, aPerson, clientsOf, serveBoth, verifyAccounts } from './instances.ts'
import { inTurns } from './keyed-writes.ts'
import { eventsOf, type OpenTally, openSite, openTally, randomFrom, type Scenario } from './scenario.ts'

/** A task is moved elsewhere at the very moment when it is due. */

/** One after another is due, each so much after the one before. */
const EVERY_MS = 40
/** A service looks every 250 ms for what is due: the move comes at any time from a little before the task is due until it is awake for sure. */
const [EARLIEST_MS, LATEST_MS] = [-30, 320]
const AT_ONCE = 16
const WAKING_MS = 1_000
const LEAD_MS = 1_000

/** Somewhere to move a task: what is sent, and the Disposition that it has then. */
interface Move {
  to: string
  send(api: Client, id: string, headers: Record<string, string>): Promise<Reply>
}

const patch = (to: string, sent: object = { disposition: to }): Move => ({
  to,
  send: (api, id, headers) => api.patch(`/tasks/${id}`, sent, headers),
})

export const wakingRaces: Scenario = {
  name: 'a task moved away at the time it is due',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 180 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await using instances = await serveBoth(site)
    const tally = openTally()
    const random = randomFrom(seed)
    const person = await aPerson(site)
    const clients = clientsOf(instances, person)
    const workflow = await aWorkflow()(clients[0])
    const moves = [
      patch('waiting'),
      patch('not_started'),
      patch('waiting', { status_id: statusOf(workflow, 'Feedback').id }),
      { to: 'done', send: (api, id, headers) => api.post(`/tasks/${id}/complete`, undefined, headers) } satisfies Move,
    ]
    const races = Array.from({ length: isShort ? 40 : 200 }, () => ({
      move: moves[Math.floor(random() * moves.length)] as Move,
      isConditional: random() < 0.5,
      api: anyOf(clients, random),
      afterMs: EARLIEST_MS + random() * (LATEST_MS - EARLIEST_MS),
    }))

    const start = Date.now() + LEAD_MS + races.length * 10
    const tasks: Resource[] = []
    await inTurns([...races.keys()], AT_ONCE, async (index) => {
      const on_hold_until = new Date(start + index * EVERY_MS).toISOString()
      const at = index % 2 === 0 ? {} : { status_id: statusOf(workflow, 'Shelved').id }
      tasks[index] = await aTask({ disposition: 'on_hold', on_hold_until, ...at })(anyOf(clients, random))
    })
    const replies = await Promise.all(
      races.map(async ({ move, isConditional, api, afterMs }, index) => {
        const { id, version } = tasks[index]
        await pause(start + index * EVERY_MS + afterMs - Date.now())
        return move.send(api, id, isConditional ? { 'if-match': version } : {})
      }),
    )
    await pause(WAKING_MS)

    tally.attempts = races.length
    const log = await eventsOf(site, person.accountId)
    let wokeFirst = 0
    for (const [index, { move, isConditional }] of races.entries()) {
      const { id } = tasks[index]
      const events = log.filter(({ data }) => (data as Resource).id === id).slice(1)
      if (events[0]?.type === 'task.woke') wokeFirst += 1
      judge(await taskNow(clients[0], { id }), events, replies[index] as Reply, move, isConditional, tally)
    }
    tally.note(`${wokeFirst} woke first, ${races.length - wokeFirst} were moved first`)
    await verifyAccounts(site, instances, [person], tally)
    return tally
  },
}

/** What may have come of it: the move alone; waking, and then the move; or waking alone, where the move was only for the version before it. */
function judge(
  task: Resource,
  events: readonly Event[],
  { status, text }: Reply,
  move: Move,
  isConditional: boolean,
  tally: OpenTally,
): void {
  const hasWoken = events[0]?.type === 'task.woke'
  const isMoved = !hasWoken || !isConditional
  const types = events.map(({ type }) => type)
  const expected = [...(hasWoken ? ['task.woke'] : []), ...(isMoved ? [move.to === 'done' ? 'task.completed' : 'task.updated'] : [])]
  if (types.join() !== expected.join()) tally.fault(`the events were ${types}, after an answer ${status}`)
  if (status !== (isMoved ? 200 : 412)) tally.fault(`the move was answered ${status} ${text}, after ${types}`)
  if (isMoved && status === 200 && task.disposition !== move.to) tally.lost += 1
  if (!isMoved && task.disposition !== 'in_progress') tally.fault(`a task that woke is ${task.disposition}`)
  if (task.on_hold_until !== null) tally.fault(`a task is ${task.disposition} until ${task.on_hold_until}`)
  if (task.version !== `"${events.length + 1}"`) tally.fault(`a task with ${events.length + 1} events has the version ${task.version}`)
}
