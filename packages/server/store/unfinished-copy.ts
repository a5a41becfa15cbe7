import type { Engine, Reader, Writer } from './store.ts'

/**
 * The mark on a database that only a part of a copy is in: a table of its own, which is there from before the first row until all rows are
 * found to be the same. No service and no command works on such a database.
 */

const MARK = 'unfinished_copy'

/** The database holds only a part of what was to be copied into it. */
export class UnfinishedCopy extends Error {
  constructor(name: string, source: string) {
    super(
      `${name} holds an unfinished copy of ${source}. Run the same fivetab copy again, which goes on where it stopped; or delete that database, and copy to an empty one.`,
    )
    this.name = 'UnfinishedCopy'
  }
}

/** Where a copy comes from. */
export interface Origin {
  /** For a person, without a password. */
  name: string
  /** When the database was made, in ms since the epoch: another one in the same place is another origin. */
  madeAt: number
}

/** What an unfinished copy in the database comes from; null when there is none. */
export async function originOfUnfinishedCopy(engine: Engine): Promise<Origin | null> {
  if (!(await engine.hasTable(MARK))) return null
  return (await engine.one<Origin>(`select name, made_at as "madeAt" from ${MARK}`, [])) ?? null
}

/** @param name of the database, for a person. @throws UnfinishedCopy */
export async function requireNoUnfinishedCopy(engine: Engine, name: string): Promise<void> {
  const origin = await originOfUnfinishedCopy(engine)
  if (origin !== null) throw new UnfinishedCopy(name, origin.name)
}

/** What a copy of the database comes from: the database must have a schema. */
export async function originAt(source: Reader, name: string): Promise<Origin> {
  const row = await source.one<{ applied_at: number }>('select applied_at from migrations where number = 1', [])
  return { name, madeAt: row?.applied_at ?? 0 }
}

export async function setMark(writer: Writer, { name, madeAt }: Origin): Promise<void> {
  await writer.run(`create table ${MARK} (name text not null, made_at bigint not null)`, [])
  await writer.run(`insert into ${MARK} (name, made_at) values ($1, $2)`, [name, madeAt])
}

export async function removeMark(writer: Writer): Promise<void> {
  await writer.run(`drop table ${MARK}`, [])
}
