import { parseArgs } from 'node:util'
import type { EngineName } from './works.ts'

/** What the command line asks for, and how long that lets each measurement take. */

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string', default: '' },
    tasks: { type: 'string' },
    accounts: { type: 'string' },
    instances: { type: 'string' },
    engine: { type: 'string' },
  },
})

/** How much there is, and how many processes serve it. */
export interface Size {
  /** In all accounts together. */
  tasks: number
  accounts: number
  instances: number
}

/** Fivetab against itself with more of one thing; all else is as in `large`. */
export interface Comparison {
  along: keyof Size
  small: Size
  large: Size
}

const FEW_TASKS = 10_000
/** So that a page of 50 is full. */
const TASKS_AN_ACCOUNT = 100
/** Each connection of a load has accounts of its own. */
const MIN_ACCOUNTS = 32

function numberOf(name: 'tasks' | 'accounts' | 'instances', fallback: number, min: number): number {
  const number = Number(values[name] ?? fallback)
  if (!Number.isInteger(number) || (number !== fallback && number < min)) throw new Error(`--${name} is a whole number from ${min} on`)
  return number
}

function wantedComparison(): Comparison | null {
  const accounts = numberOf('accounts', 1, MIN_ACCOUNTS)
  const tasks = numberOf('tasks', accounts === 1 ? FEW_TASKS : accounts * TASKS_AN_ACCOUNT, FEW_TASKS)
  const large = { tasks, accounts, instances: numberOf('instances', 1, 2) }
  if (tasks % accounts > 0) throw new Error('--tasks is so many times --accounts, without rest')
  if (large.instances > 1) return { along: 'instances', small: { ...large, instances: 1 }, large }
  if (accounts > 1) return { along: 'accounts', small: { ...large, accounts: 1 }, large }
  return values.tasks === undefined ? null : { along: 'tasks', small: { ...large, tasks: FEW_TASKS }, large }
}

function wantedEngines(comparison: Comparison | null): EngineName[] {
  const { engine } = values
  if (engine !== undefined && engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine is sqlite or postgres')
  if (comparison?.along === 'instances') {
    if (engine === 'sqlite') throw new Error('--instances needs PostgreSQL: the embedded database is for one process')
    return ['postgres']
  }
  if (engine !== undefined) return [engine]
  return values.quick || comparison !== null ? ['sqlite'] : ['sqlite', 'postgres']
}

export const isQuick = values.quick
/** Words that the name of a work holds. */
export const only = values.only
export const jsonFile = values.json
export const comparison = wantedComparison()
export const engines = wantedEngines(comparison)
export const plainSize: Size = { tasks: FEW_TASKS, accounts: 1, instances: 1 }

export const ROUNDS = 3
export const LIMIT_MS = isQuick ? 60_000 : 300_000
/** Kept for the starts and the end of a run. */
export const RESERVE_MS = isQuick ? 4_000 : 8_000
/** What the first of two engines may take of it; the other, of which less is measured, has the rest. */
export const FIRST_OF_TWO_MS = 200_000
/** wrk counts whole seconds. */
export const READ_MS = 1_000
export const WRITE_MS = isQuick ? 500 : 1_000
export const WARM_UP_MS = isQuick ? 300 : 500
/** With the mix, before anything is measured: Fivetab runs far more code than a rival, and is compiled much later. */
export const FIRST_WARM_UP_MS = isQuick ? 1_500 : 3_000
/** Passes in each load of our own before its measuring begins. */
export const JOINED_WARM_UP_MS = isQuick ? 100 : 300
export const HALF_MS = isQuick ? 500 : 1_000
/** For how long the reads without any waking are measured. */
export const BEFORE_WAKING_MS = isQuick ? 1_000 : 2_000
