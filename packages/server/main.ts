import { randomBytes } from 'node:crypto'
import { firstStartHint } from './cli/first-start.ts'
import { pauseUntilStopped } from './cli/pause.ts'
import { runCommandLine } from './cli/program.ts'
import { readPassword } from './cli/read-password.ts'
import { openLog } from './log.ts'
import { startService } from './service.ts'

// Whoever reads has had enough, as `head` has: no fault of the command's.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

/** Wiring only: the command line on the real world. */
process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  clock: Date.now,
  print: (line) => process.stdout.write(`${line}\n`),
  printError: (line) => process.stderr.write(`${line}\n`),
  // To the first column, and all that is in the line is erased (ECMA-48).
  ...(process.stderr.isTTY && { rewrite: (line: string) => process.stderr.write(`\r\x1b[K${line}`) }),
  pause: pauseUntilStopped(),
  readPassword,
  startService: async (settings) => {
    const service = await startService(settings, openLog(settings))
    const by = { store: service.store, clock: Date.now, random: randomBytes }
    for (const line of await firstStartHint(by, settings.baseUrl ?? service.url)) process.stdout.write(`${line}\n`)
    return service
  },
})
