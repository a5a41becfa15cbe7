/** A loop that carries out one job again and again, never twice at a time. */
export interface Loop {
  /** How long ago the job last began, in ms: what grows when the loop is stuck. */
  idleMs(): number
  /** Ends the loop, and waits for the run under way. */
  stop(): Promise<void>
}

/** Runs `job` now and then `pauseMs` after each end. What it throws goes to `onError`, and the loop goes on. */
export function startLoop(job: () => Promise<unknown>, pauseMs: number, onError: (error: unknown) => void): Loop {
  let stopped = false
  let lastBegin = performance.now()
  let timer: NodeJS.Timeout | undefined
  let running = run()

  async function run(): Promise<void> {
    lastBegin = performance.now()
    try {
      await job()
    } catch (error) {
      onError(error)
    }
    if (!stopped) {
      timer = setTimeout(() => {
        running = run()
      }, pauseMs)
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
