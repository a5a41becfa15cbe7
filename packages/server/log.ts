import { type Logger, pino } from 'pino'
import type { RequestObserver } from './api/observer.ts'
import type { Settings } from './settings.ts'

/** Every answer is a line of the log: what was refused or failed as `info` (a fault has an error line of its own), the rest as `debug`. Never a URL, for what it may hold. */
export function logAnswer(log: Logger, ...[request, reply]: Parameters<RequestObserver['answered']>): void {
  const level = reply.statusCode >= 400 ? 'info' : 'debug'
  if (!log.isLevelEnabled(level)) return
  log[level](
    {
      reqId: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      account: request.caller?.account.id,
      token: request.caller?.token?.id,
      session: request.caller?.session?.id,
    },
    'answered',
  )
}

export function openLog(settings: Pick<Settings, 'logLevel'>): Logger {
  return pino({ level: settings.logLevel })
}
