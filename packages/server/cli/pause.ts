import { setTimeout } from 'node:timers/promises'
import type { Context } from './context.ts'

/** Pauses of a command that goes on until its process is told to stop. From the first one on, the signals end the command and not the process. */
export function pauseUntilStopped(): Context['pause'] {
  let stop: AbortSignal | undefined
  return async (ms) => {
    stop ??= toldToStop()
    await setTimeout(ms, undefined, { signal: stop }).catch(() => {})
    return !stop.aborted
  }
}

/** Is aborted by the first SIGTERM or SIGINT, which then does not end the process. */
export function toldToStop(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}
