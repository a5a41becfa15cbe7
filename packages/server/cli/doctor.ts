import { accessSync, constants, statfsSync } from 'node:fs'
import { formatTime } from '@fivetab/domain/time.ts'
import type { Command } from 'commander'
import { readSettings, type Settings, WrongSettings } from '../settings.ts'
import { checkLedgers, latestStamp } from '../store/checks.ts'
import { NEWEST_SCHEMA, schemaVersion } from '../store/migrate.ts'
import { databaseFile, hasDatabase, nameOf, type Place, withEngine } from '../store/open.ts'
import type { Engine, Finding } from '../store/store.ts'
import { UnfinishedCopy } from '../store/unfinished-copy.ts'
import { answer, BadNews, type Context, withJson } from './context.ts'

const LEAST_FREE_BYTES = 256 * 1024 * 1024
/** How far the clock may lie behind the last write before it is suspicious. */
const CLOCK_TOLERANCE_MS = 60_000

export function doctorCommand(program: Command, context: Context): void {
  withJson(program.command('doctor'))
    .description('look for what is wrong, and say how to mend it; exit code 1 if anything is')
    .action(async (options: { json?: true }) => {
      const findings = await examine(context)
      const text = findings.map(({ what, ok, detail }) => `${ok ? 'ok   ' : 'WRONG'}  ${what}: ${detail}`).join('\n')
      answer(context, options, findings, text)
      if (findings.some(({ ok }) => !ok)) throw new BadNews()
    })
}

async function examine(context: Context): Promise<Finding[]> {
  const settings = settingsOf(context)
  if (Array.isArray(settings)) return settings
  const findings: Finding[] = [
    { what: 'settings', ok: true, detail: `data in ${nameOf(settings)}, listening on ${settings.host}:${settings.port}` },
  ]
  const { dataDir, databaseUrl } = settings
  if (databaseUrl === null && (await hasDatabase(settings))) {
    const folder = folderFinding(dataDir)
    if (!folder.ok) return [...findings, folder]
    findings.push(folder, diskFinding(dataDir))
  }
  return [...findings, ...(await databaseFindings(settings, context.clock()))]
}

function settingsOf(context: Context): Settings | Finding[] {
  try {
    return readSettings(context.environment)
  } catch (error) {
    if (error instanceof WrongSettings) return error.problems.map((detail) => ({ what: 'settings', ok: false, detail }))
    throw error
  }
}

function folderFinding(dataDir: string): Finding {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    accessSync(databaseFile(dataDir), constants.R_OK | constants.W_OK)
    return { what: 'folder of data', ok: true, detail: 'can be read and written' }
  } catch (error) {
    return { what: 'folder of data', ok: false, detail: `${(error as Error).message}. Give it to the user that runs the service.` }
  }
}

function diskFinding(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const mebibytes = Math.floor(free / 1024 / 1024)
  const ok = free >= LEAST_FREE_BYTES
  return { what: 'free disk', ok, detail: `${mebibytes} MiB${ok ? '' : '. Make room: when the disk is full, every write is refused.'}` }
}

/** A database that is damaged enough cannot even be looked at; that is a finding as well. */
async function databaseFindings(place: Place, now: number): Promise<Finding[]> {
  try {
    if (!(await hasDatabase(place))) return [{ what: 'database', ok: true, detail: `none yet at ${nameOf(place)}; fivetab serve makes it` }]
    return await withEngine(place, (engine) => examineDatabase(engine, now))
  } catch (error) {
    const reason = (error as Error).message
    if (error instanceof UnfinishedCopy) return [{ what: 'database', ok: false, detail: reason }]
    return place.databaseUrl === null
      ? [{ what: 'database integrity', ok: false, detail: `${reason}. Stop the service and restore the last backup.` }]
      : [{ what: 'database', ok: false, detail: `${reason} Is DATABASE_URL right, and does PostgreSQL run?` }]
  }
}

async function examineDatabase(engine: Engine, now: number): Promise<Finding[]> {
  const version = await schemaVersion(engine)
  const findings = [schemaFinding(version), ...(await engine.inspect())]
  // What is damaged, or has other tables, can be looked into no further.
  if (findings.some(({ what, ok }) => !ok && what !== 'durability')) return findings
  return [...findings, ...(await checkLedgers(engine)), clockFinding(await latestStamp(engine), now)]
}

function schemaFinding(version: number): Finding {
  if (version === NEWEST_SCHEMA) return { what: 'schema', ok: true, detail: `${version}, the newest` }
  const mend = version < NEWEST_SCHEMA ? 'Run fivetab migrate.' : 'A newer Fivetab made it: run that one.'
  return { what: 'schema', ok: false, detail: `${version}, and this program has ${NEWEST_SCHEMA}. ${mend}` }
}

function clockFinding(latest: number, now: number): Finding {
  const ok = now >= latest - CLOCK_TOLERANCE_MS
  const detail = ok
    ? `${formatTime(now)}, not before the last write`
    : `${formatTime(now)}, and the last write was at ${formatTime(latest)}. Set the clock right (timedatectl set-ntp true): until it has caught up, new changes carry that last time.`
  return { what: 'clock', ok, detail }
}
