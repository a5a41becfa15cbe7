import { randomBytes } from 'node:crypto'
import { Failure } from '@fivetab/domain/failure.ts'
import { type Command, InvalidArgumentError } from 'commander'
import type { Operator } from '../actions/operator.ts'
import { type Environment, readSettings, type Settings } from '../settings.ts'
import { hasDatabase, nameOf, openStoreAsItIs, type Place } from '../store/open.ts'

/** What a command has of the world around it. */
export interface Context {
  environment: Environment
  /** Ms since the epoch. */
  clock: () => number
  print(line: string): void
  printError(line: string): void
  /** Writes in the place of what it wrote before, below all that was printed; there only where errors are shown on a terminal. */
  rewrite?: (line: string) => void
  /** Waits so many ms. Answers whether to go on: false, and at once, when the process is told to stop (SIGTERM, SIGINT). */
  pause(ms: number): Promise<boolean>
  /** A password: one line of the standard input, or, on a terminal, what is typed there and not shown. @throws Failure `invalid_request` for none */
  readPassword(): Promise<string>
  /** Starts the service; it is wired in main.ts. */
  startService(settings: Settings): Promise<RunningService>
}

interface RunningService {
  stop(): Promise<void>
}

/** A command that did its work and has bad news: exit code 1. What it had to say is printed already. */
export class BadNews extends Error {}

/** Every command that answers can answer in JSON. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON value instead of text')
}

/** Prints what a command has to say: `value` as JSON when that is asked for, `text` for a person otherwise. */
export function answer(context: Context, options: { json?: true }, value: unknown, text: string): void {
  context.print(options.json ? JSON.stringify(value) : text)
}

/**
 * Opens the store, does the operator's work, and closes it again.
 * @throws Failure `invalid_request` where there is no database: most likely DATA_DIR or DATABASE_URL is not the service's
 */
export async function asOperator<T>(context: Context, work: (by: Operator) => Promise<T>): Promise<T> {
  const place = readSettings(context.environment)
  if (!(await hasDatabase(place))) throw noDatabase(place)
  return asFirstOperator(context, work)
}

export function noDatabase(place: Place): Failure {
  const setting = place.databaseUrl === null ? 'DATA_DIR' : 'DATABASE_URL'
  return new Failure('invalid_request', `There is no database of Fivetab at ${nameOf(place)}. Is ${setting} right?`)
}

/** Like `asOperator`, for what may come before the first start: it makes the database where there is none. */
export async function asFirstOperator<T>(context: Context, work: (by: Operator) => Promise<T>): Promise<T> {
  const store = await openStoreAsItIs(readSettings(context.environment), context.clock, randomBytes)
  try {
    return await work({ store, clock: context.clock, random: randomBytes })
  } finally {
    await store.close()
  }
}

/** @throws InvalidArgumentError for anything but `on` and `off` */
export function onOrOff(text: string): boolean {
  if (text === 'on') return true
  if (text === 'off') return false
  throw new InvalidArgumentError('It must be on or off.')
}

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Ms of a duration such as `2s`, `15m`, `12h` or `30d`. */
export function duration(text: string): number {
  const parts = /^(\d{1,9})([smhd])$/.exec(text)
  const ms = parts === null ? 0 : Number(parts[1]) * (UNIT_MS[parts[2] as string] as number)
  if (ms === 0) throw new InvalidArgumentError('It must be a duration such as 2s, 15m, 12h or 30d.')
  return ms
}

/** A whole number from 0 on. */
export function count(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** A whole number from 1 on. */
export function someCount(text: string): number {
  const value = count(text)
  if (value === 0) throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return value
}

/** Rows as aligned columns, under a line of their names. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = names.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)))
  return [names, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A thing that is not there is, on the command line, a wrong value like any other. */
export function isWrongValue(error: unknown): error is Failure {
  return error instanceof Failure && ['invalid_request', 'not_found', 'out_of_reach'].includes(error.code)
}
