import { type Contestant, memoryMiB, startFivetab } from './contestants.ts'
import { type Contest, type Ground, startComparison, startRivals } from './contests.ts'
import { tools } from './load.ts'
import { costMs, type Measurement, measureAll, warmUp } from './measuring.ts'
import { BEFORE_WAKING_MS, comparison, engines, isQuick, only, plainSize, ROUNDS, type Size } from './options.ts'
import { type Measured, printMeasured, printWaking } from './report.ts'
import type { Script } from './scripts.ts'
import { onComparison, onMemory, onStarts, onWaking, onWork, type Verdict } from './verdicts.ts'
import { costOfWakingMs, measureWaking, type Woken } from './waking.ts'
import { type EngineName, MIX, type Rival, WORKS, type Work } from './works.ts'

/** What a run measures on one engine. */

export interface Found {
  engine: EngineName
  size: Size
  results: Measured[]
  woken: Woken[]
  verdicts: Verdict[]
  leftOut: string[]
}

/** Something that is measured by itself, or left out. */
interface Part {
  name: string
  takesMs: number
  run(): Promise<void>
}

export const TITLES: Record<EngineName, string> = { sqlite: 'Embedded database', postgres: 'PostgreSQL' }
const STARTS = 3
const WAKING = 'waking'
/** What a quick run has the time for at half the load. */
const QUICK_HALVES: readonly Script[] = ['task']

/** Measures whatever there is the time for until `until` (of `performance.now()`), and leaves nothing running. */
export async function measureEngine(engine: EngineName, ground: Ground, until: number): Promise<Found> {
  const found: Found = { engine, size: comparison?.large ?? plainSize, results: [], woken: [], verdicts: [], leftOut: [] }
  const works = worksOn(engine)
  const contest = await startContest(ground, works, engine)
  printTitle(found)
  for (const contestant of contest.contestants) if (contestant.name.startsWith('fivetab')) await warmUp(contestant)
  for (const { name, takesMs, run } of partsOf(works, contest, found)) {
    if (performance.now() + takesMs > until) found.leftOut.push(name)
    else await run()
  }
  const fivetab = contest.contestants.at(-1) as Contestant
  await Promise.all(contest.contestants.map(({ stop }) => stop()))
  found.verdicts.push(onStarts(await timeStarts(fivetab), found.size.tasks))
  return found
}

/** Whether only what has a goal is measured, and only against those whom the goals name. */
function isOfGoalsAlone(engine: EngineName): boolean {
  return only === '' && (isQuick || engine !== engines[0])
}

function worksOn(engine: EngineName): Work[] {
  if (only !== '') return WORKS.filter(({ name }) => name.includes(only))
  if (comparison?.along === 'accounts') return WORKS.filter((work) => suitsManyAccounts(work))
  if (!isOfGoalsAlone(engine) && comparison?.along !== 'instances') return [...WORKS]
  return WORKS.filter((work) => work === MIX || work.goals[engine].length > 0)
}

/** A page of less than 50 is no page of 50. */
function suitsManyAccounts({ script, connections }: Work): boolean {
  const { tasks, accounts } = comparison?.large ?? plainSize
  return connections > 1 && (['anyTask', 'post', 'patch'].includes(script) || (script === 'page' && tasks / accounts > 50))
}

function rivalsOf({ goals, rivals }: Work, engine: EngineName): readonly Rival[] {
  if (isOfGoalsAlone(engine)) return goals[engine].map(({ of }) => of)
  return rivals.filter((rival) => engine === 'sqlite' || rival !== 'shared floor')
}

function startContest(ground: Ground, works: readonly Work[], engine: EngineName): Promise<Contest> {
  if (comparison !== null) return startComparison(ground, comparison)
  return startRivals(ground, plainSize.tasks, new Set(works.flatMap((work) => rivalsOf(work, engine))))
}

/** In order: what has a goal comes first, as time may run out. */
function partsOf(works: readonly Work[], contest: Contest, found: Found): Part[] {
  const parts = works.map((work): Part => {
    const measurement = measurementOf(work, contest.contestants, found.engine)
    return { name: work.name, takesMs: costMs(measurement), run: () => measureWork(measurement, found) }
  })
  const { forWaking } = contest
  if (forWaking === null || !(only === '' || WAKING.includes(only))) return parts
  const waking = { name: WAKING, takesMs: costOfWakingMs(ROUNDS, BEFORE_WAKING_MS), run: () => measureWakingOf(forWaking, found) }
  return parts.toSpliced(works.indexOf(MIX), 0, waking)
}

function measurementOf(work: Work, all: readonly Contestant[], engine: EngineName): Measurement {
  if (comparison !== null) return { work, contestants: all, atHalf: 0 }
  const rivals: readonly string[] = rivalsOf(work, engine)
  const contestants = all.filter(({ name }) => name === 'fivetab' || rivals.includes(name))
  const hasHalf = isQuick ? QUICK_HALVES.includes(work.script) : work.goals[engine].length > 0
  return { work, contestants, atHalf: hasHalf ? (isQuick || engines.length > 1 ? 1 : 2) : 0 }
}

async function measureWork(measurement: Measurement, found: Found): Promise<void> {
  const { work, contestants } = measurement
  const measured = await measureAll(measurement)
  found.results.push(measured)
  found.verdicts.push(...(comparison === null ? onWork(work, measured, found.engine) : onComparison(work, measured, comparison)))
  printMeasured(measured)
  if (work === MIX) found.verdicts.push(onMemory(memoryMiB(contestants.at(-1) as Contestant)))
}

async function measureWakingOf(seed: Contestant['seed'], found: Found): Promise<void> {
  const fivetab = await startFivetab(seed)
  found.woken = await measureWaking(fivetab, ROUNDS, BEFORE_WAKING_MS)
  await fivetab.stop()
  found.verdicts.push(...onWaking(found.woken, seed.tasks))
  printWaking(found.woken, seed.tasks)
}

/** Times from the start of the process to its word that it is ready, in ms, with the one that was there. */
async function timeStarts({ seed, name, readyMs }: Contestant): Promise<number[]> {
  const times = [readyMs]
  while (times.length < STARTS) {
    const again = await startFivetab(seed, name)
    times.push(again.readyMs)
    await again.stop()
  }
  return times
}

function printTitle({ engine, size: { tasks, accounts, instances } }: Found): void {
  const where = `${tasks} tasks in ${accounts === 1 ? 'one account' : `${accounts} accounts`}${instances === 1 ? '' : `, ${instances} instances`}`
  console.log(`\n${TITLES[engine]}, ${where}; ${ROUNDS} rounds in turn, medians; ${tools}; node ${process.version}`)
  if (instances > 1) console.log('The instances share one core, so this shows what they cost each other and not how they scale.')
}
