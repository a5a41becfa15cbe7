import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '@fivetab/domain/event.ts'
import { typesFor } from '@fivetab/domain/webhook.ts'
import { Webhook } from 'standardwebhooks'
import type { Environment } from '../packages/server/settings.ts'
import type { Resource } from '../test/builders.ts'
import type { Client, Reply } from '../test/client.ts'
import type { Person } from './instances.ts'
import { eventsOf, type OpenTally, type Site } from './scenario.ts'

/** Receivers of webhooks in the scenario's own process, a path each, and what must be true of what they were sent. */

/** What lets a service reach them. */
export const REACHABLE: Environment = { WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8' }

/** An event that a receiver was sent. Its signature was right. */
interface Arrival {
  eventId: string
  sequence: number
  /** Which version of which resource it shows. */
  shows: string
  /** When it came, by `performance.now()`. */
  at: number
  wasTaken: boolean
}

/** Whether an event is taken that comes for this time: 1, 2, 3. */
export type Taking = (sequence: number, time: number) => boolean

/** A webhook with its receiver. */
export interface Hook {
  accountId: string
  eventTypes: readonly string[]
  arrivals: Arrival[]
}

interface HookOptions {
  eventTypes?: readonly string[]
  takes?: Taking
}

export interface Receivers extends AsyncDisposable {
  /** Adds a webhook to the account of the person, whose log is empty yet. */
  hook(api: Client, person: Person, options?: HookOptions): Promise<Hook>
}

/** Receivers that answer after `delayMs` or up to twice that. What is not signed as it should be is a fault. */
export async function openReceivers(tally: OpenTally, random: () => number, delayMs: number): Promise<Receivers> {
  const hooks: ((request: IncomingMessage, at: number) => Promise<boolean>)[] = []
  const server = createServer(async (request, response) => {
    try {
      const taken = await hooks[Number(request.url?.slice(1))]?.(request, performance.now())
      await pause(delayMs * (1 + random()))
      response.writeHead(taken ? 204 : 500).end()
    } catch (error) {
      // One whose sender was killed while it sent has no end.
      if (request.complete) tally.fault(`a receiver was sent what it cannot verify: ${error}`)
      response.writeHead(500).end()
    }
  })
  const url = await listening(server)
  return {
    hook: async (api, { accountId }, { eventTypes = ['*'], takes = () => true } = {}) => {
      const hook: Hook = { accountId, eventTypes, arrivals: [] }
      const times = new Map<number, number>()
      let verifier: Webhook | undefined
      const index = hooks.push(async (request, at) => {
        const event = (verifier ?? assert.fail()).verify(await text(request), request.headers as Record<string, string>) as Resource
        const { id, sequence, data } = event
        if (request.headers['webhook-id'] !== id) tally.fault(`the event ${id} was sent as ${request.headers['webhook-id']}`)
        const time = (times.get(sequence) ?? 0) + 1
        times.set(sequence, time)
        const wasTaken = takes(sequence, time)
        hook.arrivals.push({ eventId: id, sequence, shows: shownBy(data), at, wasTaken })
        return wasTaken
      })
      const { secret } = await aWebhook(api, `${url}/${index - 1}`, eventTypes)
      verifier = new Webhook(secret)
      return hook
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Has a server listen on a port of its own, and answers with its address. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function aWebhook(api: Client, url: string, eventTypes: readonly string[] = ['*']): Promise<Resource> {
  const { status, body, text } = await api.post('/webhooks', { url, event_types: eventTypes })
  assert.equal(status, 201, text)
  return body
}

const shownBy = ({ id, version }: Resource) => `${id} ${version}`

/** When writes were acknowledged, by what they made. */
export interface Acknowledged {
  /** Takes in an answer that has just come; false when the write was refused. */
  take(reply: Reply): boolean
  /** How long after its acknowledgement each event came to the webhooks for the first time, in ms, the shortest first. */
  latencies(hooks: readonly Hook[]): number[]
}

export function openAcknowledged(): Acknowledged {
  const times = new Map<string, number>()
  return {
    take: ({ status, body }) => {
      if (status !== 200 && status !== 201) return false
      times.set(shownBy(body), performance.now())
      return true
    },
    latencies: (hooks) =>
      hooks
        .flatMap(({ arrivals }) => firstOf(arrivals))
        // What came before the answer to the write, came at once.
        .flatMap(({ shows, at }) => (times.has(shows) ? [Math.max(0, at - (times.get(shows) as number))] : []))
        .sort((a, b) => a - b),
  }
}

/** The first arrival of each event. */
function firstOf(arrivals: readonly Arrival[]): Arrival[] {
  const known = new Set<number>()
  return arrivals.filter(({ sequence }) => !known.has(sequence) && known.add(sequence))
}

/** The value that a share (0 to 1) of some sorted values does not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

/** Half, nearly all and the slowest of some latencies in ms, in words. */
export function inWords(latencies: readonly number[]): string {
  return `median ${quantile(latencies, 0.5)} ms, p99 ${quantile(latencies, 0.99)} ms, max ${quantile(latencies, 1)} ms`
}

const LOOK_EVERY_MS = 20

/** Waits until the webhooks have taken all there is for them, for `patienceMs` at most. Nothing is written any more. */
export async function untilAllIsTaken(site: Site, hooks: readonly Hook[], patienceMs: number): Promise<void> {
  const missing = await missingOf(site, hooks)
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline && hooks.some((hook) => missing(hook) > 0)) await pause(LOOK_EVERY_MS)
}

/** By a webhook, how many events it has not taken. */
async function missingOf(site: Site, hooks: readonly Hook[]): Promise<(hook: Hook) => number> {
  const wanted = await wantedBy(site, hooks)
  return (hook) => {
    const taken = new Set(hook.arrivals.flatMap(({ eventId, wasTaken }) => (wasTaken ? [eventId] : [])))
    return wanted(hook).filter(({ id }) => !taken.has(id)).length
  }
}

/** By a webhook, the events that it is to be told of. */
async function wantedBy(site: Site, hooks: readonly Hook[]): Promise<(hook: Hook) => Event[]> {
  const logs = new Map<string, Event[]>()
  for (const { accountId } of hooks) if (!logs.has(accountId)) logs.set(accountId, await eventsOf(site, accountId))
  return ({ accountId, eventTypes }) => {
    const types = new Set(typesFor({ eventTypes }))
    return (logs.get(accountId) ?? []).filter(({ type }) => types.has(type))
  }
}

/**
 * Holds what came against the logs: each webhook took all that it wants and nothing else, and what came for the first time came in order.
 * Answers with how many it took more than once.
 */
export async function verifyHooks(site: Site, hooks: readonly Hook[], tally: OpenTally): Promise<number> {
  const [wanted, missing] = [await wantedBy(site, hooks), await missingOf(site, hooks)]
  let again = 0
  for (const hook of hooks) {
    const [ids, taken] = [new Map(wanted(hook).map(({ id, sequence }) => [id, sequence])), hook.arrivals.filter(({ wasTaken }) => wasTaken)]
    tally.attempts += ids.size
    tally.lost += missing(hook)
    again += taken.length - new Set(taken.map(({ eventId }) => eventId)).size
    for (const { eventId, sequence } of hook.arrivals)
      if (ids.get(eventId) !== sequence) tally.fault(`a webhook was sent the event ${sequence}, which is not for it`)
    const firsts = firstOf(hook.arrivals)
    for (const [index, { sequence }] of firsts.entries()) {
      const before = firsts[index - 1]?.sequence ?? 0
      if (sequence <= before) tally.fault(`a webhook was first sent the event ${sequence} after ${before}`)
    }
  }
  return again
}
