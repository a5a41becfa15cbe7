import { type Figures, median, medians } from './figures.ts'
import type { Verdict } from './verdicts.ts'
import { READS_A_SECOND, type Woken } from './waking.ts'

/** What a run found, in figures and in words. */

/** What a work came to on each contestant, Fivetab last. `half` is at half of Fivetab's top throughput. */
export interface Measured {
  work: string
  connections: number
  rounds: Record<string, Figures[]>
  half: Record<string, Figures[]>
}

/** The throughput of one as a share of another's: the median over the rounds, each of which has both shortly after each other. */
export function ratioOf({ rounds }: Measured, one: string, other: string): number {
  const others = rounds[other] ?? []
  return median((rounds[one] ?? []).map((round, index) => round.requestsPerSecond / (others[index] as Figures).requestsPerSecond))
}

export function printMeasured(measured: Measured): void {
  const { work, connections, rounds, half } = measured
  const names = Object.keys(rounds)
  const last = names.at(-1) ?? ''
  console.log(`\n${work}, ${connections === 1 ? '1 connection' : `${connections} connections`}`)
  for (const [name, all] of Object.entries(rounds)) {
    const ratios = name === last ? names.slice(0, -1).map((other) => `${ratioOf(measured, last, other).toFixed(2)} of ${other}`) : []
    console.log(`  ${line(name, medians(all))}   ${ratios.join(', ')}`.trimEnd())
  }
  for (const [name, all] of Object.entries(half)) console.log(`  ${line(`  ${name}, at half`, medians(all))}`)
}

function line(name: string, { requestsPerSecond, p50Ms, p99Ms }: Figures): string {
  const rate = Math.round(requestsPerSecond).toLocaleString('en').padStart(7)
  return `${name.padEnd(24)} ${rate} requests/s   p50 ${p50Ms.toFixed(2).padStart(6)} ms   p99 ${p99Ms.toFixed(2).padStart(6)} ms`
}

export function printWaking(woken: readonly Woken[], tasks: number): void {
  console.log(`\n${tasks} tasks due in one second, ${READS_A_SECOND} reads a second meanwhile`)
  const awakeMs = woken.map((round) => round.awakeMs)
  console.log(`  the last of them awake after ${Math.round(median(awakeMs))} ms (${awakeMs.map(Math.round).join(', ')})`)
  console.log(`  ${line('fivetab, before', medians(woken.map(({ before }) => before)))}`)
  console.log(`  ${line('fivetab, meanwhile', medians(woken.map(({ meanwhile }) => meanwhile)))}`)
}

export function printVerdicts(verdicts: readonly Verdict[]): void {
  for (const { what, goal, value, isMet } of verdicts) {
    const found = value.toFixed(value < 10 ? 2 : 0)
    console.log(`  ${what.padEnd(48)} ${found.padStart(6)}   ${isMet ? 'pass    ' : 'short of'}   ${goal}`)
  }
}
