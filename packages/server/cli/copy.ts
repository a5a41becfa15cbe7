import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '@fivetab/domain/failure.ts'
import type { Command } from 'commander'
import { readSettings } from '../settings.ts'
import { beginCopy, type Difference, finishCopy, type Outcome, type Progress, type Watch } from '../store/copying.ts'
import { hasDatabase, nameOf, type Place, withEngine, withTarget } from '../store/open.ts'
import type { Engine } from '../store/store.ts'
import { answer, BadNews, type Context, noDatabase, withJson } from './context.ts'

/** More differences than this are only counted. */
const MAX_NAMED = 20
const BAR_WIDTH = 20
/** Percent from one line to the next, where there is no terminal to show a bar. */
const LINE_EVERY = 10

interface CopyOptions {
  to: string
  json?: true
}

export function copyCommand(program: Command, context: Context): void {
  withJson(program.command('copy'))
    .description('copy the whole database to an empty one, also from the embedded store to PostgreSQL and back')
    .requiredOption('--to <target>', 'where to: postgres://user@host:5432/fivetab, or a folder for the embedded store')
    .addHelpText(
      'after',
      '\nStop the service first. A copy that was cut off goes on when the same command is run again. The password of PostgreSQL can be given in PGPASSWORD.',
    )
    .action(async (options: CopyOptions) => {
      const source = readSettings(context.environment)
      const target = targetOf(options.to, source)
      if (!(await hasDatabase(source))) throw noDatabase(source)
      const begun = context.clock()
      const outcome = await withEngine(source, (from) => withTarget(target, (to) => copy(context, from, to, nameOf(source))))
      if (outcome.differences.length > 0) throw badNews(context, outcome.differences)
      tell(context, options, outcome, { from: nameOf(source), to: nameOf(target), seconds: (context.clock() - begun) / 1000 })
    })
}

/** @throws Failure `invalid_request` for what is neither an address of PostgreSQL nor can be a folder. It may hold a password, so it is not repeated. */
function targetOf(text: string, source: Place): Place {
  if (/^postgres(ql)?:/.test(text) && URL.canParse(text)) return { ...source, databaseUrl: text }
  if (text === '' || /^[a-z][a-z0-9+.-]+:/i.test(text))
    throw new Failure('invalid_request', '--to must be an address such as postgres://user@host:5432/fivetab, or a folder.')
  const dataDir = resolve(text)
  if (statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Failure('invalid_request', `${dataDir} is a file. --to takes the folder that the database is to be in.`)
  return { ...source, databaseUrl: null, dataDir }
}

async function copy(context: Context, source: Engine, target: Engine, sourceName: string): Promise<Outcome> {
  const { isResumed } = await beginCopy(source, target, sourceName, context.clock())
  if (isResumed) context.printError('Going on with the copy that was begun before.')
  try {
    return await finishCopy(source, target, { isResumed, watch: watchOn(context) })
  } catch (error) {
    context.rewrite?.('')
    context.printError('The copy is unfinished. Run the same command again: it goes on where it stopped.')
    throw error
  }
}

function tell(context: Context, options: CopyOptions, { accounts, rows }: Outcome, about: { from: string; to: string; seconds: number }) {
  context.rewrite?.('')
  const { from, to, seconds } = about
  const text = `Copied ${accounts} ${accounts === 1 ? 'account' : 'accounts'}, ${rows} rows in all, from ${from} to ${to} in ${seconds.toFixed(1)} s. Both were read again and are the same.`
  answer(context, options, { from, to, accounts, rows, seconds }, text)
}

function badNews(context: Context, differences: readonly Difference[]): BadNews {
  context.rewrite?.('')
  const named = differences.slice(0, MAX_NAMED).map((difference) => `  ${inWords(difference)}`)
  const more = differences.length > MAX_NAMED ? [`  and ${differences.length - MAX_NAMED} more`] : []
  context.printError(
    [
      'The copy is not the same as the source:',
      ...named,
      ...more,
      'The source was most likely changed meanwhile: stop the service until the copy is done, for it writes by itself too (tasks wake). The target stays marked as unfinished, and nothing works on it: delete it, and copy to an empty one.',
    ].join('\n'),
  )
  return new BadNews()
}

function inWords({ table, account, rowsInSource, rowsInTarget }: Difference): string {
  const where = account === null ? `table ${table}` : `account ${account.email} (${account.id}), table ${table}`
  return rowsInSource === rowsInTarget
    ? `${where}: ${rowsInSource} rows in both, but not the same`
    : `${where}: ${rowsInSource} rows in the source, ${rowsInTarget} in the target`
}

/** Shows how far it is: as a bar on a terminal, otherwise as a line every now and then. */
function watchOn({ rewrite, printError }: Context): Watch {
  if (rewrite !== undefined) return (progress) => rewrite(`${bar(percentOf(progress))} ${described(progress)}`)
  let next = { doing: '', percent: 0 }
  return (progress) => {
    if (progress.doing !== next.doing) next = { doing: progress.doing, percent: LINE_EVERY }
    const percent = percentOf(progress)
    if (percent < next.percent) return
    printError(described(progress))
    next.percent = percent - (percent % LINE_EVERY) + LINE_EVERY
  }
}

function percentOf({ rows, allRows }: Progress): number {
  return Math.min(100, Math.floor((rows * 100) / Math.max(allRows, 1)))
}

function bar(percent: number): string {
  const done = Math.floor((percent * BAR_WIDTH) / 100)
  return `[${'#'.repeat(done)}${' '.repeat(BAR_WIDTH - done)}]`
}

function described(progress: Progress): string {
  const { doing, rows, allRows, account, accounts } = progress
  return `${doing}: ${percentOf(progress)} %, ${rows} of ${allRows} rows, account ${account} of ${accounts}`
}
