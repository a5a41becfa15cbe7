import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestObserver } from './api/observer.ts'
import type { CommitObserver } from './store/store.ts'

/** The figures of the service in Prometheus' format. */
export interface Metrics extends RequestObserver, CommitObserver {
  woke(lagSeconds: number): void
  /** An attempt to deliver was made. */
  delivered(outcome: (typeof OUTCOMES)[number]): void
  /** Serves the figures at `/metrics`; answers with the port. */
  listen(host: string, port: number): Promise<number>
  close(): Promise<void>
}

const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const COMMIT_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
const COMMIT_JOBS = [1, 2, 4, 8, 16, 32, 64]
const OUTCOMES = ['succeeded', 'retried', 'failed'] as const
const WAKING_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600]

/** What is asked whenever the figures are. */
interface Gauged {
  writesWaiting(): number
  streamsOpen(): number
  /** Seconds. */
  oldestUndelivered(): Promise<number>
}

/** How long the database may take to say a figure. */
const PATIENCE_MS = 2_000

export function openMetrics(gauged: Gauged, patienceMs: number = PATIENCE_MS): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'fivetab_requests_total',
    help: 'Requests answered.',
    labelNames: ['operation', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'fivetab_request_duration_seconds',
    help: 'Time from request to answer.',
    labelNames: ['operation'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const commitJobs = new Histogram({ name: 'fivetab_commit_writes', help: 'Writes that shared a commit.', buckets: COMMIT_JOBS, registers })
  const commitSeconds = new Histogram({
    name: 'fivetab_commit_duration_seconds',
    help: 'Time of a commit with its writes.',
    buckets: COMMIT_SECONDS,
    registers,
  })
  const wakingLag = new Histogram({ name: 'fivetab_waking_lag_seconds', help: 'How late tasks woke.', buckets: WAKING_SECONDS, registers })
  const waiting: Gauge = new Gauge({
    name: 'fivetab_writes_waiting',
    help: 'Writes that wait for their commit.',
    registers,
    collect: () => waiting.set(gauged.writesWaiting()),
  })
  const deliveries = new Counter({
    name: 'fivetab_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook: succeeded, retried (failed, with another to come) or failed for good.',
    labelNames: ['outcome'],
    registers,
  })
  // A rate of nothing is 0 from the beginning on.
  for (const outcome of OUTCOMES) deliveries.inc({ outcome }, 0)
  const undelivered: Gauge = new Gauge({
    name: 'fivetab_webhook_oldest_undelivered_seconds',
    help: 'How long ago the oldest event happened that some webhook has yet to take; 0 when there is none.',
    registers,
    collect: async () => {
      const seconds = await soonOrNull(gauged.oldestUndelivered(), patienceMs)
      if (seconds === null) undelivered.remove()
      else undelivered.set(seconds)
    },
  })
  const streams: Gauge = new Gauge({
    name: 'fivetab_streams_open',
    help: 'Streams of events that are open.',
    registers,
    collect: () => streams.set(gauged.streamsOpen()),
  })
  // Among them nodejs_eventloop_lag_seconds, memory and garbage collection.
  collectDefaultMetrics({ register: registry })
  let server: Server | null = null

  return {
    answered: (request, reply) => {
      const operation = request.routeOptions.config.operation?.operationId ?? request.routeOptions.url ?? 'unknown'
      requests.inc({ operation, status: reply.statusCode })
      // A stream lasts as long as somebody listens, which says nothing of how fast the service is.
      if (reply.getHeader('content-type') !== 'text/event-stream') durations.observe({ operation }, reply.elapsedTime / 1000)
    },
    committed: (jobs, seconds) => {
      commitJobs.observe(jobs)
      commitSeconds.observe(seconds)
    },
    woke: (lagSeconds) => wakingLag.observe(lagSeconds),
    delivered: (outcome) => deliveries.inc({ outcome }),
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        const opened = createServer((request, response) => {
          if (request.method !== 'GET' || request.url !== '/metrics') {
            response.writeHead(404).end()
            return
          }
          registry.metrics().then(
            (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
            () => response.writeHead(500).end(),
          )
        })
        server = opened
        opened.once('error', reject)
        opened.listen(port, host, () => {
          const address = opened.address()
          resolve(typeof address === 'object' && address !== null ? address.port : port)
        })
      }),
    close: () => new Promise((resolve) => (server === null ? resolve() : server.close(() => resolve()))),
  }
}

/** A figure that cannot be had, or not soon, is left out of an answer: the others tell most when the database is away. */
function soonOrNull(figure: Promise<number>, patienceMs: number): Promise<number | null> {
  return Promise.race([figure, pause(patienceMs, null, { ref: false })]).catch(() => null)
}
