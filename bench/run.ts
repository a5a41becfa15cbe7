import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type PostgresServer, startPostgres } from '../test/postgres.ts'
import { type Contestant, copyOf, inPostgres, memoryMiB, startBare, startFivetab, startFloor, stopAll } from './contestants.ts'
import { requireSameAnswers, requireSameRecords } from './honesty.ts'
import { type Figures, load, loadByScript, tools } from './load.ts'
import { type Measured, median, medians, printMeasured, printVerdicts, ratioOf, type Verdict } from './report.ts'
import { isRead, PATHS, type Script } from './scripts.ts'
import { type Place, seed } from './seed.ts'
import { type EngineName, MAX_MEMORY_MIB, MAX_P99_TIMES, MAX_READY_MS, MAX_TIMES_SLOWER, MIX, WORKS, type Work } from './works.ts'

/**
 * How fast Fivetab is, complete (token looked up, limits counted, input checked, events written), against servers that do less: all in one run on one
 * machine, work by work, in turn, medians of the rounds.
 *
 *     npm run bench                                under 5 minutes
 *     npm run bench -- --quick                     under 60 seconds: what has a goal of its own, and the mix
 *     npm run bench -- --only 'POST task'          the works whose name holds these words
 *     npm run bench -- --tasks 1000000             Fivetab with so many tasks against itself with 10,000
 *     npm run bench -- --engine postgres           on a PostgreSQL server of its own, whose processes take what core is free
 *     npm run bench -- --json results.json         all figures of all rounds
 *
 * Not measured here: several instances, many accounts, many tasks that wake at once.
 */

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string', default: '' },
    tasks: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
if (values.engine !== 'sqlite' && values.engine !== 'postgres') throw new Error('--engine is sqlite or postgres')
const engine: EngineName = values.engine
const startedAt = performance.now()
const ROUNDS = 3
const STARTS = 3
const FEW_TASKS = 10_000
const many = values.tasks === undefined ? null : Number(values.tasks)
const LIMIT_MS = values.quick ? 60_000 : 300_000
/** wrk counts whole seconds. */
const READ_MS = values.quick ? 1_000 : 2_000
const WRITE_MS = values.quick ? 500 : 1_500
const WARM_UP_MS = values.quick ? 300 : 1_000
/** Passes in each load of our own before its measuring begins. */
const JOINED_WARM_UP_MS = values.quick ? 100 : 500
const HALF_MS = values.quick ? 500 : 1_500
/** What a quick run has the time for at half the load. */
const QUICK_HALVES: readonly Script[] = ['task', 'post']
/** What a process of a load takes to start and end. */
const LOAD_START_MS = 300
/** Kept for the starts and the end of a run. */
const RESERVE_MS = values.quick ? 4_000 : 12_000

function order(contestant: Contestant, { script, connections }: Work, measureMs: number, rate: number | null = null) {
  const { url, seed } = contestant
  return { url, token: seed.token, tasks: seed.tasks, script, connections, rate, measureMs, warmUpMs: JOINED_WARM_UP_MS }
}

function measure(contestant: Contestant, work: Work): Promise<Figures> {
  const { script, connections } = work
  return isRead(script)
    ? load(contestant.url + PATHS[script], contestant.seed.token, connections, READ_MS / 1000)
    : loadByScript(order(contestant, work, WRITE_MS))
}

/** Measures a work on each contestant in turn, round by round, and then Fivetab at half of what it can do. */
async function measureAll(work: Work, contestants: readonly Contestant[], withHalf: boolean): Promise<Measured> {
  const rounds: Record<string, Figures[]> = Object.fromEntries(contestants.map(({ name }) => [name, []]))
  for (const contestant of contestants) if (isRead(work.script)) await loadByScript(order(contestant, work, WARM_UP_MS))
  for (let round = 0; round < ROUNDS; round++) {
    for (const contestant of contestants) rounds[contestant.name]?.push(await measure(contestant, work))
  }
  return { work: work.name, connections: work.connections, rounds, half: withHalf ? await measureHalf(work, contestants, rounds) : {} }
}

/** Fivetab at half of what it can do; in a run that is not quick also a floor at that rate, to tell what is the machine's. */
async function measureHalf(
  work: Work,
  contestants: readonly Contestant[],
  { fivetab = [] }: Measured['rounds'],
): Promise<Measured['half']> {
  const rate = medians(fivetab).requestsPerSecond / 2
  const half: Measured['half'] = {}
  for (const contestant of contestants.slice(values.quick ? -1 : -2)) {
    const rounds: Figures[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await loadByScript(order(contestant, work, HALF_MS, rate)))
    half[contestant.name] = rounds
  }
  return half
}

/** How long `measureAll` takes, roughly. */
function costMs({ script }: Work, contestants: number, withHalf: boolean): number {
  const roundMs = isRead(script) ? READ_MS : WRITE_MS + JOINED_WARM_UP_MS + LOAD_START_MS
  const halfMs = withHalf ? ROUNDS * (HALF_MS + JOINED_WARM_UP_MS + LOAD_START_MS) * (values.quick ? 1 : 2) : 0
  const warmUpMs = isRead(script) ? WARM_UP_MS + LOAD_START_MS : 0
  return contestants * (ROUNDS * roundMs + warmUpMs) + halfMs
}

