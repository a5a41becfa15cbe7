import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { tokenOf } from './accounts.ts'
import { type Connection, openConnection, requestText } from './connection.ts'
import { figuresOf } from './figures.ts'
import { type Call, changesOwnTask, firstTurn, type Own, SCRIPTS, type Script, STRIDE, showsOwnTask } from './scripts.ts'
import { OWN_TASKS, taskId } from './seed.ts'

/**
 * A load in a process of its own: every connection goes through a script, and knows the version of the task that it alone changes. Without a rate
 * each asks again as soon as it is answered; with one, requests fall due evenly, and the time that one waits for a free connection counts as its own.
 *
 * It takes an order as JSON in its argument, prints what it measured as JSON, and fails on any answer that is not the one that is right. Told to end
 * (SIGTERM), it measures no longer.
 */
export interface LoadOrder {
  /** One server, or several instances that share the connections. */
  urls: readonly string[]
  /** With many accounts, each connection goes round those that it has for its own, with their tokens, and not with this one. */
  token: string
  accounts: number
  script: Script
  connections: number
  warmUpMs: number
  measureMs: number
  /** Requests a second; null for as many as there can be. */
  rate: number | null
  /** How many tasks there were at first: the last of them, or the last of each of many accounts, are there to be changed. */
  tasks: number
  /** Whether to print every request by itself (`Sample`), and no figures. */
  inDetail?: boolean
}

/** A request that was measured: when it fell due (ms since the epoch), and how long from then to its answer (ms). */
export type Sample = readonly [dueAt: number, latencyMs: number]

interface Worker {
  connection: Connection
  /** A place in each of its accounts. */
  owns: Own[]
  turn: number
}

const order = JSON.parse(process.argv[2] ?? '') as LoadOrder
const script = SCRIPTS[order.script]
const samples: Sample[] = []
let measuredFrom = 0
let measuredUntil = 0

async function openWorker(index: number): Promise<Worker> {
  const connection = await openConnection(order.urls[index % order.urls.length] as string)
  const owns = placesOf(index)
  if (changesOwnTask(order.script)) for (const own of owns) await lookAt(own, connection)
  return { connection, owns, turn: 0 }
}

/** The places of a connection: the one account's, or one in every account that falls to it. */
function placesOf(index: number): Own[] {
  const { token, tasks, accounts, connections } = order
  if (accounts === 1) return [{ token, first: 1, count: tasks - OWN_TASKS, task: tasks - index, version: '', turn: 0 }]
  const count = tasks / accounts
  return Array.from({ length: Math.floor((accounts - 1 - index) / connections) + 1 }, (_, round) => {
    const before = index + round * connections
    return { token: tokenOf(before + 1), first: before * count + 1, count, task: (before + 1) * count, version: '', turn: 0 }
  })
}

/** Learns how the own task of a place stands. */
async function lookAt(own: Own, connection: Connection): Promise<void> {
  const { status, etag, body } = await connection.send(requestText({ method: 'GET', path: `/v1/tasks/${taskId(own.task)}` }, own.token))
  if (status !== 200) throw new Error(`The task of a connection cannot be read: ${status} ${body}`)
  own.version = etag
  own.turn = firstTurn(order.script, JSON.parse(body))
}

/** Makes the worker's next request. `since` is when it fell due. @throws when its answer is not the right one */
async function request(worker: Worker, since: number): Promise<void> {
  const own = worker.owns[(worker.turn * STRIDE) % worker.owns.length] as Own
  const call: Call = script(own)
  const answer = await worker.connection.send(requestText(call, own.token))
  if (answer.status !== call.status) throw new Error(`${call.method} ${call.path} was answered with ${answer.status}: ${answer.body}`)
  if (answer.etag !== '' && showsOwnTask(call, own)) own.version = answer.etag
  own.turn += 1
  worker.turn += 1
  const now = performance.now()
  if (now >= measuredFrom && now < measuredUntil) samples.push([performance.timeOrigin + since, now - since])
}

async function loop(worker: Worker): Promise<void> {
  for (let now = performance.now(); now < measuredUntil; now = performance.now()) await request(worker, now)
}

/** A timer of Node would be late by more than an answer takes. */
const LOOK_EVERY_MS = 0.05
const still = new Int32Array(new SharedArrayBuffer(4))

/** Sends what has fallen due, and sleeps in between: a process that spins keeps what the kernel does for an fsync from its core. */
async function pace(workers: readonly Worker[], rate: number): Promise<void> {
  const free = [...workers]
  const started = performance.now()
  const running = new Set<Promise<void>>()
  const gap = 1000 / rate
  for (let sent = 0, now = started; now < measuredUntil; now = performance.now()) {
    for (let due = started + sent * gap; due <= now && free.length > 0; due = started + sent * gap) {
      // In turn, so that none is idle for so long that the server gives it up.
      const worker = free.shift() as Worker
      const one = request(worker, due).then(() => {
        free.push(worker)
        running.delete(one)
      })
      running.add(one)
      sent += 1
    }
    await nextTurnOfTheLoop()
    Atomics.wait(still, 0, 0, LOOK_EVERY_MS)
  }
  await Promise.all(running)
}

const workers = await Promise.all(Array.from({ length: order.connections }, (_, index) => openWorker(index)))
measuredFrom = performance.now() + order.warmUpMs
measuredUntil = measuredFrom + order.measureMs
process.once('SIGTERM', () => {
  measuredUntil = performance.now()
})
if (order.rate === null) await Promise.all(workers.map(loop))
else await pace(workers, order.rate)
for (const { connection } of workers) connection.close()

const latenciesMs = samples.map(([, latencyMs]) => latencyMs)
console.log(JSON.stringify(order.inDetail ? samples : figuresOf(latenciesMs, order.measureMs)))
