import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Folder extends Disposable {
  path: string
}

/** An empty folder, which is gone with all that is in it when the test is over. */
export function aFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'fivetab-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
