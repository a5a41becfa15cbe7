import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../test/postgres.ts'
import { stopAll } from './contestants.ts'
import { type Found, measureEngine, TITLES } from './engine.ts'
import { tools } from './load.ts'
import { comparison, engines, FIRST_OF_TWO_MS, jsonFile, LIMIT_MS, RESERVE_MS } from './options.ts'
import { printVerdicts } from './report.ts'
import type { EngineName } from './works.ts'

/**
 * How fast Fivetab is, complete (token looked up, limits counted, input checked, events written), against servers that do less: all in one run on one
 * machine, work by work, in turn, medians of the rounds.
 *
 *     npm run bench                                under 5 minutes: the embedded database, and what has a goal on PostgreSQL
 *     npm run bench -- --quick                     under 60 seconds: what has a goal on the embedded database
 *     npm run bench -- --engine postgres           everything on a PostgreSQL server of its own, whose processes take what core is free
 *     npm run bench -- --only 'POST task'          the works whose name holds these words; the waking of tasks is called "waking"
 *     npm run bench -- --json results.json         all figures of all rounds
 *
 * And Fivetab against itself with more of one thing, on the embedded database if nothing else is said:
 *
 *     npm run bench -- --tasks 1000000             against 10,000 tasks
 *     npm run bench -- --accounts 10000            100 tasks in each (or --tasks in all), against one account that has all of them
 *     npm run bench -- --instances 2               two processes on PostgreSQL, against one
 */

const startedAt = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'fivetab-bench-'))
// What stops PostgreSQL may end this process before the rest of it is cleaned up.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
let server: PostgresServer | null = null

async function measure(engine: EngineName): Promise<Found> {
  server = engine === 'postgres' ? await startPostgres([]) : null
  const isFirstOfTwo = engines.length > 1 && engine === engines[0]
  return measureEngine(
    engine,
    { folder: join(folder, engine), server },
    startedAt + (isFirstOfTwo ? FIRST_OF_TWO_MS : LIMIT_MS) - RESERVE_MS,
  )
}

function printGoals(all: readonly Found[]): void {
  for (const { engine, verdicts, leftOut } of all) {
    console.log(`\nGoals, ${TITLES[engine]}`)
    printVerdicts(verdicts)
    if (leftOut.length > 0) console.log(`  Left out, for want of time: ${leftOut.join(', ')}`)
  }
  if (comparison === null) console.log('\nRuns of their own: --tasks 1000000 (has goals), --accounts 10000, --instances 2')
}

async function endEarly(): Promise<void> {
  await cleanUp()
  process.exit(1)
}

async function cleanUp(): Promise<void> {
  await stopAll()
  await server?.stop()
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void endEarly())
try {
  const all: Found[] = []
  for (const engine of engines) all.push(await measure(engine))
  printGoals(all)
  if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify({ tools, runs: all }, null, 2)}\n`)
} finally {
  await cleanUp()
}
