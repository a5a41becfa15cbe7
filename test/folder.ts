import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../packages/server/store/open.ts'

/** Folders of a test's own, and what can be done by hand to the data in them. */

export interface Folder extends Disposable {
  path: string
}

/** An empty folder, which is gone with all that is in it when the test is over. */
export function aFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'fivetab-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Changes the database of a folder of data by hand, which nobody should: also into what the service would never make of it. */
export function meddle(dataDir: string, ...statements: string[]): void {
  using database = new DatabaseSync(databaseFile(dataDir), { enableForeignKeyConstraints: false })
  for (const statement of statements) database.exec(statement)
}

/** Everything that the database of a folder of data holds, table by table. */
export function contentsOf(dataDir: string): Record<string, unknown[]> {
  using database = new DatabaseSync(databaseFile(dataDir))
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all()
  return Object.fromEntries(tables.map(({ name }) => [String(name), database.prepare(`select * from ${name}`).all()]))
}
