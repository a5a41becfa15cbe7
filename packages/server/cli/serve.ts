import { once } from 'node:events'
import type { Command } from 'commander'
import { readSettings } from '../settings.ts'
import type { Context } from './context.ts'
import { toldToStop } from './pause.ts'

/** What a stop may take before the process ends anyway: requests in flight have their time, a broken one does not keep it for ever. */
const STOP_DEADLINE_MS = 9_000

export function serveCommand(program: Command, context: Context): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .addHelpText(
      'after',
      '\nSettings are read from the environment: HOST, PORT, DATA_DIR, BASE_URL, METRICS_PORT, LOG_LEVEL and more (docs/operating.md).',
    )
    .action(async () => {
      const settings = readSettings(context.environment)
      const told = toldToStop()
      const service = await context.startService(settings)
      if (!told.aborted) await once(told, 'abort')
      const deadline = setTimeout(
        () => {
          context.printError('The service did not stop in time.')
          process.exit(1)
        },
        settings.stopDelaySeconds * 1000 + STOP_DEADLINE_MS,
      )
      await service.stop()
      clearTimeout(deadline)
    })
}
