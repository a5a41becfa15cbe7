import { join } from 'node:path'
import type { PostgresServer } from '../test/postgres.ts'
import { type Contestant, copyOf, inPostgres, startBare, startFivetab, startFloor } from './contestants.ts'
import type { Place } from './database.ts'
import { requireSameAnswers, requireSameRecords } from './honesty.ts'
import type { Comparison } from './options.ts'
import { type Seed, seed } from './seed.ts'
import type { Rival } from './works.ts'

/** Who is measured in a run, on databases that begin alike. */

/** Where a run has its databases: on a server of its own, or else in the folder. */
export interface Ground {
  folder: string
  server: PostgresServer | null
}

export interface Contest {
  /** Fivetab last. */
  contestants: readonly Contestant[]
  /** A database of its own for the waking of tasks; null where that is not measured. */
  forWaking: Seed | null
}

/** Fivetab and those of the rivals that are wanted. Before anything is measured they are held to answer alike. */
export async function startRivals(ground: Ground, tasks: number, wanted: ReadonlySet<Rival>): Promise<Contest> {
  const base = await seed(await placeFor('base', ground), tasks)
  // While nobody has it open.
  const copy = { floor: await copyOf(base, 'floor'), shared: await copyOf(base, 'shared'), waking: await copyOf(base, 'waking') }
  const floors = [await startFloor(copy.floor, 'floor')]
  if (wanted.has('shared floor')) floors.push(await startFloor(copy.shared, 'shared floor', '--share-commits'))
  const fivetab = await startFivetab(base)
  await requireSameAnswers(fivetab, floors)
  for (const floor of floors) if (floor.name === 'shared floor') requireSameRecords(fivetab, floor)
  const ceiling = wanted.has('bare') ? [await startBare(fivetab)] : []
  return { contestants: [...ceiling, ...floors, fivetab], forWaking: copy.waking }
}

/** Fivetab twice, the second time with more of one thing. */
export async function startComparison(ground: Ground, { along, small, large }: Comparison): Promise<Contest> {
  const one = await seed(await placeFor('small', ground), small.tasks, small.accounts)
  const other =
    along === 'instances' ? await copyOf(one, 'large') : await seed(await placeFor('large', ground), large.tasks, large.accounts)
  const contestants = [
    await startFivetab(one, 'fivetab', small.instances),
    await startFivetab(other, `fivetab, ${large[along]} ${along}`, large.instances),
  ]
  return { contestants, forWaking: null }
}

async function placeFor(name: string, { folder, server }: Ground): Promise<Place> {
  const dataDir = join(folder, name)
  if (server === null) return { dataDir, databaseUrl: null }
  await inPostgres(server.url, `create database ${name}`)
  return { dataDir, databaseUrl: new URL(`/${name}`, server.url).href }
}
