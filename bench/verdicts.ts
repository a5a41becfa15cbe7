import { median, medians } from './figures.ts'
import type { Comparison } from './options.ts'
import { type Measured, ratioOf } from './report.ts'
import type { Woken } from './waking.ts'
import {
  type EngineName,
  MAX_AWAKE_MS,
  MAX_MEMORY_MIB,
  MAX_P99_TIMES,
  MAX_P99_TIMES_WHILE_WAKING,
  MAX_READY_MS,
  MAX_TIMES_SLOWER,
  type Work,
} from './works.ts'

/** What was to be reached, and whether it was. */
export interface Verdict {
  what: string
  goal: string
  value: number
  isMet: boolean
}

function under(what: string, value: number, limit: number, goal = `under ${limit}`): Verdict {
  return { what, goal, value, isMet: value < limit }
}

/** On Fivetab's share of its rivals, and on its latency where that was measured. */
export function onWork({ name, goals }: Work, measured: Measured, engine: EngineName): Verdict[] {
  const shares = goals[engine].map(({ of, atLeast }) => {
    const value = ratioOf(measured, 'fivetab', of)
    return { what: name, goal: `at least ${atLeast} of ${of}`, value, isMet: value >= atLeast }
  })
  if (measured.half.fivetab === undefined) return shares
  const { p50Ms, p99Ms } = medians(measured.half.fivetab)
  return [...shares, under(`${name}, p99 at half the load`, p99Ms / p50Ms, MAX_P99_TIMES, `under ${MAX_P99_TIMES} times the median`)]
}

/** On how much slower Fivetab is with many tasks. More accounts or more instances have no goal: their ratios are printed with the figures. */
export function onComparison({ name }: Work, measured: Measured, { along, small, large }: Comparison): Verdict[] {
  if (along !== 'tasks') return []
  const names = Object.keys(measured.rounds)
  const value = 1 / ratioOf(measured, names.at(-1) ?? '', names[0] ?? '')
  const goal = `at most ${MAX_TIMES_SLOWER} times slower than ${small.tasks}`
  return [{ what: `${name}, ${large.tasks} tasks`, goal, value, isMet: value <= MAX_TIMES_SLOWER }]
}

export function onMemory(mebibytes: number): Verdict {
  return under('memory after the mix, in MiB', mebibytes, MAX_MEMORY_MIB)
}

export function onStarts(readyMs: readonly number[], tasks: number): Verdict {
  return under(`start to ready with ${tasks} tasks, in ms`, median(readyMs), MAX_READY_MS)
}

export function onWaking(woken: readonly Woken[], tasks: number): Verdict[] {
  const times = median(woken.map(({ before, meanwhile }) => meanwhile.p99Ms / before.p99Ms))
  return [
    under(`${tasks} tasks due at once all awake, in ms`, median(woken.map(({ awakeMs }) => awakeMs)), MAX_AWAKE_MS),
    under(`p99 of reads meanwhile`, times, MAX_P99_TIMES_WHILE_WAKING, `under ${MAX_P99_TIMES_WHILE_WAKING} times that without`),
  ]
}
