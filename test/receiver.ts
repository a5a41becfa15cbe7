import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Environment } from '../packages/server/settings.ts'
import type { Given, Resource } from './builders.ts'
import type { Client } from './client.ts'
import { pageOf } from './reading.ts'
import type { World } from './world.ts'

/** A receiver of webhooks of a test's own, on 127.0.0.1: it takes what it is sent, and answers as it is told. */

/** The setting that lets webhooks reach it. */
export const REACHABLE: Environment = { WEBHOOK_ALLOWED_RANGES: '127.0.0.1' }

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** The body as it was sent. */
  raw: string
  /** The body, parsed. */
  event: Resource
}

/** Answers one request: with a status alone, or by hand. */
export type Answer = number | ((response: ServerResponse, received: Received) => void)

export interface Receiver extends AsyncDisposable {
  /** Its address; whatever is added to the path is in `received`. */
  url: string
  /** All that was received, in order. */
  received: Received[]
  /** How it answers from now on: 200 at first. */
  answer: Answer
  /** How many connections were made to it. */
  connections(): number
  /** Answers with the next that is received, and all that came with it. */
  next(): Promise<Received>
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const waiting: ((one: Received) => void)[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const raw = await text(request)
    const one = { path: request.url ?? '', headers: request.headers, raw, event: JSON.parse(raw) }
    received.push(one)
    const { answer } = receiver
    if (typeof answer === 'number') response.writeHead(answer).end()
    else answer(response, one)
    for (const resolve of waiting.splice(0)) resolve(one)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: 200,
    connections: () => connections,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

/** The types of the events received, in order. */
export function typesReceived({ received }: Receiver): string[] {
  return received.map(({ event }) => event.type)
}

/** A webhook that tells the receiver of events. It answers with it as it is on the wire at its creation, with its secret. */
export function aWebhook({ url }: Pick<Receiver, 'url'>, fields: Record<string, unknown> = {}): Given {
  return async (api) => {
    const reply = await api.post('/webhooks', { url, event_types: ['*'], ...fields })
    assert.equal(reply.status, 201, reply.text)
    return reply.body
  }
}

/** The event of a request whose signature is right at `now` (ms since the epoch), by a library that is not ours. @throws for any other request */
export function verified(secret: string, { raw, headers }: Received, now: number): Resource {
  const clock = mock.method(Date, 'now', () => now)
  try {
    return new Webhook(secret).verify(raw, headers as Record<string, string>)
  } finally {
    clock.mock.restore()
  }
}

/** What was sent to the webhook, the first one first: up to 100 deliveries. */
export const deliveriesTo = async (api: Client, { id }: Resource): Promise<Resource[]> =>
  (await pageOf(api, `/webhooks/${id}/deliveries?limit=100`)).data

/** Delivers, does `act` while the first attempt waits for its answer, and then has it answered with `status`, and those after it with 200. */
export async function inTheMidst(world: World, receiver: Receiver, status: number, act: () => Promise<unknown>): Promise<void> {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  receiver.answer = (response) => {
    receiver.answer = 200
    void told.then(() => response.writeHead(status).end())
  }
  const arrived = receiver.next()
  const delivered = world.service.timers.deliver()
  await arrived
  try {
    await act()
  } finally {
    tell()
  }
  await delivered
}
