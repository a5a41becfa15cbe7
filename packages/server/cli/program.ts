import { Command, CommanderError } from 'commander'
import { WrongSettings } from '../settings.ts'
import { SchemaTooNew, SchemaTooOld } from '../store/migrate.ts'
import { UnfinishedCopy } from '../store/unfinished-copy.ts'
import { accountCommand } from './account.ts'
import { apiCommand } from './api.ts'
import { backupCommand } from './backup.ts'
import { BadNews, type Context, isWrongValue } from './context.ts'
import { copyCommand } from './copy.ts'
import { doctorCommand } from './doctor.ts'
import { eventCommand } from './event.ts'
import { migrateCommand } from './migrate.ts'
import { planCommand } from './plan.ts'
import { serveCommand } from './serve.ts'
import { tokenCommand } from './token.ts'
import { webhookCommand } from './webhook.ts'

const OK = 0
const FAULT = 1
const WRONG_USE = 2

/** Runs one command line and answers with its exit code: 0 done, 1 a fault or bad news, 2 a wrong word, value or setting. */
export async function runCommandLine(words: readonly string[], context: Context): Promise<number> {
  try {
    await programFor(context).parseAsync(words, { from: 'user' })
    return OK
  } catch (error) {
    return exitCodeOf(error, context)
  }
}

function programFor(context: Context): Command {
  const program = new Command('fivetab')
    .description('The operator’s command line of Fivetab. It works on the same store as the service, also while that runs.')
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), writeErr: (text) => context.printError(text.trimEnd()) })
  serveCommand(program, context)
  accountCommand(program, context)
  tokenCommand(program, context)
  planCommand(program, context)
  eventCommand(program, context)
  webhookCommand(program, context)
  apiCommand(program, context)
  migrateCommand(program, context)
  backupCommand(program, context)
  copyCommand(program, context)
  doctorCommand(program, context)
  return program
}

function exitCodeOf(error: unknown, context: Context): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : WRONG_USE
  if (error instanceof BadNews) return FAULT
  if (isWrongValue(error) || error instanceof WrongSettings) {
    context.printError(error.message)
    return WRONG_USE
  }
  if (error instanceof SchemaTooNew || error instanceof SchemaTooOld || error instanceof UnfinishedCopy) {
    context.printError(error.message)
    return FAULT
  }
  context.printError(error instanceof Error ? `fivetab failed: ${error.message}` : `fivetab failed: ${String(error)}`)
  return FAULT
}
