import { CAUSES, EVENT_TYPES, eventToJson } from '@fivetab/domain/event.ts'
import { formatTime } from '@fivetab/domain/time.ts'
import type { Command } from 'commander'
import { readLogOf } from '../actions/events.ts'
import type { Operator } from '../actions/operator.ts'
import type { LoggedEvent, LogPage } from '../store/events.ts'
import { asOperator, type Context, count, someCount, withJson } from './context.ts'

/** How often a log that is followed is looked at, in ms. */
const LOOK_EVERY_MS = 1_000
const EVENTS_A_READ = 500
const TYPE_WIDTH = widest(EVENT_TYPES)
const CAUSE_WIDTH = widest(CAUSES)
const SEQUENCE_WIDTH = 6

interface ListOptions {
  account: string
  after?: number
  limit?: number
  follow?: true
  json?: true
}

export function eventCommand(program: Command, context: Context): void {
  const event = program.command('event').description('read the log of what has changed in an account')

  withJson(event.command('list'))
    .description('print the log, an event a line: sequence, time, type, cause, and what changed by its id and its title or name')
    .requiredOption('--account <email>', 'the account')
    .option('--after <sequence>', 'only what came after the event of this sequence', count)
    .option('--limit <number>', 'no more than so many events; all of them if not given', someCount)
    .option('--follow', 'go on with what happens, until SIGINT or SIGTERM; without --after, begin with what happens from now on')
    .addHelpText('after', '\n--json prints an array of events as the API shows them; with --follow, an event a line.')
    .action((options: ListOptions) => asOperator(context, (by) => printLog(context, options, pagesOf(context, by, options))))
}

/** The pages of the log that are asked for. One that is followed comes to no end by itself. */
async function* pagesOf(context: Context, by: Operator, { account, after, limit, follow }: ListOptions): AsyncGenerator<LogPage> {
  let from = after ?? (follow ? (await readLogOf(by, account, null, 1)).latest : null)
  let left = limit ?? Number.POSITIVE_INFINITY
  let waitMs = 0
  while (!follow || (await context.pause(waitMs))) {
    const page = await readLogOf(by, account, from, Math.min(left, EVENTS_A_READ))
    yield page
    from = page.through
    left -= page.events.length
    if (left === 0 && page.hasMore) context.printError(`There is more: go on with --after ${from}.`)
    if (left === 0 || (!follow && !page.hasMore)) return
    waitMs = page.hasMore ? 0 : LOOK_EVERY_MS
  }
}

async function printLog(context: Context, { follow, json }: ListOptions, pages: AsyncIterable<LogPage>): Promise<void> {
  if (json && !follow) return printArray(context, pages)
  for await (const { events } of pages) for (const event of events) context.print(json ? eventToJson(event) : lineOf(event))
}

/** One JSON array, with a line for each page, so that a log of any length takes no more memory than that. */
async function printArray(context: Context, pages: AsyncIterable<LogPage>): Promise<void> {
  let held = '['
  for await (const { events } of pages) {
    if (events.length > 0 && held !== '[') {
      context.print(`${held},`)
      held = ''
    }
    held += events.map(eventToJson).join(',')
  }
  context.print(`${held}]`)
}

function lineOf({ sequence, occurredAt, type, cause, data }: LoggedEvent): string {
  const { id, key, title, name, label, url }: Record<string, string> = JSON.parse(data)
  const columns = [String(sequence).padStart(SEQUENCE_WIDTH), formatTime(occurredAt), type.padEnd(TYPE_WIDTH), cause.padEnd(CAUSE_WIDTH)]
  return [...columns, id ?? key, title ?? name ?? label ?? url].join('  ')
}

function widest(words: readonly string[]): number {
  return Math.max(...words.map((word) => word.length))
}
