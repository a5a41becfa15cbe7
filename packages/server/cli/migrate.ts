import type { Command } from 'commander'
import { readSettings } from '../settings.ts'
import { migrate, NEWEST_SCHEMA, SchemaTooNew, schemaVersion } from '../store/migrate.ts'
import { hasDatabase, type Place, withEngine } from '../store/open.ts'
import { answer, BadNews, type Context, withJson } from './context.ts'

export function migrateCommand(program: Command, context: Context): void {
  withJson(program.command('migrate'))
    .description('bring the database to the newest schema; serve does that too')
    .option('--check', 'only tell whether it is at the newest, with exit code 1 if it is not')
    .action(async (options: { check?: true; json?: true }) => {
      const place = readSettings(context.environment)
      if (options.check) await check(context, place, options)
      else await bringUp(context, place, options)
    })
}

async function check(context: Context, place: Place, options: { json?: true }): Promise<void> {
  const version = (await hasDatabase(place)) ? await withEngine(place, schemaVersion) : 0
  if (version > NEWEST_SCHEMA) throw new SchemaTooNew(version)
  const isNewest = version === NEWEST_SCHEMA
  const text = isNewest
    ? `The database has the newest schema, ${version}.`
    : `The database has schema ${version}; the newest is ${NEWEST_SCHEMA}. Run fivetab migrate.`
  answer(context, options, { schema: version, newest: NEWEST_SCHEMA }, text)
  if (!isNewest) throw new BadNews()
}

async function bringUp(context: Context, place: Place, options: { json?: true }): Promise<void> {
  const applied = await withEngine(place, (engine) => migrate(engine, context.clock()))
  const text =
    applied.length === 0 ? `Nothing to do: the database has the newest schema, ${NEWEST_SCHEMA}.` : `Applied: ${applied.join(', ')}.`
  answer(context, options, { schema: NEWEST_SCHEMA, applied }, text)
}