function isWanted({ name, goals }: Work): boolean {
  if (values.only !== '') return name.includes(values.only)
  return !values.quick || goals[engine].length > 0
}

/** What a work with goals came to. */
function verdictsOn({ name, goals }: Work, measured: Measured): Verdict[] {
  if (many !== null) {
    const times = 1 / ratioOf(measured, FIVETAB_OF_MANY, 'fivetab')
    return [
      {
        what: `${name}, ${many} tasks`,
        goal: `at most ${MAX_TIMES_SLOWER} times slower than ${FEW_TASKS}`,
        value: times,
        isMet: times <= MAX_TIMES_SLOWER,
      },
    ]
  }
  const shares = goals[engine].map(({ of, atLeast }) => {
    const value = ratioOf(measured, 'fivetab', of)
    return { what: name, goal: `at least ${atLeast} of ${of}`, value, isMet: value >= atLeast }
  })
  if (measured.half.fivetab === undefined) return shares
  const { p50Ms, p99Ms } = medians(measured.half.fivetab)
  const value = p99Ms / p50Ms
  return [
    ...shares,
    { what: `${name}, p99 at half the load`, goal: `under ${MAX_P99_TIMES} times the median`, value, isMet: value < MAX_P99_TIMES },
  ]
}

const FIVETAB_OF_MANY = `fivetab, ${many} tasks`

/** All servers, Fivetab last. Before anything is measured they are held to answer alike. */
async function startContestants(folder: string, server: PostgresServer | null): Promise<Contestant[]> {
  const base = await seed(await placeFor('few', folder, server), FEW_TASKS)
  if (many !== null) {
    return [await startFivetab(base), await startFivetab(await seed(await placeFor('many', folder, server), many), FIVETAB_OF_MANY)]
  }
  const floors = [await startFloor(await copyOf(base, 'floor'), 'floor')]
  if (server === null) floors.push(await startFloor(await copyOf(base, 'shared'), 'shared floor', '--share-commits'))
  const fivetab = await startFivetab(base)
  await requireSameAnswers(fivetab, floors)
  for (const floor of floors) if (floor.name === 'shared floor') requireSameRecords(fivetab, floor)
  return [await startBare(fivetab), ...floors, fivetab]
}

async function placeFor(name: string, folder: string, server: PostgresServer | null): Promise<Place> {
  const dataDir = join(folder, name)
  if (server === null) return { dataDir, databaseUrl: null }
  await inPostgres(server.url, `create database ${name}`)
  return { dataDir, databaseUrl: new URL(`/${name}`, server.url).href }
}

/** Times from the start of the process to its word that it is ready, in ms. It begins and ends with Fivetab stopped. */
async function timeStarts({ seed, name }: Contestant): Promise<number[]> {
  const times: number[] = []
  for (let number = 0; number < STARTS; number++) {
    const again = await startFivetab(seed, name)
    times.push(again.readyMs)
    await again.stop()
  }
  return times
}

async function endEarly(): Promise<void> {
  await cleanUp()
  process.exit(1)
}

async function cleanUp(): Promise<void> {
  await stopAll()
  await server?.stop()
}

const folder = mkdtempSync(join(tmpdir(), 'fivetab-bench-'))
// What stops PostgreSQL may end this process before the rest of it is cleaned up.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
const server = engine === 'postgres' ? await startPostgres([]) : null
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void endEarly())
try {
  const contestants = await startContestants(folder, server)
  const fivetab = contestants.at(-1) as Contestant
  console.log(
    `${server === null ? 'Embedded database' : 'PostgreSQL'}, ${fivetab.seed.tasks} tasks in one account; ${ROUNDS} rounds in turn, medians; ${tools}; node ${process.version}`,
  )
  const results: Measured[] = []
  const verdicts: Verdict[] = []
  const leftOut: string[] = []
  for (const work of [...WORKS, MIX].filter((work) => work === MIX || isWanted(work))) {
    const measured = contestants.filter(({ name }) => many !== null || name === 'fivetab' || work.rivals.some((rival) => rival === name))
    const withHalf = many === null && work.goals[engine].length > 0 && (!values.quick || QUICK_HALVES.includes(work.script))
    if (performance.now() - startedAt + costMs(work, measured.length, withHalf) > LIMIT_MS - RESERVE_MS) {
      leftOut.push(work.name)
      continue
    }
    const result = await measureAll(work, measured, withHalf)
    results.push(result)
    verdicts.push(...verdictsOn(work, result))
    printMeasured(result)
  }
  const memory = memoryMiB(fivetab)
  if (!leftOut.includes(MIX.name))
    verdicts.push({ what: 'memory after the mix, in MiB', goal: `under ${MAX_MEMORY_MIB}`, value: memory, isMet: memory < MAX_MEMORY_MIB })
  await fivetab.stop()
  const readyMs = median(await timeStarts(fivetab))
  verdicts.push({
    what: `start to ready with ${fivetab.seed.tasks} tasks, in ms`,
    goal: `under ${MAX_READY_MS}`,
    value: readyMs,
    isMet: readyMs < MAX_READY_MS,
  })
  printVerdicts(verdicts)
  if (leftOut.length > 0) console.log(`\nLeft out, for want of time: ${leftOut.join(', ')}`)
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ engine, tasks: fivetab.seed.tasks, tools, results, verdicts, leftOut }, null, 2)}\n`)
} finally {
  await cleanUp()
}
