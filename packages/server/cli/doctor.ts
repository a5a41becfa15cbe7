import { accessSync, constants, statfsSync } from 'node:fs'
import { formatTime } from '@fivetab/domain/time.ts'
import type { Command } from 'commander'
import { readSettings, type Settings, WrongSettings } from '../settings.ts'
import { checkLedgers, latestStamp } from '../store/checks.ts'
import { NEWEST_SCHEMA, schemaVersion } from '../store/migrate.ts'
import { databaseFile, hasDatabase, openEngine } from '../store/open.ts'
import type { Engine, Finding } from '../store/store.ts'
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
  const { dataDir } = settings
  const findings: Finding[] = [{ what: 'settings', ok: true, detail: `data in ${dataDir}, listening on ${settings.host}:${settings.port}` }]
  if (!hasDatabase(dataDir)) {
    return [...findings, { what: 'database', ok: true, detail: `none yet at ${databaseFile(dataDir)}; fivetab serve makes it` }]
  }
  const folder = folderFinding(dataDir)
  findings.push(folder)
  return folder.ok ? [...findings, diskFinding(dataDir), ...(await databaseFindings(dataDir, context.clock()))] : findings
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
async function databaseFindings(dataDir: string, now: number): Promise<Finding[]> {
  try {
    const engine = openEngine(dataDir)
    try {
      return await examineDatabase(engine, now)
    } finally {
      await engine.close()
    }
  } catch (error) {
    return [{ what: 'database integrity', ok: false, detail: `${(error as Error).message}. Stop the service and restore the last backup.` }]
  }
}

async function examineDatabase(engine: Engine, now: number): Promise<Finding[]> {
  const version = await schemaVersion(engine)
  const findings = [schemaFinding(version), ...(await engine.inspect())]
  if (findings.some(({ ok }) => !ok)) return findings
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
