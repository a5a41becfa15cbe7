import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COPIED_TABLES } from '../packages/server/store/copying.ts'
import { migrate } from '../packages/server/store/migrate.ts'
import { MIGRATIONS } from '../packages/server/store/migrations/index.ts'
import { withEngine } from '../packages/server/store/open.ts'
import { aDatabase, contentsOf, type Database, ENGINES, meddle } from './database.ts'

const ACCOUNT = '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20'

/** A row in every table that points to a task or is pointed to by one. */
const DATA = [
  "insert into plans values ('pro', 1, 5000, 300, 600, 50000)",
  `insert into accounts (id, email, time_zone, plan_key, api_access, vault, created_at) values ('${ACCOUNT}', 'ada@example.org', 'UTC', 'pro', 1, 0, 0)`,
  `insert into workflows values ('${ACCOUNT}', 'w', 'Writing', null, null, 1, 0, 0, 1)`,
  `insert into statuses values ('${ACCOUNT}', 's', 'w', 'Draft', 'in_progress', 1, 0, 0, 1)`,
  ...['later', 'now'].map(
    (
      id,
    ) => `insert into tasks (account_id, id, title, search_text, disposition, status_id, workflow_id, steps_total, steps_completed, steps_minutes, created_at, updated_at, version)
      values ('${ACCOUNT}', '${id}', 'Write', 'write', 'in_progress', 's', 'w', 1, 0, 5, 1, 2, 3)`,
  ),
  `insert into checklist_steps values ('${ACCOUNT}', 'now', 'c', 'Paper', null, 5, 1)`,
  `insert into status_progress values ('${ACCOUNT}', 'now', 's', null, 5)`,
  `insert into events values ('${ACCOUNT}', 1, 'e', 'task.created', 1, 'api', null, null, '{}', '{}')`,
]

/** A database as the release with this number of migrations left it. */
async function leftBy(home: Database, version: number): Promise<void> {
  await withEngine(home.place, (engine) =>
    engine.transact(async (writer) => {
      await writer.run('create table migrations (number bigint not null primary key, name text not null, applied_at bigint not null)', [])
      for (const [index, { name, statements }] of MIGRATIONS.slice(0, version).entries()) {
        for (const statement of statements(engine.dialect)) await writer.run(statement, [])
        await writer.run('insert into migrations values ($1, $2, 0)', [index + 1, name])
      }
    }),
  )
  await meddle(home, ...DATA)
}

for (const engine of ENGINES) {
  describe(`a database of an earlier release that holds something (${engine})`, () => {
    it('holds the same when it was brought to the newest schema', async () => {
      await using home = await aDatabase(engine)
      await leftBy(home, 4)
      const before = await contentsOf(home)

      await withEngine(home.place, (opened) => migrate(opened, 0))

      const after = await contentsOf(home)
      for (const table of COPIED_TABLES.filter((name) => before[name] !== undefined))
        assert.partialDeepStrictEqual(after[table], before[table], table)
    })

    it('has what points to its tasks go with them afterwards', async () => {
      await using home = await aDatabase(engine)
      await leftBy(home, 4)
      await withEngine(home.place, (opened) => migrate(opened, 0))

      await withEngine(home.place, (opened) => opened.transact((writer) => writer.run("delete from tasks where id = 'now'", [])))

      const { tasks, checklist_steps, status_progress } = await contentsOf(home)
      assert.deepEqual([tasks?.length, checklist_steps, status_progress], [1, [], []])
    })
  })
}
