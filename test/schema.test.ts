import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openStore } from '../packages/server/store/open.ts'
import { aDatabase, ENGINES } from './database.ts'

/** What is kept whole on every node where tables are distributed (docs/scaling.md), and what is no account's. */
const KEPT_WHOLE = new Set(['plans', 'accounts', 'tokens', 'sessions', 'one_time_links', 'switches'])
const OF_NO_ACCOUNT = new Set(['migrations', 'shared_counts', 'tries'])

interface Constraint {
  name: string
  table: string
  kind: 'p' | 'u' | 'f'
  first_column: string
  /** Of a foreign key. */
  target: string | null
  first_target_column: string | null
}

const CONSTRAINTS = `
  select c.conname as name, t.relname as table, c.contype as kind, a.attname as first_column, r.relname as target, ra.attname as first_target_column
  from pg_constraint c
    join pg_class t on t.oid = c.conrelid
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    left join pg_class r on r.oid = c.confrelid and c.contype = 'f'
    left join pg_attribute ra on ra.attrelid = c.confrelid and ra.attnum = c.confkey[1] and c.contype = 'f'
  where t.relnamespace = current_schema()::regnamespace and c.contype in ('p', 'u', 'f')`

const UNIQUE_INDEXES = `
  select i.relname as name, t.relname as table, a.attname as first_column
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0]
  where x.indisunique and t.relnamespace = current_schema()::regnamespace`

describe('the schema', { skip: !ENGINES.includes('postgres') }, () => {
  it("has account_id first in every primary key, unique index and foreign key of an account's data, so that it can be distributed", async () => {
    await using database = await aDatabase('postgres')
    const store = await openStore(database.place, Date.now, () => new Uint8Array(10))
    const constraints = await store.all<Constraint>(CONSTRAINTS, [])
    const indexes = await store.all<Pick<Constraint, 'name' | 'table' | 'first_column'>>(UNIQUE_INDEXES, [])
    await store.close()
    const isDistributed = ({ table }: { table: string }) => !KEPT_WHOLE.has(table) && !OF_NO_ACCOUNT.has(table)

    const others = [...constraints, ...indexes].filter((one) => isDistributed(one) && one.first_column !== 'account_id')
    const pointingOut = constraints.filter(
      (one) => one.kind === 'f' && isDistributed(one) && one.first_target_column !== 'account_id' && !KEPT_WHOLE.has(one.target ?? ''),
    )
    // What is on every node cannot point to what is on one.
    const pointingIn = constraints.filter((one) => one.kind === 'f' && KEPT_WHOLE.has(one.table) && !KEPT_WHOLE.has(one.target ?? ''))

    assert.ok(constraints.filter(isDistributed).length >= 20)
    assert.deepEqual({ others, pointingOut, pointingIn }, { others: [], pointingOut: [], pointingIn: [] })
  })
})
