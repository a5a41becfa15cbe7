/** A loop that carries out one job again and again, never twice at a time. */
export interface Loop {
  /** How long ago the job last began, in ms: what grows when the loop is stuck. */
  idleMs(): number
  /** Ends the loop, and waits for the run under way. */
  stop(): Promise<void>
}

/** After a failure, the loop rests at least so long: what failed, such as a database that is away, most likely fails again. */
const REST_MS = 1_000

/** Runs `job` now and then `pauseMs` after each end. What it throws goes to `onError`, and the loop goes on. */
export function startLoop(job: () => Promise<unknown>, pauseMs: number, onError: (error: unknown) => void): Loop {
  let stopped = false
  let lastBegin = performance.now()
  let timer: NodeJS.Timeout | undefined
  let running = run()

  async function run(): Promise<void> {
    lastBegin = performance.now()
    let restMs = pauseMs
    try {
      await job()
    } catch (error) {
      onError(error)
      restMs = Math.max(pauseMs, REST_MS)
    }
    if (!stopped) {
      timer = setTimeout(() => {
        running = run()
      }, restMs)
    }
  }

  return {
    idleMs: () => performance.now() - lastBegin,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
