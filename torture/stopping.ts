import { setTimeout as pause } from 'node:timers/promises'
import { type Client, clientOf, type Reply } from '../test/client.ts'
import { type Attempts, verify } from './keyed-writes.ts'
import { during, openSite, openTally, type Running, randomFrom, type Scenario } from './scenario.ts'

/** The service is told to stop while 64 clients ask without a pause: half of them on connections that they keep, half on a new one each time. */

const CLIENTS = 64
const ENDED_WITHIN_MS = 10_000

export const stoppedUnderLoad: Scenario = {
  name: 'SIGTERM while 64 clients ask',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 240 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    const random = randomFrom(seed)
    const tally = openTally()
    const attempts: Attempts = new Map()
    let [inFlight, cutOff, slowestMs] = [0, 0, 0]
    for (let round = 0; round < (isShort ? 3 : 20); round++) {
      await using running = await site.serve()
      const stop: Stop = { isTold: false }
      const load = async () => {
        const sent = await askUntilRefused(running, `${round}`, attempts, stop)
        inFlight += sent.length
        cutOff += sent.filter((reply) => reply === null).length
      }
      await during(load, async () => {
        await pause(100 + random() * 300)
        const told = performance.now()
        stop.isTold = true
        const [code, signal] = await running.service.end('SIGTERM')
        const ms = performance.now() - told
        slowestMs = Math.max(slowestMs, ms)
        if (code !== 0) tally.fault(`it ended with ${code ?? signal}`)
        if (ms > ENDED_WITHIN_MS) tally.fault(`it ended only after ${Math.round(ms)} ms`)
      })
    }
    if (cutOff > 0) tally.fault(`${cutOff} requests that were sent before the signal were cut off`)
    tally.note(`${inFlight} requests were in flight at the signal; it ended ${Math.round(slowestMs)} ms after it at most`)
    await verify(site, attempts, tally)
    return tally
  },
}

interface Stop {
  /** Whether the signal was sent. */
  isTold: boolean
}

/**
 * Asks from all sides until the service refuses, which it may only after it was told to stop. Returns the answers to those requests that the
 * system had taken, whole, when it was told, and that were not answered yet; null where none came, or less than all of one.
 */
async function askUntilRefused(running: Running, round: string, attempts: Attempts, stop: Stop): Promise<(Reply | null)[]> {
  const inFlight: (Reply | null)[] = []
  const apis = [running.api, clientOf(running.service.url, running.api.token)] as const
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let turn = 0; ; turn++) {
      let wasSentBefore = false
      const onSent = () => {
        wasSentBefore = !stop.isTold
      }
      const api = apis[client % 2] ?? running.api
      const reply = await ask(api, Math.floor(client / 2) + turn, `${round}-${client}-${turn}`, attempts, onSent)
      if (stop.isTold && wasSentBefore) inFlight.push(reply)
      if (reply === null) return
    }
  })
  await Promise.all(clients)
  return inFlight
}

/** Reads or writes in turn; null when there is no answer. */
async function ask(api: Client, turn: number, key: string, attempts: Attempts, onSent: () => void): Promise<Reply | null> {
  if (turn % 2 === 0) return api.send('GET', '/tasks?limit=20', { onSent }).catch(() => null)
  attempts.set(key, null)
  const reply = await api
    .send('POST', '/tasks', { body: { title: key, notes: null }, headers: { 'idempotency-key': key }, onSent })
    .catch(() => null)
  if (reply?.status === 201) attempts.set(key, reply.body.id)
  return reply
}
