import { Worker } from 'node:worker_threads'

/**
 * Checkpoints of a SQLite file in a thread of its own: what is in the write-ahead log moves into the database while this process goes on answering.
 * Carried out by the writer itself, as SQLite does by default, each takes several milliseconds of everybody's time.
 */
export interface Checkpoints {
  /** To be told of every commit, and roughly how many bytes of log it has made. */
  committed(bytes: number): void
  /** Waits for the checkpoint that is under way. */
  end(): Promise<void>
}

/** Five hundred pages: half as many as SQLite waits for by default, so that little is left to the writer. */
const BYTES_A_CHECKPOINT = 2_048_000

/**
 * The thread never catches up with one who writes all the time; what little it leaves the writer does by itself, which lets the log begin anew.
 *
 * `failed` is called once if the thread cannot go on.
 */
export function openCheckpoints(file: string, failed: () => void): Checkpoints {
  const thread = new Worker(new URL('./checkpointing.js', import.meta.url), {
    workerData: file,
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  // It keeps no process alive.
  thread.unref()
  thread.once('error', failed)
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  let bytesInLog = 0
  return {
    committed: (bytes) => {
      bytesInLog += bytes
      if (bytesInLog < BYTES_A_CHECKPOINT) return
      bytesInLog = 0
      thread.postMessage('checkpoint')
    },
    end: () => {
      thread.ref()
      thread.postMessage('end')
      return ended
    },
  }
}
