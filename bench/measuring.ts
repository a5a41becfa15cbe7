import type { Contestant } from './contestants.ts'
import { type Figures, medians } from './figures.ts'
import { load, loadByScript } from './load.ts'
import { FIRST_WARM_UP_MS, HALF_MS, JOINED_WARM_UP_MS, READ_MS, ROUNDS, WARM_UP_MS, WRITE_MS } from './options.ts'
import type { Measured } from './report.ts'
import { isRead, PATHS } from './scripts.ts'
import { MIX, type Work } from './works.ts'

/** How a work is measured, and how long that takes. */

export interface Measurement {
  work: Work
  /** Fivetab last. */
  contestants: readonly Contestant[]
  /** The last so many of them are also measured at half of what Fivetab can do: with a floor beside it one tells what is the machine's. */
  atHalf: number
}

/** What a process of a load takes to start and end. */
const LOAD_START_MS = 300

/** Lets Fivetab run until it is compiled. */
export async function warmUp(fivetab: Contestant): Promise<void> {
  await loadByScript(order(fivetab, MIX, FIRST_WARM_UP_MS))
}

/** Measures a work on each contestant in turn, round by round, and then at half of what Fivetab can do. */
export async function measureAll({ work, contestants, atHalf }: Measurement): Promise<Measured> {
  const rounds: Record<string, Figures[]> = Object.fromEntries(contestants.map(({ name }) => [name, []]))
  const byScript = !takesPlainLoad(work, contestants)
  for (const contestant of contestants) if (!byScript) await loadByScript(order(contestant, work, WARM_UP_MS))
  for (let round = 0; round < ROUNDS; round++) {
    for (const contestant of contestants) rounds[contestant.name]?.push(await measure(contestant, work, byScript))
  }
  const rate = medians(rounds[contestants.at(-1)?.name ?? ''] ?? []).requestsPerSecond / 2
  return {
    work: work.name,
    connections: work.connections,
    rounds,
    half: await measureAt(rate, work, contestants.slice(contestants.length - atHalf)),
  }
}

/** How long that takes, roughly. */
export function costMs({ work, contestants, atHalf }: Measurement): number {
  const ownLoadMs = (measureMs: number) => measureMs + JOINED_WARM_UP_MS + LOAD_START_MS
  const plain = takesPlainLoad(work, contestants)
  const roundsMs = ROUNDS * (plain ? READ_MS : ownLoadMs(WRITE_MS)) + (plain ? ownLoadMs(WARM_UP_MS) : 0)
  return contestants.length * roundsMs + atHalf * ROUNDS * ownLoadMs(HALF_MS)
}

/** Whether the load is one request with one token to one server, again and again, for each of them. */
function takesPlainLoad({ script }: Work, contestants: readonly Contestant[]): boolean {
  return isRead(script) && contestants.every(({ urls, seed }) => urls.length === 1 && seed.accounts === 1)
}

function measure(contestant: Contestant, work: Work, byScript: boolean): Promise<Figures> {
  const { urls, seed } = contestant
  const { script, connections } = work
  if (byScript || !isRead(script)) return loadByScript(order(contestant, work, WRITE_MS))
  return load(urls[0] + PATHS[script], seed.token, connections, READ_MS / 1000)
}

async function measureAt(rate: number, work: Work, contestants: readonly Contestant[]): Promise<Measured['half']> {
  const half: Measured['half'] = {}
  for (const contestant of contestants) {
    const rounds: Figures[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await loadByScript(order(contestant, work, HALF_MS, rate)))
    half[contestant.name] = rounds
  }
  return half
}

function order({ urls, seed }: Contestant, { script, connections }: Work, measureMs: number, rate: number | null = null) {
  const { token, tasks, accounts } = seed
  return { urls, token, tasks, accounts, script, connections, rate, measureMs, warmUpMs: JOINED_WARM_UP_MS }
}
