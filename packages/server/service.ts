import { randomBytes, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { setImmediate as nextTurnOfTheLoop, setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openPasswords } from './actions/passwords.ts'
import { openSending, type SendingWatch } from './actions/sending.ts'
import { openUses, USES_PAUSE_MS } from './actions/uses.ts'
import { minuteCounter, sharedMinuteCounter } from './api/minute-counter.ts'
import { defaultMaxMemoryBytes } from './api/pressure.ts'
import { buildServer } from './api/server.ts'
import { openStreams, STREAMS_PAUSE_MS } from './api/streams.ts'
import { logAnswer } from './log.ts'
import type { Metrics } from './metrics.ts'
import { type Destinations, openDestinations } from './outgoing/destinations.ts'
import { openSender } from './outgoing/sender.ts'
import type { Settings } from './settings.ts'
import { type Bell, openBell } from './store/bell.ts'
import { oldestPending } from './store/deliveries.ts'
import { inLargeDraws, type RandomBytes } from './store/ids.ts'
import { NEWEST_SCHEMA, schemaVersion } from './store/migrate.ts'
import { nameOf, openStore } from './store/open.ts'
import { postgresRelay } from './store/relay.ts'
import type { SharedCounts } from './store/shared-counts.ts'
import type { Store } from './store/turn.ts'
import { voidClaims } from './store/webhooks.ts'
import { type Delivering, openDelivering, RETRYING_PAUSE_MS, SWEEPING_PAUSE_MS } from './timers/delivering.ts'
import { type Loop, startLoop } from './timers/loop.ts'
import { PRUNING_PAUSE_MS, type Pruned, prune } from './timers/pruning.ts'
import { openWaking, WAKING_PAUSE_MS } from './timers/waking.ts'

/** The wiring of the running service: the store, the API, the timers and the figures, and how they start and stop. */

/** What the service takes from the world, so that a test can give it another one. */
export interface World {
  /** Ms since the epoch. */
  clock: () => number
  random: RandomBytes
  /** False leaves the timers to be run by hand. */
  runTimers: boolean
  /** The folder of the web app as it was built; if not said, where that puts it. */
  webApp?: string
}

export const REAL_WORLD: World = { clock: Date.now, random: inLargeDraws(randomBytes), runTimers: true }

export const BUILT_APP = join(import.meta.dirname, '../web/dist')

export interface Service {
  /** Where it listens, such as http://127.0.0.1:3000. */
  url: string
  metricsPort: number | null
  store: Store
  /** To be run by hand, where they do not run by themselves. */
  timers: {
    wake(): Promise<number>
    prune(): Promise<Pruned>
    /** Sends to webhooks all that can be sent now, and answers once that is done. */
    deliver(): Promise<void>
    /** Looks after the open streams of events. */
    lookAfterStreams(): Promise<void>
    /** Stores when tokens and sessions were last used. */
    noteUses(): Promise<void>
  }
  /** Turns not ready, finishes what was accepted, and closes. */
  stop(): Promise<void>
}

/** How long requests in flight may take once the service is to stop; then whoever still sends is cut off. */
const STOP_PATIENCE_MS = 8_000

/** How often connections that have become idle are closed once the service is to stop. */
const IDLE_CONNECTIONS_CHECK_MS = 50

/** How long new connections may go on coming once the service is to stop, before it listens no more. */
const LISTEN_PATIENCE_MS = 1_000

/** A waking loop that has not begun for so long is stuck. */
const STUCK_AFTER_MS = 10_000

/** What instances share their limits through; null for an instance that is alone, which has no need to load it. */
async function sharedCountsFor({ redisUrl, databaseUrl }: Settings): Promise<SharedCounts | null> {
  if (redisUrl === null && databaseUrl === null) return null
  const { postgresCounts, redisCounts } = await import('./store/shared-counts.ts')
  return redisUrl === null ? postgresCounts(databaseUrl as string) : redisCounts(redisUrl)
}

/** What sends to webhooks, and where it may send to. `attempted` is told of every attempt. */
function openWebhooks(
  store: Store,
  { webhookAllowedRanges }: Settings,
  log: Logger,
  { clock, random, runTimers }: World,
  attempted: SendingWatch['attempted'],
): { destinations: Destinations; delivering: Delivering } {
  const destinations = openDestinations(webhookAllowedRanges)
  const sending = openSending({
    store,
    sender: openSender(destinations, clock),
    clock,
    random,
    name: randomUUID(),
    watch: {
      attempted,
      disabled: ({ accountId, webhookId }, reason) => log.warn({ accountId, webhookId, reason }, 'a webhook was disabled'),
    },
  })
  const failed = (err: unknown) => log.error({ err }, 'sending to a webhook failed here; it is tried again')
  return { destinations, delivering: openDelivering({ store, sending, clock, rests: runTimers, failed }) }
}

export async function startService(settings: Settings, log: Logger, world: World = REAL_WORLD): Promise<Service> {
  let metrics: Metrics | null = null
  let bell: Bell | null = null
  const store = await openStore(settings, world.clock, world.random, {
    committed: (jobs, seconds) => metrics?.committed(jobs, seconds),
    hasNews: (accountId) => bell?.ring(accountId),
  })
  // A database that no other instance can share is claimed by none.
  if (!store.dialect.isShared) await store.transact(voidClaims)
  bell = openBell(settings.databaseUrl === null ? null : postgresRelay(settings.databaseUrl))
  const uses = openUses(store)
  const streams = openStreams({ store, bell, clock: world.clock, log })
  const { destinations, delivering } = openWebhooks(store, settings, log, world, (outcome) => metrics?.delivered(outcome))
  if (settings.metricsPort !== null) {
    const { openMetrics } = await import('./metrics.ts')
    metrics = openMetrics({
      writesWaiting: () => store.waiting(),
      streamsOpen: streams.count,
      oldestUndelivered: async () => ageOf([delivering.oldestUnsent(), await oldestPending(store)], world.clock()),
    })
  }

  const counts = await sharedCountsFor(settings)
  const failing = (what: string) => (err: unknown) => log.error({ err }, `${what} failed; it is tried again`)
  const wakingFailed = failing('waking tasks')
  const timers = {
    wake: openWaking(store, world.clock, { woke: (lagSeconds) => metrics?.woke(lagSeconds), failed: wakingFailed }).wake,
    prune: () => prune(store, world.clock(), settings.eventRetentionDays),
    deliver: delivering.settle,
    lookAfterStreams: streams.look,
    noteUses: uses.save,
  }
  let waking: Loop | null = null
  let loops: Loop[] = []
  let stopping = false

  async function missing(): Promise<string[]> {
    const wrong: string[] = []
    if (stopping) wrong.push('the service is stopping')
    if (waking !== null && waking.idleMs() > STUCK_AFTER_MS) wrong.push('the timers do not run')
    try {
      // A newer one is of an upgrade under way: a migration leaves the release before it working.
      if ((await schemaVersion(store)) < NEWEST_SCHEMA) wrong.push('the database has an older schema')
    } catch {
      wrong.push('the database cannot be read')
    }
    return wrong
  }

  let url = ''
  const app = await buildServer({
    store,
    counter: counts === null ? minuteCounter() : sharedMinuteCounter(counts),
    uses,
    clock: world.clock,
    random: world.random,
    passwords: openPasswords(world.random),
    signUp: settings.signUp,
    trustedProxies: settings.trustedProxies,
    webApp: world.webApp ?? BUILT_APP,
    log,
    baseUrl: () => settings.baseUrl ?? url,
    deprecation: settings.deprecation,
    sunset: settings.sunset,
    maxMemoryBytes: settings.maxMemoryBytes ?? defaultMaxMemoryBytes(),
    readiness: { missing },
    streams,
    webhooks: { destinations, random: world.random },
    observer: {
      answered: (request, reply) => {
        logAnswer(log, request, reply)
        metrics?.answered(request, reply)
      },
    },
  })
  let metricsPort: number | null = null
  try {
    if (metrics !== null) metricsPort = await metrics.listen(settings.host, settings.metricsPort ?? 0)
    url = await app.listen({
      host: settings.host,
      port: settings.port,
      listenTextResolver: (address) => `Fivetab is ready at ${address}, with its data in ${nameOf(settings)}`,
    })
  } catch (error) {
    await Promise.all([app.close(), metrics?.close(), counts?.close(), bell.close(), delivering.stop()])
    destinations.close()
    await store.close()
    throw error
  }

  if (world.runTimers) {
    waking = startLoop(timers.wake, WAKING_PAUSE_MS, wakingFailed)
    loops = [
      waking,
      startLoop(timers.prune, PRUNING_PAUSE_MS, failing('pruning')),
      startLoop(timers.lookAfterStreams, STREAMS_PAUSE_MS, failing('looking after streams')),
      startLoop(timers.noteUses, USES_PAUSE_MS, failing('storing when tokens and sessions were last used')),
      startLoop(delivering.sweep, SWEEPING_PAUSE_MS, failing('looking for what webhooks have not been sent')),
      startLoop(delivering.retry, RETRYING_PAUSE_MS, failing('looking for what webhooks are to be sent again')),
    ]
    bell.onRing(delivering.hint)
  }

  return {
    url,
    metricsPort,
    store,
    timers,
    stop: async () => {
      stopping = true
      log.info('stopping')
      await pause(settings.stopDelaySeconds * 1000)
      const patience = setTimeout(() => app.server.closeAllConnections(), STOP_PATIENCE_MS)
      const followed = streams.close()
      const sent = delivering.stop()
      await allTaken(app.server)
      // A connection whose last request was under way is idle only once that is answered.
      const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CONNECTIONS_CHECK_MS)
      await app.close()
      clearInterval(idle)
      clearTimeout(patience)
      await Promise.all([sent, followed, ...loops.map((loop) => loop.stop()), metrics?.close(), counts?.close(), bell?.close()])
      await uses.save().catch(failing('storing when tokens and sessions were last used'))
      destinations.close()
      await store.close()
      log.info('stopped')
    },
  }
}

/**
 * Answers once no connection waits to be taken: the system made it already, and would reset it as soon as nobody listens. Node takes one of
 * them in each turn of the event loop, so a busy service has many that wait.
 */
async function allTaken(server: Server): Promise<void> {
  let taken = 0
  const count = () => {
    taken += 1
  }
  server.on('connection', count)
  const deadline = performance.now() + LISTEN_PATIENCE_MS
  for (let before = -1; before < taken && performance.now() < deadline; ) {
    before = taken
    // The first takes what waits; the second reads what it has sent.
    await nextTurnOfTheLoop()
    await nextTurnOfTheLoop()
  }
  server.off('connection', count)
}

/** How long ago the earliest of some times was, in seconds; 0 for none. Times are ms since the epoch. */
function ageOf(times: readonly (number | null)[], now: number): number {
  const earliest = Math.min(...times.map((time) => time ?? now))
  return Math.max(0, now - earliest) / 1000
}
