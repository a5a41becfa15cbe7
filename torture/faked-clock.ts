import { spawnSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../packages/server/settings.ts'
import { aFolder } from '../test/folder.ts'

/** A clock for services that is moved while they run, by libfaketime (Debian: faketime). What they measure passing time by goes on as ever. */
export interface FakedClock extends Disposable {
  /** What makes a service go by this clock. */
  environment: Environment
  /** What it says, in ms since the epoch. */
  now(): number
  /** Moves it to so many ms beside the real one. */
  moveTo(offsetMs: number): void
}

/** A clock that is right at first; null where there is no libfaketime. */
export function openFakedClock(): FakedClock | null {
  // The program knows where the library is.
  const { status, stdout } = spawnSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' })
  if (status !== 0) return null
  const folder = aFolder()
  const file = join(folder.path, 'offset')
  let offsetMs = 0
  const moveTo = (ms: number) => {
    offsetMs = ms
    // In one go: a file that is just being written says that nothing is to be moved.
    writeFileSync(`${file}.new`, `${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1_000}\n`)
    renameSync(`${file}.new`, file)
  }
  moveTo(0)
  return {
    environment: {
      LD_PRELOAD: stdout.trim(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    now: () => Date.now() + offsetMs,
    moveTo,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
