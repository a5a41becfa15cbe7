import { setTimeout as pause } from 'node:timers/promises'
import { typesFor } from '@fivetab/domain/webhook.ts'
import type { Run, Sending } from '../actions/sending.ts'
import { webhooksWithDue } from '../store/deliveries.ts'
import { readLog } from '../store/events.ts'
import type { Store } from '../store/turn.ts'
import { skipThrough, sweepWebhooks, type WebhookPlace, type WebhookStanding, webhooksBehind } from '../store/webhooks.ts'

/**
 * Which webhook is sent to, and when: at once where an account has news, when a try is due, and by a sweep over all of them, which finds what a hint
 * was lost for.
 *
 * Each webhook is sent to by itself, one event after another. Those that fail have a lane of their own, so that however many receivers are dead
 * or slow, the others do not wait for them.
 */

/** How often to look for tries that are due, and for webhooks that have fallen behind without a hint. */
export const RETRYING_PAUSE_MS = 1_000
export const SWEEPING_PAUSE_MS = 5_000

/** How many webhooks are sent to at once: those that took what they were sent last, or are new; and those that did not. */
const SOUND_AT_ONCE = 2_048
const FAILING_AT_ONCE = 256
/** One that has taken nothing for so long is among those that fail; one that stumbles is not. */
const FAILING_AFTER_MS = 60_000
/** One that fails is left alone for as long as it has failed, within these bounds: whatever there is for it, it is tried no oftener. */
const SHORTEST_REST_MS = 1_000
const LONGEST_REST_MS = 15_000
/** How long hints are gathered, in ms, to be looked into together. */
const GATHERING_MS = 10
const ACCOUNTS_A_READ = 100
const WEBHOOKS_A_READ = 500
const DUE_A_READ = 1_000
/** A webhook that wants nothing of so many events is moved on, though there is nothing to send. */
const SKIPPED_AT_LEAST = 100
/** How long attempts under way may take once the service is to stop. */
const STOP_PATIENCE_MS = 4_000

export interface Delivering {
  /** An account has news: looks into it soon. */
  hint(accountId: string): void
  /** Begins to send what is due to be tried again. */
  retry(): Promise<void>
  /** Begins to send what any webhook has not been sent. */
  sweep(): Promise<void>
  /** When the oldest event happened that the last sweep found unsent, in ms since the epoch; null for none. */
  oldestUnsent(): number | null
  /** Sends all that can be sent now, and answers once nothing is left. */
  settle(): Promise<void>
  /** Begins nothing more, and waits a little for what is under way. */
  stop(): Promise<void>
}

interface Job {
  place: WebhookPlace
  /** As far as is known; ms since the epoch. */
  failingSince: number | null
  /** There was news since it began. */
  again: boolean
}

interface Lane {
  atOnce: number
  running: number
  waiting: Job[]
}

interface DeliveringOptions {
  store: Store
  sending: Sending
  /** Ms since the epoch. */
  clock: () => number
  /** Whether one that fails is left alone for a while; not where all is done by hand. */
  rests: boolean
  failed: (error: unknown) => void
}

