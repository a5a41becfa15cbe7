import type { Script } from './scripts.ts'

/** What is measured, and what is to be reached. */

export type EngineName = 'sqlite' | 'postgres'

/**
 * Who is measured beside Fivetab: bare as the ceiling, the floor with a commit for each write, and on the embedded database the
 * one that shares commits as Fivetab does.
 */
export type Rival = 'bare' | 'floor' | 'shared floor'

/** How near Fivetab is to come: its requests a second as a share of the rival's. */
export interface Goal {
  of: Rival
  atLeast: number
}

export interface Work {
  name: string
  script: Script
  connections: number
  rivals: readonly Rival[]
  goals: Record<EngineName, readonly Goal[]>
}

const NO_GOALS = { sqlite: [], postgres: [] } as const
const READ = { connections: 32, rivals: ['bare', 'floor'], goals: NO_GOALS } as const
const WRITE = { connections: 32, rivals: ['floor', 'shared floor'], goals: NO_GOALS } as const

/** The memory that it leaves behind is measured. */
export const MIX: Work = { ...WRITE, name: 'mix of 80 % reads', script: 'mix' }

/** Those with goals are what a quick run measures, and those whose latency at half the top throughput is measured. They come first, as time may run out. */
export const WORKS: readonly Work[] = [
  {
    ...READ,
    name: 'GET one task',
    script: 'task',
    goals: { sqlite: [{ of: 'floor', atLeast: 0.9 }], postgres: [{ of: 'floor', atLeast: 0.75 }] },
  },
  {
    ...READ,
    name: 'page of 50',
    script: 'page',
    goals: { sqlite: [{ of: 'floor', atLeast: 2 }], postgres: [{ of: 'floor', atLeast: 1.5 }] },
  },
  {
    ...WRITE,
    name: 'POST task',
    script: 'post',
    goals: {
      sqlite: [
        { of: 'shared floor', atLeast: 0.6 },
        { of: 'floor', atLeast: 2 },
      ],
      postgres: [{ of: 'floor', atLeast: 0.5 }],
    },
  },
  {
    ...WRITE,
    name: 'PATCH title with If-Match',
    script: 'patch',
    goals: { sqlite: [{ of: 'shared floor', atLeast: 0.6 }], postgres: [{ of: 'floor', atLeast: 0.5 }] },
  },
  MIX,
  { ...READ, name: 'GET any task', script: 'anyTask', rivals: ['floor'] },
  { ...READ, name: 'page of 50 of one Disposition', script: 'filtered', rivals: ['floor'] },
  { ...READ, name: 'updated_since with nothing new', script: 'nothingNew', rivals: ['floor'] },
  { ...WRITE, name: 'POST task one at a time', script: 'post', connections: 1 },
  { ...WRITE, name: 'complete and put back', script: 'complete' },
  { ...WRITE, name: 'tick a step and untick it', script: 'tick' },
]

/** With many tasks, Fivetab may be so much slower than with few. */
export const MAX_TIMES_SLOWER = 1.3
/** At half the top throughput, p99 stays under so many times the median. */
export const MAX_P99_TIMES = 5
export const MAX_READY_MS = 1_000
export const MAX_MEMORY_MIB = 200
/** So long after their time the last of all the tasks that are due at once is awake. */
export const MAX_AWAKE_MS = 3_000
/** Meanwhile p99 of reads stays under so many times that without the waking. */
export const MAX_P99_TIMES_WHILE_WAKING = 3
