import { DEFAULT_PLANS } from '@fivetab/domain/plan.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { insertPlan } from './plans.ts'
import type { Engine, Reader, Writer } from './store.ts'

/** The database was made by a newer program than this one. */
export class SchemaTooNew extends Error {
  constructor(version: number) {
    super(
      `The database has schema ${version}, and this program knows only up to ${MIGRATIONS.length}: it was opened by a newer Fivetab before. Start that one, or restore a backup from before the upgrade.`,
    )
    this.name = 'SchemaTooNew'
  }
}

/** The database has to be brought to a newer schema first. */
export class SchemaTooOld extends Error {
  constructor(version: number) {
    super(
      `The database has schema ${version}, and this program works with ${MIGRATIONS.length}. Run fivetab migrate, or start the service, which does that.`,
    )
    this.name = 'SchemaTooOld'
  }
}

export const NEWEST_SCHEMA = MIGRATIONS.length

/** The number of the last migration that was applied; 0 for an empty database. */
export async function schemaVersion(engine: Engine): Promise<number> {
  return (await engine.hasTable('migrations')) ? newestApplied(engine) : 0
}

/** @throws SchemaTooOld, SchemaTooNew */
export async function requireNewestSchema(engine: Engine): Promise<void> {
  const version = await schemaVersion(engine)
  if (version > NEWEST_SCHEMA) throw new SchemaTooNew(version)
  if (version < NEWEST_SCHEMA) throw new SchemaTooOld(version)
}

async function newestApplied(reader: Reader): Promise<number> {
  const row = await reader.one<{ version: number | null }>('select max(number) as version from migrations', [])
  return row?.version ?? 0
}

/**
 * Brings the database to the newest schema, all of it in one transaction, and returns the names of what was applied.
 * @throws SchemaTooNew
 */
export function migrate(engine: Engine, now: number): Promise<string[]> {
  return engine.transact(async (writer) => {
    if (engine.dialect.lockSchema !== null) await writer.run(engine.dialect.lockSchema, [])
    await writer.run(
      'create table if not exists migrations (number bigint not null primary key, name text not null, applied_at bigint not null)',
      [],
    )
    const from = await newestApplied(writer)
    if (from > NEWEST_SCHEMA) throw new SchemaTooNew(from)
    const missing = MIGRATIONS.slice(from)
    for (const [index, { name, statements }] of missing.entries()) {
      for (const statement of statements(engine.dialect)) await writer.run(statement, [])
      await writer.run('insert into migrations (number, name, applied_at) values ($1, $2, $3)', [from + index + 1, name, now])
    }
    if (from === 0) await fillNew(writer)
    return missing.map(({ name }) => name)
  })
}

async function fillNew(writer: Writer): Promise<void> {
  for (const plan of DEFAULT_PLANS) await insertPlan(writer, plan)
  await writer.run("insert into switches (name, is_on) values ('api', 1)", [])
}