export function openDelivering({ store, sending, clock, rests, failed }: DeliveringOptions): Delivering {
  const jobs = new Map<string, Job>()
  const underWay = new Set<Promise<void>>()
  const sound: Lane = { atOnce: SOUND_AT_ONCE, running: 0, waiting: [] }
  const failing: Lane = { atOnce: FAILING_AT_ONCE, running: 0, waiting: [] }
  let hinted = new Set<string>()
  let looking: NodeJS.Timeout | undefined
  let oldestUnsent: number | null = null
  let stopped = false

  function hint(accountId: string): void {
    if (stopped) return
    hinted.add(accountId)
    looking ??= setTimeout(() => {
      looking = undefined
      const accountIds = [...hinted]
      hinted = new Set()
      track(lookInto(accountIds))
    }, GATHERING_MS)
  }

  async function lookInto(accountIds: readonly string[]): Promise<void> {
    for (let from = 0; from < accountIds.length; from += ACCOUNTS_A_READ) {
      const some = accountIds.slice(from, from + ACCOUNTS_A_READ)
      await queueBehind(await webhooksBehind(store, some))
      for (const due of await webhooksWithDue(store, clock(), some, DUE_A_READ)) queue(due, due.failingSince)
    }
  }

  async function retry(): Promise<void> {
    for (const due of await webhooksWithDue(store, clock(), null, DUE_A_READ)) queue(due, due.failingSince)
  }

  async function sweep(): Promise<void> {
    let oldest = Number.POSITIVE_INFINITY
    for (let after: WebhookPlace | null = null; !stopped; ) {
      const { behind, last }: Awaited<ReturnType<typeof sweepWebhooks>> = await sweepWebhooks(store, after, WEBHOOKS_A_READ)
      oldest = Math.min(oldest, ...(await queueBehind(behind)))
      if (last === null) break
      after = last
    }
    oldestUnsent = Number.isFinite(oldest) ? oldest : null
  }

  /**
   * Queues those that want something of what is new in their log, and answers with when the first of what they want happened. Those that are alike
   * are looked after together.
   */
  async function queueBehind(behind: readonly WebhookStanding[]): Promise<number[]> {
    const unsent: number[] = []
    const alike = Map.groupBy(behind, ({ accountId, sentThrough, webhook }) => `${accountId} ${sentThrough} ${webhook.eventTypes}`)
    for (const standings of alike.values()) {
      const [{ accountId, sentThrough, webhook }] = standings as [WebhookStanding]
      const page = await readLog(store, accountId, { after: sentThrough, types: typesFor(webhook), limit: 1 })
      unsent.push(...page.events.map((event) => event.occurredAt))
      if (page.events.length > 0 || page.hasMore) for (const standing of standings) queue(standing, standing.failingSince)
      else if (page.through - sentThrough >= SKIPPED_AT_LEAST)
        await store.transact(async (writer) => {
          for (const standing of standings) await skipThrough(writer, standing, sentThrough, page.through)
        })
    }
    return unsent
  }

  function queue(place: WebhookPlace, failingSince: number | null): void {
    if (stopped) return
    const key = `${place.accountId} ${place.webhookId}`
    const job = jobs.get(key)
    if (job !== undefined) {
      job.again = true
      if (failingSince === null) hurry(job)
      return
    }
    const added = { place, failingSince, again: false }
    jobs.set(key, added)
    enter(added)
  }

  /** One that waits among those that fail, and fails no more, goes over to the others. */
  function hurry(job: Job): void {
    const index = failing.waiting.indexOf(job)
    if (index < 0) return
    failing.waiting.splice(index, 1)
    enter(Object.assign(job, { failingSince: null }))
  }

  function enter(job: Job): void {
    const { failingSince } = job
    const lane = failingSince !== null && clock() - failingSince >= FAILING_AFTER_MS ? failing : sound
    lane.waiting.push(job)
    startThoseOf(lane)
  }

  function startThoseOf(lane: Lane): void {
    while (lane.running < lane.atOnce) {
      const job = lane.waiting.shift()
      if (job === undefined) return
      lane.running += 1
      track(
        carryOut(job).finally(() => {
          lane.running -= 1
          startThoseOf(lane)
        }),
      )
    }
  }

  async function carryOut(job: Job): Promise<void> {
    job.again = false
    const run: Run = await sending.run(job.place, job.failingSince !== null).catch((error) => {
      failed(error)
      return { hasMore: false, failingSince: job.failingSince }
    })
    job.failingSince = run.failingSince
    if (rests && run.failingSince !== null) setTimeout(() => goOn(job, run), restOf(run.failingSince)).unref()
    else goOn(job, run)
  }

  function restOf(failingSince: number): number {
    return Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, clock() - failingSince))
  }

  function goOn(job: Job, { hasMore }: Run): void {
    if (!stopped && (hasMore || job.again)) enter(job)
    else jobs.delete(`${job.place.accountId} ${job.place.webhookId}`)
  }

  function track(work: Promise<void>): void {
    const tracked = work.catch(failed).finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }

  async function settle(): Promise<void> {
    await sweep()
    await retry()
    await settled()
  }

  return {
    hint,
    retry,
    sweep,
    oldestUnsent: () => oldestUnsent,
    settle,
    stop: async () => {
      stopped = true
      clearTimeout(looking)
      for (const lane of [sound, failing]) lane.waiting = []
      await Promise.race([settled(), pause(STOP_PATIENCE_MS, undefined, { ref: false })])
      await sending.stop()
      await settled()
    },
  }

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay)
  }
}
