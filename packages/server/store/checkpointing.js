// Plain JavaScript on purpose: a thread that has to strip types takes 20 MiB more.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** The thread of `checkpoints.ts`, on a connection of its own. */

/** Pages in the log above which it is emptied, which keeps writers waiting for a moment: one that is written to all the time never runs empty by itself. */
const MANY_PAGES = 4_000
/** How long to wait for whoever writes. */
const BUSY_TIMEOUT_MS = 1_000

const database = new DatabaseSync(workerData, { timeout: BUSY_TIMEOUT_MS })
database.exec('pragma synchronous = full')
const besideWriters = database.prepare('pragma wal_checkpoint(passive)')
const untilEmpty = database.prepare('pragma wal_checkpoint(restart)')

function checkpoint() {
  try {
    if (Number(besideWriters.get()?.log) > MANY_PAGES) untilEmpty.get()
  } catch {
    // A disk that is full or fails is told of by the next write. What is in the log is safe there, and is tried again.
  }
}

parentPort?.on('message', (word) => {
  if (word === 'checkpoint') return checkpoint()
  database.close()
  parentPort?.close()
})
