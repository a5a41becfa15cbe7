import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { type Connection, openConnection, requestText } from './connection.ts'
import { type Call, firstTurn, isRead, type Own, SCRIPTS, type Script, showsOwnTask } from './scripts.ts'
import { taskId } from './seed.ts'

/**
 * A load in a process of its own: every connection goes through a script, and knows the version of the task that it alone changes. Without a rate
 * each asks again as soon as it is answered; with one, requests fall due evenly, and the time that one waits for a free connection counts as its own.
 *
 * It takes an order as JSON in its argument, prints what it measured as JSON, and fails on any answer that is not the one that is right.
 */
export interface LoadOrder {
  url: string
  token: string
  script: Script
  connections: number
  warmUpMs: number
  measureMs: number
  /** Requests a second; null for as many as there can be. */
  rate: number | null
  /** How many tasks there were at first: the last of them are there to be changed. */
  tasks: number
}

interface Worker {
  own: Own
  connection: Connection
}

const order = JSON.parse(process.argv[2] ?? '') as LoadOrder
const script = SCRIPTS[order.script]
const latencies: number[] = []
let measuredFrom = 0
let measuredUntil = 0

async function openWorker(index: number): Promise<Worker> {
  const task = order.tasks - index
  const connection = await openConnection(order.url)
  if (isRead(order.script)) return { connection, own: { tasks: order.tasks, task, version: '', turn: 0 } }
  const { status, etag, body } = await connection.send(requestText({ method: 'GET', path: `/v1/tasks/${taskId(task)}` }, order.token))
  if (status !== 200) throw new Error(`The task of a connection cannot be read: ${status} ${body}`)
  return { connection, own: { tasks: order.tasks, task, version: etag, turn: firstTurn(order.script, JSON.parse(body)) } }
}

/** Makes the worker's next request. `since` is when it fell due. @throws when its answer is not the right one */
async function request({ own, connection }: Worker, since: number): Promise<void> {
  const call: Call = script(own)
  const answer = await connection.send(requestText(call, order.token))
  if (answer.status !== call.status) throw new Error(`${call.method} ${call.path} was answered with ${answer.status}: ${answer.body}`)
  if (answer.etag !== '' && showsOwnTask(call, own)) own.version = answer.etag
  own.turn += 1
  const now = performance.now()
  if (now >= measuredFrom && now < measuredUntil) latencies.push(now - since)
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
      const worker = free.pop() as Worker
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

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const workers = await Promise.all(Array.from({ length: order.connections }, (_, index) => openWorker(index)))
measuredFrom = performance.now() + order.warmUpMs
measuredUntil = measuredFrom + order.measureMs
if (order.rate === null) await Promise.all(workers.map(loop))
else await pace(workers, order.rate)
for (const { connection } of workers) connection.close()

const sorted = Float64Array.from(latencies).sort()
console.log(
  JSON.stringify({
    requestsPerSecond: (sorted.length / order.measureMs) * 1000,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  }),
)
