// Plain JavaScript on purpose: a thread that has to strip types takes 20 MiB more.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** The thread of `checkpoints.ts`, on a connection of its own. */

const database = new DatabaseSync(workerData)
database.exec('pragma synchronous = full')
// Passive: it keeps nobody waiting and waits for nobody, however long somebody else reads.
const checkpoint = database.prepare('pragma wal_checkpoint(passive)')

parentPort?.on('message', (word) => {
  if (word === 'checkpoint') return checkpointQuietly()
  database.close()
  parentPort?.close()
})

function checkpointQuietly() {
  try {
    checkpoint.get()
  } catch {
    // A disk that is full or fails is told of by the next write. What is in the log is safe there, and is tried again.
  }
}
