import { chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '@fivetab/domain/failure.ts'
import type { Command } from 'commander'
import { readSettings } from '../settings.ts'
import { hasDatabase, type Place, withEngine } from '../store/open.ts'
import { answer, type Context, noDatabase, withJson } from './context.ts'

export function backupCommand(program: Command, context: Context): void {
  withJson(program.command('backup'))
    .description('write a consistent copy of the database to a new file, also while the service runs')
    .argument('<file>', 'where to write it; it must not exist yet')
    .action(async (file: string, options: { json?: true }) => {
      const place = readSettings(context.environment)
      const target = resolve(file)
      if (!(await hasDatabase(place))) throw noDatabase(place)
      if (existsSync(target))
        throw new Failure('invalid_request', `${target} exists already. Choose another name, so that no backup overwrites another.`)
      await writeBackup(place, target)
      const bytes = statSync(target).size
      answer(context, options, { file: target, bytes }, `Wrote ${target} (${bytes} bytes). To restore it, see docs/operating.md.`)
    })
}

/** The file gets its name only once it is whole. */
async function writeBackup(place: Place, target: string): Promise<void> {
  const unfinished = `${target}.unfinished`
  for (const leftover of [unfinished, `${unfinished}-journal`]) rmSync(leftover, { force: true })
  try {
    await withEngine(place, (engine) => engine.backup(unfinished))
    chmodSync(unfinished, 0o600)
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { force: true })
    if (error instanceof Error && 'code' in error && !(error instanceof Failure))
      throw new Failure('invalid_request', `The backup could not be written to ${target}: ${error.message}.`)
    throw error
  }
}
